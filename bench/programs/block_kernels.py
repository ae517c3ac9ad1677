"""Block kernels, as users write them, beside loops for numba and C++ by hand."""

import importlib

import numpy as np
from case import Case, floats, loops, named, places
from program import LOOPS
from sizes import size

F = np.float32


def made(ko, name, inputs, call, reference, nest, source, **more):
    """A case whose `call(ko, pl)` gives the function of the arrays; `source` is the C++ in `loops/`."""
    function = call(ko, importlib.import_module("kolam.pallas"))
    return Case(name, inputs, ours=function, reference=reference, numba=loops(nest), source=LOOPS / source, **more)


def blur(ko, name):
    """Five points along each row, with blocks of rows; borders repeat the edge."""
    n, m = size((2048, 2048), (24, 40))

    def call(ko, pl):
        def kernel(x_ref, o_ref):
            x = x_ref[...]
            p = ko.pad(x, ((0, 0), (2, 2)), mode="edge")
            o_ref[...] = (p[:, :-4] + 4 * p[:, 1:-3] + 6 * p[:, 2:-2] + 4 * p[:, 3:-1] + p[:, 4:]) * 0.0625

        spec = pl.BlockSpec((8, m), lambda i: (i, 0))
        return pl.pallas_call(kernel, ko.ShapeDtypeStruct((n, m), ko.float32), grid=n // 8, in_specs=[spec], out_specs=spec)

    def reference(x):
        p = np.pad(x, ((0, 0), (2, 2)), mode="edge")
        return (p[:, :-4] + 4 * p[:, 1:-3] + 6 * p[:, 2:-2] + 4 * p[:, 3:-1] + p[:, 4:]) / 16

    def nest(x):
        y = np.empty_like(x)
        n, m = x.shape
        for i in range(n):
            for j in range(2, m - 2):
                y[i, j] = (x[i, j - 2] + F(4) * x[i, j - 1] + F(6) * x[i, j] + F(4) * x[i, j + 1] + x[i, j + 2]) * F(0.0625)
            for j in (0, 1, m - 2, m - 1):
                a, b, c, d = max(j - 2, 0), max(j - 1, 0), min(j + 1, m - 1), min(j + 2, m - 1)
                y[i, j] = (x[i, a] + F(4) * x[i, b] + F(6) * x[i, j] + F(4) * x[i, c] + x[i, d]) * F(0.0625)
        return y

    return made(ko, name, [floats(1, n, m)], call, reference, nest, "row_blur")


def transposed_scale(ko, name):
    """y = (x * s).T by square blocks, s a scale for each row."""
    n = size(2048, 64)

    def call(ko, pl):
        block = min(64, n)

        def kernel(x_ref, s_ref, o_ref):
            o_ref[...] = (x_ref[...] * s_ref[...][:, None]).T

        return pl.pallas_call(
            kernel, ko.ShapeDtypeStruct((n, n), ko.float32), grid=(n // block, n // block),
            in_specs=[pl.BlockSpec((block, block), lambda i, j: (i, j)), pl.BlockSpec((block,), lambda i, j: (i,))],
            out_specs=pl.BlockSpec((block, block), lambda i, j: (j, i)),
        )  # fmt: skip

    def nest(x, s):
        n = len(s)
        y = np.empty_like(x)
        for i0 in range(0, n, 32):
            for j0 in range(0, n, 32):
                for j in range(j0, min(j0 + 32, n)):
                    for i in range(i0, min(i0 + 32, n)):
                        y[j, i] = x[i, j] * s[i]
        return y

    return made(ko, name, [floats(1, n, n), floats(2, n)], call, lambda x, s: (x * s[:, None]).T, nest, "transposed_scale")


def running_sum(ko, name):
    """The sums along each column up to each row, by blocks of rows; the last row is carried in scratch."""
    n, m = size((4096, 1024), (48, 20))
    block = size(64, 16)

    def call(ko, pl):
        def kernel(x_ref, o_ref, carry_ref):
            sums = ko.cumulative_sum(x_ref[...], axis=0) + carry_ref[...]
            o_ref[...] = sums
            carry_ref[...] = sums[-1:]

        spec = pl.BlockSpec((block, m), lambda i: (i, 0))
        return pl.pallas_call(
            kernel, ko.ShapeDtypeStruct((n, m), ko.float32), grid=n // block, in_specs=[spec], out_specs=spec,
            scratch_shapes=[ko.ShapeDtypeStruct((1, m), ko.float32)],
        )  # fmt: skip

    def nest(x):
        y = np.empty_like(x)
        y[0] = x[0]
        for i in range(1, x.shape[0]):
            for j in range(x.shape[1]):
                y[i, j] = y[i - 1, j] + x[i, j]
        return y

    return made(ko, name, [floats(1, n, m)], call, lambda x: np.cumsum(x, 0), nest, "running_sum", tolerance=1e-4)


def nearest_center(ko, name):
    """Of each point the nearest of k centers, by the product of blocks of points with all centers."""
    n, k, d = size((65_536, 64, 16), (96, 8, 4))
    block = size(512, 32)

    def call(ko, pl):
        def kernel(x_ref, c_ref, o_ref):
            c = c_ref[...]
            o_ref[...] = ko.argmin(ko.sum(c * c, axis=1)[None, :] - 2 * ko.matmul(x_ref[...], c.T), axis=1).astype(ko.int32)

        return pl.pallas_call(
            kernel, ko.ShapeDtypeStruct((n,), ko.int32), grid=n // block,
            in_specs=[pl.BlockSpec((block, d), lambda i: (i, 0)), pl.BlockSpec((k, d), lambda i: (0, 0))],
            out_specs=pl.BlockSpec((block,), lambda i: (i,)),
        )  # fmt: skip

    def nest(x, c):
        y = np.empty(len(x), np.int32)
        for i in range(len(x)):
            least, at = F(np.inf), 0
            for j in range(len(c)):
                total = F(0)
                for e in range(x.shape[1]):
                    total += (x[i, e] - c[j, e]) * (x[i, e] - c[j, e])
                if total < least:
                    least, at = total, j
            y[i] = at
        return y

    def reference(x, c):
        return np.argmin((c * c).sum(1) - 2 * x @ c.T, axis=1).astype(np.int32)

    return made(ko, name, [floats(1, n, d), floats(2, k, d)], call, reference, nest, "nearest_center", outliers=1e-3)


def quantized_product(ko, name):
    """y = x W, of W int8 with a scale for each block of 64 rows and each column: few rows of x."""
    n, k, m = size((8, 2048, 2048), (3, 128, 32))
    group, columns = 64, size(256, 16)

    def call(ko, pl):
        def kernel(x_ref, w_ref, s_ref, o_ref):
            def step(g, total):
                rows = pl.ds(g * group, group)
                product = ko.matmul(x_ref[:, rows], w_ref[rows, :].astype(ko.float32))
                return total + product * s_ref[pl.ds(g, 1), :]

            o_ref[...] = ko.fori_loop(0, k // group, step, ko.zeros((n, columns)))

        return pl.pallas_call(
            kernel, ko.ShapeDtypeStruct((n, m), ko.float32), grid=m // columns,
            in_specs=[
                pl.BlockSpec((n, k), lambda j: (0, 0)), pl.BlockSpec((k, columns), lambda j: (0, j)),
                pl.BlockSpec((k // group, columns), lambda j: (0, j)),
            ],
            out_specs=pl.BlockSpec((n, columns), lambda j: (0, j)),
        )  # fmt: skip

    w = (places(2, 255, k, m) - 127).astype(np.int8)

    def nest(x, w, s):
        y = np.zeros((x.shape[0], w.shape[1]), np.float32)
        row = np.empty(w.shape[1], np.float32)
        for r in range(w.shape[0]):
            g = r // 64
            for j in range(w.shape[1]):
                row[j] = w[r, j] * s[g, j]
            for i in range(x.shape[0]):
                for j in range(w.shape[1]):
                    y[i, j] += x[i, r] * row[j]
        return y

    def reference(x, w, s):
        return x @ (w * np.repeat(s, group, axis=0))

    return made(ko, name, [floats(1, n, k), w, floats(3, k // group, m)], call, reference, nest, "quantized_product", tolerance=1e-4)


def rotary(ko, name):
    """Pairs of features turned by an angle for each place: halves of a head's width."""
    heads, n, d = size((16, 1024, 64), (2, 24, 8))

    def call(ko, pl):
        def kernel(x_ref, cos_ref, sin_ref, o_ref):
            a, b, c, s = x_ref[:, : d // 2], x_ref[:, d // 2 :], cos_ref[...], sin_ref[...]
            o_ref[:, : d // 2] = a * c - b * s
            o_ref[:, d // 2 :] = a * s + b * c

        block = size(128, 8)
        x_spec = pl.BlockSpec((None, block, d), lambda h, i: (h, i, 0))
        angle = pl.BlockSpec((block, d // 2), lambda h, i: (i, 0))
        return pl.pallas_call(
            kernel, ko.ShapeDtypeStruct((heads, n, d), ko.float32), grid=(heads, n // block), in_specs=[x_spec, angle, angle],
            out_specs=x_spec,
        )  # fmt: skip

    def nest(x, c, s):
        y = np.empty_like(x)
        h = x.shape[2] // 2
        for k in range(x.shape[0]):
            for i in range(x.shape[1]):
                for j in range(h):
                    y[k, i, j] = x[k, i, j] * c[i, j] - x[k, i, j + h] * s[i, j]
                    y[k, i, j + h] = x[k, i, j] * s[i, j] + x[k, i, j + h] * c[i, j]
        return y

    def reference(x, c, s):
        a, b = x[..., : d // 2], x[..., d // 2 :]
        return np.concatenate([a * c - b * s, a * s + b * c], axis=-1)

    return made(ko, name, [floats(1, heads, n, d), floats(2, n, d // 2), floats(3, n, d // 2)], call, reference, nest, "rotary")


def cross_entropy(ko, name):
    """Of each row log(sum exp) minus the labelled score, by blocks of columns with a running maximum and sum."""
    n, m = size((2048, 8192), (16, 96))
    rows, columns = size((16, 2048), (4, 32))

    def call(ko, pl):
        def kernel(x_ref, label_ref, o_ref, most_ref, total_ref, score_ref):
            j = pl.program_id(1)

            @pl.when(j == 0)
            def _():
                most_ref[...] = ko.full((rows,), -np.inf, dtype=ko.float32)
                total_ref[...] = ko.zeros((rows,))
                score_ref[...] = ko.zeros((rows,))

            x = x_ref[...]
            most = ko.maximum(most_ref[...], ko.max(x, axis=1))
            total_ref[...] = total_ref[...] * ko.exp(most_ref[...] - most) + ko.sum(ko.exp(x - most[:, None]), axis=1)
            most_ref[...] = most
            column = j * columns + ko.arange(columns, dtype=ko.int32)
            score_ref[...] += ko.sum(ko.where(column[None, :] == label_ref[...][:, None], x, 0.0), axis=1)

            @pl.when(j == pl.num_programs(1) - 1)
            def _():
                o_ref[...] = ko.log(total_ref[...]) + most_ref[...] - score_ref[...]

        scratch = ko.ShapeDtypeStruct((rows,), ko.float32)
        row = pl.BlockSpec((rows,), lambda i, j: (i,))
        return pl.pallas_call(
            kernel, ko.ShapeDtypeStruct((n,), ko.float32), grid=(n // rows, m // columns),
            in_specs=[pl.BlockSpec((rows, columns), lambda i, j: (i, j)), row], out_specs=row, scratch_shapes=[scratch] * 3,
        )  # fmt: skip

    def nest(x, label):
        y = np.empty(len(x), np.float32)
        for i in range(x.shape[0]):
            most, total = F(-np.inf), F(0)
            for j in range(x.shape[1]):
                most = max(most, x[i, j])
            for j in range(x.shape[1]):
                total += np.exp(x[i, j] - most)
            y[i] = np.log(total) + most - x[i, label[i]]
        return y

    def reference(x, label):
        most = x.max(1)
        return np.log(np.exp(x - most[:, None]).sum(1)) + most - x[np.arange(n), label]

    return made(ko, name, [floats(1, n, m) * F(4), places(2, m, n)], call, reference, nest, "row_cross_entropy")


def forces(ko, name):
    """Of each body the attraction by all others, by blocks of bodies; coordinates stand in rows of their own."""
    n = size(4096, 48)
    block = size(64, 16)

    def call(ko, pl):
        def kernel(own_ref, all_ref, o_ref):
            own, others = own_ref[...], all_ref[...]
            apart = others[:3, None, :] - own[:3, :, None]  # [3, block, n]
            r2 = ko.sum(apart * apart, axis=0) + 0.01
            weight = others[3] / (r2 * ko.sqrt(r2))
            o_ref[...] = ko.sum(apart * weight, axis=2)

        return pl.pallas_call(
            kernel, ko.ShapeDtypeStruct((3, n), ko.float32), grid=n // block,
            in_specs=[pl.BlockSpec((4, block), lambda i: (0, i)), pl.BlockSpec((4, n), lambda i: (0, 0))],
            out_specs=pl.BlockSpec((3, block), lambda i: (0, i)),
        )  # fmt: skip

    def nest(b):
        n = b.shape[1]
        y = np.zeros((3, n), np.float32)
        for i in range(n):
            fx, fy, fz = F(0), F(0), F(0)
            for j in range(n):
                dx, dy, dz = b[0, j] - b[0, i], b[1, j] - b[1, i], b[2, j] - b[2, i]
                r2 = dx * dx + dy * dy + dz * dz + F(0.01)
                w = b[3, j] / (r2 * np.sqrt(r2))
                fx += dx * w
                fy += dy * w
                fz += dz * w
            y[0, i], y[1, i], y[2, i] = fx, fy, fz
        return y

    def reference(b):
        apart = b[:3, None, :] - b[:3, :, None]
        r2 = (apart * apart).sum(0) + 0.01
        return (apart * (b[3] / r2**1.5)).sum(2)

    function = call(ko, importlib.import_module("kolam.pallas"))
    return Case(
        name, [floats(1, 4, n)], ours=lambda b: function(b, b), reference=reference, numba=loops(nest),
        source=LOOPS / "block_forces", tolerance=1e-3,
    )  # fmt: skip


def sparse_rows(ko, name):
    """y = A x with as many entries in each row (ELL): columns and values by blocks of rows."""
    n, m, entries = size((65_536, 65_536, 16), (64, 80, 4))
    block = size(1024, 16)

    def call(ko, pl):
        def kernel(column_ref, value_ref, x_ref, o_ref):
            o_ref[...] = ko.sum(value_ref[...] * x_ref[column_ref[...]], axis=1)

        entry = pl.BlockSpec((block, entries), lambda i: (i, 0))
        return pl.pallas_call(
            kernel, ko.ShapeDtypeStruct((n,), ko.float32), grid=n // block,
            in_specs=[entry, entry, pl.BlockSpec((m,), lambda i: (0,))], out_specs=pl.BlockSpec((block,), lambda i: (i,)),
        )  # fmt: skip

    def nest(column, value, x):
        y = np.empty(len(column), np.float32)
        for i in range(column.shape[0]):
            total = F(0)
            for e in range(column.shape[1]):
                total += value[i, e] * x[column[i, e]]
            y[i] = total
        return y

    return made(
        ko, name, [places(1, m, n, entries), floats(2, n, entries), floats(3, m)], call, lambda c, v, x: (v * x[c]).sum(1), nest,
        "sparse_rows",
    )  # fmt: skip


def life_steps(ko, name):
    """Four generations of Life in one kernel: a block with a border of four, which shrinks by one each."""
    n, block = size((2048, 128), (64, 16))

    def call(ko, pl):
        def kernel(x_ref, o_ref):
            x = x_ref[...]
            for _ in range(4):
                rows = x[:-2] + x[1:-1] + x[2:]
                around = rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:]
                inner = x[1:-1, 1:-1]
                x = ((around == 3) | ((around == 4) & (inner == 1))).astype(ko.uint8)
            o_ref[...] = x

        window = pl.BlockSpec(
            (pl.Element(block + 8, (4, 4)), pl.Element(block + 8, (4, 4))), lambda i, j: (i * block, j * block)
        )
        return pl.pallas_call(
            kernel, ko.ShapeDtypeStruct((n, n), ko.uint8), grid=(n // block, n // block), in_specs=[window],
            out_specs=pl.BlockSpec((block, block), lambda i, j: (i, j)),
        )  # fmt: skip

    def by_numba(numba, x):
        one = numba.njit(fast_step)
        return lambda: one(one(one(one(x))))

    def fast_step(x):
        n = x.shape[0]
        y = np.zeros_like(x)
        sums = np.zeros((n, n), np.uint8)
        for i in range(n):
            for j in range(n):
                total = x[i, j]
                if i > 0:
                    total += x[i - 1, j]
                if i < n - 1:
                    total += x[i + 1, j]
                sums[i, j] = total
        for i in range(n):
            for j in range(n):
                around = sums[i, j]
                if j > 0:
                    around += sums[i, j - 1]
                if j < n - 1:
                    around += sums[i, j + 1]
                y[i, j] = (around == 3) | ((around == 4) & (x[i, j] == 1))
        return y

    def reference(x):
        # Outside of the array nobody lives, but in a window cells are born there, which its next generations see.
        p = np.pad(x, 4)
        for _ in range(4):
            rows = p[:-2] + p[1:-1] + p[2:]
            around = rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:]
            p = ((around == 3) | ((around == 4) & (p[1:-1, 1:-1] == 1))).astype(x.dtype)
        return p

    x = places(1, 2, n, n).astype(np.uint8)
    x[:5], x[-5:], x[:, :5], x[:, -5:] = 0, 0, 0, 0  # so that no cell is born outside
    return Case(
        name, [x], tolerance=0, ours=call(ko, importlib.import_module("kolam.pallas")), reference=reference, numba=by_numba,
        source=LOOPS / "life_steps",
    )  # fmt: skip


def cases(ko):
    """See `named`."""
    rows = {
        "kernel: blur of rows 2048x2048": blur, "kernel: (x s).T 2048x2048": transposed_scale,
        "kernel: running sums of columns 4096x1024": running_sum, "kernel: nearest of 64 centers of 65536 points": nearest_center,
        "kernel: 8 rows times int8 2048x2048": quantized_product, "kernel: rotary 16x1024x64": rotary,
        "kernel: cross entropy of rows 2048x8192": cross_entropy, "kernel: forces of 4096 bodies": forces,
        "kernel: sparse rows of 16 of 65536": sparse_rows, "kernel: four generations of Life 2048x2048": life_steps,
    }  # fmt: skip
    return named(ko, rows)
