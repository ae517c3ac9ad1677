"""Elements of lists: one, some, or all in another order."""

import numpy as np

import kolam
from kolam import _kolam
from kolam.dtypes import int64
from kolam.errors import KolamIndexError, KolamTypeError
from kolam.fractal.access import accessed, describe_lists
from kolam.fractal.arguments import integer
from kolam.fractal.lists import FractalTensor
from kolam.fractal.parts import element, is_list, is_traced
from kolam.fractal.values import as_list, element_from, list_parts, with_lists


def length(xs):
    """The number of elements: an int; of a traced list an int64 scalar.

    >>> from kolam import fractal as ops
    >>> ops.len(ops.FractalTensor([[1, 2], [3]])), ops.len("abc")
    (2, 3)

    A program that imports it in place of Python's own has that for all other values.
    """
    if not isinstance(xs, FractalTensor) and hasattr(xs, "__len__"):
        return len(xs)
    xs = as_list("len", xs)
    inner = list_parts(xs)[0]
    return _kolam._list_length(inner) if is_traced(inner) else len(inner)


def index(xs, i):
    """Element i, from the end where it is below 0. `i` is an integer, traced or not, or a tensor of one.

    >>> from kolam import fractal as ops
    >>> ops.index(ops.FractalTensor([[1, 2], [3]]), -1).to_list()
    [3]

    Throws `[list-index]`, of traced values when run.
    """
    xs = as_list("index", xs)
    if getattr(i, "ndim", 0) > 0:
        i = _kolam.reshape(i, ())
    return _at(xs, i)


def first(xs):
    """The element at 0. Throws `[list-index]` where there is none."""
    return _at(as_list("first", xs), 0)


def last(xs):
    """The element at -1. Throws `[list-index]` where there is none."""
    return _at(as_list("last", xs), -1)


def reverse(xs):
    """The elements from the last to the first.

    >>> from kolam import fractal as ops
    >>> ops.reverse(ops.FractalTensor([1, 2, 3])).to_list()
    [3, 2, 1]
    """
    return accessed("reverse", as_list("reverse", xs), ["L"], ["L - j0 - 1"])


def gather(xs, places):
    """The elements at `places`, integers in a list or a rank-1 tensor, which may be traced; from the end below 0.

    >>> from kolam import fractal as ops
    >>> ops.gather(ops.FractalTensor([10, 20, 30]), [2, 0, -1]).to_list()
    [30, 10, 30]

    Throws `[bad-index]`, and `[list-index]`, of traced values when run.
    """
    xs = as_list("gather", xs)
    if isinstance(places, FractalTensor) and not _are_places(places):
        raise _bad_places(describe_lists(places))
    if not is_traced(xs) and not is_traced(places):
        return _taken(xs, places)
    if not isinstance(places, FractalTensor):
        places = _listed(places)
    lists = list_parts(xs)

    def body(values):
        return [_kolam._list_index(inner, values[0]) for inner in lists]

    found = _kolam._list_map("gather", list_parts(places), body)
    return type(xs).from_parts(with_lists(xs.parts, found))


def item(xs, index):
    """An element, also counted from the end; a slice; or the elements at a list or an array of places.

    >>> xs = FractalTensor([[0, 1], [2], [3, 4]])
    >>> xs[-1].to_list(), xs[::2].to_list(), xs[[1, 0]].to_list()
    ([3, 4], [[0, 1], [3, 4]], [[2], [0, 1]])
    """
    if isinstance(index, slice):
        return _sliced(xs, index)
    if isinstance(index, list | FractalTensor) or getattr(index, "ndim", 0) > 0:
        return gather(xs, index)
    return _at(xs, index)


# Reading is part of the class; it stands here, with the functions it is made of.
FractalTensor.__getitem__ = item


