"""Functions of NumPy's main module that are a few lines over others here."""

import sys

import kolam
from kolam._refs import Ref
from kolam._shapes import ShapeDtypeStruct
from kolam.errors import KolamValueError


def _axis(function, axis, rank):
    """An axis counted from the front. Throws `[axis-out-of-range]`."""
    if not isinstance(axis, int) or not -rank <= axis < rank:
        raise KolamValueError.make(
            function, "axis-out-of-range", f"argument 'axis': expected a dim of rank {rank}, but got {axis!r}"
        )
    return axis % rank


def broadcast_shapes(*shapes):
    """The common shape of shapes that broadcast: aligned at the right, extents 1 stretching.

    >>> import kolam as ko
    >>> ko.broadcast_shapes((3, 1), (4,), ())
    (3, 4)

    Throws `[shape-mismatch]`.
    """
    shapes = [(shape,) if isinstance(shape, int) else tuple(shape) for shape in shapes]
    result = [1] * max((len(shape) for shape in shapes), default=0)
    for shape in shapes:
        for place, extent in enumerate(shape, len(result) - len(shape)):
            if result[place] == 1:
                result[place] = extent
            elif extent != 1 and extent != result[place]:
                raise KolamValueError.make(
                    "broadcast_shapes", "shape-mismatch",
                    f"expected shapes that broadcast, but got {' and '.join(map(str, shapes))}",
                )  # fmt: skip
    return tuple(result)


def ndim(x):
    """The number of dims.

    >>> import kolam as ko
    >>> ko.ndim([[1, 2], [3, 4]])
    2
    """
    return len(shape(x))


def shape(x):
    """The extent of each dim.

    >>> import kolam as ko
    >>> ko.shape([[1, 2, 3], [4, 5, 6]])
    (2, 3)
    """
    return tuple((x if isinstance(x, Ref | ShapeDtypeStruct) else kolam.asarray(x)).shape)


def size(x, axis=None):
    """The number of elements, or the extent of one dim.

    >>> import kolam as ko
    >>> ko.size(ko.zeros((2, 3))), ko.size(ko.zeros((2, 3)), 1)
    (6, 3)
    """
    x = x if isinstance(x, Ref | ShapeDtypeStruct) else kolam.asarray(x)
    return x.size if axis is None else x.shape[_axis("size", axis, x.ndim)]


__all__ = [
    name for name, thing in vars(sys.modules[__name__]).items() if getattr(thing, "__module__", "") == __name__ and name[0] != "_"
]
