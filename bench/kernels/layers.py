"""A convolution by windows, and two layers without their hidden rows in memory."""

import numpy as np
from case import floats
from kernel import kernel_case, size


def convolution(rows):
    """x [height, width, channels], w [3, 3, channels, filters]: a point has some rows of the result, and a border around them.

    result[i, j] = sum over a, b of x[i + a - 1, j + b - 1] w[a, b]
    """

    def call(lib, pl, **options):
        def run(x, w):
            (height, width, channels), filters = x.shape, w.shape[3]

            def kernel(x_ref, w_ref, o_ref):
                window = x_ref[...]
                total = lib.zeros((rows * width, filters), dtype=lib.float32)
                for a in range(3):
                    for b in range(3):
                        seen = window[a : a + rows, b : b + width].reshape((rows * width, channels))
                        total = total + lib.product(seen, w_ref[a, b])
                o_ref[...] = total.reshape((rows, width, filters))

            window = lib.padded((pl.Element(rows + 2, (1, 1)), pl.Element(width + 2, (1, 1)), channels), lambda i: (i * rows, 0, 0))
            return pl.pallas_call(
                kernel, lib.ShapeDtypeStruct((height, width, filters), x.dtype), grid=(pl.cdiv(height, rows),),
                in_specs=[window, pl.BlockSpec(w.shape, lambda i: (0, 0, 0, 0))],
                out_specs=pl.BlockSpec((rows, width, filters), lambda i: (i, 0, 0)), **options,
            )(x, w)  # fmt: skip

        return run

    return call


def correlate(x, w):
    padded = np.pad(x, ((1, 1), (1, 1), (0, 0)))
    height, width = x.shape[:2]
    return sum(padded[a : a + height, b : b + width] @ w[a, b] for a in range(3) for b in range(3))


def convolution_case(ko, name):
    extent, channels, rows = size((56, 64, 8), (12, 5, 4))

    def ours(x, w):
        y = ko.conv(ko.permute_dims(x, (2, 0, 1))[None], ko.permute_dims(w, (3, 2, 0, 1)), padding=1)
        return ko.permute_dims(y[0], (1, 2, 0))

    # The same convolution in PyTorch's own layout, where nothing is turned.
    plane, filters = floats(1, 1, channels, extent, extent), floats(2, channels, channels, 3, 3)
    return kernel_case(
        ko, name, [floats(1, extent, extent, channels), floats(2, 3, 3, channels, channels)], convolution(rows), correlate,
        beside={"ko.conv": 0.9}, scales=True, pallas=False,  # its windows have no zeros outside of an array
        unmatched={
            "ko.conv": ("kolam", lambda x, w: ko.conv(x, w, padding=1), [plane, filters]),
            "PyTorch": ("torch", lambda torch, x, w: torch.nn.functional.conv2d(x, w, padding=1), [plane, filters]),
        },
        peers={"ko.conv, dims turned": ("kolam", ours, None)}, tolerance=1e-4,
    )  # fmt: skip


def two_layers(block, hidden):
    """relu(x w1) w2: a point (i, k) adds the part of some hidden elements to a block of rows."""

    def call(lib, pl, **options):
        def kernel(x_ref, w1_ref, w2_ref, o_ref, sum_ref):
            @pl.when(pl.program_id(1) == 0)
            def _():
                sum_ref[...] = lib.zeros(sum_ref.shape, dtype=lib.float32)

            sum_ref[...] += lib.product(lib.relu(lib.product(x_ref[...], w1_ref[...])), w2_ref[...])

            @pl.when(pl.program_id(1) == pl.num_programs(1) - 1)
            def _():
                o_ref[...] = sum_ref[...]

        def run(x, w1, w2):
            (rows, width), own = x.shape, pl.BlockSpec((block, x.shape[1]), lambda i, k: (i, 0))
            return pl.pallas_call(
                kernel, lib.ShapeDtypeStruct(x.shape, x.dtype), grid=(rows // block, w1.shape[1] // hidden),
                in_specs=[own, pl.BlockSpec((width, hidden), lambda i, k: (0, k)), pl.BlockSpec((hidden, width), lambda i, k: (k, 0))],
                out_specs=own, scratch_shapes=[lib.scratch((block, width), lib.float32)], **options,
            )(x, w1, w2)  # fmt: skip

        return run

    return call


def layers_case(ko, name):
    rows, width, hidden, block, part = size((512, 1024, 4096, 128, 512), (16, 12, 32, 8, 8), (512, 1024, 4096, 128, 512))
    return kernel_case(
        ko, name, [floats(1, rows, width), floats(2, width, hidden), floats(3, hidden, width)], two_layers(block, part),
        lambda x, w1, w2: np.maximum(x @ w1, 0) @ w2, scales=True, tolerance=1e-4,
        peers={
            "two products": ("kolam", lambda x, w1, w2: ko.matmul(ko.relu(ko.matmul(x, w1)), w2), 0.95),
            "PyTorch": ("torch", lambda torch, x, w1, w2: torch.relu(x @ w1) @ w2, None),
        },
    )  # fmt: skip


def cases(ko):
    """(name, a function that makes the case)."""
    convolved, fused = "convolution 3x3 64 to 64 of 56x56 by windows", "two layers 512x1024x4096 in one kernel"
    yield convolved, lambda: convolution_case(ko, convolved)
    yield fused, lambda: layers_case(ko, fused)
