"""What a FractalTensor holds: a pytree of lists, since a list of tuples is a tuple of lists.

    [x, y]                      list [x, y]
    [(x, 1), (y, 2)]            (list [x, y], list [1, 2])
    [[(x, 1)], [(y, 2)]]        ListOf((list [[x], [y]], list [[1], [2]]))

All lists of one pytree have the same outermost length.
"""

import dataclasses

from kolam import _pytree as pytree
from kolam._kolam import Tensor, TracedList


@dataclasses.dataclass(frozen=True, eq=False, slots=True, weakref_slot=True)
class ListOf:
    """Where the elements are lists of tuples: `parts` are those of the tuples, one level deeper."""

    parts: object
    _part_paths = ("",)


def is_list(value):
    """True for what holds the elements of one part: a kolam.List, or what has its methods."""
    return hasattr(type(value), "sublist")


def is_traced(xs):
    """True where a list, a part of it or a tensor is a value of a program being traced."""
    if isinstance(xs, ListOf):
        return any(map(is_traced, lists_of(xs.parts)))
    return isinstance(xs, Tensor | TracedList)


def lists_of(parts):
    """The lists of a pytree, in order."""
    lists = []
    pytree.flatten(parts, lists)
    return lists


def over(function, parts):
    """What `function` answers for each list, in the tuples that the lists are in."""
    if isinstance(parts, ListOf):
        return over(function, parts.parts)
    if is_list(parts):
        return function(parts)
    leaves = []
    structure = pytree.flatten(parts, leaves, _is_part)
    return pytree.unflatten(structure, iter([over(function, leaf) for leaf in leaves]))


def element(parts, i, wrap):
    """Element i; one that is a list comes as `wrap` of its parts."""
    if _is_part(parts):
        return _element(parts, i, wrap)
    leaves = []
    structure = pytree.flatten(parts, leaves, _is_part)
    return pytree.unflatten(structure, iter([_element(leaf, i, wrap) for leaf in leaves]))


def depth_of(parts):
    """How many lists lie around an array or a tuple."""
    if isinstance(parts, ListOf):
        return 1 + depth_of(parts.parts)
    return parts.depth if is_list(parts) else 1


def _is_part(value):
    return isinstance(value, ListOf) or is_list(value)


def _element(part, i, wrap):
    if isinstance(part, ListOf):
        return wrap(pytree.map_leaves(lambda inner: inner.sublist(i), part.parts))
    return wrap(part.sublist(i)) if part.depth > 1 else part.leaf(i)
