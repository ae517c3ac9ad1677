# pythran export run(float64[:, :, :] order(C), int)
def run(x, steps):
    n, m, o = x.shape
    a, b = x.copy(), x.copy()
    for _ in range(steps):
        # omp parallel for
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                for k in range(1, o - 1):
                    b[i, j, k] = (
                        0.125 * (a[i + 1, j, k] - 2 * a[i, j, k] + a[i - 1, j, k])
                        + 0.125 * (a[i, j + 1, k] - 2 * a[i, j, k] + a[i, j - 1, k])
                        + 0.125 * (a[i, j, k + 1] - 2 * a[i, j, k] + a[i, j, k - 1])
                        + a[i, j, k]
                    )
        a, b = b, a
    return a
