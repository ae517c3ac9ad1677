"""Elements of lists: one, some, or all in another order."""

import kolam
from kolam import _kolam
from kolam.dtypes import int64
from kolam.errors import KolamIndexError, KolamTypeError
from kolam.fractal._arguments import as_int64, bounded, integer
from kolam.fractal._lists import FractalTensor, known_length
from kolam.fractal._parts import element, is_list, is_traced
from kolam.fractal._values import as_list, describe_lists, element_from, list_parts, read_as


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
    _kolam._list_require_one_length(list_parts(xs))
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
        if any(extent != 1 for extent in i.shape):
            raise _bad_index(f"expected one integer, but got {i.dtype}{list(i.shape)}")
        i = _kolam.reshape(i, ())
    return _at(xs, i)


def first(xs):
    """The element at 0. Throws `[list-index]` where there is none.

    >>> from kolam import fractal as ops
    >>> ops.first(ops.FractalTensor([7, 8, 9])).item()
    7
    """
    return _at(as_list("first", xs), 0, "first")


def last(xs):
    """The element at -1. Throws `[list-index]` where there is none.

    >>> from kolam import fractal as ops
    >>> ops.last(ops.FractalTensor([7, 8, 9])).item()
    9
    """
    return _at(as_list("last", xs), -1, "last")


def reverse(xs):
    """The elements from the last to the first.

    >>> from kolam import fractal as ops
    >>> ops.reverse(ops.FractalTensor([1, 2, 3])).to_list()
    [3, 2, 1]
    """
    xs = as_list("reverse", xs)
    return read_as(xs, _kolam._list_reverse(list_parts(xs)))


def gather(xs, places):
    """The elements at `places`, integers in a list or a rank-1 tensor, which may be traced; from the end below 0.

    >>> from kolam import fractal as ops
    >>> ops.gather(ops.FractalTensor([10, 20, 30]), [2, 0, -1]).to_list()
    [30, 10, 30]

    Throws `[bad-index]`, and `[list-index]`, of traced values when run.
    """
    xs = as_list("gather", xs)
    if isinstance(places, FractalTensor):
        if not is_list(places.parts):
            raise _bad_index(f"expected places as integers in one dim, but got {describe_lists(places)}")
        places = places.parts
    return read_as(xs, _kolam._list_gather(list_parts(xs), as_int64(places)))


def item(xs, index):
    """An element, also counted from the end; a slice; or the elements at a list or an array of places.

    >>> xs = FractalTensor([[0, 1], [2], [3, 4]])
    >>> xs[-1].to_list(), xs[::2].to_list(), xs[[1, 0]].to_list()
    ([3, 4], [[0, 1], [3, 4]], [[2], [0, 1]])
    """
    if isinstance(index, slice):
        bounds = [bounded(bound) if type(bound) is int else bound for bound in (index.start, index.stop, index.step)]
        return read_as(xs, _kolam._list_slice(list_parts(xs), *bounds))
    if isinstance(index, list | FractalTensor) or getattr(index, "ndim", 0) > 0:
        return gather(xs, index)
    return _at(xs, index)


# Reading is part of the class; it stands here, with the functions it is made of.
FractalTensor.__getitem__ = item


def _at(xs, i, name="index"):
    _kolam._list_require_one_length(list_parts(xs))
    read = lambda place: element_from(xs.parts, [_kolam._list_index(inner, place, name) for inner in list_parts(xs)])
    if isinstance(i, _kolam.Tensor):
        return read(i)
    place = integer("index", "index", i)
    count = known_length(xs)
    if count is not None and not -count <= place < count:
        raise _no_place(name, count, place)
    if is_traced(xs):
        return read(kolam.asarray(bounded(place), int64))
    return element(xs.parts, place % count, FractalTensor.from_parts)


def _no_place(name, count, place):
    expected = f"a place from -{count} to {count - 1}" if count else "a list with elements"
    return KolamIndexError.make(name, "list-index", f"expected {expected}, but got {place if count else 'an empty one'}")


def _bad_index(words):
    return KolamTypeError.make("index", "bad-index", f"argument 'index': {words}")
