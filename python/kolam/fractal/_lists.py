"""FractalTensor: a nested ragged list of equal tensors, or of tuples of them."""

import operator
import types

import numpy as np

from kolam import _hints, _kolam, _pytree as pytree
from kolam._kolam import List, Tensor
from kolam.errors import KolamTypeError, KolamValueError
from kolam.fractal._arguments import as_int64, integer
from kolam.fractal._nested import read, write
from kolam.fractal._parts import ListOf, depth_of, element, is_list, is_traced, lists_of, over



class FractalTensor(ListOf):
    """A list of arrays, of lists as deep as you like, or of tuples of these.

    >>> from kolam import fractal as ops
    >>> xs = ops.FractalTensor([[0, 1, 2], [], [3, 4]])
    >>> xs
    list<list<int32[]>>
    [[0 1 2]
     []
     [3 4]]
    >>> len(xs), int(xs[2][-1]), xs[1:].lengths
    (3, 4, [0, 2])

    Python's lists are its levels; numbers and arrays its leaves, all of one dtype and shape and equally deep, traced ones
    and lists among them too. Lengths may differ. Tuples, named tuples and dataclasses hold several lists: a list of
    tuples is kept as a tuple of lists (`parts`). `dtype` converts the leaves; `depth` and `leaf_shape` say what a list
    without leaves cannot tell. Throws `[list-type]`, naming the element that does not fit, as in `xs[2][0]`, `[list-depth]`
    and `[out-of-memory]`.

    The leaves lie in one buffer without padding; a sub-list or a slice is a view. A value never changes, unless somebody
    writes to the memory of `from_offsets`.
    """

    __slots__ = ()
    _is_none_without_parts = True  # as gradients of lists of integers

    def __getattr__(self, name):
        """Names that are not here: those of arrays and of Python's lists are told what to write."""
        if name[0] == "_":  # asked by protocols of Python
            raise AttributeError(name)
        raise _hints.unknown_name("list", name, dir(type(self)), "FractalTensor")

    def __setitem__(self, index, value):
        raise KolamTypeError.make(
            "__setitem__", "immutable-array", "a list never changes; write fractal.map(f, xs), or fractal.FractalTensor of new elements"
        )

    def __delitem__(self, index):
        raise KolamTypeError.make("__delitem__", "immutable-array", "a list never changes; write fractal.join(xs[:i], xs[i + 1:])")

    def __init__(self, nested, *, dtype=None, depth=None, leaf_shape=None):
        object.__setattr__(self, "parts", read(nested, dtype, depth, leaf_shape))

    @classmethod
    def from_parts(cls, parts):
        """The list whose parts are a pytree of lists of one length: a kolam.List, or a tuple of them."""
        self = object.__new__(cls)
        object.__setattr__(self, "parts", parts)
        return self

    @classmethod
    def from_offsets(cls, values, *offsets):
        """The list of the rows of `values`, [n, leaf...], without a copy; with offsets as Arrow has them a nested one.

        >>> FractalTensor.from_offsets(np.arange(5), [0, 3, 3, 5])
        list<list<int64[]>>
        [[0 1 2]
         []
         [3 4]]

        `offsets` come outermost first: int64 or int32, rank 1; list j has the elements offsets[j] to offsets[j + 1]. They
        may start above 0 and end before the last row. Where `values` are no contiguous rows they are copied. Throws
        `[list-offsets]`. Arrow's list arrays come this way too: `from_offsets(array.values, array.offsets)`.
        """
        return cls.from_parts(List.from_offsets(values, [as_int64(level) for level in offsets]))

    def to_offsets(self, index_dtype=np.int64):
        """(values, offsets...) as from_offsets takes them, offsets from 0 on; values are a view.

        `index_dtype` is int64, whose offsets are views too, or int32. Throws `[argument-type]`, and `[list-offsets]` where
        an offset exceeds int32.
        """
        self._refuse_traced("to_offsets")
        inner = self._single("to_offsets")
        dtype = np.dtype(index_dtype)
        values, *offsets = _kolam._list_to_offsets(inner, dtype)
        own = np.array if dtype == np.int32 else np.asarray  # those of int64 are views
        return np.asarray(values), *[own(some) for some in offsets]

    def to_list(self):
        """Nested Python lists; leaves are views as numpy arrays, those of rank 0 numbers."""
        self._refuse_traced("to_list")
        return write(self.parts)

    def __class_getitem__(cls, element_type):
        return types.GenericAlias(cls, element_type)

    @property
    def depth(self):
        """How many lists lie around an array or a tuple."""
        return depth_of(self.parts)

    @property
    def dtype(self):
        """The dtype of the leaves; for lists of tuples a tuple of dtypes."""
        return over(lambda inner: inner.dtype, self.parts)

    @property
    def leaf_shape(self):
        """The shape of a leaf; for lists of tuples a tuple of shapes."""
        return over(lambda inner: inner.leaf_shape, self.parts)

    @property
    def numel(self):
        """How many leaves there are: an int, of a traced list an int64 scalar; for lists of tuples a tuple of these."""
        return over(_leaf_count, self.parts)

    @property
    def element_type(self):
        """What an element is, as an annotation: Tensor, int (rank-0 integers), a FractalTensor of these or a tuple.

        >>> FractalTensor([[1, 2], [3]]).element_type == FractalTensor[int]
        True
        """
        return _element_type(self.parts)

    @property
    def lengths(self):
        """The lengths of the elements, which are lists: as width_by_depth(-2)."""
        if self.depth == 1:
            raise KolamValueError.make("lengths", "list-depth", "expected a list of lists, but got one of depth 1")
        return self.width_by_depth(-2)

    def width_by_depth(self, d):
        """The lengths of all lists of depth d: 1 for the innermost ones, up to `depth`; -1 for the outermost.

        >>> xs = FractalTensor([[[1, 2], [3]], [[4]]])
        >>> xs.width_by_depth(-1), xs.width_by_depth(-2), xs.width_by_depth(1)
        ([2], [2, 1], [2, 1, 1])

        A Python list; of a traced list a FractalTensor[int], which `map` and `zip` take. Throws `[list-depth]`.
        """
        depth, given = self.depth, integer("width_by_depth", "d", d)
        from_leaves = depth + given + 1 if given < 0 else given
        if not 1 <= from_leaves <= depth:
            raise KolamValueError.make(
                "width_by_depth", "list-depth", f"argument 'd': expected 1 to {depth}, or -{depth} to -1, but got {given}"
            )
        if is_traced(self):
            return FractalTensor.from_parts(_kolam._list_width_by_depth(lists_of(self.parts), given, depth))
        return lists_of(self.parts)[0].lengths(depth - from_leaves).tolist()

    def is_same_type(self, other):
        """True for equal depths, dtypes, leaf shapes and tuples; lengths are no part of the type."""
        return self._agrees(other, lambda ours, theirs: ours.is_same_type(theirs))

    def __eq__(self, other):
        if not isinstance(other, FractalTensor):
            return NotImplemented
        self._refuse_traced("==")
        other._refuse_traced("==")
        return self._agrees(other, operator.eq)

    __hash__ = None

    def __len__(self):
        if (count := known_length(self)) is None:
            self._refuse_traced("len", "; use kolam.fractal.len: from kolam.fractal import len")
        return count

    def __iter__(self):
        if (count := known_length(self)) is None:
            self._refuse_traced("iter", "; use map, scan or fold over it")
        if is_traced(self):
            return (self[i] for i in range(count))
        return (element(self.parts, i, FractalTensor.from_parts) for i in range(count))

    def __array__(self, dtype=None, copy=None):
        self._refuse_traced("asarray", "; use stack or flatten for a tensor, map for a function of each element")
        inner = self._single("asarray")
        if inner.depth > 1:
            raise KolamValueError.make(
                "asarray", "list-depth", f"expected a list of depth 1, whose rows are an array, but got {inner.type}"
            )
        return inner.leaves().__array__(dtype, copy)

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        """NumPy's functions of each element are for arrays, as ours; its reductions take the rows."""
        if method == "__call__":
            raise _no_tensors(ufunc.__name__, self)
        return getattr(ufunc, method)(*[np.asarray(x) if isinstance(x, FractalTensor) else x for x in inputs], **options)

    def __repr__(self):
        if is_list(self.parts):
            return _text(self.parts)
        return "\n".join(f"{name}: {_text(inner)}" for name, inner in named_parts(self.parts))

    def picture(self):
        """How it lies in memory, as text: the offsets of its levels, the tree of its lists over the one buffer of leaves.

        >>> print(FractalTensor([[0, 1, 2], [], [3, 4]]).picture(), end="")
        list<list<int32[]>>
        offsets of level 1: 0 3 3 5
        [0] leaves 0 to 2
        [1] empty
        [2] leaves 3 to 4
        buffer: 5 of int32[], 4 bytes each
        """
        return self._drawn("picture", lambda inner: inner.picture())

    def as_dot(self):
        """The same in graphviz's language: a graph for each part."""
        return self._drawn("as_dot", lambda inner: inner.as_dot())

    def _drawn(self, function, draw):
        self._refuse_traced(function)
        if is_list(self.parts):
            return draw(self.parts)
        is_text = function == "picture"
        return "".join((f"{name}: " if is_text else "") + draw(inner) for name, inner in named_parts(self.parts))

    def _agrees(self, other, test):
        if not isinstance(other, FractalTensor):
            return False
        ours, theirs = [], []
        same = pytree.flatten(self.parts, ours) == pytree.flatten(other.parts, theirs)
        return same and all(map(test, ours, theirs))

    def _refuse_traced(self, function, hint=""):
        if is_traced(self):
            raise KolamTypeError.make(
                function, "traced-value",
                f"expected a list with elements, but got a traced one, whose elements only the running program knows{hint}",
            )  # fmt: skip

    def _single(self, function):
        if not is_list(self.parts):
            raise KolamTypeError.make(
                function, "list-type", "expected a list of arrays, but got a list of tuples; take the lists in its parts"
            )
        return self.parts


