import numpy as np


# pythran export run(float32[:, :] order(C), float32[:, :] order(C))
def run(u, w):
    levels, n = u.shape
    c, d = np.empty_like(u), np.empty_like(u)
    quarter, one = np.float32(0.25), np.float32(1)
    # omp parallel for
    for i in range(n):
        below = quarter * w[1, i]
        factor = one / (one + quarter * w[0, i] - below)
        c[0, i] = below * factor
        d[0, i] = u[0, i] * factor
    for k in range(1, levels):
        # omp parallel for
        for i in range(n):
            above, below = -quarter * w[k, i], quarter * w[k + 1, i]
            factor = one / (one - above - below - above * c[k - 1, i])
            c[k, i] = below * factor
            d[k, i] = (u[k, i] - above * d[k - 1, i]) * factor
    for k in range(levels - 2, -1, -1):
        # omp parallel for
        for i in range(n):
            d[k, i] -= c[k, i] * d[k + 1, i]
    return d
