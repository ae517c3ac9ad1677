import numpy as np


# pythran export run(float32[:], float32[:], float32[:], float32[:])
def run(w, g, m, v):
    n = w.shape[0]
    result = np.empty((3, n), w.dtype)
    keep, rest = np.float32(0.9), np.float32(0.1)
    slow, little, ten, thousand = np.float32(0.999), np.float32(0.001), np.float32(10), np.float32(1000)
    small, decay = np.float32(1e-8), np.float32(0.01)
    # omp parallel for
    for i in range(n):
        first = keep * m[i] + rest * g[i]
        second = slow * v[i] + little * g[i] * g[i]
        result[0, i] = w[i] - little * (ten * first / (np.sqrt(thousand * second) + small) + decay * w[i])
        result[1, i], result[2, i] = first, second
    return result
