"""Kernels that are loops at heart: a selective scan, a histogram, binary search, the Mandelbrot set; beside loops by hand."""

from pathlib import Path

import numpy as np
from case import floats, places
from kernel import kernel_case, size

LOOPS = Path(__file__).parent / "loops"


def selective_scan(width):
    """y[t, d] = sum over n of h[t, d, n] c[t, n], h[t] = exp(delta[t, d] a[d, n]) h[t - 1] + delta[t, d] x[t, d] b[t, n]."""

    def call(lib, pl, **options):
        def run(x, delta, a, b, c):
            (steps, channels), states = x.shape, a.shape[1]

            def kernel(x_ref, delta_ref, a_ref, b_ref, c_ref, y_ref):
                a = a_ref[...].T

                def step(t, h):
                    now = delta_ref[t, :]
                    h = lib.exp(now[None, :] * a) * h + (now * x_ref[t, :])[None, :] * b_ref[t, :][:, None]
                    y_ref[t, :] = lib.sum(h * c_ref[t, :][:, None], axis=0)
                    return h

                lib.fori_loop(0, steps, step, lib.zeros((states, width), dtype=lib.float32))

            own, whole = pl.BlockSpec((steps, width), lambda i: (0, i)), pl.BlockSpec((steps, states), lambda i: (0, 0))
            return pl.pallas_call(
                kernel, lib.ShapeDtypeStruct(x.shape, x.dtype), grid=(channels // width,),
                in_specs=[own, own, pl.BlockSpec((width, states), lambda i: (i, 0)), whole, whole], out_specs=own, **options,
            )(x, delta, a, b, c)  # fmt: skip

        return run

    return call


def scanned(x, delta, a, b, c):
    h, y = np.zeros(a.shape), np.empty_like(x)
    for t in range(len(x)):
        h = np.exp(delta[t][:, None] * a) * h + (delta[t] * x[t])[:, None] * b[t]
        y[t] = h @ c[t]
    return y


def scan_inputs():
    """x, delta, a, b and c."""
    steps, channels, states = size((2048, 1024, 16), (20, 8, 4), (2048, 1024, 16))
    random = np.random.default_rng(1)
    x, delta = floats(2, steps, channels), random.uniform(0, 1, (steps, channels)).astype(np.float32)
    a = -random.uniform(0, 1, (channels, states)).astype(np.float32)
    return [x, delta, a, floats(3, steps, states), floats(4, steps, states)]


def scan_case(ko, name):
    return kernel_case(
        ko, name, scan_inputs(), selective_scan(size(64, 4, 64)), scanned,
        source=LOOPS / "selective_scan", beside={"C++": 0.9}, tolerance=1e-4, scales=True,
    )  # fmt: skip


def histogram(block):
    """Every number of a block adds one to its bin."""

    def call(lib, pl, **options):
        def kernel(places_ref, zeros_ref, o_ref):
            pl.atomic_add(o_ref, (places_ref[...],), lib.ones(places_ref.shape, dtype=lib.int32))

        def run(places, zeros):
            own, whole = pl.BlockSpec((block,), lambda i: (i,)), pl.BlockSpec(zeros.shape, lambda i: (0,))
            return pl.pallas_call(
                kernel, lib.ShapeDtypeStruct(zeros.shape, zeros.dtype), grid=(places.shape[0] // block,),
                in_specs=[own, whole], out_specs=whole, input_output_aliases={1: 0}, **options,
            )(places, zeros)  # fmt: skip

        return run

    return call


def histogram_case(ko, name, block):
    n, bins, block = size((10**7, 256, block), (600, 16, 50))
    return kernel_case(
        ko, name, [places(1, bins, n), np.zeros(bins, np.int32)], histogram(block), lambda x, zeros: np.bincount(x, minlength=len(zeros)),
        source=LOOPS / "histogram", beside={"C++": 0.9}, tolerance=0, pallas=False,  # atomics are for GPUs there
        peers={"ko.bincount": ("kolam", lambda x, zeros: ko.bincount(x, length=zeros.shape[0]), None)},
    )  # fmt: skip


def bisect(block):
    """How many elements of an ascending table are less than each query."""

    def call(lib, pl, **options):
        def run(table, queries):
            m = table.shape[0]

            def kernel(table_ref, queries_ref, o_ref):
                x = queries_ref[...]

                def step(_, bounds):
                    low, high = bounds
                    middle = (low + high) // 2
                    less = (low < high) & (table_ref[lib.minimum(middle, m - 1)] < x)
                    return lib.where(less, middle + 1, low), lib.where(less, high, middle)

                bounds = lib.zeros((block,), dtype=lib.int32), lib.full((block,), m, dtype=lib.int32)
                o_ref[...] = lib.fori_loop(0, m.bit_length(), step, bounds)[0]

            own = pl.BlockSpec((block,), lambda i: (i,))
            return pl.pallas_call(
                kernel, lib.ShapeDtypeStruct(queries.shape, lib.int32), grid=(queries.shape[0] // block,),
                in_specs=[pl.BlockSpec((m,), lambda i: (0,)), own], out_specs=own, **options,
            )(table, queries)  # fmt: skip

        return run

    return call


def bisect_case(ko, name, block):
    m, n, block = size((65536, 10**6, block), (60, 200, 50), (65536, 10**6, block))
    random = np.random.default_rng(1)
    table, queries = np.sort(random.random(m, np.float32)), random.random(n, np.float32)
    return kernel_case(
        ko, name, [table, queries], bisect(block), np.searchsorted, source=LOOPS / "bisect", beside={"C++": 0.9}, tolerance=0,
        peers={"ko.searchsorted": ("kolam", ko.searchsorted, None)},
    )  # fmt: skip


def mandelbrot(rows, columns, most):
    """How many steps of z = z^2 + c stay within 2, of at most `most`."""

    def call(lib, pl, **options):
        def kernel(a_ref, b_ref, o_ref):
            a, b = a_ref[...], b_ref[...]

            def go_on(state):
                step, x, y, _ = state
                return (step < most) & lib.any(x * x + y * y <= 4)

            def step(state):
                step, x, y, count = state
                inside = x * x + y * y <= 4
                return step + 1, lib.where(inside, x * x - y * y + a, x), lib.where(inside, 2 * x * y + b, y), count + inside

            zeros = lib.zeros((rows, columns), dtype=lib.float32)
            start = lib.zeros((), dtype=lib.int32), zeros, zeros, lib.zeros((rows, columns), dtype=lib.int32)
            o_ref[...] = lib.while_loop(go_on, step, start)[3]

        def run(a, b):
            own = pl.BlockSpec((rows, columns), lambda i, j: (i, j))
            return pl.pallas_call(
                kernel, lib.ShapeDtypeStruct(a.shape, lib.int32), grid=(a.shape[0] // rows, a.shape[1] // columns),
                in_specs=[own, own], out_specs=own, **options,
            )(a, b)  # fmt: skip

        return run

    return call


def mandelbrot_points(most):
    """As above, a point of the grid for each element."""

    def call(lib, pl, **options):
        def kernel(a_ref, b_ref, o_ref):
            a, b = a_ref[...], b_ref[...]
            start = lib.zeros((), dtype=lib.int32), lib.zeros((), dtype=lib.float32), lib.zeros((), dtype=lib.float32)
            o_ref[...] = lib.while_loop(
                lambda state: (state[0] < most) & (state[1] * state[1] + state[2] * state[2] <= 4),
                lambda state: (state[0] + 1, state[1] * state[1] - state[2] * state[2] + a, 2 * state[1] * state[2] + b), start,
            )[0]  # fmt: skip

        def run(a, b):
            own = pl.BlockSpec((None, None), lambda i, j: (i, j))
            return pl.pallas_call(
                kernel, lib.ShapeDtypeStruct(a.shape, lib.int32), grid=a.shape, in_specs=[own, own], out_specs=own, **options
            )(a, b)

        return run

    return call


def escapes(a, b, most):
    """Step by step over all elements, in f64."""
    c = a + 1j * b
    z, counts = np.zeros_like(c), np.zeros(c.shape, np.int32)
    for _ in range(most):
        inside = abs(z) <= 2
        counts += inside
        z[inside] = z[inside] ** 2 + c[inside]
    return counts


def mandelbrot_case(ko, name, make):
    extent, most = size((1024, 200), (16, 20), (128, 200))
    y, x = np.mgrid[-1.25 : 1.25 : extent * 1j, -2.0 : 0.5 : extent * 1j].astype(np.float32)
    return kernel_case(
        ko, name, [x, y], make(most), lambda a, b: escapes(a, b, most), source=LOOPS / "mandelbrot", numbers=(most,),
        beside={"numba": 3}, scales=True, tolerance=0, outliers=0.01,  # f32 leaves the disc at another step here and there
    )  # fmt: skip


def cases(ko):
    """(name, a function that makes the case)."""
    scan = "selective scan of 2048 steps of 1024x16"
    yield scan, lambda: scan_case(ko, scan)
    for block in (1000, 100_000):
        name = f"histogram of 10^7 in 256 bins by {block}"
        yield name, lambda name=name, block=block: histogram_case(ko, name, block)
    for block in (1000, 100_000):
        name = f"bisect 10^6 in 65536 by {block}"
        yield name, lambda name=name, block=block: bisect_case(ko, name, block)
    blocks, points = "mandelbrot 1024^2 of 200 steps by 8x128", "mandelbrot 1024^2 of 200 steps, points"
    yield blocks, lambda: mandelbrot_case(ko, blocks, lambda most: mandelbrot(*size((8, 128), (4, 8), (8, 128)), most))
    yield points, lambda: mandelbrot_case(ko, points, mandelbrot_points)
