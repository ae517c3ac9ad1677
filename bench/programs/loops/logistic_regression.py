import numpy as np


# pythran export run(float32[:], float32[:], float32[:, :] order(C), float32[:], int)
def run(w_given, momentum_given, x, y, steps):
    n, features = x.shape
    w, momentum = w_given.copy(), momentum_given.copy()
    slope = np.empty_like(w)
    one, keep, rate, share = np.float32(1), np.float32(0.9), np.float32(0.1), np.float32(1) / np.float32(n)
    for _ in range(steps):
        slope[:] = np.float32(0)
        for i in range(n):
            score = np.float32(0)
            for j in range(features):
                score += x[i, j] * w[j]
            wrong = one / (one + np.exp(-score)) - y[i]
            for j in range(features):
                slope[j] += wrong * x[i, j]
        for j in range(features):
            momentum[j] = keep * momentum[j] + share * slope[j]
            w[j] -= rate * momentum[j]
    return w
