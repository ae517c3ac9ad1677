import numpy as np


# pythran export run(float32[:, :, :] order(C), int)
def run(given, steps):
    n, m = given.shape[1:]
    f, g = given.copy(), np.empty_like(given)
    one, half, three = np.float32(1), np.float32(0.5), np.float32(3)
    rate, most = np.float32(0.6), np.float32(1.5)
    w0, w1, w2 = np.float32(4 / 9), np.float32(1 / 9), np.float32(1 / 36)
    for _ in range(steps):
        # omp parallel for
        for i in range(n):
            up, down = (i - 1 if i > 0 else n - 1), (i + 1 if i < n - 1 else 0)
            for j in range(m):
                left, right = (j - 1 if j > 0 else m - 1), (j + 1 if j < m - 1 else 0)
                f0, f1, f2, f3, f4 = f[0, i, j], f[1, up, j], f[2, i, left], f[3, down, j], f[4, i, right]
                f5, f6, f7, f8 = f[5, up, left], f[6, down, left], f[7, down, right], f[8, up, right]
                density = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8
                u = (f1 - f3 + f5 - f6 - f7 + f8) / density
                v = (f2 - f4 + f5 + f6 - f7 - f8) / density
                rest = one - most * (u * u + v * v)
                a, b, c, d = three * u, three * v, three * (u + v), three * (v - u)
                g[0, i, j] = f0 + rate * (w0 * density * rest - f0)
                g[1, i, j] = f1 + rate * (w1 * density * (rest + a + half * a * a) - f1)
                g[2, i, j] = f2 + rate * (w1 * density * (rest + b + half * b * b) - f2)
                g[3, i, j] = f3 + rate * (w1 * density * (rest - a + half * a * a) - f3)
                g[4, i, j] = f4 + rate * (w1 * density * (rest - b + half * b * b) - f4)
                g[5, i, j] = f5 + rate * (w2 * density * (rest + c + half * c * c) - f5)
                g[6, i, j] = f6 + rate * (w2 * density * (rest + d + half * d * d) - f6)
                g[7, i, j] = f7 + rate * (w2 * density * (rest - c + half * c * c) - f7)
                g[8, i, j] = f8 + rate * (w2 * density * (rest - d + half * d * d) - f8)
        f, g = g, f
    return f
