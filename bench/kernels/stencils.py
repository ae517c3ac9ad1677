"""A stencil over blocks with a border of one element, by windows that overlap."""

import numpy as np
from case import floats
from kernel import kernel_case, size


def five_points(x):
    """The mean of an element and its four neighbours, of all elements that have four."""
    return (x[1:-1, 1:-1] + x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]) * 0.2


def by_windows(rows, columns):
    """Elements outside of the array are zeros."""

    def call(lib, pl, **options):
        def kernel(x_ref, o_ref):
            o_ref[...] = five_points(x_ref[...])

        def run(x):
            window = lib.padded(
                (pl.Element(rows + 2, (1, 1)), pl.Element(columns + 2, (1, 1))), lambda i, j: (i * rows, j * columns)
            )
            return pl.pallas_call(
                kernel, lib.ShapeDtypeStruct(x.shape, x.dtype), grid=(pl.cdiv(x.shape[0], rows), pl.cdiv(x.shape[1], columns)),
                in_specs=[window], out_specs=pl.BlockSpec((rows, columns), lambda i, j: (i, j)), **options,
            )(x)  # fmt: skip

        return run

    return call


def cases(ko):
    """(name, a function that makes the case)."""
    for rows, columns in ((64, 512), (16, 4096)):
        name = f"5-point stencil 4096^2 by {rows}x{columns}"
        yield name, lambda name=name, rows=rows, columns=columns: kernel_case(
            ko, name, [floats(1, *size((4096, 4096), (32, 24), (1024, 4096)))], by_windows(*size((rows, columns), (8, 12), (rows, columns))),
            lambda x: five_points(np.pad(x, 1)), pallas=False,  # its windows have no zeros outside of an array
            peers={
                "array function": ("kolam", lambda x: five_points(ko.pad(x, ((1, 1), (1, 1)))), 0.9),
                "PyTorch": ("torch", lambda torch, x: five_points(torch.nn.functional.pad(x, (1, 1, 1, 1))), None),
            },
        )  # fmt: skip