def _at(xs, i):
    if isinstance(i, _kolam.Tensor) or is_traced(xs):
        if not isinstance(i, _kolam.Tensor):
            i = kolam.asarray(_within_int64(integer("index", "index", i)), int64)
        return element_from(xs.parts, [_kolam._list_index(inner, i) for inner in list_parts(xs)])
    place, count = integer("index", "index", i), len(xs)
    if not -count <= place < count:
        raise _no_place(count, place)
    return element(xs.parts, place % count, FractalTensor.from_parts)


def _sliced(xs, given):
    """xs[start:stop:step] of numbers, as Python has it."""
    for bound in (given.start, given.stop, given.step):
        if isinstance(bound, _kolam.Tensor):
            raise KolamTypeError.make(
                "index", "traced-value", "expected numbers in a slice, but got a traced value; use gather or filter"
            )
    if not is_traced(xs):
        return _sliced_now(xs, given)
    step = 1 if given.step is None else _bound("step", given.step)
    if step == 0:
        raise _bad_index("expected integers in a slice, but got slice step cannot be zero")
    lowest, highest = ("0", "L") if step > 0 else ("-1", "L - 1")

    def clamped(value, default):
        if value is None:
            return default
        number = _bound("slice", value)
        return f"min(max({number if number >= 0 else f'L - {-number}'}, {lowest}), {highest})"

    if step > 0:
        start, stop = clamped(given.start, lowest), clamped(given.stop, highest)
        return accessed("index", xs, [f"ceildiv(max({stop} - {start}, 0), {step})"], [f"{start} + {step}*j0"])
    start, stop = clamped(given.start, highest), clamped(given.stop, lowest)
    return accessed("index", xs, [f"ceildiv(max({start} - ({stop}), 0), {-step})"], [f"{start} - {-step}*j0"])


def _bound(argument, given):
    return _within_int64(integer("index", argument, given))


def _within_int64(number):
    """Larger numbers are outside of every list, as these are."""
    return max(-(2**60), min(number, 2**60))


def _sliced_now(xs, given):
    try:
        start, stop, step = given.indices(len(xs))
    except (TypeError, ValueError) as error:
        raise _bad_index(f"expected integers in a slice, but got {error}") from None
    if step == 1:
        return _of_parts(xs, lambda inner: inner.slice(start, max(start, stop)))
    places = np.arange(start, stop, step)
    return _of_parts(xs, lambda inner: inner.take(places))


def _taken(xs, given):
    try:
        places = np.asarray(given)
    except ValueError as error:
        raise _bad_places(error) from None
    if places.size == 0 and isinstance(given, list | tuple):
        places = places.astype(np.int64)
    if places.dtype.kind not in "iu" or places.ndim != 1:
        raise _bad_places(f"{places.dtype}{list(places.shape)}")
    count = len(xs)
    for place in places[(places < -count) | (places >= count)][:1]:
        raise _no_place(count, place)
    places = places.astype(np.int64)
    places[places < 0] += count
    return _of_parts(xs, lambda inner: inner.take(places))


def _listed(given):
    """Places in a Python list or a tensor as a list of integers."""
    places = kolam.asarray(given) if len(given) else kolam.zeros(0, int64)
    if places.ndim != 1 or places.dtype.kind not in ("integer", "unsigned"):
        raise _bad_places(f"{places.dtype.name}{list(places.shape)}")
    return FractalTensor.from_parts(_kolam._list_pack(places, []))


def _are_places(xs):
    inner = xs.parts
    return is_list(inner) and inner.depth == 1 and inner.leaf_shape == () and inner.dtype.kind in ("integer", "unsigned")


def _of_parts(xs, function):
    return type(xs).from_parts(with_lists(xs.parts, [function(inner) for inner in list_parts(xs)]))


def _no_place(count, place):
    expected = f"a place from -{count} to {count - 1}" if count else "no place in an empty list"
    return KolamIndexError.make("index", "list-index", f"expected {expected}, but got {place}")


def _bad_places(found):
    return _bad_index(f"expected places as integers in one dim, but got {found}")


def _bad_index(words):
    return KolamTypeError.make("index", "bad-index", f"argument 'index': {words}")
