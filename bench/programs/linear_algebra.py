"""PolyBench's kernels on dense matrices, f32."""

import numpy as np
from case import Case, floats, loops, named
from forms import same_text
from sizes import size


def gemm(ko, name):
    """C = alpha A B + beta C."""

    def nest(a, b, c):
        r = np.empty_like(c)
        for i in range(len(r)):
            for j in range(r.shape[1]):
                r[i, j] = c[i, j] * np.float32(1.2)
            for k in range(a.shape[1]):
                for j in range(r.shape[1]):
                    r[i, j] += np.float32(1.5) * a[i, k] * b[k, j]
        return r

    n = size(400, 20)
    program = lambda library, a, b, c: 1.5 * (a @ b) + 1.2 * c
    return same_text(ko, name, [floats(seed, n, n) for seed in range(3)], program, nest)


def two_products(ko, name):
    """2mm: D = alpha A B C + beta D."""
    n = size(256, 20)

    def nest(a, b, c, d):
        t = np.zeros_like(d)
        r = d * np.float32(1.2)
        for i in range(len(t)):
            for k in range(a.shape[1]):
                for j in range(t.shape[1]):
                    t[i, j] += np.float32(1.5) * a[i, k] * b[k, j]
            for k in range(t.shape[1]):
                for j in range(r.shape[1]):
                    r[i, j] += t[i, k] * c[k, j]
        return r

    program = lambda library, a, b, c, d: 1.5 * (a @ b) @ c + 1.2 * d
    return same_text(ko, name, [floats(seed, n, n) for seed in range(4)], program, nest)


def three_products(ko, name):
    """3mm: G = (A B) (C D)."""
    n = size(256, 20)

    def nest(a, b, c, d):
        e, f, g = np.zeros_like(a), np.zeros_like(a), np.zeros_like(a)
        for x, y, z in ((a, b, e), (c, d, f), (e, f, g)):
            for i in range(len(x)):
                for k in range(x.shape[1]):
                    for j in range(y.shape[1]):
                        z[i, j] += x[i, k] * y[k, j]
        return g

    program = lambda library, a, b, c, d: (a @ b) @ (c @ d)
    return same_text(ko, name, [floats(seed, n, n) for seed in range(4)], program, nest)


def atax(ko, name):
    """A^T A x."""

    def nest(a, x):
        y = np.zeros_like(x)
        for i in range(len(a)):
            total = x[0] * 0
            for j in range(len(x)):
                total += a[i, j] * x[j]
            for j in range(len(x)):
                y[j] += a[i, j] * total
        return y

    rows, columns = size((1600, 1800), (20, 30))
    return same_text(ko, name, [floats(1, rows, columns), floats(2, columns)], lambda library, a, x: (a @ x) @ a, nest)


def bicg(ko, name):
    """A p and A^T r, one behind the other."""

    def nest(a, p, r):
        q, s = np.zeros_like(r), np.zeros_like(p)
        for i in range(len(r)):
            for j in range(len(p)):
                s[j] += r[i] * a[i, j]
                q[i] += a[i, j] * p[j]
        return np.concatenate((q, s))

    rows, columns = size((1600, 1800), (20, 30))
    program = lambda library, a, p, r: library.concat([a @ p, r @ a])
    return same_text(ko, name, [floats(1, rows, columns), floats(2, columns), floats(3, rows)], program, nest)


def mvt(ko, name):
    """x1 + A y1 and x2 + A^T y2."""
    n = size(1600, 20)

    def nest(a, x1, x2, y1, y2):
        r = np.concatenate((x1, x2))
        for i in range(len(a)):
            for j in range(len(a)):
                r[i] += a[i, j] * y1[j]
        for j in range(len(a)):
            for i in range(len(a)):
                r[len(a) + i] += a[j, i] * y2[j]
        return r

    program = lambda library, a, x1, x2, y1, y2: library.concat([x1 + a @ y1, x2 + a.T @ y2])
    return same_text(ko, name, [floats(1, n, n), *(floats(seed, n) for seed in range(2, 6))], program, nest)


