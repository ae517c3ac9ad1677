"""Nested Python lists to the parts of a FractalTensor, and back."""

import dataclasses
import functools
import re
from bisect import bisect_right
from itertools import accumulate, chain, islice, pairwise

import numpy as np

import kolam
from kolam import _kolam, _pytree as pytree
from kolam.dtypes import as_dtype
from kolam.errors import KolamError, KolamTypeError, KolamValueError
from kolam.fractal._parts import ListOf, is_list

#: How deep lists and tuples may nest; kolam.List knows no deeper lists.
DEEPEST = 64
_NUMBERS = {bool, int, float}
_ARGUMENT = re.compile("^argument '[a-z]+': ")
_NO_OFFSETS = np.zeros(1, np.int64)
_LISTS = (_kolam.List, _kolam.TracedList)
_TRACED = (_kolam.Tensor, _kolam.Extent)


def read(nested, dtype=None, depth=None, leaf_shape=None):
    """The parts of a nested list of arrays, numbers, FractalTensors, or tuples of them.

    All that lies at the same place of its tuple is one column of values, which becomes one list. Throws `[list-type]` and
    `[list-depth]`, naming the path of the element that does not fit, such as `xs[2][0]`.
    """
    if not isinstance(nested, list):
        hint = "; FractalTensor.from_offsets takes the rows of an array" if hasattr(nested, "shape") else ""
        raise _type_error(f"expected a nested list, but got {_describe(nested)}{hint}")
    _check_size(nested)
    reader = _Reader(None if dtype is None else as_dtype(dtype), _depth(depth), _shape(leaf_shape))
    parts = reader.column([nested], ())
    return parts if is_list(parts) else parts.parts


def write(parts):
    """The elements as a nested Python list: rank-0 leaves as numbers, others as views of numpy."""
    if isinstance(parts, ListOf):
        lists = []
        pytree.flatten(parts.parts, lists)
        rows = write(pytree.map_leaves(lambda inner: inner.flattened(), parts.parts))
        return _grouped(rows, lists[0].offsets(1))
    if is_list(parts):
        values = parts.leaves()
        elements = values.tolist() if values.ndim == 1 else list(np.asarray(values))
        for level in range(parts.depth - 1, 0, -1):
            elements = _grouped(elements, parts.offsets(level))
        return elements
    kind, detail, given = pytree.split(parts)
    columns = [write(part) for part in given]
    return [pytree.assemble(kind, detail, row) for row in zip(*columns, strict=True)]


