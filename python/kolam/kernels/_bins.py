"""Numbers counted by bins, with atomics."""

import functools

import kolam
from kolam import pallas as pl
from kolam.errors import KolamValueError
from kolam.kernels._arguments import NUMBERS, block_of, is_empty, is_integer, require_count, require_kind, sums_of


_EXACT = 1 << 24  # all integers up to here are float32


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


def _whole_kernel(x_ref, o_ref, *, least, greatest, count):
    x = x_ref[...].astype(kolam.int32)
    bins = o_ref.shape[0]
    place = (kolam.clip(x, least, greatest) - least) // ((greatest - least) // bins)
    is_counted = (x >= least) & (x <= greatest)
    if count is not None:  # the last block reaches out of the array
        is_counted &= pl.program_id(0) * x.shape[0] + kolam.arange(x.shape[0]) < count
    pl.atomic_add(o_ref, (kolam.minimum(place, bins - 1),), kolam.ones(x.shape, dtype=o_ref.dtype), mask=is_counted)


def _whole_range(x, bins, range):
    """The range where integers fall into bins as wide as an integer, whose edges are exact; else None."""
    if range is None or not all(is_integer(limit) for limit in range):
        return None
    least, greatest = map(int, range)
    narrow = ("int8", "uint8", "int16", "uint16", "int32")
    is_whole = least < greatest and (greatest - least) % bins == 0 and max(-least, greatest) <= _EXACT
    return (least, greatest) if is_whole and x.dtype.name in narrow else None


def histogram(x, bins=10, range=None, *, block=4096, interpret=False):
    """How many elements lie in each of `bins` bins of one width over `range`, and the edges of the bins:

        counts[k] = number of i with edges[k] <= x[i] < edges[k + 1], or <= edges[k + 1] in the last bin

    >>> import kolam as ko
    >>> counts, edges = ko.kernels.histogram(ko.asarray([1.0, 2.0, 2.5, 4.0]), 3)
    >>> counts.tolist(), edges.tolist()
    ([1, 2, 1], [1.0, 2.0, 3.0, 4.0])

    x has any shape and numbers; `range` is (least, greatest), those of the elements unless given. Elements outside and NaN
    are in no bin. Counts are int32 [bins]; edges [bins + 1], floats of the dtype of x, float32 of integers, are those of
    kolam.histogram. Integers in bins as wide as an integer find theirs by a division, others by the edges. A point of the grid adds `block` elements to the counts by atomics. Raises `[dtype-mismatch]`,
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
    whole = _whole_range(x, bins, range)
    kernel = functools.partial(_histogram_kernel, count=None if fits else count)
    if whole:
        kernel = functools.partial(_whole_kernel, least=whole[0], greatest=whole[1], count=None if fits else count)
    blocks = [pl.BlockSpec((size,), lambda i: (i,)), pl.BlockSpec((bins + 1,), lambda i: (0,))]
    counts = pl.pallas_call(
        kernel,
        kolam.ShapeDtypeStruct((bins,), kolam.int32),
        grid=(pl.cdiv(count, size),),
        in_specs=blocks[:1] if whole else blocks,
        name="histogram",
        interpret=interpret,
    )(x, *(() if whole else (edges.astype(sums_of(edges.dtype)),)))
    return counts, edges
