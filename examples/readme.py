import numpy as np

import kolam as ko


@ko.jit
def layer(x, w, b):
    return ko.relu(x @ w + b)


x = np.arange(6, dtype=np.float32).reshape(2, 3)
w = np.array([[1, -1], [0, 2], [-1, 1]], np.float32)
b = np.array([2.5, -5], np.float32)
print(np.asarray(layer(x, w, b)))
