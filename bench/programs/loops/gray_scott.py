import numpy as np


# pythran export run(float32[:, :] order(C), float32[:, :] order(C), int)
def run(v_given, u_given, steps):
    n, m = v_given.shape
    v, u = v_given.copy(), u_given.copy()
    new_v, new_u = np.empty_like(v), np.empty_like(u)
    one, four, feed, loss = np.float32(1), np.float32(4), np.float32(0.04), np.float32(0.1)
    slow, fast = np.float32(0.08), np.float32(0.16)
    for _ in range(steps):
        # omp parallel for
        for i in range(n):
            up, down = (i - 1 if i > 0 else n - 1), (i + 1 if i < n - 1 else 0)
            for j in range(m):
                left, right = (j - 1 if j > 0 else m - 1), (j + 1 if j < m - 1 else 0)
                around_v = v[up, j] + v[down, j] + v[i, left] + v[i, right] - four * v[i, j]
                around_u = u[up, j] + u[down, j] + u[i, left] + u[i, right] - four * u[i, j]
                reaction = u[i, j] * v[i, j] * v[i, j]
                new_v[i, j] = v[i, j] + slow * around_v + reaction - loss * v[i, j]
                new_u[i, j] = u[i, j] + fast * around_u - reaction + feed * (one - u[i, j])
        v, new_v = new_v, v
        u, new_u = new_u, u
    return v
