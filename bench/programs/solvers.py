"""Solvers by iterations: linear systems, eigenvectors, and equations of one unknown for many elements at once."""

import numpy as np
from case import floats, named
from program import program
from sizes import size


def wide(seed, *shape):
    return floats(seed, *shape).astype(np.float64)


def definite(seed, n):
    """A symmetric matrix, positive definite and well conditioned."""
    a = wide(seed, n, n)
    return a @ a.T / n + np.eye(n)


def dominant(seed, n):
    """A matrix for which Jacobi's method converges."""
    return floats(seed, n, n) / np.float32(n) + np.eye(n, dtype=np.float32)


def conjugate_gradient(ko, name):
    """A fixed number of steps, so that all do the same work."""
    n, steps = size((512, 40), (12, 4))

    def step(lib, x, r, p, a):
        q = a @ p
        before = lib.sum(r * r)
        alpha = before / lib.sum(p * q)
        x, r = x + alpha * p, r - alpha * q
        return x, r, r + lib.sum(r * r) / before * p, a

    def arrays(lib, a, b):
        x = lib.zeros_like(b)
        return lib.fori_loop(0, steps, lambda _, state: step(lib, *state, a)[:3], (x, b, b))[0]

    def in_place(lib, a, b):
        state = lib.zeros_like(b), b, b, a
        for _ in range(steps):
            state = step(lib, *state)
        return state[0]

    return program(
        ko, name, [definite(1, n), wide(2, n)], arrays, in_place, loops="conjugate_gradient", numbers=(steps,),
        tolerance=1e-9, compiled=False,
    )  # fmt: skip


def poisson(ko, name):
    """Conjugate gradients for the five-point Laplacian of a square, which is never made as a matrix."""
    n, steps = size((256, 50), (10, 4))

    def applied(lib, p):
        """4 p minus the neighbours; beyond the border p is 0."""
        q = 4 * p
        if hasattr(q, "at"):
            q = q.at[1:].add(-p[:-1]).at[:-1].add(-p[1:])
            return q.at[:, 1:].add(-p[:, :-1]).at[:, :-1].add(-p[:, 1:])
        q[1:] -= p[:-1]
        q[:-1] -= p[1:]
        q[:, 1:] -= p[:, :-1]
        q[:, :-1] -= p[:, 1:]
        return q

    def step(lib, x, r, p, squares):
        q = applied(lib, p)
        alpha = squares / lib.sum(p * q)
        x, r = x + alpha * p, r - alpha * q
        new = lib.sum(r * r)
        return x, r, r + new / squares * p, new

    def arrays(lib, b):
        state = lib.zeros_like(b), b, b, lib.sum(b * b)
        return lib.fori_loop(0, steps, lambda _, state: step(lib, *state), state)[0]

    def in_place(lib, b):
        state = lib.zeros_like(b), b, b, lib.sum(b * b)
        for _ in range(steps):
            state = step(lib, *state)
        return state[0]

    return program(
        ko, name, [wide(1, n, n)], arrays, in_place, loops="poisson", numbers=(steps,), tolerance=1e-9, compiled=False
    )


def jacobi_method(ko, name):
    n, steps = size((512, 50), (12, 3))

    def step(lib, x, a, b):
        d = lib.diagonal(a)
        return x + (b - a @ x) / d, a, b

    def arrays(lib, x, a, b):
        return lib.fori_loop(0, steps, lambda _, x: step(lib, x, a, b)[0], x)

    inputs = [np.zeros(n, np.float32), dominant(1, n), floats(2, n)]
    return program(ko, name, inputs, arrays, step=step, steps=steps, loops="jacobi_method", numbers=(steps,))


