"""Products of matrices that data lay out: rows by groups, and blocks that are not zero."""

import functools

import kolam
from kolam import pallas as pl
from kolam.errors import KolamValueError
from kolam.kernels._arguments import INTEGERS, NUMBERS, bind_dims, block_of, describe, in_whole_blocks, is_empty, require_count, require_kind, sums_of, within

SOME_TERMS = 1024  # size of a block along a dim that only the run knows


def _grouped_kernel(group_ref, tile_ref, start_ref, end_ref, x_ref, w_ref, o_ref, sum_ref):
    @pl.when(pl.program_id(2) == 0)
    def _():
        sum_ref[...] = kolam.zeros(sum_ref.shape, dtype=sum_ref.dtype)

    sum_ref[...] += kolam.matmul(x_ref[...], w_ref[...], dtype=sum_ref.dtype)

    @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
    def _():
        step, rows = pl.program_id(1), o_ref.shape[0]
        row = tile_ref[step] * rows + kolam.arange(rows)
        is_own = (row >= start_ref[group_ref[step]]) & (row < end_ref[group_ref[step]])
        o_ref[...] = kolam.where(is_own[:, None], sum_ref[...].astype(o_ref.dtype), o_ref[...])


def _tiles_of_groups(sizes, m, rows, steps):
    """For each step a group and a tile of rows that has rows of it; steps that are left over repeat the last tile.

    Tiles stand in rising order, so those of two groups come one after the other: in all tiles + groups - 1 at most.
    """
    ends = kolam.minimum(kolam.cumulative_sum(sizes), m)
    starts = kolam.concat([kolam.zeros(1, dtype=kolam.int32), ends[:-1]])
    first = starts // rows
    counts = kolam.where(ends > starts, (ends + (rows - 1)) // rows - first, 0)
    until = kolam.cumulative_sum(counts)
    step = kolam.minimum(kolam.arange(steps), kolam.maximum(until[-1] - 1, 0))
    group = kolam.minimum(kolam.sum(until[None, :] <= step[:, None], axis=1), sizes.shape[0] - 1).astype(kolam.int32)
    tile = first[group] + step - (until - counts)[group]
    return group, tile.astype(kolam.int32), starts, ends


def grouped_matmul(x, w, group_sizes, *, block_m=128, block_n=128, block_k=None, out_dtype=None, interpret=False):
    """Rows times the matrix of their group, rows of a group standing together:

        result[i, j] = sum_k x[i, k] w[g, k, j]   for the group g of row i, its first group_sizes[0] rows being of group 0, ...

    >>> import kolam as ko
    >>> w = ko.reshape(ko.asarray([1.0, 10.0, 100.0]), (3, 1, 1))
    >>> ko.kernels.grouped_matmul(ko.ones((4, 1)), w, ko.asarray([1, 0, 2])).tolist()
    [[1.0], [100.0], [100.0], [0.0]]

    x is [m, k] and w [groups, k, n], promoted to one dtype of numbers; group_sizes, integers [groups], may be 0, and rows
    behind their sum give 0; what they count beyond m has no part. The result is [m, n]. A point of the grid has a tile of block_m rows, of which it writes those
    of one group; a tile with rows of several groups comes once for each. It takes block_k terms at a time, all unless given:
    products then leave out rows of other groups. Sums of floats are float32, or float64 of such;
    those of integers have `out_dtype`, that of the operands unless given. Raises `[rank-mismatch]`, `[shape-mismatch]`,
    `[dtype-mismatch]`, and `[bad-block]` for blocks below 1. Source: Gale and others, "MegaBlocks: efficient sparse
    training with mixture-of-experts", 2022.
    """
    x, w, group_sizes = kolam.asarray(x), kolam.asarray(w), kolam.asarray(group_sizes)
    extents = bind_dims("grouped_matmul", x=(x, "m k"), w=(w, "groups k n"), group_sizes=(group_sizes, "groups"))
    m, k, groups, n = extents.values()
    require_kind("grouped_matmul", NUMBERS, x=x, w=w)
    require_kind("grouped_matmul", INTEGERS, group_sizes=group_sizes)
    if block_k is None:
        block_k = max(k, 1) if isinstance(k, int) else SOME_TERMS
    require_count("grouped_matmul", block_m=block_m, block_n=block_n, block_k=block_k)
    dtype = kolam.result_type(x, w)
    out = kolam.ShapeDtypeStruct((m, n), dtype if out_dtype is None else out_dtype)
    if is_empty(m, n, k, groups):
        return kolam.zeros(out.shape, dtype=out.dtype)
    rows, columns, terms = block_of(m, block_m), block_of(n, block_n), block_of(k, block_k)
    x, w = in_whole_blocks(x.astype(dtype), rows, terms), in_whole_blocks(w.astype(dtype), 1, terms, columns)
    tiles = pl.cdiv(m, rows)
    steps = tiles + groups - 1

    def tile(j, s, k, group_ref, tile_ref, *_):
        return within(tile_ref[s], tiles), j

    result = pl.pallas_call(
        _grouped_kernel,
        kolam.ShapeDtypeStruct((x.shape[0], w.shape[2]), out.dtype),
        grid_spec=pl.PrefetchScalarGridSpec(
            num_scalar_prefetch=4,
            grid=(pl.cdiv(n, columns), steps, pl.cdiv(k, terms)),
            in_specs=[
                pl.BlockSpec((rows, terms), lambda j, s, k, *refs: (tile(j, s, k, *refs)[0], k)),
                pl.BlockSpec((None, terms, columns), lambda j, s, k, group_ref, *_: (within(group_ref[s], groups), k, j)),
            ],
            out_specs=pl.BlockSpec((rows, columns), tile),
            scratch_shapes=[kolam.ShapeDtypeStruct((rows, columns), sums_of(dtype) if dtype.kind == "float" else out.dtype)],
        ),
        name="grouped_matmul",
        interpret=interpret,
    )(*_tiles_of_groups(group_sizes.astype(kolam.int32), m, rows, steps), x, w)
    return result[:m, :n]


def _block_sparse_kernel(indices_ref, x_ref, y_ref, o_ref, *, counts):
    i, j = (indices_ref[pl.program_id(1), dim] for dim in (0, 1))
    is_inside = (i >= 0) & (i < counts[0]) & (j >= 0) & (j < counts[1])
    o_ref[...] = kolam.where(is_inside, o_ref[...] + kolam.matmul(x_ref[...], y_ref[...], dtype=o_ref.dtype), o_ref[...])


def block_sparse_matmul(block_values, block_indices, y, *, rows, block_n=512, out_dtype=None, interpret=False):
    """A matrix of which most blocks are zero, times a dense one:

        result = x y,   x[block_m i : block_m (i + 1), block_k j : block_k (j + 1)] = block_values[b]   for (i, j) = block_indices[b]

    >>> import kolam as ko
    >>> values = ko.asarray([[[1.0, 2.0]], [[3.0, 4.0]]])
    >>> ko.kernels.block_sparse_matmul(values, ko.asarray([[2, 0], [0, 1]]), ko.ones((4, 1)), rows=3).tolist()
    [[7.0], [0.0], [3.0]]

    block_values is [blocks, block_m, block_k] and y [k, n], promoted to one dtype of numbers; block_indices, integers
    [blocks, 2], are numbers of blocks along the rows and the columns of x, in any order; blocks of equal numbers add.
    The result is [rows, n]; what a block has beyond rows or k has no part, nor have blocks with other numbers. Sums of floats are float32, or float64 of such;
    those of integers have `out_dtype`, that of the operands unless given. A point of the grid has one block and block_n
    columns. Raises `[rank-mismatch]`, `[shape-mismatch]`, `[dtype-mismatch]`, `[bad-block]` for block_n below 1, and
    `[negative-count]` for less than 0 rows.
    """
    block_values, block_indices, y = kolam.asarray(block_values), kolam.asarray(block_indices), kolam.asarray(y)
    extents = bind_dims(
        "block_sparse_matmul", block_values=(block_values, "blocks block_m block_k"), block_indices=(block_indices, "blocks two"), y=(y, "k n")
    )
    blocks, block_m, block_k, two, k, n = extents.values()
    if two != 2:
        raise KolamValueError.make(
            "block_sparse_matmul", "shape-mismatch", f"argument 'block_indices': expected extent 2 in dim 1, a row and a column, but got {describe(block_indices)}"
        )
    require_kind("block_sparse_matmul", NUMBERS, block_values=block_values, y=y)
    require_kind("block_sparse_matmul", INTEGERS, block_indices=block_indices)
    require_count("block_sparse_matmul", block_n=block_n)
    if isinstance(rows, int) and rows < 0:
        raise KolamValueError.make("block_sparse_matmul", "negative-count", f"argument 'rows': expected 0 or more, but got {rows}")
    dtype = kolam.result_type(block_values, y)
    out_dtype = kolam.ShapeDtypeStruct((), dtype if out_dtype is None else out_dtype).dtype
    if is_empty(rows, n, k, blocks, block_m, block_k):
        return kolam.zeros((rows, n), dtype=out_dtype)
    columns = block_of(n, block_n)
    counts = pl.cdiv(rows, block_m), pl.cdiv(k, block_k)
    y = in_whole_blocks(y.astype(dtype), block_k, columns)

    def along(dim):
        return lambda j, b, indices_ref: (within(indices_ref[b, dim], counts[dim]), j)

    sums = pl.pallas_call(
        functools.partial(_block_sparse_kernel, counts=counts),
        kolam.ShapeDtypeStruct((counts[0] * block_m, y.shape[1]), sums_of(dtype) if dtype.kind == "float" else out_dtype),
        grid_spec=pl.PrefetchScalarGridSpec(
            num_scalar_prefetch=1,
            grid=(pl.cdiv(n, columns), blocks),
            in_specs=[pl.BlockSpec((None, block_m, block_k), lambda j, b, _: (b, 0, 0)), pl.BlockSpec((block_k, columns), along(1))],
            out_specs=pl.BlockSpec((block_m, columns), along(0)),
        ),
        name="block_sparse_matmul",
        interpret=interpret,
    )(block_indices.astype(kolam.int32), block_values.astype(dtype), y)
    return sums[:rows, :n].astype(out_dtype)
