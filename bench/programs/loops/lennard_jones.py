import numpy as np


# pythran export run(float64[:, :] order(C), float, float)
def run(x, box, cutoff):
    n = x.shape[1]
    force = np.zeros_like(x)
    # omp parallel for
    for i in range(n):
        a, b, c = 0.0, 0.0, 0.0
        for j in range(n):
            d, e, f = x[0, i] - x[0, j], x[1, i] - x[1, j], x[2, i] - x[2, j]
            d -= box * np.rint(d / box)
            e -= box * np.rint(e / box)
            f -= box * np.rint(f / box)
            squares = d * d + e * e + f * f
            if squares < cutoff * cutoff and squares > 0.0:
                inverse = 1.0 / squares
                sixth = inverse * inverse * inverse
                strength = 24.0 * inverse * sixth * (2.0 * sixth - 1.0)
                a += strength * d
                b += strength * e
                c += strength * f
        force[0, i], force[1, i], force[2, i] = a, b, c
    return force
