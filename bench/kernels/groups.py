"""Products whose tables say which blocks belong together: rows in groups with a matrix each, and matrices of few blocks."""

import numpy as np
from case import floats
from kernel import kernel_case, size


def tiles_of(sizes, block):
    """(group, block of rows) of each tile, and where the rows of each group begin: a tile is part of a block in one group."""
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
    tiles = [
        (group, tile)
        for group, (first, end) in enumerate(zip(starts, starts[1:], strict=False)) if end > first
        for tile in range(first // block, (end - 1) // block + 1)
    ]  # fmt: skip
    return np.array(tiles, np.int32).T.copy(), starts


def by_tiles(block_m, block_n):
    """result[r] = x[r] w[group of r]; the rows of x lie group by group. A tile is one point of the grid, whole along k."""

    def call(lib, pl, **options):
        def kernel(tiles_ref, starts_ref, x_ref, w_ref, o_ref):
            tile = pl.program_id(1)
            group = tiles_ref[0, tile]
            row = tiles_ref[1, tile] * block_m + lib.arange(block_m)
            own = (row >= starts_ref[group]) & (row < starts_ref[group + 1])
            o_ref[...] = lib.where(own[:, None], lib.product(x_ref[...], w_ref[...]), o_ref[...])

        def run(x, w, tiles, starts):
            (rows, k), n = x.shape, w.shape[2]
            spec = lib.prefetched(
                num_scalar_prefetch=2, grid=(n // block_n, tiles.shape[1]),
                in_specs=[
                    pl.BlockSpec((block_m, k), lambda j, t, tiles, starts: (tiles[1, t], 0)),
                    pl.BlockSpec((None, k, block_n), lambda j, t, tiles, starts: (tiles[0, t], 0, j)),
                ],
                out_specs=pl.BlockSpec((block_m, block_n), lambda j, t, tiles, starts: (tiles[1, t], j)),
            )  # fmt: skip
            return pl.pallas_call(kernel, lib.ShapeDtypeStruct((rows, n), x.dtype), grid_spec=spec, **options)(tiles, starts, x, w)

        return run

    return call


def in_groups(x, w, starts):
    return np.concatenate([x[first:end] @ w[group] for group, (first, end) in enumerate(zip(starts, starts[1:], strict=False))])


def rows_in_groups():
    """x, w and the numbers of rows of the groups."""
    rows, k, n, groups = size((4096, 1024, 1024, 8), (40, 12, 16, 3), (4096, 1024, 1024, 8))
    random = np.random.default_rng(1)
    sizes = random.multinomial(rows, random.dirichlet(np.full(groups, 4.0)))
    return floats(2, rows, k), floats(3, groups, k, n), sizes.astype(np.int32)


def grouped_case(ko, name, block_m):
    (x, w, sizes), (block_m, block_n) = rows_in_groups(), size((block_m, 512), (8, 8), (block_m, 512))
    tiles, starts = tiles_of(sizes, block_m)
    return kernel_case(
        ko, name, [x, w, tiles, starts], by_tiles(block_m, block_n), lambda x, w, tiles, starts: in_groups(x, w, starts),
        beside={"dense": 0.95}, scales=True, unmatched={"dense": ("kolam", ko.matmul, [x, w[0]])},
    )  # fmt: skip


def by_blocks(block, block_n):
    """The blocks of each row of blocks, one after the other: values [blocks, b, b], columns [blocks], starts [rows + 1]."""

    def call(lib, pl, **options):
        def kernel(columns_ref, starts_ref, values_ref, y_ref, o_ref):
            row = pl.program_id(0)

            def add(place, total):
                return total + lib.product(values_ref[place], y_ref[pl.ds(columns_ref[place] * block, block), :])

            total = lib.zeros((block, block_n), dtype=lib.float32)
            o_ref[...] = lib.fori_loop(starts_ref[row], starts_ref[row + 1], add, total)

        def run(values, y, rows, columns, starts):
            k, n = y.shape
            spec = lib.prefetched(
                num_scalar_prefetch=2, grid=(starts.shape[0] - 1, n // block_n),
                in_specs=[
                    pl.BlockSpec(values.shape, lambda i, j, columns, starts: (0, 0, 0)),
                    pl.BlockSpec((k, block_n), lambda i, j, columns, starts: (0, j)),
                ],
                out_specs=pl.BlockSpec((block, block_n), lambda i, j, columns, starts: (i, j)),
            )  # fmt: skip
            shape = lib.ShapeDtypeStruct(((starts.shape[0] - 1) * block, n), y.dtype)
            return pl.pallas_call(kernel, shape, grid_spec=spec, **options)(columns, starts, values, y)

        return run

    return call


def by_list(block, block_n):
    """A point of the grid for each block: its row of the result is begun where the row of blocks changes."""

    def call(lib, pl, **options):
        def kernel(rows_ref, columns_ref, values_ref, y_ref, o_ref):
            place = pl.program_id(1)
            before = rows_ref[lib.maximum(place - 1, 0)]

            @pl.when((place == 0) | (before != rows_ref[place]))
            def _():
                o_ref[...] = lib.zeros(o_ref.shape, dtype=lib.float32)

            o_ref[...] += lib.product(values_ref[...], y_ref[...])

        def run(values, y, rows, columns, starts):
            n = y.shape[1]
            spec = lib.prefetched(
                num_scalar_prefetch=2, grid=(n // block_n, values.shape[0]),
                in_specs=[
                    pl.BlockSpec((None, block, block), lambda j, p, rows, columns: (p, 0, 0)),
                    pl.BlockSpec((block, block_n), lambda j, p, rows, columns: (columns[p], j)),
                ],
                out_specs=pl.BlockSpec((block, block_n), lambda j, p, rows, columns: (rows[p], j)),
            )  # fmt: skip
            shape = lib.ShapeDtypeStruct(((starts.shape[0] - 1) * block, n), y.dtype)
            return pl.pallas_call(kernel, shape, grid_spec=spec, **options)(rows, columns, values, y)

        return run

    return call


def of_blocks(values, y, rows, columns, starts):
    block = values.shape[1]
    result = np.zeros(((len(starts) - 1) * block, y.shape[1]))
    for place, (row, column) in enumerate(zip(rows, columns, strict=True)):
        result[row * block :][:block] += values[place] @ y[column * block :][:block]
    return result


def few_blocks():
    """Values, rows and columns of a tenth of the blocks, among them those on the diagonal; the other matrix."""
    extent, block = size((4096, 128), (32, 4), (4096, 128))
    there = np.random.default_rng(1).random((extent // block,) * 2) < 0.07 + np.eye(extent // block)
    rows, columns = (index.astype(np.int32) for index in np.nonzero(there))
    return floats(2, len(rows), block, block), rows, columns, floats(3, extent, extent)


def dense_of(ko, values, y):
    """Of as many rows and columns, and of k as much as makes as many products."""
    inner = max(1, values.size // len(y))
    return {"dense": ("kolam", ko.matmul, [floats(4, len(y), inner), floats(5, inner, len(y))])}


def sparse_case(ko, name, make):
    values, rows, columns, y = few_blocks()
    starts = np.searchsorted(rows, np.arange(len(y) // values.shape[1] + 1)).astype(np.int32)
    return kernel_case(
        ko, name, [values, y, rows, columns, starts], make(values.shape[1], size(512, 16, 512)), of_blocks,
        beside={"dense": 0.85}, scales=True, unmatched=dense_of(ko, values, y),
    )  # fmt: skip


def cases(ko):
    """(name, a function that makes the case)."""
    for block in (32, 128):
        name = f"grouped matmul, 8 groups of 4096x1024x1024, by {block} rows"
        yield name, lambda name=name, block=block: grouped_case(ko, name, block)
    for word, make in (("rows of blocks", by_blocks), ("a list of blocks", by_list)):
        name = f"block-sparse matmul 4096^3, a tenth, {word}"
        yield name, lambda name=name, make=make: sparse_case(ko, name, make)
