import numpy as np


# pythran export run(float32[:, :] order(C), float32[:])
def run(x, rates):
    steps, n = x.shape
    y = np.empty_like(x)
    for i in range(n):
        y[0, i] = x[0, i]
    for t in range(1, steps):
        for i in range(n):
            y[t, i] = y[t - 1, i] + rates[i] * (x[t, i] - y[t - 1, i])
    return y
