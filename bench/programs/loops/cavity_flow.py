import numpy as np


# pythran export run(float32[:, :] order(C), float32[:, :] order(C), float32[:, :] order(C), int, int)
def run(u_given, v_given, p_given, steps, sweeps):
    n, m = u_given.shape
    u, v, p = u_given.copy(), v_given.copy(), p_given.copy()
    new_u, new_v, new_p, b = u.copy(), v.copy(), p.copy(), np.zeros_like(u)
    two, four, quarter = np.float32(2), np.float32(4), np.float32(0.25)
    over, rate, area = np.float32(25), np.float32(5000), np.float32(0.0004)
    along, slope, spread = np.float32(0.01), np.float32(0.005), np.float32(0.05)
    for _ in range(steps):
        # omp parallel for
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                du_x, dv_y = (u[i, j + 1] - u[i, j - 1]) * over, (v[i + 1, j] - v[i - 1, j]) * over
                du_y, dv_x = (u[i + 1, j] - u[i - 1, j]) * over, (v[i, j + 1] - v[i, j - 1]) * over
                b[i, j] = (du_x + dv_y) * rate - du_x * du_x - two * du_y * dv_x - dv_y * dv_y
        for _ in range(sweeps):
            # omp parallel for
            for i in range(1, n - 1):
                for j in range(1, m - 1):
                    around = p[i, j + 1] + p[i, j - 1] + p[i + 1, j] + p[i - 1, j]
                    new_p[i, j] = quarter * (around - area * b[i, j])
            new_p[0, m - 1], new_p[n - 1, m - 1] = p[0, m - 2], p[n - 1, m - 2]
            for i in range(1, n - 1):
                new_p[i, m - 1] = new_p[i, m - 2]
            for j in range(m):
                new_p[0, j] = new_p[1, j]
            for i in range(n):
                new_p[i, 0] = new_p[i, 1]
            for j in range(m):
                new_p[n - 1, j] = 0
            p, new_p = new_p, p
        # omp parallel for
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                a, c = along * u[i, j], along * v[i, j]
                around = u[i, j + 1] + u[i, j - 1] + u[i + 1, j] + u[i - 1, j] - four * u[i, j]
                moved = a * (u[i, j] - u[i, j - 1]) + c * (u[i, j] - u[i - 1, j])
                new_u[i, j] = u[i, j] - moved - slope * (p[i, j + 1] - p[i, j - 1]) + spread * around
                around = v[i, j + 1] + v[i, j - 1] + v[i + 1, j] + v[i - 1, j] - four * v[i, j]
                moved = a * (v[i, j] - v[i, j - 1]) + c * (v[i, j] - v[i - 1, j])
                new_v[i, j] = v[i, j] - moved - slope * (p[i + 1, j] - p[i - 1, j]) + spread * around
        u, new_u = new_u, u
        v, new_v = new_v, v
    return np.stack((u, v))
