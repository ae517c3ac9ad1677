import numpy as np


# pythran export run(float32[:], float32[:], float32[:], int)
def run(x_given, y_given, z_given, steps):
    n = x_given.shape[0]
    result = np.empty_like(x_given)
    ten, most, less = np.float32(10), np.float32(28), np.float32(8 / 3)
    half, whole, sixth, two = np.float32(0.0025), np.float32(0.005), np.float32(0.005 / 6), np.float32(2)
    # omp parallel for
    for i in range(n):
        x, y, z = x_given[i], y_given[i], z_given[i]
        for _ in range(steps):
            a1, b1, c1 = ten * (y - x), x * (most - z) - y, x * y - less * z
            u, v, w = x + half * a1, y + half * b1, z + half * c1
            a2, b2, c2 = ten * (v - u), u * (most - w) - v, u * v - less * w
            u, v, w = x + half * a2, y + half * b2, z + half * c2
            a3, b3, c3 = ten * (v - u), u * (most - w) - v, u * v - less * w
            u, v, w = x + whole * a3, y + whole * b3, z + whole * c3
            a4, b4, c4 = ten * (v - u), u * (most - w) - v, u * v - less * w
            x += sixth * (a1 + two * a2 + two * a3 + a4)
            y += sixth * (b1 + two * b2 + two * b3 + b4)
            z += sixth * (c1 + two * c2 + two * c3 + c4)
        result[i] = x
    return result
