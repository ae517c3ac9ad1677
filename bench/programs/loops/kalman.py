import numpy as np


# pythran export run(float32[:, :] order(C))
def run(z):
    steps, n = z.shape
    found = np.empty_like(z)
    x, v, c = np.zeros(n, z.dtype), np.zeros(n, z.dtype), np.zeros(n, z.dtype)
    p, q = np.ones(n, z.dtype), np.ones(n, z.dtype)
    one, two, noise, error = np.float32(1), np.float32(2), np.float32(0.01), np.float32(0.5)
    for t in range(steps):
        # omp parallel for
        for i in range(n):
            before = x[i] + v[i]
            wide, mixed, narrow = p[i] + two * c[i] + q[i] + noise, c[i] + q[i], q[i] + noise
            gain, speed_gain = wide / (wide + error), mixed / (wide + error)
            rest = z[t, i] - before
            x[i] = before + gain * rest
            v[i] += speed_gain * rest
            p[i], c[i], q[i] = (one - gain) * wide, (one - gain) * mixed, narrow - speed_gain * mixed
            found[t, i] = x[i]
    return found
