"""Groups: lists cut into rows, and put together again."""

from kolam import _kolam
from kolam.fractal._parts import ListOf
from kolam.fractal._lists import FractalTensor
from kolam.fractal._values import as_list, grouped_as, list_parts, with_lists


def dilate(xs, dilation):
    """The strided sub-lists: row r is [x[r], x[r + dilation], ...]; there are `dilation` rows.

    >>> from kolam import fractal as ops
    >>> ops.dilate(ops.FractalTensor([0, 1, 2, 3, 4]), 2).to_list()
    [[0, 2, 4], [1, 3]]

    Throws `[list-argument]` for a dilation below 1.
    """
    return strided("dilate", xs, dilation)


def strided(function, xs, dilation):
    """`dilate`, for `function`, which errors name."""
    xs = as_list(function, xs)
    return grouped_as(xs, _kolam._list_dilate(function, list_parts(xs), dilation))


def interleave(rows, dilation):
    """The opposite of `dilate`: result[i] = rows[i mod dilation][i div dilation]."""
    parts = with_lists(rows.parts, _kolam._list_interleave(list_parts(rows), dilation))
    return FractalTensor.from_parts(parts.parts if isinstance(parts, ListOf) else parts)


def split(xs, n):
    """n lists of L div n elements, the last with the rest.

    >>> from kolam import fractal as ops
    >>> ops.split(ops.FractalTensor([0, 1, 2, 3, 4, 5, 6]), 3).to_list()
    [[0, 1], [2, 3], [4, 5, 6]]

    Throws `[list-argument]` for n below 1, and `[window-too-large]` where n > L.
    """
    xs = as_list("split", xs)
    return grouped_as(xs, _kolam._list_split(list_parts(xs), n))