def power_iteration(ko, name):
    """The eigenvector of the greatest eigenvalue."""
    n, steps = size((512, 50), (12, 3))

    def step(lib, x, a):
        y = a @ x
        return y / lib.sqrt(lib.sum(y * y)), a

    def arrays(lib, x, a):
        return lib.fori_loop(0, steps, lambda _, x: step(lib, x, a)[0], x)

    a = abs(floats(1, n, n))
    return program(
        ko, name, [abs(floats(2, n)), a + a.T], arrays, step=step, steps=steps, loops="power_iteration", numbers=(steps,)
    )


def newton_fractal(ko, name):
    """Newton's method for z^3 = 1 from every point of a square; real and imaginary parts are arrays of their own."""
    n, steps = size((256, 20), (8, 20))

    def step(lib, x, y):
        xx, yy = x * x - y * y, 2 * x * y
        cubed = x * xx - y * yy - 1, x * yy + y * xx
        norm = 3 * (xx * xx + yy * yy)
        return x - (cubed[0] * xx + cubed[1] * yy) / norm, y - (cubed[1] * xx - cubed[0] * yy) / norm

    def finish(lib, x, y):
        return x + 2 * y

    def arrays(lib, x, y):
        return finish(lib, *lib.fori_loop(0, steps, lambda _, state: step(lib, *state), (x, y)))

    # No point of the grid is 0, where there is no step.
    x, y = np.meshgrid(np.linspace(-2, 2.1, n), np.linspace(-2, 2.1, n))
    return program(
        ko, name, [x, y], arrays, step=step, steps=steps, finish=finish, loops="newton_fractal", numbers=(steps,),
        tolerance=1e-8,
    )  # fmt: skip


def kepler(ko, name):
    """E - e sin E = M by Newton's method, for many orbits, until the last has converged."""
    n = size(100_000, 100)
    near = 1e-10

    def change(lib, anomaly, mean, e):
        return (anomaly - e * lib.sin(anomaly) - mean) / (1 - e * lib.cos(anomaly))

    def arrays(lib, mean, e):
        def step(state):
            anomaly, _ = state
            by = change(lib, anomaly, mean, e)
            return anomaly - by, lib.max(lib.abs(by))

        return lib.while_loop(lambda state: state[1] > near, step, (mean, lib.max(mean) + 1))[0]

    def in_place(lib, mean, e):
        anomaly, error = mean, 1.0
        while error > near:
            by = change(lib, anomaly, mean, e)
            anomaly, error = anomaly - by, lib.abs(by).max()
        return anomaly

    inputs = [np.pi * abs(wide(1, n)), 0.8 * abs(wide(2, n))]
    return program(ko, name, inputs, arrays, in_place, loops="kepler", tolerance=1e-9, compiled=False)


def bisection(ko, name):
    """The root of x + a exp(x) - b, for many a and b, by halving an interval."""
    n, steps = size((100_000, 30), (50, 30))

    def step(lib, low, high, a, b):
        middle = 0.5 * (low + high)
        below = middle + a * lib.exp(middle) < b
        return lib.where(below, middle, low), lib.where(below, high, middle), a, b

    def arrays(lib, low, high, a, b):
        return lib.fori_loop(0, steps, lambda _, state: step(lib, *state, a, b)[:2], (low, high))[0]

    inputs = [np.full(n, -4.0), np.full(n, 4.0), 1 + abs(wide(1, n)), 2 * wide(2, n)]
    return program(
        ko, name, inputs, arrays, step=step, steps=steps, loops="bisection", numbers=(steps,), tolerance=1e-9
    )


def cases(ko):
    """See `named`."""
    rows = {
        "conjugate gradient f64 512, 40 steps": conjugate_gradient, "poisson by CG f64 256x256, 50 steps": poisson,
        "jacobi method 512, 50 steps": jacobi_method, "power iteration 512, 50 steps": power_iteration,
        "newton fractal f64 256x256, 20 steps": newton_fractal, "kepler f64 100000": kepler,
        "bisection f64 100000, 30 steps": bisection,
    }  # fmt: skip
    return named(ko, rows)
