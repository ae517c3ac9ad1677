import numpy as np


# pythran export run(float64[:], int)
def run(x, width):
    n = x.shape[0]
    y = np.empty(n - width)
    total = 0.0
    for i in range(1, width + 1):
        total += x[i]
    for i in range(n - width):
        y[i] = total / width
        if i + width + 1 < n:
            total += x[i + width + 1] - x[i + 1]
    return y
