import numpy as np


# pythran export run(float32[:])
def run(x):
    y = np.empty_like(x)
    b0, b1, b2 = np.float32(0.2), np.float32(0.4), np.float32(0.2)
    a1, a2 = np.float32(-0.3), np.float32(0.2)
    s1, s2 = np.float32(0), np.float32(0)
    for i in range(x.shape[0]):
        now = b0 * x[i] + s1
        s1 = b1 * x[i] - a1 * now + s2
        s2 = b2 * x[i] - a2 * now
        y[i] = now
    return y
