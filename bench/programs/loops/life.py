import numpy as np


# pythran export run(uint8[:, :] order(C), int)
def run(given, steps):
    n, m = given.shape
    x, y = given.copy(), np.empty_like(given)
    for _ in range(steps):
        # omp parallel for
        for i in range(n):
            up, down = (i - 1 if i > 0 else n - 1), (i + 1 if i < n - 1 else 0)
            for j in range(m):
                left, right = (j - 1 if j > 0 else m - 1), (j + 1 if j < m - 1 else 0)
                count = x[up, left] + x[up, j] + x[up, right] + x[i, left] + x[i, right]
                count += x[down, left] + x[down, j] + x[down, right]
                y[i, j] = 1 if count == 3 or (count == 2 and x[i, j] == 1) else 0
        x, y = y, x
    return x
