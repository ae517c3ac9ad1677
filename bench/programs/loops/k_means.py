import numpy as np


# pythran export run(float64[:, :] order(C), float64[:, :] order(C), int)
def run(given, x, steps):
    (k, features), n = given.shape, x.shape[0]
    centers = given.copy()
    total, count = np.empty_like(centers), np.empty(k)
    nearest = np.empty(n, np.int32)
    for _ in range(steps):
        # omp parallel for
        for i in range(n):
            least, found = 1e30, 0
            for c in range(k):
                distance = 0.0
                for j in range(features):
                    d = x[i, j] - centers[c, j]
                    distance += d * d
                if distance < least:
                    least, found = distance, c
            nearest[i] = found
        total[:] = 0.0
        count[:] = 0.0
        for i in range(n):
            count[nearest[i]] += 1.0
            for j in range(features):
                total[nearest[i], j] += x[i, j]
        for c in range(k):
            for j in range(features):
                centers[c, j] = total[c, j] / max(count[c], 1.0)
    return centers
