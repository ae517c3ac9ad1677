"""Rows of two to four elements, elements of one and two bytes, scatters of single elements, sums of few."""

import numpy as np
from case import Case, floats, loops, named
from sizes import size

#: What noise may make of a promise that costs nothing.
PROMISED = 0.97


def mapped_rows(ko, name, rows, width):
    """x scaled, shifted, squared: rows alone."""

    def nest(x, a):
        y = np.empty_like(x)
        for i in range(x.shape[0]):
            for j in range(x.shape[1]):
                v = x[i, j] * a[j] + np.float32(1)
                y[i, j] = v * v - x[i, j]
        return y

    def values(x, a):
        v = x * a + 1
        return v * v - x

    return Case(
        name, [floats(1, rows, width), floats(2, width)], goal=1.0, ours=values, reference=values, numba=loops(nest),
        torch=lambda torch, x, a: values(x, a), jax=lambda jax, x, a: values(x, a),
    )


def row_sums(ko, name, rows, width):
    def nest(x):
        y = np.zeros(x.shape[0], np.float32)
        for i in range(x.shape[0]):
            s = np.float32(0)
            for j in range(x.shape[1]):
                s += x[i, j] * x[i, j]
            y[i] = s
        return y

    return Case(
        name, [floats(1, rows, width)], goal=1.0, ours=lambda x: ko.sum(x * x, axis=1), reference=lambda x: (x * x).sum(1),
        numba=loops(nest), torch=lambda torch, x: (x * x).sum(1), jax=lambda jax, x: (x * x).sum(1),
    )


def products_in_a_loop(ko, name, steps):
    """One 4 x 4 matrix after the other times a state: a chain of small products."""

    def nest(m, h):
        h = h.copy()
        for t in range(m.shape[0]):
            g = np.zeros((4, 4), np.float32)
            for i in range(4):
                for k in range(4):
                    for j in range(4):
                        g[i, j] += m[t, i, k] * h[k, j]
            h = g
        return h

    def reference(m, h):
        for a in m:
            h = a @ h
        return h

    m = np.stack([np.linalg.qr(a)[0] for a in floats(1, steps, 4, 4)]).astype(np.float32)
    return Case(
        name, [m, floats(2, 4, 4)], goal=1.0, bound=("20 ns a product", 20e-9 * steps), ours=lambda m, h: ko.scan(lambda h, a: (a @ h, None), h, m)[0],
        reference=reference, numba=loops(nest), tolerance=1e-3,
        jax=lambda jax, m, h: jax.lax.scan(lambda h, a: (a @ h, None), h, m)[0],
    )


def narrow(ko, name, dtype):
    """A blend of two images of small integers."""
    x, y = (np.random.default_rng(k).integers(0, 100, size((2048, 2048), (5, 37))).astype(dtype) for k in (1, 2))

    def nest(x, y):
        z = np.empty_like(x)
        for i in range(x.shape[0]):
            for j in range(x.shape[1]):
                z[i, j] = min(max(x[i, j], y[i, j]) + (x[i, j] >> 1), 120)
        return z

    def values(lib, x, y):
        return lib.minimum(lib.maximum(x, y) + (x >> 1), lib.asarray(120, dtype=x.dtype))

    return Case(
        name, [x, y], goal=1.0, ours=lambda x, y: ko.minimum(ko.maximum(x, y) + (x >> 1), 120), tolerance=0,
        reference=lambda x, y: values(np, x, y), numba=loops(nest), jax=lambda jax, x, y: values(jax.numpy, x, y),
        torch=lambda torch, x, y: torch.clamp(torch.maximum(x, y) + (x >> 1), max=120),
    )


def written(ko, mode):
    """Single elements put where another array says."""
    return lambda x, i: ko.zeros(x.shape).at[i].set(x, mode=mode)


def promised(ko, name):
    """A promise that places are inside, beside a mode that leaves out those that are not."""
    case = scatter(ko, name, "promise")
    return Case(
        name, case.inputs, goal=PROMISED, reference=case.reference, ours=case.ours, more={"drop": ("kolam", written(ko, "drop"))},
    )  # fmt: skip


def scatter(ko, name, mode):
    targets = size(1_000_000, 50)
    at = np.random.default_rng(3).permutation(targets).astype(np.int32)

    def nest(x, i):
        y = np.zeros(targets, np.float32)
        for k in range(x.shape[0]):
            if 0 <= i[k] < targets:
                y[i[k]] = x[k]
        return y

    def reference(x, i):
        y = np.zeros(targets)
        y[i] = x
        return y

    return Case(
        name, [floats(1, targets), at], goal=1.0, reference=reference, numba=loops(nest), ours=written(ko, mode),
        torch=lambda torch, x, i: torch.zeros(targets).index_copy(0, i.long(), x),
        jax=lambda jax, x, i: jax.numpy.zeros(targets).at[i].set(x, mode="promise_in_bounds" if mode == "promise" else mode),
    )


def sum_at_once(ko, name, count, longer):
    """A call without jit, beside one of a longer array, with zeros at the end; other libraries are shown."""
    x = floats(1, count)

    def of_more(kolam):
        return kolam.at_once(ko.sum, [np.concatenate([x, np.zeros(longer - count, np.float32)])], [])

    return Case(
        name, [x], goal=1.0, at_once=True, ours=ko.sum, reference=lambda x: x.sum(), tolerance=1e-3, judged=(str(longer),),
        more={str(longer): ("kolam-made", of_more), "NumPy": ("numba", lambda numba, x: lambda: x.sum())}, compiled=False,
        torch=lambda torch, x: x.sum(), jax=lambda jax, x: x.sum(),
    )  # fmt: skip


def softmax_of_one_row(ko, name, count):
    def reference(x):
        e = np.exp(x - x.max())
        return e / e.sum()

    return Case(
        name, [floats(1, count)], goal=1.0, ours=lambda x: ko.softmax(x), reference=reference,
        torch=lambda torch, x: torch.softmax(x, 0), jax=lambda jax, x: jax.nn.softmax(x),
    )


def cases(ko):
    """See `named`."""
    rows, count = {}, size(250_000, 30)
    for width in (2, 3, 4):
        rows[f"map of rows of {width}, 250000"] = lambda ko, n, w=width: mapped_rows(ko, n, count, w)
        rows[f"sums of rows of {width}, 250000"] = lambda ko, n, w=width: row_sums(ko, n, count, w)
    rows["4x4 products in a loop of 10000"] = lambda ko, n: products_in_a_loop(ko, n, size(10_000, 20))
    for dtype in ("uint8", "int8", "int16"):
        rows[f"blend of images 2048x2048 {dtype}"] = lambda ko, n, d=dtype: narrow(ko, n, d)
    for mode in ("drop", "promise"):
        rows[f"scatter of 1000000 single elements, {mode}"] = lambda ko, n, m=mode: scatter(ko, n, m)
    rows["scatter of 1000000 single elements, promise beside drop"] = promised
    rows["sum of 1000 at once, beside 100000"] = lambda ko, n: sum_at_once(ko, n, *size((1_000, 100_000), (20, 300)))
    rows["softmax of one row of 1000000"] = lambda ko, n: softmax_of_one_row(ko, n, size(1_000_000, 70))
    return named(ko, rows)
