"""Windows: neighbouring elements as lists of their own."""

from kolam import _kolam
from kolam.fractal._values import as_list, flatten, grouped_as, list_parts, read_as


def slide(xs, window, stride=1, dilation=1, padding=0, value=None):
    """Windows of elements: result[i][j] = xs[i stride + j dilation - padding], outside of the list `value` (zeros).

    >>> from kolam import fractal as ops
    >>> ops.slide(ops.FractalTensor([1, 2, 3, 4]), 3, padding=1).to_list()
    [[0, 1, 2], [1, 2, 3], [2, 3, 4], [3, 4, 0]]

    There are floor((L + 2 padding - dilation (window - 1) - 1) / stride) + 1 windows, none where that is below 0.
    `padding=(3, 0)` is 3 places before and none behind: windows that end at each element. Of elements that are lists no
    place may lie outside. Throws `[list-argument]` for window, stride or dilation below 1 and a padding below 0.
    """
    xs = as_list("slide", xs)
    return grouped_as(xs, _kolam._list_slide(list_parts(xs), window, stride, dilation, padding, _outside(value)))


def window(i, xs, window, dilation=1, value=None):
    """The window centred at i: xs[i - h dilation .. i + h dilation], h = (window - 1) / 2, outside of the list `value` (zeros).

    >>> from kolam import fractal as ops
    >>> ops.window(0, ops.FractalTensor([1, 2, 3]), 3).to_list()
    [0, 1, 2]

    `i` may be traced. Of elements that are lists no place may lie outside. Throws `[list-argument]` for an even window or a
    dilation below 1, `[list-index]`.
    """
    xs = as_list("window", xs)
    return read_as(xs, _kolam._list_window(i, list_parts(xs), window, dilation, _outside(value)))


def shifted_window(i, xs, window, dilation=1):
    """The circular window centred at i: places modulo L.

    >>> from kolam import fractal as ops
    >>> ops.shifted_window(0, ops.FractalTensor([0, 1, 2, 3, 4, 5, 6]), 3).to_list()
    [6, 0, 1]

    `i` may be traced. Throws `[list-argument]` for an even window or a dilation below 1, `[list-index]` of an empty list.
    """
    xs = as_list("shifted_window", xs)
    return read_as(xs, _kolam._list_shifted_window(i, list_parts(xs), window, dilation))


def shifted_slide(xs, window, dilation=1):
    """The circular window centred at each element.

    >>> from kolam import fractal as ops
    >>> ops.shifted_slide(ops.FractalTensor([1, 2, 3]), 3).to_list()
    [[3, 1, 2], [1, 2, 3], [2, 3, 1]]

    Throws `[list-argument]` for an even window or a dilation below 1.
    """
    xs = as_list("shifted_slide", xs)
    return grouped_as(xs, _kolam._list_shifted_slide(list_parts(xs), window, dilation))


def _outside(value):
    """A value for each part of the elements; none for zeros."""
    return flatten(value)[0]
