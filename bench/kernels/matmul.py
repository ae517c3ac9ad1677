"""Products of matrices: sums over the last axis of the grid in scratch, or over a loop in the body; blocks of many sizes."""

import ml_dtypes
import numpy as np
from case import floats
from kernel import kernel_case, size


def by_grid(block, activation=None):
    """A point (i, j, k) adds x[i, k] y[k, j] to a scratch array; the last k writes it."""
    bm, bn, bk = block

    def body(lib, pl):
        def kernel(x_ref, y_ref, o_ref, sum_ref):
            @pl.when(pl.program_id(2) == 0)
            def _():
                sum_ref[...] = lib.zeros(sum_ref.shape, dtype=lib.float32)

            sum_ref[...] += lib.product(x_ref[...], y_ref[...])

            @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
            def _():
                found = sum_ref[...]
                o_ref[...] = (getattr(lib, activation)(found) if activation else found).astype(o_ref.dtype)

        return kernel

    def call(lib, pl, **options):
        def run(x, y):
            (m, k), n = x.shape, y.shape[1]
            return pl.pallas_call(
                body(lib, pl), lib.ShapeDtypeStruct((m, n), x.dtype), grid=(pl.cdiv(m, bm), pl.cdiv(n, bn), pl.cdiv(k, bk)),
                in_specs=[lib.padded((bm, bk), lambda i, j, k: (i, k)), lib.padded((bk, bn), lambda i, j, k: (k, j))],
                out_specs=pl.BlockSpec((bm, bn), lambda i, j, k: (i, j)),
                scratch_shapes=[lib.scratch((bm, bn), lib.float32)], **options,
            )(x, y)  # fmt: skip

        return run

    return call


def by_loop(block):
    """A point (i, j) adds x[i, k] y[k, j] for all k; only where bk divides the extent."""
    bm, bn, bk = block

    def call(lib, pl, **options):
        def kernel(x_ref, y_ref, o_ref):
            def add(k, total):
                return total + lib.product(x_ref[:, pl.ds(k * bk, bk)], y_ref[pl.ds(k * bk, bk), :])

            count = pl.cdiv(x_ref.shape[1], bk)
            o_ref[...] = lib.fori_loop(0, count, add, lib.zeros((bm, bn), dtype=lib.float32))

        def run(x, y):
            (m, k), n = x.shape, y.shape[1]
            return pl.pallas_call(
                kernel, lib.ShapeDtypeStruct((m, n), x.dtype), grid=(pl.cdiv(m, bm), pl.cdiv(n, bn)),
                in_specs=[lib.padded((bm, k), lambda i, j: (i, 0)), lib.padded((k, bn), lambda i, j: (0, j))],
                out_specs=pl.BlockSpec((bm, bn), lambda i, j: (i, j)), **options,
            )(x, y)  # fmt: skip

        return run

    return call


def matmul(ko, name, extent, kernel, share, dtype=np.float32, activation=None, **given):
    def applied(functions, product):
        return functions.relu(product) if activation else product

    inputs = [floats(seed, extent, extent).astype(dtype) for seed in (1, 2)]
    return kernel_case(
        ko, name, inputs, kernel, lambda x, y: np.maximum(x @ y, 0) if activation else x @ y,
        peers={
            "ko.matmul": ("kolam", lambda x, y: applied(ko, ko.matmul(x, y)), share),
            "PyTorch": ("torch", lambda torch, x, y: applied(torch, x @ y), None),
        },
        tolerance=1e-2 if dtype is ml_dtypes.bfloat16 else 1e-5, **given,
    )  # fmt: skip


def rows(ko):
    """(name, extent, kernel, share, more)."""
    extent, block = size((1024, 128), (32, 8), (1024, 128))
    for dtype, word in ((np.float32, "f32"), (ml_dtypes.bfloat16, "bf16")):
        more = {"dtype": dtype, "activation": "relu", "scales": True}
        yield f"matmul and relu {word} 1024^3 by 128", extent, by_grid((block,) * 3, "relu"), 0.95, more
    for full in (32, 64, 128, 256, 512):
        extent, block = size((1024, full), (32, full // 32), (512, full))
        # Beside Pallas's interpreter the row above says enough.
        more = {"pallas": False, "checked": False}
        yield f"matmul f32 1024^3 by {full}, k in the grid", extent, by_grid((block,) * 3), 0.85, more
        yield f"matmul f32 1024^3 by {full}, k in a loop", extent, by_loop((block,) * 3), 0.85, more
    extent, block = size((1000, (96, 112, 80)), (50, (9, 11, 8)))
    more = {"pallas": False}  # its blocks have no zeros outside of an array
    yield "matmul f32 1000^3 by 96x112x80, k in the grid", extent, by_grid(block), 0.9, more
    yield "matmul f32 1000^3 by 96x112x80, k in a loop", extent, by_loop(block), 0.9, {**more, "checked": False}


def cases(ko):
    """(name, a function that makes the case)."""

    def make(place):
        name, extent, kernel, share, more = list(rows(ko))[place]
        return matmul(ko, name, extent, kernel, share, **more)

    for place, row in enumerate(rows(ko)):
        yield row[0], lambda place=place: make(place)
