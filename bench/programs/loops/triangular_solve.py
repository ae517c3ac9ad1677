import numpy as np


# pythran export run(float32[:, :] order(C), float32[:])
def run(a, b):
    n = b.shape[0]
    x = np.empty_like(b)
    for i in range(n):
        total = b[i]
        for j in range(i):
            total -= a[i, j] * x[j]
        x[i] = total / a[i, i]
    return x
