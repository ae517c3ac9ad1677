"""Numbers counted by bins, with atomics."""

import functools

import kolam
from kolam import pallas as pl
from kolam.errors import KolamValueError
from kolam.kernels._arguments import NUMBERS, block_of, is_empty, is_integer, require_count, require_kind, sums_of


def _histogram_kernel(x_ref, edges_ref, o_ref, *, count):
    edges = edges_ref[...]
    x = x_ref[...].astype(edges.dtype)
    bins = o_ref.shape[0]
    # A guess, right but for rounding, and then the edges themselves.
    place = (x - edges[0]) * (bins / (edges[bins] - edges[0]))
    place = kolam.clip(place, 0, bins - 1).astype(kolam.int32)
    place = kolam.maximum(place - (x < edges_ref[place]).astype(kolam.int32), 0)
    place = kolam.minimum(place + (x >= edges_ref[place + 1]).astype(kolam.int32), bins - 1)
    is_counted = (x >= edges[0]) & (x <= edges[bins])
    if count is not None:  # the last block reaches out of the array
        is_counted &= pl.program_id(0) * x.shape[0] + kolam.arange(x.shape[0]) < count
    pl.atomic_add(o_ref, (place,), kolam.ones(x.shape, dtype=o_ref.dtype), mask=is_counted)


def histogram(x, bins=10, range=None, *, block=4096, interpret=False):
    """How many elements lie in each of `bins` bins of one width over `range`, and the edges of the bins:

        counts[k] = number of i with edges[k] <= x[i] < edges[k + 1], or <= edges[k + 1] in the last bin

    >>> import kolam as ko
    >>> counts, edges = ko.kernels.histogram(ko.asarray([1.0, 2.0, 2.5, 4.0]), 3)
    >>> counts.tolist(), edges.tolist()
    ([1, 2, 1], [1.0, 2.0, 3.0, 4.0])

    x has any shape and numbers; `range` is (least, greatest), those of the elements unless given. Elements outside and NaN
    are in no bin. Counts are int32 [bins]; edges [bins + 1], floats of the dtype of x, float32 of integers, are those of
    kolam.histogram. A point of the grid adds `block` elements to the counts by atomics. Raises `[dtype-mismatch]`,
    `[negative-count]` for less than one bin, `[bad-block]`, `[argument-type]` for edges, and stops with `[not-finite]`
    where a limit is not finite.
    """
    x = kolam.asarray(x)
    require_kind("histogram", NUMBERS, x=x)
    require_count("histogram", block=block)
    if not is_integer(bins):
        raise KolamValueError.make("histogram", "argument-type", f"argument 'bins': expected a number of bins, but got {type(bins).__name__}; write kolam.histogram(x, bins)")
    if bins < 1:
        raise KolamValueError.make("histogram", "negative-count", f"argument 'bins': expected 1 bin or more, but got {bins}")
    edges = kolam.histogram_bin_edges(x, bins, range=range)
    x = kolam.reshape(x, (-1,))
    count = x.shape[0]
    if is_empty(count):
        return kolam.zeros(bins, dtype=kolam.int32), edges
    size = block_of(count, block)
    fits = isinstance(count, int) and count % size == 0
    counts = pl.pallas_call(
        functools.partial(_histogram_kernel, count=None if fits else count),
        kolam.ShapeDtypeStruct((bins,), kolam.int32),
        grid=(pl.cdiv(count, size),),
        in_specs=[pl.BlockSpec((size,), lambda i: (i,)), pl.BlockSpec((bins + 1,), lambda i: (0,))],
        name="histogram",
        interpret=interpret,
    )(x, edges.astype(sums_of(edges.dtype)))
    return counts, edges
