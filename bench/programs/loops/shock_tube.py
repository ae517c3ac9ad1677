import numpy as np


# pythran export run(float32[:, :] order(C), int)
def run(given, steps):
    n = given.shape[1]
    q = given.copy()
    flux, between, speed = np.empty_like(q), np.empty_like(q), np.empty(n, q.dtype)
    half, less, gamma, ratio = np.float32(0.5), np.float32(0.4), np.float32(1.4), np.float32(0.1)
    for _ in range(steps):
        # omp parallel for
        for i in range(n):
            u = q[1, i] / q[0, i]
            p = less * (q[2, i] - half * q[1, i] * u)
            flux[0, i], flux[1, i], flux[2, i] = q[1, i], q[1, i] * u + p, u * (q[2, i] + p)
            speed[i] = abs(u) + np.sqrt(gamma * p / q[0, i])
        for k in range(3):
            for i in range(n - 1):
                fastest = max(speed[i + 1], speed[i])
                between[k, i] = half * (flux[k, i + 1] + flux[k, i] - fastest * (q[k, i + 1] - q[k, i]))
            for i in range(1, n - 1):
                q[k, i] -= ratio * (between[k, i] - between[k, i - 1])
    return q
