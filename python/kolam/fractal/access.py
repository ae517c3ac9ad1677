"""Accesses: lists read at places that expressions give. They are maps of places; no leaf is copied for them.

Expressions are those of kolam.access (kolam/ir/lists.td): j0 and j1 count the elements of the result, L is the length of the
list, N that of all its elements together, a0, a1... are scalars. lengths ["L"] and index ["L - j0 - 1"] turn a list around.
"""

import kolam
from kolam import _kolam
from kolam.errors import KolamTypeError
from kolam.fractal.lists import FractalTensor
from kolam.fractal.parts import ListOf, is_list
from kolam.fractal.values import flatten, list_parts, with_lists

_NUMBERS = (bool, int, float)


def accessed(function, xs, lengths, index, scalars=(), pads=None):
    """`xs` read so in each of its parts, one level deeper where there are more lengths than indices; `pads` lie outside."""
    inner = list_parts(xs)
    lists = [
        _kolam._list_access(function, part, lengths, index, scalars, pad)
        for part, pad in zip(inner, pads or [None] * len(inner), strict=True)
    ]
    parts = with_lists(xs.parts, lists)
    if len(lengths) == len(index):
        return type(xs).from_parts(parts)
    return FractalTensor.from_parts(parts if is_list(parts) else ListOf(parts))


def padding(function, xs, value):
    """A leaf for each part of `xs`: `value`, a number or tensor for each part; zeros for None.

    Elements that are lists have no value that could lie outside: then None without `value`.
    """
    lists = list_parts(xs)
    if any(inner.depth > 1 for inner in lists):
        if value is None:
            return None
        raise KolamTypeError.make(
            function, "list-type", f"argument 'value': expected a list of tensors around it, but got {describe_lists(xs)}"
        )
    values = [0] * len(lists) if value is None else flatten(value)[0]
    if len(values) != len(lists):
        raise KolamTypeError.make(
            function, "list-type",
            f"argument 'value': expected a value for each of the {len(lists)} parts of an element, but got {len(values)}",
        )  # fmt: skip
    return [_leaf(function, inner, pad) for inner, pad in zip(lists, values, strict=True)]


def describe_lists(xs):
    """The types of the parts of a list."""
    return ", ".join(inner.type for inner in list_parts(xs))


def _leaf(function, inner, given):
    """`given` as a leaf of a list; a number fills it."""
    shape = tuple(inner.leaf_shape)
    if isinstance(given, _NUMBERS):
        return _kolam.broadcast_to(kolam.asarray(given, inner.dtype), shape)
    leaf = kolam.asarray(given)
    if leaf.dtype != inner.dtype or tuple(leaf.shape) != shape:
        raise KolamTypeError.make(
            function, "list-type",
            f"argument 'value': expected {inner.dtype.name}{list(shape)}, as the leaves are, "
            f"but got {leaf.dtype.name}{list(leaf.shape)}",
        )  # fmt: skip
    return leaf