class _Reader:
    """Turns columns of values into lists.

    The trail of a column says how its values lie in the whole: for each level of lists their lengths, for each tuple in
    between the name of the part.
    """

    def __init__(self, dtype, depth, leaf_shape):
        self.dtype, self.depth, self.leaf_shape = dtype, depth, leaf_shape

    def column(self, values, trail):
        if not values:
            return self._empty(trail)
        kind = _common_kind(values, trail)
        if kind is list:
            inner = self.column(list(chain.from_iterable(values)), (*trail, [len(value) for value in values]))
            return inner if is_list(inner) else ListOf(inner)
        if kind is ListOf:
            inner = self.column([value.parts for value in values], trail)
            return inner if is_list(inner) else ListOf(inner)
        if kind is _LISTS:
            return self._lists(values, trail)
        if kind is not None:
            return self._containers(values, trail, *kind)
        return self._arrays(values, trail)

    def _containers(self, values, trail, kind, detail, count):
        if count == 0:
            raise _type_error(f"{_path(0, trail)}: expected at least one array in a tuple, but got none")
        columns = zip(*values, strict=True) if kind == "tuple" else zip(*[pytree.split(x)[2] for x in values], strict=True)
        names = pytree.part_names(kind, detail, count)
        parts = [self.column(list(column), (*trail, name)) for name, column in zip(names, columns, strict=True)]
        return pytree.assemble(kind, detail, parts)

    def _lists(self, lists, trail):
        is_traced = any(isinstance(inner, _kolam.TracedList) for inner in lists)
        lists = [self._of_dtype(i, inner, trail) for i, inner in enumerate(lists)]
        for i, inner in enumerate(lists):
            if inner.type != lists[0].type if is_traced else not inner.is_same_type(lists[0]):
                raise _mismatch(i, trail, lists[0].type, inner.type)
        self._check_depth(len(_lengths(trail)) + lists[0].depth)
        self._check_leaf_shape(lists[0].leaf_shape, trail)
        if is_traced:
            return _traced_rows(lists, _lengths(trail))
        joined = _kolam.List.from_lists(lists)
        inner = [joined.offsets(level) for level in range(1, joined.depth)]
        return _kolam.List.from_offsets(joined.leaves(), _offsets(trail) + inner)

    def _of_dtype(self, i, inner, trail):
        """List i of a column with leaves of `dtype`."""
        if self.dtype is None or inner.dtype == self.dtype:
            return inner
        if isinstance(inner, _kolam.TracedList):
            raise _type_error(
                f"{_path(i, trail)}: expected leaves of {self.dtype.name}, as dtype says, but got a traced {inner.type}; "
                "use forall to convert them"
            )
        leaves = kolam.asarray(inner.leaves(), self.dtype)
        return _kolam.List.from_offsets(leaves, [inner.offsets(level) for level in range(1, inner.depth)])

    def _arrays(self, leaves, trail):
        self._check_depth(len(_lengths(trail)))
        try:
            values = self._values(leaves)
        except KolamError as error:
            self._raise_for_leaf(leaves, trail, error)
        self._check_leaf_shape(values.shape[1:], trail)
        return _kolam._list_pack(values, _offsets(trail))

    def _values(self, leaves):
        """The leaves as one array, or one traced value."""
        if _are_numbers(leaves):
            return kolam.asarray(leaves, self.dtype)
        if self.dtype is not None:
            leaves = [x if self.dtype == getattr(x, "dtype", None) else kolam.asarray(x, self.dtype) for x in leaves]
        if any(isinstance(leaf, _TRACED) for leaf in leaves):
            return _stacked([kolam.asarray(leaf) for leaf in leaves])
        return _kolam.List.from_leaves(leaves).leaves()

    def _raise_for_leaf(self, leaves, trail, error):
        """Raises `error` for the first leaf that is no array, or of another type than the first one."""
        first, are_numbers = None, _are_numbers(leaves)
        for i, leaf in enumerate(leaves):
            try:
                array = kolam.asarray(leaf, self.dtype)
            except KolamError as refusal:
                raise _at(_path(i, trail), refusal) from None
            found = _type_of(array)
            first = first or found
            if found != first and not are_numbers:
                raise _mismatch(i, trail, first, "a number" if type(leaf) in _NUMBERS else found) from None
        raise error

    def _empty(self, trail):
        levels = len(_lengths(trail))
        depth = levels if self.depth is None else self.depth
        if depth < levels:
            raise _depth_error(depth, levels)
        if self.leaf_shape is None:
            raise _type_error("expected leaf_shape (and dtype, float32 unless given) for a list without leaves")
        values = kolam.zeros((0, *self.leaf_shape), self.dtype or kolam.float32)
        return _kolam._list_pack(values, _offsets(trail) + [_NO_OFFSETS] * (depth - levels))

    def _check_leaf_shape(self, shape, trail):
        if self.leaf_shape is not None and tuple(shape) != self.leaf_shape:
            raise _type_error(
                f"{_path(0, trail)}: expected shape {list(self.leaf_shape)}, as leaf_shape says, but got {list(shape)}"
            )

    def _check_depth(self, levels):
        if self.depth is not None and levels != self.depth:
            raise _depth_error(self.depth, levels)


def _common_kind(values, trail):
    """list, ListOf or the classes of lists; (kind, detail, count) of a tuple and its like; None for leaves."""
    types = set(map(type, values))
    if len(types) == 1 and list in types:
        return list
    if types == {tuple} and len(counts := set(map(len, values))) == 1:
        return "tuple", None, counts.pop()
    if any(map(_is_nest, types)):
        first = _kind(values[0])
        for i, value in enumerate(values):
            if _kind(value) != first:
                raise _mismatch(i, trail, _describe(values[0]), _describe(value))
        return first
    return None


def _kind(value):
    for cls in (list, ListOf, _LISTS):
        if isinstance(value, cls):
            return cls
    taken = pytree.split(value)
    return None if taken is None else (taken[0], taken[1], len(taken[2]))


@functools.lru_cache(256)
def _is_nest(cls):
    """True for the types of values that hold others."""
    return issubclass(cls, (list, tuple, dict, *_LISTS)) or dataclasses.is_dataclass(cls)


