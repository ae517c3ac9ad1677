import numpy as np


# pythran export run(float32[:, :] order(C), int)
def run(x, steps):
    n, m = x.shape
    a, b = x.copy(), x.copy()
    fifth = np.float32(0.2)
    for _ in range(steps):
        # omp parallel for
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                b[i, j] = fifth * (a[i, j] + a[i, j - 1] + a[i, j + 1] + a[i - 1, j] + a[i + 1, j])
        a, b = b, a
    return a
