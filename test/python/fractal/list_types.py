"""Types of values in random list programs, with what is known of lengths; values of a type, and their comparison."""

import itertools
from dataclasses import dataclass

import numpy as np

import kolam as ko
from kolam.fractal import FractalTensor

_NUMBERS = itertools.count()


@dataclass(frozen=True)
class Tensor:
    """An array; shape None where extents are known to the run only."""

    dtype: str
    shape: tuple | None = ()


@dataclass(frozen=True)
class Tuple:
    parts: tuple


@dataclass(frozen=True)
class List:
    """A list of `least` to `most` elements; two of one `number` have equal lengths wherever they lie side by side.

    A list of tuples that `zip` gives counts as a tuple of lists where a body gives it.
    """

    element: Tensor | Tuple | object
    least: int
    most: int
    number: int
    comes_from_zip: bool = False

    @property
    def is_zip(self):
        return self.comes_from_zip and isinstance(self.element, Tuple)

    @property
    def is_even(self):
        """True where the length is known."""
        return self.least == self.most


def list_of(element, least, most=None, comes_from_zip=False):
    """A list whose lengths no other list is known to have."""
    return List(element, least, least if most is None else most, next(_NUMBERS), comes_from_zip)


def elements_of(of, least, most=None):
    """A list of elements of another list, which it stands for."""
    return list_of(fresh(of.element), least, most, of.comes_from_zip)


def fresh(of):
    """The same type of a value that is found elsewhere: its lengths are its own."""
    if isinstance(of, List):
        return elements_of(of, of.least, of.most)
    return Tuple(tuple(map(fresh, of.parts))) if isinstance(of, Tuple) else of


def merged(a, b):
    """The type of what may be one or the other."""
    if isinstance(a, List):
        return list_of(merged(a.element, b.element), min(a.least, b.least), max(a.most, b.most), a.comes_from_zip)
    return Tuple(tuple(map(merged, a.parts, b.parts))) if isinstance(a, Tuple) else a


def key(of):
    """What two types must share to be joined: all but lengths."""
    if isinstance(of, List):
        return "list", key(of.element)
    return tuple(map(key, of.parts)) if isinstance(of, Tuple) else of


def depth(of):
    """As FractalTensor.depth counts it: to the first tuple or tensor."""
    return 1 + depth(of.element) if isinstance(of, List) else 0


def size(of):
    """How many leaves there may be."""
    if isinstance(of, List):
        return max(of.most, 1) * size(of.element)
    return sum(map(size, of.parts)) if isinstance(of, Tuple) else int(np.prod(of.shape or ()))


def draw(rng, of, lengths):
    """A value of a type, of the model: nested Python lists. Lists of one number are as long; `lengths` draws a length."""
    return _filled(rng, of, _structure(rng, of, lengths))


def like(rng, of, other):
    """A value of a type whose lists are as long as those of another value."""
    return _filled(rng, of, _lengths_of(other))


def _structure(rng, of, lengths):
    """Lengths as nested lists."""
    if not isinstance(of, List):
        return None
    return [_structure(rng, of.element, lengths) for _ in range(lengths(rng, of))]


def _lengths_of(value):
    return [_lengths_of(x) for x in value] if isinstance(value, list) else None


def _filled(rng, of, structure):
    return [_filled(rng, of.element, inner) for inner in structure] if isinstance(of, List) else draw_array(rng, of)


def draw_array(rng, of):
    """Floats that round, integers of both signs."""
    if of.dtype == "bool":
        values = rng.integers(0, 2, of.shape)
    elif of.dtype.startswith("float"):
        values = rng.normal(size=of.shape)
    else:
        values = rng.integers(-9, 10, of.shape)
    return np.asarray(values).astype(of.dtype)


def to_kolam(of, value):
    """A drawn value as an argument."""
    if isinstance(of, Tensor):
        return value
    leaf = of
    while isinstance(leaf, List):
        leaf = leaf.element
    return FractalTensor(value, dtype=leaf.dtype, depth=depth(of), leaf_shape=leaf.shape)


def is_of_type(value, of):
    """Whether a result of Kolam has the depth, dtypes and leaf shapes of a type."""
    if isinstance(of, List):
        return isinstance(value, FractalTensor) and value.depth == depth(of) and _leaf_types(value) == _types_in(of)
    if isinstance(of, Tuple):
        return isinstance(value, tuple) and len(value) == len(of.parts) and all(map(is_of_type, value, of.parts))
    return isinstance(value, ko.Array) and value.dtype.name == of.dtype and of.shape in (None, value.shape)


def _parts(xs):
    return ko.pytree.tree_leaves(xs)


def _leaf_types(xs):
    return [(inner.depth, inner.dtype.name, inner.leaf_shape) for inner in _parts(xs)]


def _types_in(of, levels=0):
    if isinstance(of, List):
        return _types_in(of.element, levels + 1)
    if isinstance(of, Tuple):
        return [found for part in of.parts for found in _types_in(part, levels)]
    return [(levels, of.dtype, of.shape)]


def equals(ours, theirs):
    """Whether a result is that of the model: equal structure, numbers equal or both NaN; 0 is -0."""
    if isinstance(ours, FractalTensor):
        ours = ours.to_list()
    if isinstance(theirs, list | tuple):
        return type(ours) is type(theirs) and len(ours) == len(theirs) and all(map(equals, ours, theirs))
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    return ours.shape == theirs.shape and np.array_equal(ours, theirs, equal_nan=theirs.dtype.kind == "f")


def has_equal_bits(a, b):
    """Whether two results agree in every length and every bit, or both are NaN."""
    ours, theirs = _arrays(a), _arrays(b)
    return len(ours) == len(theirs) and all(map(_equal_arrays, ours, theirs))


def _arrays(value):
    """Leaves and offsets of lists, and arrays."""
    arrays = []
    for part in _parts(value):
        if isinstance(part, ko.List):
            arrays += [part.leaves(), *(part.offsets(level) for level in range(1, part.depth))]
        else:
            arrays.append(part)
    return [np.asarray(array) for array in arrays]


def _equal_arrays(a, b):
    return (a.dtype, a.shape) == (b.dtype, b.shape) and _bits(a).tobytes() == _bits(b).tobytes()


def _bits(array):
    return np.where(np.isnan(array), array.dtype.type(np.nan), array) if array.dtype.kind == "f" else array
