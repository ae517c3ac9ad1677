"""Stencils on grids, as PolyBench, NPBench and weather models have them: the new values are functions of neighbours."""

import numpy as np
from case import floats, named
from program import program
from sizes import size


def jacobi_1d(ko, name):
    n, steps = size((100_000, 100), (64, 3))

    def arrays(lib, x):
        def step(_, x):
            return x.at[1:-1].set((x[:-2] + x[1:-1] + x[2:]) / 3)

        return lib.fori_loop(0, steps, step, x)

    def step(lib, x):
        y = lib.empty_like(x)
        y[0], y[-1] = x[0], x[-1]
        y[1:-1] = (x[:-2] + x[1:-1] + x[2:]) / 3
        return (y,)

    return program(ko, name, [floats(1, n)], arrays, step=step, steps=steps, loops="jacobi_1d", numbers=(steps,))


def jacobi_2d(ko, name):
    n, steps = size((512, 50), (16, 3))

    def arrays(lib, x):
        def step(_, x):
            around = x[1:-1, :-2] + x[1:-1, 2:] + x[:-2, 1:-1] + x[2:, 1:-1]
            return x.at[1:-1, 1:-1].set(0.2 * (x[1:-1, 1:-1] + around))

        return lib.fori_loop(0, steps, step, x)

    def step(lib, x):
        around = x[1:-1, :-2] + x[1:-1, 2:] + x[:-2, 1:-1] + x[2:, 1:-1]
        y = lib.empty_like(x)
        y[:] = x
        y[1:-1, 1:-1] = 0.2 * (x[1:-1, 1:-1] + around)
        return (y,)

    return program(ko, name, [floats(1, n, n)], arrays, step=step, steps=steps, loops="jacobi_2d", numbers=(steps,))


def heat_3d(ko, name):
    """In f64, as PolyBench has it."""
    n, steps = size((64, 20), (8, 2))

    def change(x):
        inner, center = slice(1, -1), x[1:-1, 1:-1, 1:-1]
        return (
            0.125 * (x[2:, inner, inner] - 2 * center + x[:-2, inner, inner])
            + 0.125 * (x[inner, 2:, inner] - 2 * center + x[inner, :-2, inner])
            + 0.125 * (x[inner, inner, 2:] - 2 * center + x[inner, inner, :-2])
        )

    def arrays(lib, x):
        return lib.fori_loop(0, steps, lambda _, x: x.at[1:-1, 1:-1, 1:-1].add(change(x)), x)

    def step(lib, x):
        y = lib.empty_like(x)
        y[:] = x
        y[1:-1, 1:-1, 1:-1] += change(x)
        return (y,)

    x = floats(1, n, n, n).astype(np.float64)
    return program(
        ko, name, [x], arrays, step=step, steps=steps, loops="heat_3d", numbers=(steps,), tolerance=1e-12
    )


def fdtd_2d(ko, name):
    """Maxwell's equations by finite differences in time; the source drives the first row."""
    n, steps = size((256, 50), (12, 3))

    def arrays(lib, hz, ex, ey, source):
        def step(_, state):
            hz, ex, ey = state
            ey = ey.at[0].set(source).at[1:].add(-0.5 * (hz[1:] - hz[:-1]))
            ex = ex.at[:, 1:].add(-0.5 * (hz[:, 1:] - hz[:, :-1]))
            curl = ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1]
            return hz.at[:-1, :-1].add(-0.7 * curl), ex, ey

        return lib.fori_loop(0, steps, step, (hz, ex, ey))[0]

    def step(lib, hz, ex, ey, source):
        ey[0] = source
        ey[1:] -= 0.5 * (hz[1:] - hz[:-1])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
        return hz, ex, ey, source

    inputs = [floats(1, n, n), floats(2, n, n), floats(3, n, n), floats(4, n)]
    return program(ko, name, inputs, arrays, step=step, steps=steps, loops="fdtd_2d", numbers=(steps,))


def seidel_2d(ko, name):
    """The mean of nine neighbours, those above and to the left new already: rows and elements one after the other."""
    n, steps = size((120, 20), (10, 2))

    def arrays(lib, x):
        def row(above, rows):
            here, below = rows
            rest = above[:-2] + above[1:-1] + above[2:] + here[1:-1] + here[2:] + below[:-2] + below[1:-1] + below[2:]

            def element(left, rest):
                new = (left + rest) / 9
                return new, new

            new = here.at[1:-1].set(lib.scan(element, here[0], rest)[1])
            return new, new

        def step(_, x):
            return x.at[1:-1].set(lib.scan(row, x[0], (x[1:-1], x[2:]))[1])

        return lib.fori_loop(0, steps, step, x)

    x = floats(1, n, n).astype(np.float64)
    return program(ko, name, [x], arrays, loops="seidel_2d", numbers=(steps,), tolerance=1e-12)


def wave(ko, name):
    n, steps = size((400, 50), (12, 3))

    def laplace(x):
        return x[2:, 1:-1] + x[:-2, 1:-1] + x[1:-1, 2:] + x[1:-1, :-2] - 4 * x[1:-1, 1:-1]

    def arrays(lib, x, before):
        def step(_, state):
            x, before = state
            inner = 2 * x[1:-1, 1:-1] - before[1:-1, 1:-1] + 0.25 * laplace(x)
            return x.at[1:-1, 1:-1].set(inner), x

        return lib.fori_loop(0, steps, step, (x, before))[0]

    def step(lib, x, before):
        before[1:-1, 1:-1] = 2 * x[1:-1, 1:-1] - before[1:-1, 1:-1] + 0.25 * laplace(x)
        return before, x

    x = floats(1, n, n)
    x[0] = x[-1] = x[:, 0] = x[:, -1] = 0
    return program(ko, name, [x, x.copy()], arrays, step=step, steps=steps, loops="wave", numbers=(steps,))


def gray_scott(ko, name):
    """Two substances that react and spread, on a torus."""
    n, steps = size((256, 20), (12, 3))
    feed, kill = 0.04, 0.06

    def laplace(lib, x):
        return lib.roll(x, 1, 0) + lib.roll(x, -1, 0) + lib.roll(x, 1, 1) + lib.roll(x, -1, 1) - 4 * x

    def step(lib, v, u):
        reaction = u * v * v
        new_v = v + 0.08 * laplace(lib, v) + reaction - (feed + kill) * v
        return new_v, u + 0.16 * laplace(lib, u) - reaction + feed * (1 - u)

    def arrays(lib, v, u):
        return lib.fori_loop(0, steps, lambda _, state: step(lib, *state), (v, u))[0]

    inputs = [abs(floats(1, n, n)), abs(floats(2, n, n))]
    return program(ko, name, inputs, arrays, step=step, steps=steps, loops="gray_scott", numbers=(steps,))


def cases(ko):
    """See `named`."""
    rows = {
        "jacobi 1d 100000, 100 steps": jacobi_1d, "jacobi 2d 512x512, 50 steps": jacobi_2d,
        "heat 3d f64 64x64x64, 20 steps": heat_3d, "fdtd 2d 256x256, 50 steps": fdtd_2d,
        "seidel 2d f64 120x120, 20 steps": seidel_2d, "wave equation 400x400, 50 steps": wave,
        "gray-scott 256x256, 20 steps": gray_scott,
    }  # fmt: skip
    return named(ko, rows)
