import numpy as np


# pythran export run(float64[:, :] order(C), float64[:, :] order(C), int)
def run(x_given, y_given, steps):
    n, m = x_given.shape
    result = np.empty_like(x_given)
    # omp parallel for
    for i in range(n):
        for j in range(m):
            x, y = x_given[i, j], y_given[i, j]
            for _ in range(steps):
                xx, yy = x * x - y * y, 2.0 * x * y
                re, im = x * xx - y * yy - 1.0, x * yy + y * xx
                norm = 3.0 * (xx * xx + yy * yy)
                x, y = x - (re * xx + im * yy) / norm, y - (im * xx - re * yy) / norm
            result[i, j] = x + 2.0 * y
    return result
