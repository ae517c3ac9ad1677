"""Windows: neighbouring elements as lists of their own."""

import kolam
from kolam import _kolam
from kolam.errors import KolamValueError
from kolam.fractal.access import accessed, padding
from kolam.fractal.arguments import integer
from kolam.fractal.elements import length
from kolam.fractal.values import as_list


def slide(xs, window, stride=1, dilation=1, padding=0, value=None):
    """Windows of elements: result[i][j] = xs[i stride + j dilation - padding], outside of the list `value` (zeros).

    >>> from kolam import fractal as ops
    >>> ops.slide(ops.FractalTensor([1, 2, 3, 4]), 3, padding=1).to_list()
    [[0, 1, 2], [1, 2, 3], [2, 3, 4], [3, 4, 0]]

    There are floor((L + 2 padding - dilation (window - 1) - 1) / stride) + 1 windows. Throws `[list-argument]` for window,
    stride or dilation below 1, and `[window-too-large]` where the list with its padding is shorter than a window.
    """
    xs = as_list("slide", xs)
    window, stride = integer("slide", "window", window, 1), integer("slide", "stride", stride, 1)
    dilation, pad = integer("slide", "dilation", dilation, 1), integer("slide", "padding", padding, 0)
    reach = dilation * (window - 1) + 1
    require_length("slide", xs, reach - 2 * pad, f"a list, with its padding, of at least {reach} elements")
    count = f"floordiv(L + {2 * pad} - {reach}, {stride}) + 1"
    place = f"{stride}*j0 + {dilation}*j1 - {pad}"
    return accessed("slide", xs, [count, f"{window}"], [place], pads=_pads("slide", xs, value) if pad else None)


def window(i, xs, window, dilation=1, value=None):
    """The window centred at i: xs[i - h dilation .. i + h dilation], h = (window - 1) / 2, outside of the list `value` (zeros).

    >>> from kolam import fractal as ops
    >>> ops.window(0, ops.FractalTensor([1, 2, 3]), 3).to_list()
    [0, 1, 2]

    `i` may be traced. Of elements that are lists no place may lie outside. Throws `[list-argument]` for an even window or a
    dilation below 1, `[list-index]`.
    """
    xs = as_list("window", xs)
    window, dilation = _centred("window", window, dilation)
    place = f"a0 + {dilation}*j0 - {dilation * (window // 2)}"
    return accessed("window", xs, [f"{window}"], [place], [_place("window", i)], _pads("window", xs, value))


def shifted_window(i, xs, window, dilation=1):
    """The circular window centred at i: places modulo L.

    >>> from kolam import fractal as ops
    >>> ops.shifted_window(0, ops.FractalTensor([0, 1, 2, 3, 4, 5, 6]), 3).to_list()
    [6, 0, 1]

    `i` may be traced. Throws `[list-argument]` for an even window or a dilation below 1, `[list-index]` of an empty list.
    """
    xs = as_list("shifted_window", xs)
    window, dilation = _centred("shifted_window", window, dilation)
    place = _modulo(f"a0 + {dilation}*j0 - {dilation * (window // 2)}")
    return accessed("shifted_window", xs, [f"{window}"], [place], [_place("shifted_window", i)])


def shifted_slide(xs, window, dilation=1):
    """The circular window centred at each element.

    >>> from kolam import fractal as ops
    >>> ops.shifted_slide(ops.FractalTensor([1, 2, 3]), 3).to_list()
    [[3, 1, 2], [1, 2, 3], [2, 3, 1]]

    Throws `[list-argument]` for an even window or a dilation below 1.
    """
    xs = as_list("shifted_slide", xs)
    window, dilation = _centred("shifted_slide", window, dilation)
    place = _modulo(f"j0 + {dilation}*j1 - {dilation * (window // 2)}")
    return accessed("shifted_slide", xs, ["L", f"{window}"], [place])


def require_length(function, xs, least, expected):
    """Throws `[window-too-large]` where a list has fewer elements than `least`, if traced when run."""
    _kolam._list_require(
        _kolam.greater_equal(kolam.asarray(length(xs)), least), "window-too-large",
        f"expected {expected}, but got a shorter one", function,
    )  # fmt: skip


#: `slide` has a parameter of this name.
_pads = padding


def _centred(function, window, dilation):
    window, dilation = integer(function, "window", window, 1), integer(function, "dilation", dilation, 1)
    if window % 2 == 0:
        raise KolamValueError.make(
            function, "list-argument", f"argument 'window': expected an odd number, as windows have a centre, but got {window}"
        )
    return window, dilation


def _place(function, i):
    """A place that may be traced."""
    return i if isinstance(i, _kolam.Tensor) else integer(function, "i", i)


def _modulo(place):
    return f"({place}) - L*floordiv({place}, L)"
