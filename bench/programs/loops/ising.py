import numpy as np


# pythran export run(float32[:, :] order(C), float32[:, :, :, :] order(C), float32[:, :] order(C))
def run(given, chances, even):
    n, m = given.shape
    spins = given.copy()
    rate = np.float32(-0.8)
    for t in range(chances.shape[0]):
        for parity in range(2):
            # omp parallel for
            for i in range(n):
                up, down = (i - 1 if i > 0 else n - 1), (i + 1 if i < n - 1 else 0)
                for j in range((i + parity) % 2, m, 2):
                    left, right = (j - 1 if j > 0 else m - 1), (j + 1 if j < m - 1 else 0)
                    around = spins[up, j] + spins[down, j] + spins[i, left] + spins[i, right]
                    if chances[t, parity, i, j] < np.exp(rate * spins[i, j] * around):
                        spins[i, j] = -spins[i, j]
    return spins
