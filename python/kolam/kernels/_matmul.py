"""Products of matrices by blocks, with a function of the sums, and two of them with one in between."""

import functools

import kolam
from kolam import pallas as pl
from kolam.kernels._arguments import FLOATS, NUMBERS, bind_dims, block_of, is_empty, require_count, require_function, require_kind, sums_of


def _matmul_kernel(x_ref, y_ref, o_ref, sum_ref, *, activation):
    @pl.when(pl.program_id(2) == 0)
    def _():
        sum_ref[...] = kolam.zeros(sum_ref.shape, dtype=sum_ref.dtype)

    sum_ref[...] += kolam.matmul(x_ref[...], y_ref[...], dtype=sum_ref.dtype)

    @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
    def _():
        o_ref[...] = activation(sum_ref[...]).astype(o_ref.dtype)


def matmul(x, y, *, block_m=128, block_n=128, block_k=512, activation=None, out_dtype=None, interpret=False):
    """The product of two matrices, and a function of its elements while they are at hand:

        result[i, j] = activation(sum_k x[i, k] y[k, j])

    >>> import kolam as ko
    >>> ko.kernels.matmul(ko.asarray([[1.0, 2.0]]), ko.asarray([[3.0], [-4.0]]), activation=ko.relu).tolist()
    [[0.0]]

    x is [m, k] and y [k, n], promoted to one dtype of numbers. A point of the grid has a block of block_m x block_n sums and
    adds products of block_k terms to it. Sums of floats are float32, or float64 of such; those of integers have `out_dtype`.
    `activation` takes a block of sums and gives as many elements, each from its own; they are cast to `out_dtype`, that of
    the operands unless given. Raises `[rank-mismatch]`, `[shape-mismatch]`, `[dtype-mismatch]`, `[argument-type]`, and
    `[bad-block]` for blocks below 1. Source: "Pallas: a JAX kernel language", templated matmul.
    """
    x, y = kolam.asarray(x), kolam.asarray(y)
    m, k, n = bind_dims("matmul", x=(x, "m k"), y=(y, "k n")).values()
    require_kind("matmul", NUMBERS, x=x, y=y)
    require_count("matmul", block_m=block_m, block_n=block_n, block_k=block_k)
    require_function("matmul", activation=activation)
    activation = activation or (lambda sums: sums)
    dtype = kolam.result_type(x, y)
    out = kolam.ShapeDtypeStruct((m, n), dtype if out_dtype is None else out_dtype)
    sums = sums_of(dtype) if dtype.kind == "float" else out.dtype
    if is_empty(m, n, k):
        return activation(kolam.zeros((m, n), dtype=sums)).astype(out.dtype)
    block_m, block_n, block_k = block_of(m, block_m), block_of(n, block_n), block_of(k, block_k)
    return pl.pallas_call(
        functools.partial(_matmul_kernel, activation=activation),
        out,
        grid=(pl.cdiv(m, block_m), pl.cdiv(n, block_n), pl.cdiv(k, block_k)),
        in_specs=[
            pl.BlockSpec((block_m, block_k), lambda i, j, k: (i, k)),
            pl.BlockSpec((block_k, block_n), lambda i, j, k: (k, j)),
        ],
        out_specs=pl.BlockSpec((block_m, block_n), lambda i, j, k: (i, j)),
        scratch_shapes=[kolam.ShapeDtypeStruct((block_m, block_n), sums)],
        name="matmul",
        interpret=interpret,
    )(x.astype(dtype), y.astype(dtype))


def _mlp_kernel(x_ref, w1_ref, b1_ref, w2_ref, b2_ref, o_ref, sum_ref, *, activation, hidden):
    @pl.when(pl.program_id(1) == 0)
    def _():
        sum_ref[...] = kolam.zeros(sum_ref.shape, dtype=sum_ref.dtype)

    inner = activation(kolam.matmul(x_ref[...], w1_ref[...], dtype=sum_ref.dtype) + b1_ref[...].astype(sum_ref.dtype))
    if hidden is not None:  # the last block reaches out of the hidden layer
        unit = pl.program_id(1) * inner.shape[1] + kolam.arange(inner.shape[1])
        inner = kolam.where(unit < hidden, inner, 0)
    sum_ref[...] += kolam.matmul(inner.astype(w2_ref.dtype), w2_ref[...], dtype=sum_ref.dtype)

    @pl.when(pl.program_id(1) == pl.num_programs(1) - 1)
    def _():
        o_ref[...] = (sum_ref[...] + b2_ref[...].astype(sum_ref.dtype)).astype(o_ref.dtype)


