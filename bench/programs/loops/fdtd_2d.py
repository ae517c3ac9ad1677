import numpy as np


# pythran export run(float32[:, :] order(C), float32[:, :] order(C), float32[:, :] order(C), float32[:], int)
def run(hz_given, ex_given, ey_given, source, steps):
    n, m = hz_given.shape
    hz, ex, ey = hz_given.copy(), ex_given.copy(), ey_given.copy()
    half, most = np.float32(0.5), np.float32(0.7)
    for _ in range(steps):
        for j in range(m):
            ey[0, j] = source[j]
        # omp parallel for
        for i in range(1, n):
            for j in range(m):
                ey[i, j] -= half * (hz[i, j] - hz[i - 1, j])
        # omp parallel for
        for i in range(n):
            for j in range(1, m):
                ex[i, j] -= half * (hz[i, j] - hz[i, j - 1])
        # omp parallel for
        for i in range(n - 1):
            for j in range(m - 1):
                hz[i, j] -= most * (ex[i, j + 1] - ex[i, j] + ey[i + 1, j] - ey[i, j])
    return hz
