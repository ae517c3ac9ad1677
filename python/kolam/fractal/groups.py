"""Groups: lists cut into rows, and put together again."""

from kolam import _kolam
from kolam.errors import KolamTypeError
from kolam.fractal.access import accessed
from kolam.fractal.arguments import integer
from kolam.fractal.parts import is_list
from kolam.fractal.values import as_list
from kolam.fractal.windows import require_length


def dilate(xs, dilation):
    """The strided sub-lists: row r is [x[r], x[r + dilation], ...]; there are `dilation` rows.

    >>> from kolam import fractal as ops
    >>> ops.dilate(ops.FractalTensor([0, 1, 2, 3, 4]), 2).to_list()
    [[0, 2, 4], [1, 3]]

    Throws `[list-argument]` for a dilation below 1.
    """
    xs, dilation = as_list("dilate", xs), integer("dilate", "dilation", dilation, 1)
    return accessed("dilate", xs, [f"{dilation}", f"ceildiv(max(L - j0, 0), {dilation})"], [f"j0 + {dilation}*j1"])


def interleave(inner, dilation):
    """The opposite of `dilate`, of one part: result[i] = rows[i mod dilation][i div dilation]."""
    if not is_list(inner) or inner.depth < 2:
        raise KolamTypeError.make("dilated_map", "list-type", "expected f to give a list, but got a tensor")
    row = f"floordiv(j0, {dilation})"
    return _kolam._list_access("dilated_map", inner, ["N"], [f"j0 - {dilation}*{row}", row], [], None)


def split(xs, n):
    """n lists of L div n elements, the last with the rest.

    >>> from kolam import fractal as ops
    >>> ops.split(ops.FractalTensor([0, 1, 2, 3, 4, 5, 6]), 3).to_list()
    [[0, 1], [2, 3], [4, 5, 6]]

    Throws `[list-argument]` for n below 1, and `[window-too-large]` where n > L.
    """
    xs, n = as_list("split", xs), integer("split", "n", n, 1)
    require_length("split", xs, n, f"a list of at least {n} elements")
    part = f"floordiv(L, {n})"
    size = f"{part} + floordiv(j0 + 1, {n})*(L - {n}*{part})"
    return accessed("split", xs, [f"{n}", size], [f"j0*{part} + j1"])
