# pythran export run(float64[:, :] order(C))
def run(given):
    n = given.shape[0]
    a = given.copy()
    for k in range(n - 1):
        # omp parallel for
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]
    return a