def _even_block(extent, most):
    """Blocks of one size, as few as `block_of` needs, so that the last reaches out of the dim by as little as can be."""
    size = block_of(extent, most)
    if not isinstance(extent, int) or size == extent:
        return size
    return pl.align_to(pl.cdiv(extent, pl.cdiv(extent, size)), 2)  # pairs of bfloat16 are summed together


def mlp(x, w1, w2, *, b1=None, b2=None, activation=None, block_m=128, block_hidden=512, interpret=False):
    """Two layers of a network, of which the hidden one is never whole in memory:

        result = activation(x w1 + b1) w2 + b2

    >>> import kolam as ko
    >>> ko.kernels.mlp(ko.asarray([[1.0, -1.0]]), ko.eye(2), ko.ones((2, 1)), activation=ko.relu).tolist()
    [[1.0]]

    x is [m, k], w1 [k, hidden], w2 [hidden, n], b1 [hidden] and b2 [n], zeros unless given; all are promoted to one dtype of
    floats, that of the result. `activation`, kolam.gelu unless given, takes a block of the hidden layer and gives as many
    elements, each from its own. Sums and the hidden layer are float32, or float64 of such; the second product takes it
    rounded to the dtype of w2. A point of the grid has block_m rows and block_hidden units. Raises `[rank-mismatch]`,
    `[shape-mismatch]`, `[dtype-mismatch]`, `[argument-type]`, and `[bad-block]` for blocks below 1.
    """
    x, w1, w2 = kolam.asarray(x), kolam.asarray(w1), kolam.asarray(w2)
    m, k, hidden, n = bind_dims("mlp", x=(x, "m k"), w1=(w1, "k hidden"), w2=(w2, "hidden n")).values()
    b1 = kolam.zeros(hidden, dtype=x.dtype) if b1 is None else kolam.asarray(b1)
    b2 = kolam.zeros(n, dtype=x.dtype) if b2 is None else kolam.asarray(b2)
    bind_dims("mlp", w1=(w1, "k hidden"), w2=(w2, "hidden n"), b1=(b1, "hidden"), b2=(b2, "n"))
    require_kind("mlp", FLOATS, x=x, w1=w1, w2=w2, b1=b1, b2=b2)
    require_count("mlp", block_m=block_m, block_hidden=block_hidden)
    require_function("mlp", activation=activation)
    dtype = kolam.result_type(x, w1, w2, b1, b2)
    if is_empty(m, n, k, hidden):
        return kolam.broadcast_to(b2.astype(dtype), (m, n))
    rows, units = block_of(m, block_m), _even_block(hidden, block_hidden)
    fits = isinstance(hidden, int) and hidden % units == 0
    return pl.pallas_call(
        functools.partial(_mlp_kernel, activation=activation or kolam.gelu, hidden=None if fits else hidden),
        kolam.ShapeDtypeStruct((m, n), dtype),
        grid=(pl.cdiv(m, rows), pl.cdiv(hidden, units)),
        in_specs=[
            pl.BlockSpec((rows, k), lambda i, h: (i, 0)),
            pl.BlockSpec((k, units), lambda i, h: (0, h)),
            pl.BlockSpec((units,), lambda i, h: (h,)),
            pl.BlockSpec((units, n), lambda i, h: (h, 0)),
            pl.BlockSpec((n,), lambda i, h: (0,)),
        ],
        out_specs=pl.BlockSpec((rows, n), lambda i, h: (i, 0)),
        scratch_shapes=[kolam.ShapeDtypeStruct((rows, n), sums_of(dtype))],
        name="mlp",
        interpret=interpret,
    )(*(operand.astype(dtype) for operand in (x, w1, b1, w2, b2)))
