import numpy as np


# pythran export run(
#     float32[:, :] order(C), float32[:, :] order(C), int32[:, :] order(C), float32[:, :] order(C),
#     float32[:, :] order(C), int)
def run(x_given, y_given, count_given, a, b, most):
    n, m = a.shape
    counts = np.empty_like(count_given)
    two, four = np.float32(2), np.float32(4)
    # omp parallel for
    for i in range(n):
        for j in range(m):
            x, y, count = x_given[i, j], y_given[i, j], 0
            while count < most and x * x + y * y <= four:
                x, y = x * x - y * y + a[i, j], two * x * y + b[i, j]
                count += 1
            counts[i, j] = count
    return counts