def _check_size(nested):
    """Throws where lists and tuples nest too deep, as one that holds itself does, or where there is too little memory."""
    known = {}  # by identity: a value may occur many times

    def count(value, depth):
        if depth > DEEPEST:
            raise KolamValueError.make(
                "FractalTensor", "list-depth",
                f"expected at most {DEEPEST} lists and tuples in one another, but got more (a list that holds itself?)",
            )  # fmt: skip
        if id(value) in known:
            return known[id(value)]
        held = value if isinstance(value, list | tuple) else pytree.split(value)[2]
        total = len(held)
        deeper = {cls for cls in set(map(type, held)) if _is_nest(cls) and not issubclass(cls, (ListOf, *_LISTS))}
        if deeper:
            total += sum(count(item, depth + 1) for item in held if type(item) in deeper)
        known[id(value)] = total
        return total

    _kolam._require_memory(min(8 * count(nested, 1), 2**63 - 1), "a nested list")


def _are_numbers(leaves):
    return _NUMBERS.issuperset(map(type, leaves))


def _lengths(trail):
    return [step for step in trail if not isinstance(step, str)]


def _offsets(trail):
    """The offsets of levels 1, 2, ...: level 0 is the whole list."""
    return [np.array([0, *accumulate(lengths)], np.int64) for lengths in _lengths(trail)[1:]]


def _stacked(tensors):
    """Tensors of one dtype and shape, some of them traced, as one; others are refused in the words of their places."""
    if any(_type_of(tensor) != _type_of(tensors[0]) for tensor in tensors):
        raise _type_error("expected tensors of one dtype and shape")
    return kolam.stack(tensors)


def _type_of(tensor):
    return f"{tensor.dtype.name}{list(tensor.shape)}"


def _traced_rows(lists, lengths):
    """Lists, some of them traced, in rows of these lengths, level by level from the innermost one."""
    for level in reversed(lengths[1:]):
        none = None if all(level) else _kolam._list_slice([_kolam._list_of(lists[:1])], None, 0, None)[0]
        rest = iter(lists)
        lists = [_kolam._list_of(list(islice(rest, count))) if count else none for count in level]
    return _kolam._list_of(lists)


def _grouped(elements, offsets):
    return [elements[start:end] for start, end in pairwise(offsets.tolist())]


def _path(i, trail):
    """How element i of a column is reached: `xs[2][0]`."""
    text = ""
    for step in reversed(trail):
        if isinstance(step, str):
            text = step + text
            continue
        starts = [0, *accumulate(step)]
        outer = bisect_right(starts, i) - 1
        text = f"[{i - starts[outer]}]{text}"
        i = outer
    return f"xs{text}"


def _describe(value):
    for cls, words in ((list, "a list"), (ListOf, "a FractalTensor")):
        if isinstance(value, cls):
            return words
    if type(value) in _NUMBERS:
        return "a number"
    if isinstance(value, _LISTS):
        return value.type
    if type(value) is tuple:
        return f"a tuple of {len(value)}"
    if isinstance(value, dict):
        return f"a dict of {', '.join(map(repr, value))}" if value else "an empty dict"
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        return "an array"
    return f"a {type(value).__name__}"


def _mismatch(i, trail, expected, actual):
    return _type_error(f"{_path(i, trail)}: expected {expected}, as {_path(0, trail)} is, but got {actual}")


def _type_error(message):
    return KolamTypeError.make("FractalTensor", "list-type", message)


def _depth_error(expected, actual):
    return KolamValueError.make(
        "FractalTensor", "list-depth", f"argument 'depth': expected {actual}, the depth of the list, but got {expected}"
    )


def _depth(given):
    if given is None:
        return None
    if type(given) is not int:
        raise _argument_error("depth", "an integer", given)
    if not 1 <= given <= DEEPEST:
        raise KolamValueError.make(
            "FractalTensor", "list-depth", f"argument 'depth': expected a depth from 1 to {DEEPEST}, but got {given}"
        )
    return given


def _shape(given):
    """`leaf_shape` as a tuple of integers; None stays None."""
    if given is None:
        return None
    if not isinstance(given, tuple | list):
        raise _argument_error("leaf_shape", "a tuple of extents", given)
    try:
        return kolam.zeros((0, *given)).shape[1:]
    except KolamError as refusal:
        raise _at("argument 'leaf_shape'", refusal) from None


def _at(place, refusal):
    """The error of a function called here, as one of the constructor's that names `place`."""
    words = str(refusal).split("] ", 1)[1].split("\n")[0]
    return type(refusal).make("FractalTensor", refusal.slug, f"{place}: {_ARGUMENT.sub('', words)}")


def _argument_error(argument, expected, actual):
    message = f"argument '{argument}': expected {expected}, but got {_describe(actual)}"
    return KolamTypeError.make("FractalTensor", "argument-type", message)