def gesummv(ko, name):
    """alpha A x + beta B x."""
    n = size(1600, 20)

    def nest(a, b, x):
        y = np.empty_like(x)
        for i in range(len(x)):
            one = other = x[0] * 0
            for j in range(len(x)):
                one += a[i, j] * x[j]
                other += b[i, j] * x[j]
            y[i] = np.float32(1.5) * one + np.float32(1.2) * other
        return y

    program = lambda library, a, b, x: 1.5 * (a @ x) + 1.2 * (b @ x)
    return same_text(ko, name, [floats(1, n, n), floats(2, n, n), floats(3, n)], program, nest)


def gemver(ko, name):
    """Two updates of rank 1, then x = beta A^T y + z and w = alpha A x."""
    n = size(1400, 20)

    def nest(a, u1, v1, u2, v2, y, z):
        b, x, w = np.empty_like(a), z.copy(), np.zeros_like(z)
        for i in range(len(a)):
            for j in range(len(a)):
                b[i, j] = a[i, j] + u1[i] * v1[j] + u2[i] * v2[j]
                x[j] += np.float32(1.2) * b[i, j] * y[i]
        for i in range(len(a)):
            for j in range(len(a)):
                w[i] += np.float32(1.5) * b[i, j] * x[j]
        return w

    def program(library, a, u1, v1, u2, v2, y, z):
        a = a + u1[:, None] * v1 + u2[:, None] * v2
        x = 1.2 * (y @ a) + z
        return 1.5 * (a @ x)

    return same_text(ko, name, [floats(1, n, n), *(floats(seed, n) for seed in range(2, 8))], program, nest)


def syrk(ko, name):
    """The lower triangle of C = alpha A A^T + beta C; the rest of C stays."""

    def nest(a, c):
        r = c.copy()
        for i in range(len(r)):
            for j in range(i + 1):
                total = a[0, 0] * 0
                for k in range(a.shape[1]):
                    total += a[i, k] * a[j, k]
                r[i, j] = np.float32(1.5) * total + np.float32(1.2) * c[i, j]
        return r

    def program(library, a, c):
        i = library.arange(len(a))
        return library.where(i[:, None] >= i, 1.5 * (a @ a.T) + 1.2 * c, c)

    n, m = size((400, 300), (20, 9))
    return same_text(ko, name, [floats(1, n, m), floats(2, n, n)], program, nest)


def trmm(ko, name):
    """B = alpha A^T B for A lower triangular with ones on the diagonal."""

    def nest(a, b):
        r = b.copy()
        for i in range(len(r)):
            for k in range(i + 1, len(r)):
                for j in range(r.shape[1]):
                    r[i, j] += a[k, i] * b[k, j]
            for j in range(r.shape[1]):
                r[i, j] *= np.float32(1.5)
        return r

    program = lambda library, a, b: 1.5 * (b + library.tril(a, -1).T @ b)
    n, m = size((400, 500), (20, 9))
    return same_text(ko, name, [floats(1, n, n), floats(2, n, m)], program, nest)


def covariance(ko, name):
    """Of the columns of 500 samples of 300 numbers."""

    def nest(x):
        rows, columns = x.shape
        mean, r = np.zeros_like(x[0]), np.zeros((columns, columns), x.dtype)
        for i in range(rows):
            for j in range(columns):
                mean[j] += x[i, j]
        for j in range(columns):
            mean[j] /= np.float32(rows)
        y = np.empty_like(x)
        for i in range(rows):
            for j in range(columns):
                y[i, j] = x[i, j] - mean[j]
        for k in range(rows):
            for i in range(columns):
                for j in range(i, columns):
                    r[i, j] += y[k, i] * y[k, j]
        for i in range(columns):
            for j in range(i, columns):
                r[i, j] /= np.float32(rows - 1)
                r[j, i] = r[i, j]
        return r

    def program(library, x):
        x = x - library.mean(x, axis=0)
        return x.T @ x / (len(x) - 1)

    return same_text(ko, name, [floats(1, *size((500, 300), (40, 9)))], program, nest)


