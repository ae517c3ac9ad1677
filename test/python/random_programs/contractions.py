"""Entries that sum products: matmul and its kin."""

import numpy as np
from random_programs import reference as ref
from random_programs.cells import common_dtype
from random_programs.extents import most_cells
from random_programs.steps import Entry, Step, broadcast_dims, join, require
from random_programs.sums import SUM
from random_programs.values import INTEGERS, NUMBERS, is_float, is_narrow, numpy_dtype, promote

MOST_PRODUCTS = 1_000_000


def wider(g, dtype):
    """`dtype`, or now and then one that holds its values, as text of an option."""
    if not g.chance(0.2):
        return dtype, ""
    if is_float(dtype):
        chosen = g.pick([dtype, "float32" if dtype != "float64" else dtype, "float64"])
    else:
        chosen = g.pick([d for d in INTEGERS if promote(d, dtype) == d])
    return chosen, f", dtype='{chosen}'"


def products(text, operands, sums, dims, function):
    """A step of the sums of products that `function` makes of arrays of one dtype: floats off by roundings of the sum of
    magnitudes, integers exact. Sums have the dtype `sums`. A sum is one chain: of n roundings, as of n random steps, no more
    is left than some sqrt(n)."""
    dtype = common_dtype([v.dtype for v in operands])

    def at_dtype(arrays):
        wide = [ref.at_dtype(a, dtype) for a in arrays]
        return wide if is_float(sums) else [a.astype(numpy_dtype(sums)) for a in wide]

    def within(arrays, epsilon):
        sizes = [np.abs(a) for a in at_dtype(arrays)]
        terms = np.max(function(*[np.ones_like(a, "float64") for a in sizes]), initial=1)
        return max(SUM, np.sqrt(terms)) * epsilon * np.asarray(function(*sizes))

    return Step(
        text, tuple(operands), sums, tuple(dims), lambda a: function(*at_dtype(a)), within=within if is_float(sums) else None,
        tame=len(operands) * is_float(sums),
    )  # fmt: skip


def other_dtype(g, dtype):
    if g.chance(0.8):
        return dtype
    other = g.pick(NUMBERS)
    require(promote(dtype, other))
    return other


def new_or_existing(g, dtype, dims):
    fitting = [v for v in g.values if v.dtype == dtype and v.dims == tuple(dims)]
    return g.pick(fitting) if fitting and g.chance(0.5) else g.input(dtype, dims)


def _batch(g, dims):
    """Dims that broadcast with those: some, some at 1, some more."""
    kept = [1 if g.chance(0.2) else d for d in dims[int(g.rng.integers(len(dims) + 1)) :]]
    return [g.extent((1, 2, 3)), *kept] if len(kept) == len(dims) and g.chance(0.2) else kept


def matmul():
    def make(g):
        x = g.value(NUMBERS, least=1)
        column, count = g.chance(0.2), g.extent((0, 1, 3, 5, 15, 16, 17, 33, 48, 70, 150))
        y_dims = [x.dims[-1]] if column else [*_batch(g, x.dims[:-2]), x.dims[-1], count]
        y = new_or_existing(g, other_dtype(g, x.dtype), y_dims)
        batch = broadcast_dims(x.dims[:-2], y.dims[:-2] if not column else ())
        require(batch is not None)
        dims = (*batch, *x.dims[-2:-1], *([] if column else [count]))
        require(most_cells((*dims, x.dims[-1])) <= MOST_PRODUCTS)
        sums, option = wider(g, promote(x.dtype, y.dtype))
        text = f"{x.name} @ {y.name}" if not option and g.chance(0.5) else f"ko.matmul({join((x, y))}{option})"
        return products(text, (x, y), sums, dims, np.matmul)

    return Entry("matmul", make, 3.0)


def matmul_of_transposed():
    def make(g):
        x = g.value(NUMBERS, least=2, most=3)
        rows, count = x.dims[-1], g.extent((0, 1, 3, 16, 33, 130))
        y = new_or_existing(g, x.dtype, (count, x.dims[-2]))
        require(most_cells((*x.dims, count)) <= MOST_PRODUCTS)
        text = f"ko.matrix_transpose({x.name}) @ {y.name}.T"
        return products(text, (x, y), x.dtype, (*x.dims[:-2], rows, count), lambda a, b: np.matmul(np.swapaxes(a, -1, -2), b.T))

    return Entry("matmul", make)


