import numpy as np


# pythran export run(float64[:, :] order(C), int)
def run(b, steps):
    n, m = b.shape
    x, r, q = np.zeros_like(b), b.copy(), np.empty_like(b)
    p = np.zeros((n + 2, m + 2))
    p[1:-1, 1:-1] = b
    squares = np.sum(b * b)
    for _ in range(steps):
        along = 0.0
        # omp parallel for reduction(+:along)
        for i in range(n):
            for j in range(m):
                around = p[i, j + 1] + p[i + 2, j + 1] + p[i + 1, j] + p[i + 1, j + 2]
                q[i, j] = 4.0 * p[i + 1, j + 1] - around
                along += p[i + 1, j + 1] * q[i, j]
        alpha, new = squares / along, 0.0
        # omp parallel for reduction(+:new)
        for i in range(n):
            for j in range(m):
                x[i, j] += alpha * p[i + 1, j + 1]
                r[i, j] -= alpha * q[i, j]
                new += r[i, j] * r[i, j]
        beta = new / squares
        # omp parallel for
        for i in range(n):
            for j in range(m):
                p[i + 1, j + 1] = r[i, j] + beta * p[i + 1, j + 1]
        squares = new
    return x
