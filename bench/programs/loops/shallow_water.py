import numpy as np


# pythran export run(float32[:, :] order(C), float32[:, :] order(C), float32[:, :] order(C), int)
def run(h_given, u_given, v_given, steps):
    n, m = h_given.shape
    h, u, v = h_given.copy(), u_given.copy(), v_given.copy()
    tenth, turning = np.float32(0.1), np.float32(0.01)
    for _ in range(steps):
        # omp parallel for
        for i in range(n):
            down = i + 1 if i < n - 1 else 0
            for j in range(m):
                right = j + 1 if j < m - 1 else 0
                h[i, j] -= tenth * (u[down, j] - u[i, j] + v[i, right] - v[i, j])
        # omp parallel for
        for i in range(n):
            up = i - 1 if i > 0 else n - 1
            for j in range(m):
                left = j - 1 if j > 0 else m - 1
                u[i, j] += turning * v[i, j] - tenth * (h[i, j] - h[up, j])
                v[i, j] -= tenth * (h[i, j] - h[i, left]) + turning * u[i, j]
    return h