def turned_matmul():
    """The left operand is the new one: rows, vectors and batches on the other side."""

    def make(g):
        y = g.value(NUMBERS, least=2)
        x = new_or_existing(g, other_dtype(g, y.dtype), [*_batch(g, y.dims[:-2]), *([g.extent((0, 1, 2, 9, 110))] if g.chance(0.7) else []), y.dims[-2]])
        row = x.rank == 1
        batch = broadcast_dims(() if row else x.dims[:-2], y.dims[:-2])
        require(batch is not None)
        dims = (*batch, *([] if row else [x.dims[-2]]), y.dims[-1])
        require(most_cells((*dims, y.dims[-2])) <= MOST_PRODUCTS)
        return products(f"ko.matmul({join((x, y))})", (x, y), promote(x.dtype, y.dtype), dims, np.matmul)

    return Entry("matmul", make, 1.5)


def tensordot():
    def make(g):
        x = g.value(NUMBERS)
        dtype = other_dtype(g, x.dtype)
        count = int(g.rng.integers(0, min(x.rank, 2) + 1))
        others = [g.extent((0, 1, 2, 3, 16)) for _ in range(g.pick([0, 1, 1, 2]))]
        if g.chance(0.4):
            axes, text, y_dims = count, str(count), [*x.dims[x.rank - count :], *others]
            free = x.dims[: x.rank - count]
        else:
            summed = [int(a) for a in g.rng.permutation(x.rank)[:count]]
            y_axes = [int(a) for a in g.rng.permutation(count + len(others))[:count]]
            rest, places = iter(others), dict(zip(y_axes, summed, strict=True))
            y_dims = [x.dims[places[i]] if i in places else next(rest) for i in range(count + len(others))]
            axes = ([g.axis(x.rank, a) for a in summed], [g.axis(len(y_dims), a) for a in y_axes])
            free, text = [d for i, d in enumerate(x.dims) if i not in summed], str(axes)
        y = new_or_existing(g, dtype, y_dims)
        require(most_cells((*x.dims, *others)) <= MOST_PRODUCTS)
        sums, option = wider(g, promote(x.dtype, dtype))
        return products(
            f"ko.tensordot({join((x, y))}, axes={text}{option})", (x, y), sums, (*free, *others), lambda a, b: np.tensordot(a, b, axes)
        )

    return Entry("tensordot", make, 1.5)


def vecdot():
    def make(g):
        x = g.value(NUMBERS, least=1)
        axis = g.axis(x.rank) if g.chance(0.5) else -1
        y = g.partner([x], NUMBERS)
        require(y.rank == x.rank or axis < 0 and y.rank >= -axis)
        require(y.dims[axis] == x.dims[axis] and promote(x.dtype, y.dtype))
        dims = [list(v.dims) for v in (x, y)]
        for own in dims:
            del own[axis]
        common = broadcast_dims(*map(tuple, dims))
        require(common is not None)

        def function(a, b):
            return np.sum(np.moveaxis(a, axis, -1) * np.moveaxis(b, axis, -1), -1, dtype=a.dtype)

        return products(f"ko.vecdot({join((x, y))}, axis={axis})", (x, y), promote(x.dtype, y.dtype), common, function)

    return Entry("vecdot", make)


def outer():
    def make(g):
        x, y = g.value(NUMBERS, least=1, most=1), g.value(NUMBERS, least=1, most=1)
        dtype = promote(x.dtype, y.dtype)
        require(dtype and most_cells((*x.dims, *y.dims)) <= 5000)
        # One rounded product a cell.
        return Step(
            f"ko.outer({join((x, y))})", (x, y), dtype, (*x.dims, *y.dims), lambda a: np.outer(*[ref.at_dtype(b, dtype) for b in a])
        )

    return Entry("outer", make, 0.7)


def linear():
    def make(g):
        x = g.value(NUMBERS, least=1)
        outputs = g.pick([0, 1, 4, 17])
        weight = g.input(x.dtype, (outputs, x.dims[-1]))
        operands = [x, weight, *([g.input(x.dtype, (outputs,))] if g.chance(0.6) else [])]
        require(most_cells((*x.dims, outputs)) <= MOST_PRODUCTS)
        return products(
            f"ko.linear({join(operands)})", operands, x.dtype, (*x.dims[:-1], outputs),
            lambda a, w, b=0: (np.matmul(a, w.T) + b).astype(a.dtype),
        )  # fmt: skip

    return Entry("linear", make)


CONTRACTIONS = [matmul(), turned_matmul(), matmul_of_transposed(), tensordot(), vecdot(), outer(), linear()]
