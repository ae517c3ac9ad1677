import numpy as np


# pythran export run(float32[:], int)
def run(x, width):
    n = x.shape[0]
    y = np.empty(n - width + 1, x.dtype)
    # omp parallel for
    for i in range(n - width + 1):
        most = x[i]
        for k in range(1, width):
            most = max(most, x[i + k])
        y[i] = most
    return y
