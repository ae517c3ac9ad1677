"""Programs as somebody writes them who has read no page on speed: by indices, by masks, with components behind."""

import numpy as np
from case import Case, floats, loops, named, places
from program import JaxNames
from sizes import size

F = np.float32


def both(ko, name, inputs, arrays, nest, **given):
    """arrays(library, segment functions, *inputs) for Kolam and JAX; `nest` for numba, and as reference."""
    return Case(
        name, inputs, reference=nest, numba=loops(nest), ours=lambda *inputs: arrays(ko, ko, *inputs),
        jax=lambda jax, *inputs: arrays(JaxNames(jax), jax.ops, *inputs), **given,
    )  # fmt: skip


def advection(ko, name):
    """Steps of a field whose borders are periodic along one axis, and its edge and zero along the other."""
    n, steps = size((512, 20), (12, 3))

    def arrays(lib, ops, u, v):
        def step(k, u):
            left = lib.roll(u, 1, axis=1)
            up = lib.concat([u[:1], u[:-1]], axis=0)
            down = lib.pad(u[1:], ((0, 1), (0, 0)))
            return u - 0.1 * v * (u - left) - 0.05 * (up - down)

        return lib.fori_loop(0, steps, step, u)

    def nest(u, v):
        a, b = u.copy(), np.empty_like(u)
        for _ in range(steps):
            for i in range(n):
                for j in range(n):
                    up = a[i - 1, j] if i > 0 else a[0, j]
                    down = a[i + 1, j] if i < n - 1 else F(0)
                    b[i, j] = a[i, j] - F(0.1) * v[i, j] * (a[i, j] - a[i, j - 1]) - F(0.05) * (up - down)
            a, b = b, a
        return a

    return both(ko, name, [floats(1, n, n), floats(2, n, n)], arrays, nest, tolerance=1e-4)


def periodic(ko, name):
    """A moving average around a ring: neighbours by indices modulo the length."""
    n = size(1_000_000, 70)

    def arrays(lib, ops, x):
        i = lib.arange(n, dtype=lib.int32)
        return 0.25 * x[(i + 1) % n] + 0.5 * x + 0.25 * x[(i - 1) % n]

    def nest(x):
        y = np.empty_like(x)
        for i in range(n):
            after, before = i + 1 if i + 1 < n else 0, i - 1 if i > 0 else n - 1
            y[i] = F(0.25) * x[after] + F(0.5) * x[i] + F(0.25) * x[before]
        return y

    return both(ko, name, [floats(1, n)], arrays, nest)


def particles(ko, name):
    """Positions and speeds in a box, whose walls send back a part of the speed."""
    n, steps = size((20_000, 50), (30, 5))

    def arrays(lib, ops, p, q):
        def step(k, state):
            p, q = state
            q = lib.stack([q[0], q[1] - 0.001])
            p = p + q
            low, high = p < 0, p > 1
            return lib.where(low, -p, lib.where(high, 2 - p, p)), lib.where(low | high, -0.9 * q, q)

        return lib.fori_loop(0, steps, step, (p, q))[0]

    def nest(p, q):
        p, q = p.copy(), q.copy()
        for _ in range(steps):
            for c in range(2):
                for i in range(n):
                    speed = q[c, i] - F(0.001) if c == 1 else q[c, i]
                    at = p[c, i] + speed
                    if at < 0 or at > 1:
                        speed = F(-0.9) * speed
                        at = -at if at < 0 else F(2) - at
                    p[c, i], q[c, i] = at, speed
        return p

    return both(ko, name, [np.abs(floats(1, 2, n)) % F(1), floats(2, 2, n) / F(40)], arrays, nest, tolerance=1e-4)


def bodies(ko, name):
    """Of each body the attraction by all others; positions [n, 3]."""
    n = size(2048, 40)

    def arrays(lib, ops, x, mass):
        apart = x[None, :, :] - x[:, None, :]
        r2 = lib.sum(apart * apart, axis=-1) + 0.01
        return lib.sum(apart * (mass / (r2 * lib.sqrt(r2)))[:, :, None], axis=1)

    def nest(x, mass):
        f = np.zeros_like(x)
        for i in range(n):
            a, b, c = F(0), F(0), F(0)
            for j in range(n):
                dx, dy, dz = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
                r2 = dx * dx + dy * dy + dz * dz + F(0.01)
                w = mass[j] / (r2 * np.sqrt(r2))
                a += dx * w
                b += dy * w
                c += dz * w
            f[i, 0], f[i, 1], f[i, 2] = a, b, c
        return f

    return both(ko, name, [floats(1, n, 3), floats(2, n)], arrays, nest, tolerance=2e-3)


