"""Programs of one instance, for many by vmap, beside JAX's vmap and loops over instances."""

import numpy as np
from case import Case, floats, loops, named
from program import JaxNames
from sizes import size

F = np.float32


def batched(ko, name, inputs, program, reference, **more):
    """`program(library, *inputs)` reads the same for Kolam and JAX."""
    return Case(
        name, inputs, goal=1.0, ours=lambda *x: program(ko, *x), jax=lambda jax, *x: program(JaxNames(jax), *x),
        reference=reference, **more,
    )  # fmt: skip


def newton(ko, name):
    """x with x^3 + a x = b by Newton's method, each until it stops."""
    n = size(100_000, 40)

    def program(lib, a, b):
        def solve(a, b):
            def goes_on(state):
                x, step, count = state
                return (lib.abs(step) > 1e-6) & (count < 60)

            def one(state):
                x, _, count = state
                step = (x * x * x + a * x - b) / (3 * x * x + a)
                return x - step, step, count + 1

            return lib.while_loop(goes_on, one, (b, b * 0 + 1, 0))[0]

        return lib.vmap(solve)(a, b)

    def nest(a, b):
        y = np.empty_like(a)
        for i in range(len(a)):
            x, step, count = b[i], F(1), 0
            while abs(step) > F(1e-6) and count < 60:
                step = (x * x * x + a[i] * x - b[i]) / (F(3) * x * x + a[i])
                x -= step
                count += 1
            y[i] = x
        return y

    a, b = floats(1, n) * F(0.5) + F(1), floats(2, n) * F(3)
    return batched(ko, name, [a, b], program, nest, numba=loops(nest), tolerance=1e-4)


def kalman(ko, name):
    """A filter of position and speed over each of many series."""
    series, steps = size((2_000, 200), (5, 7))

    def program(lib, zs):
        def one(zs):
            def step(state, z):
                x, v, a, b, c = state  # the mean, and the covariance [[a, b], [b, c]]
                x, a, b, c = x + v, a + 2 * b + c + 0.01, b + c, c + 0.01
                gain_x, gain_v = a / (a + 0.5), b / (a + 0.5)
                apart = z - x
                return (x + gain_x * apart, v + gain_v * apart, a - gain_x * a, b - gain_x * b, c - gain_v * b), x

            zero = zs[0] * 0
            return lib.scan(step, (zero, zero, zero + 1, zero, zero + 1), zs)[1]

        return lib.vmap(one)(zs)

    def nest(zs):
        y = np.empty_like(zs)
        for i in range(zs.shape[0]):
            x, v, a, b, c = F(0), F(0), F(1), F(0), F(1)
            for t in range(zs.shape[1]):
                x, a, b, c = x + v, a + F(2) * b + c + F(0.01), b + c, c + F(0.01)
                gain_x, gain_v, apart = a / (a + F(0.5)), b / (a + F(0.5)), zs[i, t] - x
                y[i, t] = x
                x, v, a, b, c = x + gain_x * apart, v + gain_v * apart, a - gain_x * a, b - gain_x * b, c - gain_v * b
        return y

    return batched(ko, name, [floats(3, series, steps)], program, nest, numba=loops(nest), tolerance=1e-4)


def distances(ko, name):
    """The distance of each point to each other one: vmap in vmap."""
    n, d = size((1024, 16), (9, 3))

    def program(lib, x, y):
        def distance(a, b):
            return lib.sqrt(lib.sum((a - b) ** 2))

        return lib.vmap(lambda a: lib.vmap(lambda b: distance(a, b))(y))(x)

    def nest(x, y):
        out = np.empty((len(x), len(y)), x.dtype)
        for i in range(len(x)):
            for j in range(len(y)):
                total = F(0)
                for k in range(x.shape[1]):
                    total += (x[i, k] - y[j, k]) * (x[i, k] - y[j, k])
                out[i, j] = np.sqrt(total)
        return out

    return batched(
        ko, name, [floats(4, n, d), floats(5, n, d)], program, nest, numba=loops(nest), tolerance=1e-4,
        torch=lambda torch, x, y: torch.cdist(x, y),
    )  # fmt: skip


def clipped_gradients(ko, name):
    """The mean of each example's gradient, none longer than 1: two layers."""
    n, d, k = size((256, 64, 64), (5, 4, 3))

    def program(lib, a, b, x, y):
        def loss(a, b, x, y):
            return lib.sum((lib.tanh(x @ a) @ b - y) ** 2)

        def one(x, y):
            da, db = lib.grad(loss, argnums=(0, 1))(a, b, x, y)
            length = lib.sqrt(lib.sum(da * da) + lib.sum(db * db))
            scale = 1 / lib.maximum(length, 1.0)
            return da * scale, db * scale

        da, db = lib.vmap(one)(x, y)
        return lib.mean(da, axis=0) + lib.sum(lib.mean(db, axis=0))

    def reference(a, b, x, y):
        h = np.tanh(x @ a)
        out = 2 * (h @ b - y)
        inner = (out @ b.T) * (1 - h * h)
        da, db = x[:, :, None] * inner[:, None, :], h[:, :, None] * out[:, None, :]
        length = np.sqrt((da * da).sum((1, 2)) + (db * db).sum((1, 2)))
        scale = 1 / np.maximum(length, 1)
        return (da * scale[:, None, None]).mean(0) + (db * scale[:, None, None]).mean(0).sum()

    inputs = [floats(6, d, k) * F(0.2), floats(7, k, 10) * F(0.2), floats(8, n, d), floats(9, n, 10)]
    return batched(ko, name, inputs, program, reference, tolerance=1e-3)


def small_systems(ko, name):
    """Many systems of six equations by elimination, without pivots."""
    n, k = size((20_000, 6), (7, 3))

    def program(lib, a, b):
        def solve(a, b):
            rows = lib.concatenate([a, b[:, None]], axis=1) if hasattr(lib, "concatenate") else lib.concat([a, b[:, None]], axis=1)

            def eliminate(i, rows):
                row = rows[i] / rows[i, i]
                factors = lib.where(lib.arange(k) == i, 0.0, rows[:, i])
                rows = rows - factors[:, None] * row[None, :]
                return lib.where((lib.arange(k) == i)[:, None], row[None, :], rows)

            return lib.fori_loop(0, k, eliminate, rows)[:, k]

        return lib.vmap(solve)(a, b)

    def nest(a, b):
        y = np.empty_like(b)
        for s in range(len(a)):
            m, v = a[s].copy(), b[s].copy()
            for i in range(m.shape[0]):
                p = m[i, i]
                for j in range(m.shape[0]):
                    m[i, j] /= p
                v[i] /= p
                for r in range(m.shape[0]):
                    if r != i:
                        f = m[r, i]
                        for j in range(m.shape[0]):
                            m[r, j] -= f * m[i, j]
                        v[r] -= f * v[i]
            y[s] = v
        return y

    a = floats(10, n, k, k) * F(0.3) + np.eye(k, dtype=F) * F(3)
    return batched(
        ko, name, [a, floats(11, n, k)], program, nest, numba=loops(nest), tolerance=1e-4,
        torch=lambda torch, a, b: torch.linalg.solve(a, b),
    )  # fmt: skip


def cases(ko):
    """See `named`."""
    rows = {
        "vmap: Newton's method for 100000 cubics": newton, "vmap: filters of 2000 series": kalman,
        "vmap: distances of 1024 points": distances, "vmap: clipped gradients of 256 examples": clipped_gradients,
        "vmap: 20000 systems of six equations": small_systems,
    }  # fmt: skip
    return named(ko, rows)
