"""Functions of NumPy's main module that are a few lines over others here."""

import sys

import kolam
from kolam.errors import KolamValueError


def _axis(function, axis, rank):
    """An axis counted from the front. Throws `[axis-out-of-range]`."""
    if not isinstance(axis, int) or not -rank <= axis < rank:
        raise KolamValueError.make(
            function, "axis-out-of-range", f"argument 'axis': expected a dim of rank {rank}, but got {axis!r}"
        )
    return axis % rank


def ndim(x):
    """The number of dims.

    >>> import kolam as ko
    >>> ko.ndim([[1, 2], [3, 4]])
    2
    """
    return kolam.asarray(x).ndim


def shape(x):
    """The extent of each dim.

    >>> import kolam as ko
    >>> ko.shape([[1, 2, 3], [4, 5, 6]])
    (2, 3)
    """
    return tuple(kolam.asarray(x).shape)


def size(x, axis=None):
    """The number of elements, or the extent of one dim.

    >>> import kolam as ko
    >>> ko.size(ko.zeros((2, 3))), ko.size(ko.zeros((2, 3)), 1)
    (6, 3)
    """
    x = kolam.asarray(x)
    return x.size if axis is None else x.shape[_axis("size", axis, x.ndim)]


__all__ = [
    name for name, thing in vars(sys.modules[__name__]).items() if getattr(thing, "__module__", "") == __name__ and name[0] != "_"
]
