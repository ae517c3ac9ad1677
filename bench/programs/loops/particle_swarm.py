import numpy as np


# pythran export run(float32[:, :] order(C), float32[:, :, :, :] order(C))
def run(given, chances):
    n, dims = given.shape
    x, v, best, costs = given.copy(), np.zeros_like(given), given.copy(), np.empty(n, given.dtype)
    ten, turn, keep, rate = np.float32(10), np.float32(6.2831853), np.float32(0.7), np.float32(1.5)
    for i in range(n):
        total = np.float32(0)
        for j in range(dims):
            total += x[i, j] * x[i, j] - ten * np.cos(turn * x[i, j]) + ten
        costs[i] = total
    for t in range(chances.shape[0]):
        leader = best[np.argmin(costs)].copy()
        # omp parallel for
        for i in range(n):
            total = np.float32(0)
            for j in range(dims):
                own, joint = chances[t, 0, i, j] * (best[i, j] - x[i, j]), chances[t, 1, i, j] * (leader[j] - x[i, j])
                v[i, j] = keep * v[i, j] + rate * (own + joint)
                x[i, j] += v[i, j]
                total += x[i, j] * x[i, j] - ten * np.cos(turn * x[i, j]) + ten
            if total < costs[i]:
                costs[i] = total
                for j in range(dims):
                    best[i, j] = x[i, j]
    return costs