class Iterator(FractalTensor):
    """What zip gives: lists of one length, read as a list of tuples.

    Its elements are tuples, as xs[0] shows; unpacking gives the lists back: `xs, ys = zip(xs, ys)`, and
    `(xs, ys), zs = zip(zip(xs, ys), zs)`.
    """

    __slots__ = ()

    def __iter__(self):
        return iter(self.components)

    @property
    def components(self):
        """The lists that were zipped."""
        return tuple((Iterator if type(part) is tuple else FractalTensor).from_parts(part) for part in self.parts)


def _leaf_type(inner):
    return int if inner.leaf_shape == () and inner.dtype.kind in ("integer", "unsigned") else Tensor


def _element_type(parts):
    if isinstance(parts, ListOf):
        return FractalTensor[_element_type(parts.parts)]
    if is_list(parts):
        found = _leaf_type(parts)
        for _ in range(parts.depth - 1):
            found = FractalTensor[found]
        return found
    kind, detail, given = pytree.split(parts)
    if kind == "tuple":
        return tuple[tuple(_element_type(part) for part in given)]
    return dict if kind == "dict" else detail if kind == "namedtuple" else detail[0]


def _leaf_count(inner):
    if not is_traced(inner):
        return inner.leaf_count
    for _ in range(inner.depth - 1):
        inner = _kolam._list_flatten(inner)
    return _kolam._list_length(inner)


