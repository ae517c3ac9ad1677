import numpy as np


# pythran export run(float32[:, :] order(C), float32[:, :] order(C), float32[:], int)
def run(x_given, v_given, mass, steps):
    n = mass.shape[0]
    x, v = x_given.copy(), v_given.copy()
    dt, soft = np.float32(0.01), np.float32(0.1)
    for _ in range(steps):
        # omp parallel for
        for i in range(n):
            a, b, c = np.float32(0), np.float32(0), np.float32(0)
            for j in range(n):
                d, e, f = x[0, j] - x[0, i], x[1, j] - x[1, i], x[2, j] - x[2, i]
                squares = d * d + e * e + f * f + soft
                pull = mass[j] / (squares * np.sqrt(squares))
                a += d * pull
                b += e * pull
                c += f * pull
            v[0, i] += dt * a
            v[1, i] += dt * b
            v[2, i] += dt * c
        for k in range(3):
            for i in range(n):
                x[k, i] += dt * v[k, i]
    return x
