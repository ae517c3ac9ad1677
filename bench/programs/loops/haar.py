import numpy as np


# pythran export run(float32[:])
def run(given):
    x, y = given.copy(), np.empty_like(given)
    half, n = np.float32(0.5), given.shape[0] // 2
    while n > 0:
        for i in range(n):
            y[n + i] = half * (x[2 * i] - x[2 * i + 1])
        for i in range(n):
            x[i] = half * (x[2 * i] + x[2 * i + 1])
        n //= 2
    y[0] = x[0]
    return y
