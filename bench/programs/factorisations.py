"""Factorisations and substitutions written as loops over columns, as PolyBench has them."""

import numpy as np
from case import floats, named
from program import copied, program
from sizes import size
from solvers import definite, wide


def cholesky(ko, name):
    """Column by column; what is right of it is updated at once."""
    n = size(128, 10)

    def arrays(lib, a):
        rows = lib.arange(n)

        def column(k, a):
            pivot = lib.sqrt(a[k, k])
            below = lib.where(rows > k, a[:, k] / pivot, 0.0)
            return (a - lib.outer(below, below)).at[:, k].set(lib.where(rows == k, pivot, below))

        return lib.fori_loop(0, n, column, a)

    def in_place(lib, a):
        a = lib.tril(a)
        for k in range(n):
            a[k, k] = a[k, k] ** 0.5
            a[k + 1 :, k] /= a[k, k]
            a[k + 1 :, k + 1 :] -= lib.tril(lib.outer(a[k + 1 :, k], a[k + 1 :, k]))
        return a

    return program(
        ko, name, [definite(1, n)], lambda lib, a: lib.tril(arrays(lib, a)), in_place, loops="cholesky", tolerance=1e-9,
        compiled=False,
    )  # fmt: skip


def lu(ko, name):
    """Without pivots; both factors in one matrix."""
    n = size(128, 10)

    def arrays(lib, a):
        rows = lib.arange(n)

        def column(k, a):
            below = lib.where(rows > k, a[:, k] / a[k, k], 0.0)
            right = lib.where(rows > k, a[k], 0.0)
            return (a - lib.outer(below, right)).at[:, k].set(lib.where(rows > k, below, a[:, k]))

        return lib.fori_loop(0, n, column, a)

    def in_place(lib, a):
        a = copied(lib, a)
        for k in range(n - 1):
            a[k + 1 :, k] /= a[k, k]
            a[k + 1 :, k + 1 :] -= lib.outer(a[k + 1 :, k], a[k, k + 1 :])
        return a

    a = wide(1, n, n) + n * np.eye(n)
    return program(ko, name, [a], arrays, in_place, loops="lu", tolerance=1e-10, compiled=False)


def gram_schmidt(ko, name):
    """Modified: what is right of a column becomes orthogonal to it at once."""
    m, n = size((256, 128), (12, 6))

    def arrays(lib, a):
        columns = lib.arange(n)

        def column(k, state):
            a, q = state
            new = a[:, k] / lib.sqrt(lib.sum(a[:, k] * a[:, k]))
            along = lib.where(columns > k, new @ a, 0.0)
            return a - lib.outer(new, along), q.at[:, k].set(new)

        return lib.fori_loop(0, n, column, (a, lib.zeros_like(a)))[1]

    def in_place(lib, a):
        q = copied(lib, a)
        for k in range(n):
            q[:, k] /= (q[:, k] * q[:, k]).sum() ** 0.5
            q[:, k + 1 :] -= lib.outer(q[:, k], q[:, k] @ q[:, k + 1 :])
        return q

    return program(
        ko, name, [floats(1, m, n)], arrays, in_place, loops="gram_schmidt", tolerance=1e-4, compiled=False
    )


def triangular_solve(ko, name):
    n = size(400, 10)

    def arrays(lib, a, b):
        def row(i, x):
            return x.at[i].set((b[i] - a[i] @ x) / a[i, i])

        return lib.fori_loop(0, n, row, lib.zeros_like(b))

    def in_place(lib, a, b):
        x = lib.zeros_like(b)
        for i in range(n):
            x[i] = (b[i] - a[i, :i] @ x[:i]) / a[i, i]
        return x

    a = np.tril(floats(1, n, n)) / np.float32(n) + np.eye(n, dtype=np.float32)
    return program(ko, name, [a, floats(2, n)], arrays, in_place, loops="triangular_solve", compiled=False)


def durbin(ko, name):
    """Levinson and Durbin's recursion for a Toeplitz matrix: every step reverses what is there."""
    n = size(400, 10)

    def arrays(lib, r):
        indices = lib.arange(n)

        def step(k, state):
            y, alpha, beta = state
            beta = (1 - alpha * alpha) * beta
            backwards = k - 1 - indices
            total = r[k] + lib.sum(lib.where(indices < k, r[backwards] * y, 0.0))
            alpha = -total / beta
            y = lib.where(indices < k, y + alpha * y[backwards], y).at[k].set(alpha)
            return y, alpha, beta

        y = lib.zeros_like(r).at[0].set(-r[0])
        return lib.fori_loop(1, n, step, (y, -r[0], lib.ones_like(r[0])))[0]

    def in_place(lib, r):
        y = lib.zeros_like(r)
        y[0] = alpha = -r[0]
        beta = 1.0
        for k in range(1, n):
            beta = (1 - alpha * alpha) * beta
            alpha = -(r[k] + lib.flip(r[:k], (0,)) @ y[:k]) / beta
            y[:k] += alpha * lib.flip(y[:k], (0,))
            y[k] = alpha
        return y

    r = 0.5 ** np.arange(1, n + 1) * (1 + 0.1 * wide(1, n))
    return program(ko, name, [r], arrays, in_place, loops="durbin", tolerance=1e-9, compiled=False)


def cases(ko):
    """See `named`."""
    rows = {
        "cholesky f64 128": cholesky, "lu f64 128": lu, "gram-schmidt 256x128": gram_schmidt,
        "triangular solve 400": triangular_solve, "durbin f64 400": durbin,
    }  # fmt: skip
    return named(ko, rows)
