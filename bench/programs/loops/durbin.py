import numpy as np


# pythran export run(float64[:])
def run(r):
    n = r.shape[0]
    y, z = np.zeros_like(r), np.empty_like(r)
    alpha, beta = -r[0], 1.0
    y[0] = alpha
    for k in range(1, n):
        beta = (1.0 - alpha * alpha) * beta
        total = r[k]
        for i in range(k):
            total += r[k - 1 - i] * y[i]
        alpha = -total / beta
        for i in range(k):
            z[i] = y[i] + alpha * y[k - 1 - i]
        for i in range(k):
            y[i] = z[i]
        y[k] = alpha
    return y
