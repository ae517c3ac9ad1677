"""Loops that carry numbers from step to step, and elements that loop for themselves."""

import numpy as np
from case import Case, floats, loops, named
from program import JaxNames
from sizes import size


def written_once(ko, name, inputs, arrays, nest, **more):
    """arrays(library, *inputs) is for Kolam and JAX, the loop nest for numba and, in f64, for the reference."""
    return Case(
        name, inputs, ours=lambda *x: arrays(ko, *x), reference=nest, numba=loops(nest),
        jax=lambda jax, *x: arrays(JaxNames(jax), *x), **more,
    )  # fmt: skip


def scan_of_a_scalar(ko, name):
    """y[t] = 0.9 y[t-1] + x[t]."""
    n = size(1_000_000, 50)

    def arrays(lib, x):
        return lib.scan(lambda s, x: (0.9 * s + x, 0.9 * s + x), x[0] * 0, x)[1]

    def nest(x):
        y = np.empty_like(x)
        s = x[0] * 0
        for t in range(len(x)):
            s = x.dtype.type(0.9) * s + x[t]
            y[t] = s
        return y

    return written_once(ko, name, [floats(1, n)], arrays, nest, tolerance=1e-4)


def while_of_scalars(ko, name):
    """A fixed point by so many steps that only the run knows."""
    n = size(1_000_000, 50)

    def arrays(lib, most, x):
        return lib.while_loop(lambda s: s[0] < most, lambda s: (s[0] + 1, 0.999 * s[1] + x), (most - most, x))[1]

    def nest(most, x):
        y = x
        for _ in range(most):
            y = x.dtype.type(0.999) * y + x
        return y

    return written_once(ko, name, [np.int32(n), np.float32(0.5)], arrays, nest, tolerance=1e-3)


def crc(ko, name):
    """The checksum of zlib, bit by bit, without a table."""
    n = size(200_000, 50)

    def arrays(lib, data):
        def bit(_, c):
            return (c >> 1) ^ ((c & 1) * np.uint32(0xEDB88320))

        def byte(c, x):
            return lib.fori_loop(0, 8, bit, c ^ x), None

        return lib.scan(byte, lib.asarray(np.uint32(0xFFFFFFFF)), data)[0]

    def nest(data):
        c = np.uint32(0xFFFFFFFF)
        for x in data:
            c = c ^ x
            for _ in range(8):
                c = (c >> np.uint32(1)) ^ ((c & np.uint32(1)) * np.uint32(0xEDB88320))
        return c

    data = np.random.default_rng(1).integers(0, 256, n).astype(np.uint32)
    return written_once(ko, name, [data], arrays, nest, tolerance=0)


def averages_by_lists(rows, n):
    def make(ko, name):
        """Exponential averages of rows, as a function on lists."""
        x = floats(1, *size((rows, n), (min(rows, 3), 20)))

        def ours(x):
            ops = ko.fractal
            average = lambda row: ops.scan(lambda y, x: y + 0.1 * (x - y), row, initializer=np.float32(0))
            return ops.map(average, x)

        def nest(x):
            y = np.empty_like(x)
            for i in range(x.shape[0]):
                now = x[i, 0] * 0
                for t in range(x.shape[1]):
                    now = now + x.dtype.type(0.1) * (x[i, t] - now)
                    y[i, t] = now
            return y.reshape(-1)

        as_list = ko.fractal.FractalTensor.from_offsets(x.reshape(-1), np.arange(0, x.size + 1, x.shape[1]))
        return Case(name, [x], ours=ours, reference=nest, numba=loops(nest), lists=[as_list])

    return make


def mandelbrot(way):
    def make(ko, name):
        """How often z = z^2 + c stays within 2, up to a bound; three ways to write it."""
        n, most = size((1024, 200), (16, 20))

        def elements(lib, a, b):
            def inside(s):
                return (s[2] < most) & (s[0] * s[0] + s[1] * s[1] <= 4)

            def step(s):
                return s[0] * s[0] - s[1] * s[1] + a, 2 * s[0] * s[1] + b, s[2] + 1

            return lib.while_loop(inside, step, (a * 0, a * 0, lib.asarray(0, dtype="int32")))[2]

        def step(lib, x, y, count, a, b):
            inside = x * x + y * y <= 4
            return lib.where(inside, x * x - y * y + a, x), lib.where(inside, 2 * x * y + b, y), count + inside

        def arrays(lib, a, b):
            first = (a * 0, a * 0, lib.zeros_like(a, dtype="int32"))
            if way == "for":
                return lib.fori_loop(0, most, lambda _, s: step(lib, *s, a, b), first)[2]

            def goes_on(s):
                return (s[0] < most) & lib.any(s[1] * s[1] + s[2] * s[2] <= 4)

            return lib.while_loop(goes_on, lambda s: (s[0] + 1, *step(lib, *s[1:], a, b)), (0, *first))[3]

        def ours(a, b):
            if way == "body":
                return ko.zip_map_reduce(lambda a, b: elements(ko, a, b), [a, b])
            return arrays(ko, a, b)

        def nest(a, b):
            counts = np.empty(a.shape, np.int32)
            two, four = a.dtype.type(2), a.dtype.type(4)
            for i in range(a.shape[0]):
                for j in range(a.shape[1]):
                    x, y, count = a[i, j] * 0, a[i, j] * 0, 0
                    while count < most and x * x + y * y <= four:
                        x, y = x * x - y * y + a[i, j], two * x * y + b[i, j]
                        count += 1
                    counts[i, j] = count
            return counts

        def reference(a, b):
            x, y, count = a * 0, a * 0, np.zeros(a.shape, np.int32)
            for _ in range(most):
                x, y, count = step(np, x, y, count, a, b)
            return count

        inputs = list(np.meshgrid(np.linspace(-2, 0.5, n, dtype=np.float32), np.linspace(-1.2, 1.2, n, dtype=np.float32)))
        jax = None if way == "body" else lambda jax, *x: arrays(JaxNames(jax), *x)
        return Case(name, inputs, ours=ours, reference=reference, numba=loops(nest), jax=jax, tolerance=0, outliers=0.01)

    return make


def cases(ko):
    """See `named`."""
    rows = {
        "scan of a scalar, 1000000 steps": scan_of_a_scalar, "while of scalars, 1000000 steps": while_of_scalars,
        "crc bit by bit of 200000 bytes": crc,
        "exponential averages by lists 1000x1000": averages_by_lists(1000, 1000),
        "exponential average by lists 1000000": averages_by_lists(1, 1_000_000),
        "mandelbrot 1024x1024, 200 iterations, for": mandelbrot("for"),
        "mandelbrot 1024x1024, 200 iterations, while": mandelbrot("while"),
        "mandelbrot 1024x1024, 200 iterations, in a map": mandelbrot("body"),
    }  # fmt: skip
    return named(ko, rows)
