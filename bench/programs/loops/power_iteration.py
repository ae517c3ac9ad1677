import numpy as np


# pythran export run(float32[:], float32[:, :] order(C), int)
def run(x_given, a, steps):
    n = x_given.shape[0]
    x, y = x_given.copy(), np.empty_like(x_given)
    for _ in range(steps):
        # omp parallel for
        for i in range(n):
            total = np.float32(0)
            for j in range(n):
                total += a[i, j] * x[j]
            y[i] = total
        squares = np.float32(0)
        for i in range(n):
            squares += y[i] * y[i]
        norm = np.sqrt(squares)
        for i in range(n):
            x[i] = y[i] / norm
    return x