def known_length(xs):
    """How many elements there are; None of a traced list where only the running program knows that."""
    first = lists_of(xs.parts)[0]
    return _kolam._list_known_length(first) if is_traced(xs) else len(first)


def _text(inner):
    return f"traced {inner.type}" if is_traced(inner) else f"{inner.type}\n{inner}"


def named_parts(parts, name=""):
    """(how the tuples reach it, list) for each list: `[0]`, `[1].x`; `[:]` stands for a list of tuples."""
    if isinstance(parts, ListOf):
        return named_parts(parts.parts, name + "[:]")
    if is_list(parts):
        return [(name, parts)]
    kind, detail, given = pytree.split(parts)
    names = pytree.part_names(kind, detail, len(given))
    return [pair for part, inner in zip(names, given, strict=True) for pair in named_parts(inner, name + part)]


def _no_tensors(name, xs):
    """The error of a function of tensors that is given a list."""
    return KolamTypeError.make(
        name, "not-an-array",
        f"expected tensors, but got {', '.join(inner.type for inner in lists_of(xs.parts))}; "
        "use map for a function of each element, join to put lists together",
    )  # fmt: skip


def _refused(name):
    def refused(self, *_):
        raise _no_tensors(name, self)

    return refused


for _name in "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift".split():
    setattr(FractalTensor, f"__{_name}__", _refused(_name))
    setattr(FractalTensor, f"__r{_name}__", _refused(_name))
for _name in "neg pos abs invert lt le gt ge".split():
    setattr(FractalTensor, f"__{_name}__", _refused(_name))
