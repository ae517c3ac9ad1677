import numpy as np


# pythran export run(float32[:, :, :] order(C), float32[:, :, :] order(C))
def run(x, coefficient):
    n, m, levels = coefficient.shape
    y = np.empty_like(coefficient)
    lap = np.empty((n + 2, m + 2, levels), x.dtype)
    four, zero = np.float32(4), np.float32(0)
    # omp parallel for
    for i in range(n + 2):
        for j in range(m + 2):
            for k in range(levels):
                around = x[i + 2, j + 1, k] + x[i, j + 1, k] + x[i + 1, j + 2, k] + x[i + 1, j, k]
                lap[i, j, k] = four * x[i + 1, j + 1, k] - around
    # omp parallel for
    for i in range(n):
        for j in range(m):
            for k in range(levels):
                here, value = lap[i + 1, j + 1, k], x[i + 2, j + 2, k]
                above, below = here - lap[i, j + 1, k], lap[i + 2, j + 1, k] - here
                left, right = here - lap[i + 1, j, k], lap[i + 1, j + 2, k] - here
                above = zero if above * (value - x[i + 1, j + 2, k]) > zero else above
                below = zero if below * (x[i + 3, j + 2, k] - value) > zero else below
                left = zero if left * (value - x[i + 2, j + 1, k]) > zero else left
                right = zero if right * (x[i + 2, j + 3, k] - value) > zero else right
                y[i, j, k] = value - coefficient[i, j, k] * (below - above + right - left)
    return y