def group_statistics(ko, name):
    """Mean, deviation and extremes of each group of numbers."""
    n, groups = size((500_000, 300), (200, 7))

    def arrays(lib, ops, x, group):
        count = lib.bincount(group, length=groups)
        mean = ops.segment_sum(x, group, groups) / count
        squares = ops.segment_sum(x * x, group, groups) / count
        low, high = ops.segment_min(x, group, groups), ops.segment_max(x, group, groups)
        return lib.stack([mean, lib.sqrt(squares - mean * mean), low, high])

    def nest(x, group):
        count, y = np.zeros(groups, np.int32), np.zeros((4, groups), np.float32)
        y[2], y[3] = F(np.inf), F(-np.inf)
        for i in range(n):
            g = group[i]
            count[g] += 1
            y[0, g] += x[i]
            y[1, g] += x[i] * x[i]
            y[2, g], y[3, g] = min(y[2, g], x[i]), max(y[3, g], x[i])
        for g in range(groups):
            y[0, g] /= F(count[g])
            y[1, g] = np.sqrt(y[1, g] / F(count[g]) - y[0, g] * y[0, g])
        return y

    return both(ko, name, [floats(1, n), places(2, groups, n)], arrays, nest, tolerance=1e-3)


def matrix(n, most):
    """Entries of a sparse matrix by rows: where each row begins, columns, values."""
    counts = np.random.default_rng(1).integers(0, most, n)
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    return counts, offsets, places(2, n, offsets[-1]), floats(3, offsets[-1])


def offsets_product(ko, name):
    """A sparse matrix in CSR times a vector: the rows of entries are searched for among the offsets."""
    n, most = size((30_000, 24), (50, 6))
    _, offsets, column, value = matrix(n, most)

    def arrays(lib, ops, offsets, column, value, x):
        row = lib.searchsorted(offsets[1:], lib.arange(len(column), dtype=lib.int32), side="right")
        return ops.segment_sum(value * x[column], row, n)

    def nest(offsets, column, value, x):
        y = np.zeros(n, np.float32)
        for i in range(n):
            total = F(0)
            for k in range(offsets[i], offsets[i + 1]):
                total += value[k] * x[column[k]]
            y[i] = total
        return y

    return both(ko, name, [offsets, column, value, floats(4, n)], arrays, nest, tolerance=1e-4)


def triples_product(ko, name):
    """A sparse matrix in COO times eight vectors."""
    n, most = size((30_000, 24), (50, 6))
    counts, _, column, value = matrix(n, most)
    row = np.repeat(np.arange(n), counts).astype(np.int32)

    def arrays(lib, ops, row, column, value, x):
        return lib.zeros((n, 8)).at[row].add(value[:, None] * x[column])

    def nest(row, column, value, x):
        y = np.zeros((n, 8), np.float32)
        for k in range(len(row)):
            for c in range(8):
                y[row[k], c] += value[k] * x[column[k], c]
        return y

    return both(ko, name, [row, column, value, floats(4, n, 8)], arrays, nest, tolerance=1e-4)


def sobel(ko, name):
    """Where an image of bytes has edges."""
    n, m = size((1080, 1920), (20, 33))

    def arrays(lib, ops, x):
        y = lib.pad(x, 1, mode="edge").astype(lib.int16)
        across = y[:-2, 2:] + 2 * y[1:-1, 2:] + y[2:, 2:] - y[:-2, :-2] - 2 * y[1:-1, :-2] - y[2:, :-2]
        down = y[2:, :-2] + 2 * y[2:, 1:-1] + y[2:, 2:] - y[:-2, :-2] - 2 * y[:-2, 1:-1] - y[:-2, 2:]
        return lib.where(lib.abs(across) + lib.abs(down) > 200, 255, 0).astype(lib.uint8)

    def nest(x):
        y, z = np.empty((n + 2, m + 2), np.int16), np.empty_like(x)
        for i in range(n + 2):
            for j in range(m + 2):
                y[i, j] = x[min(max(i - 1, 0), n - 1), min(max(j - 1, 0), m - 1)]
        for i in range(n):
            for j in range(m):
                across = y[i, j + 2] + 2 * y[i + 1, j + 2] + y[i + 2, j + 2] - y[i, j] - 2 * y[i + 1, j] - y[i + 2, j]
                down = y[i + 2, j] + 2 * y[i + 2, j + 1] + y[i + 2, j + 2] - y[i, j] - 2 * y[i, j + 1] - y[i, j + 2]
                z[i, j] = 255 if abs(across) + abs(down) > 200 else 0
        return z

    return both(ko, name, [np.random.default_rng(1).integers(0, 256, (n, m), dtype=np.uint8)], arrays, nest, tolerance=0)


def cases(ko):
    """See `named`."""
    rows = {
        "advection 512x512, mixed borders": advection, "average around a ring of 1000000": periodic,
        "particles in a box, 20000": particles, "bodies in rows, 2048x3": bodies, "statistics of 300 groups of 500000": group_statistics,
        "CSR product by offsets, 30000": offsets_product, "COO product with 8 vectors, 30000": triples_product,
        "sobel of bytes 1080x1920": sobel,
    }  # fmt: skip
    return named(ko, rows)
