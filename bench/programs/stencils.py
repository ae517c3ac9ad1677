"""Stencils on grids, as PolyBench, NPBench and weather models have them: the new values are functions of neighbours."""

import numpy as np
from case import floats
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


def cases(ko):
    """(name, a function that makes the case)."""
    rows = {
        "jacobi 1d 100000, 100 steps": jacobi_1d, "jacobi 2d 512x512, 50 steps": jacobi_2d,
        "heat 3d f64 64x64x64, 20 steps": heat_3d,
    }  # fmt: skip
    for name, make in rows.items():
        yield name, lambda name=name, make=make: make(ko, name)
