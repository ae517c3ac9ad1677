import numpy as np


# pythran export run(float64[:, :] order(C))
def run(given):
    n = given.shape[0]
    a = np.zeros_like(given)
    for i in range(n):
        for j in range(i):
            total = given[i, j]
            for k in range(j):
                total -= a[i, k] * a[j, k]
            a[i, j] = total / a[j, j]
        total = given[i, i]
        for k in range(i):
            total -= a[i, k] * a[i, k]
        a[i, i] = np.sqrt(total)
    return a
