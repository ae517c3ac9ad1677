import numpy as np


def run(a, b, most):
    counts = np.empty(a.shape, np.int32)
    two, four = np.float32(2), np.float32(4)
    # omp parallel for
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            x, y, count = np.float32(0), np.float32(0), 0
            while count < most and x * x + y * y <= four:
                x, y = x * x - y * y + a[i, j], two * x * y + b[i, j]
                count += 1
            counts[i, j] = count
    return counts
