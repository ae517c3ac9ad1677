"""A product of matrices with an epilogue, as a kernel over blocks: sums wait in a scratch array from block to block."""

import functools

import kolam as ko
import numpy as np
from kolam import pallas as pl


def matmul(x_ref, y_ref, o_ref, acc_ref, *, activation):
    @pl.when(pl.program_id(2) == 0)
    def _():
        acc_ref[...] = ko.zeros(acc_ref.shape)

    acc_ref[...] += ko.matmul(x_ref[...], y_ref[...])

    @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
    def _():
        o_ref[...] = activation(acc_ref[...])


def blocked_matmul(x, y, block, activation):
    rows, summed, columns = block
    return pl.pallas_call(
        functools.partial(matmul, activation=activation),
        ko.ShapeDtypeStruct((x.shape[0], y.shape[1]), ko.float32),
        grid=(pl.cdiv(x.shape[0], rows), pl.cdiv(y.shape[1], columns), pl.cdiv(x.shape[1], summed)),
        in_specs=[
            pl.BlockSpec((rows, summed), lambda i, j, k: (i, k)),
            pl.BlockSpec((summed, columns), lambda i, j, k: (k, j)),
        ],
        out_specs=pl.BlockSpec((rows, columns), lambda i, j, k: (i, j)),
        scratch_shapes=[ko.ShapeDtypeStruct((rows, columns), ko.float32)],
    )(x, y)


if __name__ == "__main__":
    x = np.arange(100 * 90, dtype=np.float32).reshape(100, 90) % 7 - 3
    y = np.arange(90 * 70, dtype=np.float32).reshape(90, 70) % 5 - 2
    z = np.asarray(blocked_matmul(x, y, (32, 32, 32), ko.relu))
    print("as NumPy's:", np.array_equal(z, np.maximum(x @ y, 0)))
