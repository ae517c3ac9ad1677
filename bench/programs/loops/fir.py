import numpy as np


# pythran export run(float32[:], float32[:])
def run(x, w):
    n, taps = x.shape[0], w.shape[0]
    y = np.empty(n - taps + 1, x.dtype)
    # omp parallel for
    for i in range(n - taps + 1):
        total = np.float32(0)
        for k in range(taps):
            total += w[k] * x[i + taps - 1 - k]
        y[i] = total
    return y
