import numpy as np


# pythran export run(float64[:, :] order(C), float64[:], int)
def run(a, b, steps):
    n = b.shape[0]
    x, r, p, q = np.zeros_like(b), b.copy(), b.copy(), np.empty_like(b)
    squares = np.sum(r * r)
    for _ in range(steps):
        # omp parallel for
        for i in range(n):
            total = 0.0
            for j in range(n):
                total += a[i, j] * p[j]
            q[i] = total
        along = 0.0
        for i in range(n):
            along += p[i] * q[i]
        alpha, new = squares / along, 0.0
        for i in range(n):
            x[i] += alpha * p[i]
            r[i] -= alpha * q[i]
            new += r[i] * r[i]
        for i in range(n):
            p[i] = r[i] + new / squares * p[i]
        squares = new
    return x
