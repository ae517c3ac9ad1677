import numpy as np


# pythran export run(float32[:, :] order(C), float32[:], int)
def run(x, y, sweeps):
    features, n = x.shape
    w, rest, squares = np.zeros(features, x.dtype), y.copy(), np.empty(features, x.dtype)
    share, weight, zero = np.float32(1) / np.float32(n), np.float32(0.1), np.float32(0)
    for j in range(features):
        total = zero
        for i in range(n):
            total += x[j, i] * x[j, i]
        squares[j] = total * share
    for _ in range(sweeps):
        for j in range(features):
            total = zero
            for i in range(n):
                total += x[j, i] * rest[i]
            value = total * share + w[j] * squares[j]
            new = max(abs(value) - weight, zero) / squares[j]
            if value < zero:
                new = -new
            by = new - w[j]
            for i in range(n):
                rest[i] -= x[j, i] * by
            w[j] = new
    return w
