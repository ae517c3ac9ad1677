"""Stencils whose borders are no zeros, and updates of an interior."""

import numpy as np
from case import Case, floats, loops
from sizes import size

SIZE = size(1024, 19)
MODES = {"edge": "replicate", "reflect": "reflect", "wrap": "circular"}


def around(p):
    """The five points of a padded array."""
    return 0.5 * p[1:-1, 1:-1] + 0.125 * (p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:])


def bordered(ko, name, mode):
    at = {"edge": lambda i, n: min(max(i, 0), n - 1), "wrap": lambda i, n: i % n,
          "reflect": lambda i, n: -i if i < 0 else (2 * n - 2 - i if i >= n else i)}[mode]  # fmt: skip

    def by_loops(numba, x):
        index = numba.njit(at)

        @numba.njit
        def point(x, y, i, j, n):
            y[i, j] = 0.5 * x[i, j] + 0.125 * (
                x[index(i - 1, n), j] + x[index(i + 1, n), j] + x[i, index(j - 1, n)] + x[i, index(j + 1, n)]
            )

        @numba.njit
        def run(x):
            n, y = x.shape[0], np.empty_like(x)
            for i in range(1, n - 1):
                for j in range(1, n - 1):
                    y[i, j] = np.float32(0.5) * x[i, j] + np.float32(0.125) * (x[i - 1, j] + x[i + 1, j] + x[i, j - 1] + x[i, j + 1])
            for k in range(n):
                point(x, y, 0, k, n)
                point(x, y, n - 1, k, n)
                point(x, y, k, 0, n)
                point(x, y, k, n - 1, n)
            return y

        return lambda: run(x)

    def torch(torch, x):
        return around(torch.nn.functional.pad(x[None, None], (1, 1, 1, 1), mode=MODES[mode])[0, 0])

    return Case(
        name, [floats(1, SIZE, SIZE)], goal=1.0, ours=lambda x: around(ko.pad(x, 1, mode=mode)),
        reference=lambda x: around(np.pad(x, 1, mode=mode)), torch=torch, numba=by_loops,
        jax=lambda jax, x: around(jax.numpy.pad(x, 1, mode=mode)),
    )


def plain(ko, name):
    """The same points of an array that comes with its borders: what the others are beside."""
    return Case(
        name, [floats(1, SIZE + 2, SIZE + 2)], goal=1.0, ours=around, reference=around, torch=lambda torch, x: around(x),
        jax=lambda jax, x: around(x),
        numba=loops(plain_loops),
    )


def plain_loops(x):
    n = x.shape[0] - 2
    y = np.empty((n, n), np.float32)
    for i in range(n):
        for j in range(n):
            y[i, j] = np.float32(0.5) * x[i + 1, j + 1] + np.float32(0.125) * (x[i, j + 1] + x[i + 2, j + 1] + x[i + 1, j] + x[i + 1, j + 2])
    return y


def interior(ko, name, how):
    """The interior changed by a stencil of the array itself; borders stay."""

    def reference(x):
        y = x.copy()
        y[1:-1, 1:-1] = around(x)
        return y

    def by_loops(numba, x):
        @numba.njit
        def run(x):
            n, y = x.shape[0], x.copy()
            for i in range(1, n - 1):
                for j in range(1, n - 1):
                    y[i, j] = np.float32(0.5) * x[i, j] + np.float32(0.125) * (x[i - 1, j] + x[i + 1, j] + x[i, j - 1] + x[i, j + 1])
            return y

        return lambda: run(x)

    def torch(torch, x):
        y = x.clone()
        y[1:-1, 1:-1] = around(x)
        return y

    ours = {
        "at": lambda x: x.at[1:-1, 1:-1].set(around(x)),
        "dynamic_update_slice": lambda x: ko.dynamic_update_slice(x, around(x), (1, 1)),
    }
    return Case(
        name, [floats(1, SIZE, SIZE)], goal=1.0, ours=ours[how], reference=reference, torch=torch, numba=by_loops,
        jax=lambda jax, x: x.at[1:-1, 1:-1].set(around(x)),
    )


def cases(ko):
    """(name, a function that makes the case)."""
    name = f"five-point stencil {SIZE}x{SIZE} of an array with borders"
    yield name, lambda name=name: plain(ko, name)
    for mode in MODES:
        name = f"five-point stencil {SIZE}x{SIZE}, borders by {mode}"
        yield name, lambda name=name, mode=mode: bordered(ko, name, mode)
    for how in ("at", "dynamic_update_slice"):
        name = f"five-point stencil {SIZE}x{SIZE}, interior by {how}"
        yield name, lambda name=name, how=how: interior(ko, name, how)
