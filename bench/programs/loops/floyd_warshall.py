# pythran export run(float32[:, :] order(C))
def run(given):
    d = given.copy()
    n = len(d)
    for k in range(n):
        # omp parallel for
        for i in range(n):
            through = d[i, k]
            for j in range(n):
                d[i, j] = min(d[i, j], through + d[k, j])
    return d