def correlation(ko, name):
    """Of the columns of 500 samples of 300 numbers; a column without spread counts as it is."""

    def nest(x):
        rows, columns = x.shape
        mean, spread, y = np.zeros_like(x[0]), np.zeros_like(x[0]), np.empty_like(x)
        for i in range(rows):
            for j in range(columns):
                mean[j] += x[i, j] / np.float32(rows)
        for i in range(rows):
            for j in range(columns):
                spread[j] += (x[i, j] - mean[j]) ** 2 / np.float32(rows)
        for j in range(columns):
            spread[j] = np.sqrt(spread[j])
            spread[j] = spread[j] if spread[j] > 0.1 else np.float32(1)
        for i in range(rows):
            for j in range(columns):
                y[i, j] = (x[i, j] - mean[j]) / (np.sqrt(np.float32(rows)) * spread[j])
        r = np.zeros((columns, columns), x.dtype)
        for k in range(rows):
            for i in range(columns):
                for j in range(i, columns):
                    r[i, j] += y[k, i] * y[k, j]
        for i in range(columns):
            r[i, i] = 1
            for j in range(i):
                r[i, j] = r[j, i]
        return r

    def program(library, x):
        x = x - library.mean(x, axis=0)
        spread = library.sqrt(library.mean(x * x, axis=0))
        x = x / (library.where(spread <= 0.1, 1.0, spread) * len(x) ** 0.5)
        i = library.arange(x.shape[1])
        return library.where(i[:, None] == i, 1.0, x.T @ x)

    return same_text(ko, name, [floats(1, *size((500, 300), (40, 9)))], program, nest)


def doitgen(ko, name):
    """A[r][q] times C, for all r and q."""

    def nest(a, c):
        y = np.zeros_like(a)
        for r in range(a.shape[0]):
            for q in range(a.shape[1]):
                for s in range(a.shape[2]):
                    for p in range(a.shape[2]):
                        y[r, q, p] += a[r, q, s] * c[s, p]
        return y

    einsum = lambda library, a, c: library.einsum("rqs,sp->rqp", a, c)
    r, q, p = size((100, 60, 80), (5, 6, 7))
    return same_text(ko, name, [floats(1, r, q, p), floats(2, p, p)], einsum, nest)


def gram_schmidt(ko, name):
    """Q of A = Q R, column by column: each is taken out of those behind it."""
    rows, columns = size((240, 120), (20, 9))

    def nest(given):
        a = given.copy()
        for k in range(a.shape[1]):
            norm = a[0, 0] * 0
            for i in range(len(a)):
                norm += a[i, k] * a[i, k]
            norm = np.sqrt(norm)
            for i in range(len(a)):
                a[i, k] /= norm
            for j in range(k + 1, a.shape[1]):
                dot = norm * 0
                for i in range(len(a)):
                    dot += a[i, k] * a[i, j]
                for i in range(len(a)):
                    a[i, j] -= a[i, k] * dot
        return a

    def by_loop(library, fori_loop, a):
        j = library.arange(columns)

        def column(k, a):
            q = a[:, k] / library.sqrt(library.sum(a[:, k] ** 2))
            a = a - q[:, None] * library.where(j > k, q @ a, 0)
            return a.at[:, k].set(q)

        return fori_loop(0, columns, column, a)

    def by_torch(torch, given):
        a = given.clone()
        for k in range(columns):
            a[:, k] /= torch.linalg.vector_norm(a[:, k])
            a[:, k + 1 :] -= torch.outer(a[:, k], a[:, k] @ a[:, k + 1 :])
        return a

    return Case(
        name, [floats(1, rows, columns)], tolerance=1e-4, reference=nest, numba=loops(nest), torch=by_torch,
        compiled=False, ours=lambda a: by_loop(ko, ko.fori_loop, a),
        jax=lambda jax, a: by_loop(jax.numpy, jax.lax.fori_loop, a),
    )


def cases(ko):
    """See `named`."""
    rows = {
        "gemm 400": gemm, "2mm 256": two_products, "3mm 256": three_products, "atax 1600x1800": atax,
        "bicg 1600x1800": bicg, "mvt 1600": mvt, "gesummv 1600": gesummv, "gemver 1400": gemver, "syrk 400x300": syrk,
        "trmm 400x500": trmm, "covariance 500x300": covariance, "correlation 500x300": correlation,
        "doitgen 100x60x80": doitgen, "Gram-Schmidt 240x120": gram_schmidt,
    }  # fmt: skip
    return named(ko, rows)
