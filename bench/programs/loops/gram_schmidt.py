import numpy as np


# pythran export run(float32[:, :] order(C))
def run(given):
    m, n = given.shape
    q = given.copy()
    along = np.empty(n, q.dtype)
    for k in range(n):
        squares = np.float32(0)
        for i in range(m):
            squares += q[i, k] * q[i, k]
        norm = np.sqrt(squares)
        for i in range(m):
            q[i, k] /= norm
        for j in range(k + 1, n):
            along[j] = 0
        for i in range(m):
            for j in range(k + 1, n):
                along[j] += q[i, k] * q[i, j]
        # omp parallel for
        for i in range(m):
            for j in range(k + 1, n):
                q[i, j] -= q[i, k] * along[j]
    return q
