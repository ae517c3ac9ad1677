"""Grids with very many points, each of which has one element, or eight."""

import numpy as np
from case import floats
from kernel import kernel_case, size


def by_points(width):
    """A point of the grid has `width` neighbouring elements."""

    def call(lib, pl, **options):
        def kernel(x_ref, o_ref):
            o_ref[...] = formula(lib, x_ref[...])

        def run(x):
            a, b, c = x.shape
            block = pl.BlockSpec((None, None, width), lambda i, j, k: (i, j, k))
            shape = lib.ShapeDtypeStruct(x.shape, x.dtype)
            return pl.pallas_call(kernel, shape, grid=(a, b, c // width), in_specs=[block], out_specs=block, **options)(x)

        return run

    return call


def formula(lib, x):
    return lib.maximum(x, 0) * 2 + 1


def cases(ko):
    """(name, a function that makes the case)."""
    for width, name in ((1, "256^3 points of one element"), (8, "256x256x32 points of 8 elements")):
        yield name, lambda name=name, width=width: kernel_case(
            ko, name, [floats(1, *(size(256, 8, 32),) * 3)], by_points(width), lambda x: formula(np, x),
            peers={"array function": ("kolam", lambda x: formula(ko, x), 0.9), "PyTorch": ("torch", lambda torch, x: torch.relu(x) * 2 + 1, None)},
        )  # fmt: skip
