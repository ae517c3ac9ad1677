"""Reading lists: elements, windows, parts and products. All are maps of places; no leaf is copied for them.

L stands for the length of a list; expressions are those of kolam.access (kolam/ir/lists.td).
"""

import builtins
import operator

import kolam as ko
from kolam import _kolam
from kolam.errors import KolamError, KolamTypeError, KolamValueError
from kolam.fractal.lists import FractalTensor
from kolam.fractal.parts import is_list, lists_of
from kolam.fractal.values import Iterator, as_list, element_from, list_parts, with_lists


def _integer(function, argument, given, least=None):
    """A number known now."""
    if isinstance(given, bool) or not hasattr(given, "__index__"):
        raise KolamTypeError.make(
            function, "argument-type", f"argument '{argument}': expected an integer, but got a {type(given).__name__}"
        )
    try:
        number = operator.index(given)
    except KolamError:
        raise
    except TypeError as error:
        raise KolamTypeError.make(function, "argument-type", f"argument '{argument}': {error}") from None
    if least is not None and number < least:
        raise KolamValueError.make(
            function, "list-argument", f"argument '{argument}': expected at least {least}, but got {number}"
        )
    return number


def _accessed(function, xs, lengths, index, scalars=(), value=None):
    """Each part read at the places that the expressions give; `value` is what lies outside."""
    xs = as_list(function, xs)
    pads = _pads(function, xs, value)
    lists = [
        _kolam._list_access(function, inner, lengths, index, scalars, pad)
        for inner, pad in builtins.zip(list_parts(xs), pads, strict=True)
    ]
    return _deepened(xs, lists) if len(lengths) > len(index) else type(xs).from_parts(with_lists(xs.parts, lists))


def _pads(function, xs, value):
    lists = list_parts(xs)
    if value is None:
        return [None] * len(lists)
    values = lists_of(value) if len(lists) > 1 else [value]
    if len(values) != len(lists) or any(inner.depth > 1 for inner in lists):
        raise KolamTypeError.make(
            function, "list-type", "argument 'value': expected a tensor for each part of the elements, which are tensors"
        )
    return [_fitted(inner, pad) for inner, pad in builtins.zip(lists, values, strict=True)]


def _fitted(inner, pad):
    """`pad` as a leaf of a list: scalars fill it."""
    return _kolam.broadcast_to(_kolam.astype(ko.asarray(pad), inner.dtype), tuple(inner.leaf_shape))


def _deepened(xs, lists):
    """Lists of lists of what xs holds."""
    from kolam.fractal.parts import ListOf

    inner = with_lists(xs.parts, lists)
    return FractalTensor.from_parts(inner if is_list(inner) else ListOf(inner))


def _zeros(xs):
    return tuple(0 for _ in list_parts(xs)) if not is_list(xs.parts) else 0


def length(xs):
    """The number of elements: an int, of a traced list an int64 scalar."""
    xs = as_list("len", xs)
    inner = list_parts(xs)[0]
    return len(inner) if isinstance(inner, _kolam.List) else _kolam._list_length(inner)


def index(xs, i):
    """Element i, from the end where it is below 0; i may be traced. Throws `[list-index]`."""
    xs = as_list("index", xs)
    return element_from(xs.parts, [_kolam._list_index(inner, i) for inner in list_parts(xs)])


def first(xs):
    """xs[0]."""
    return index(xs, 0)


def last(xs):
    """xs[-1]."""
    return index(xs, -1)


def sliced(xs, given):
    """xs[start:stop:step], as Python does it; step is a number, below 0 too."""
    step = 1 if given.step is None else _integer("index", "step", given.step)
    if step == 0:
        raise KolamValueError.make("index", "bad-step", "expected a step other than 0, but got 0")
    scalars = []

    def bound(value, default):
        if value is None:
            return default
        if hasattr(value, "__index__") and not isinstance(value, _kolam.Tensor):
            number = _integer("index", "slice", value)
            return f"{number}" if number >= 0 else f"L - {-number}"
        scalars.append(value)  # from the end where it is below 0: added below
        return f"a{len(scalars) - 1}"

    for value in (given.start, given.stop):
        if isinstance(value, _kolam.Tensor):
            raise KolamTypeError.make(
                "index", "traced-value", "expected numbers in a slice, but got a traced value; use gather or filter"
            )
    if step > 0:
        start = f"min(max({bound(given.start, '0')}, 0), L)"
        stop = f"min(max({bound(given.stop, 'L')}, 0), L)"
        lengths, place = f"ceildiv(max({stop} - {start}, 0), {step})", f"{start} + {step}*j0"
    else:
        start = f"min(max({bound(given.start, 'L - 1')}, -1), L - 1)"
        stop = f"min(max({bound(given.stop, '-1')}, -1), L - 1)" if given.stop is not None else "-1"
        lengths, place = f"ceildiv(max({start} - ({stop}), 0), {-step})", f"{start} - {-step}*j0"
    return _accessed("index", xs, [lengths], [place])


def reverse(xs):
    """The elements from the last to the first."""
    return _accessed("reverse", xs, ["L"], ["L - j0 - 1"])


def gather(xs, places):
    """The elements at places: a list of ints, or a rank-1 tensor; below 0 from the end. Throws `[list-index]`."""
    from kolam.fractal.parallel import map

    if not isinstance(places, FractalTensor):
        if isinstance(places, list | tuple):
            places = ko.asarray(places, dtype=_kolam_int64())
        places = unbind(places)
    return map(lambda i: index(xs, i), places)


def _kolam_int64():
    from kolam.dtypes import int64

    return int64


def _windows(function, xs, window, dilation):
    _integer(function, "window", window, 1)
    _integer(function, "dilation", dilation, 1)
    return window, dilation


def _centred(function, xs, window, dilation):
    window, dilation = _windows(function, xs, window, dilation)
    if window % 2 == 0:
        raise KolamValueError.make(
            function, "list-argument", f"argument 'window': expected an odd number, as windows have a centre, but got {window}"
        )
    return window, dilation


def slide(xs, window, stride=1, dilation=1, padding=0, value=None):
    """Windows of elements: result[i][j] = xs[i stride + j dilation - padding], floor((L + 2 padding - dilation (window - 1) - 1)
    / stride) + 1 of them; outside the list lies `value` (zeros).

    Throws `[list-argument]`, and `[window-too-large]` where the list with its padding is shorter than a window.
    """
    window, dilation = _windows("slide", xs, window, dilation)
    stride = _integer("slide", "stride", stride, 1)
    padding = _integer("slide", "padding", padding, 0)
    xs = as_list("slide", xs)
    reach = dilation * (window - 1) + 1
    size = length(xs)
    _kolam._list_require(
        _kolam.greater_equal(ko.asarray(size), reach - 2 * padding), "window-too-large",
        f"expected a list, with its padding, of at least {reach} elements, but got a shorter one", "slide",
    )
    if padding and value is None:
        value = _zeros(xs)
    count = f"floordiv(L + {2 * padding} - {reach}, {stride}) + 1"
    place = f"{stride}*j0 + {dilation}*j1 - {padding}"
    return _accessed("slide", xs, [count, f"{window}"], [place], value=value if padding else None)


def window(i, xs, window, dilation=1, value=None):
    """The window centred at i: xs[i - h dilation .. i + h dilation], h = (window - 1) / 2, `value` (zeros) outside."""
    window, dilation = _centred("window", xs, window, dilation)
    xs = as_list("window", xs)
    place = f"a0 + {dilation}*j0 - {dilation * (window // 2)}"
    return _accessed("window", xs, [f"{window}"], [place], [i], _zeros(xs) if value is None else value)


def _modulo(place):
    return f"{place} - L*floordiv({place}, L)"


def shifted_window(i, xs, window, dilation=1):
    """The circular window centred at i: places modulo L. Of L = 7 with window 3, that at 0 is [x6, x0, x1]."""
    window, dilation = _centred("shifted_window", xs, window, dilation)
    place = f"(a0 + {dilation}*j0 - {dilation * (window // 2)})"
    return _accessed("shifted_window", xs, [f"{window}"], [_modulo(place)], [i])


def shifted_slide(xs, window, dilation=1):
    """The circular windows centred at each element, as many as elements."""
    window, dilation = _centred("shifted_slide", xs, window, dilation)
    place = f"(j0 + {dilation}*j1 - {dilation * (window // 2)})"
    return _accessed("shifted_slide", xs, ["L", f"{window}"], [_modulo(place)])


def dilate(xs, dilation):
    """The strided sub-lists: row r is [x[r], x[r + dilation], ...]; `dilation` rows."""
    dilation = _integer("dilate", "dilation", dilation, 1)
    return _accessed("dilate", xs, [f"{dilation}", f"ceildiv(max(L - j0, 0), {dilation})"], [f"j0 + {dilation}*j1"])


def interleave(inner, dilation):
    """The opposite of `dilate`, of one list of lists: result[i] = rows[i mod dilation][i div dilation]."""
    quotient = f"floordiv(j0, {dilation})"
    return _kolam._list_access("dilated_map", inner, ["N"], [f"j0 - {dilation}*{quotient}", quotient], [], None)


def split(xs, n):
    """n lists of L div n elements, the last with the rest. Throws `[list-argument]`; `[window-too-large]` where n > L."""
    n = _integer("split", "n", n, 1)
    xs = as_list("split", xs)
    _kolam._list_require(
        _kolam.greater_equal(ko.asarray(length(xs)), n), "window-too-large",
        f"expected a list of at least {n} elements, but got a shorter one", "split",
    )
    part = f"floordiv(L, {n})"
    size = f"{part} + floordiv(j0 + 1, {n})*(L - {n}*{part})"
    return _accessed("split", xs, [f"{n}", size], [f"j0*{part} + j1"])


def zip(*xs):
    """Lists of one length, read as a list of tuples; of one list, that list. Throws `[list-lengths]` when run."""
    lists = [as_list("zip", x, f"xs[{number}]") for number, x in builtins.enumerate(xs)]
    if not lists:
        raise KolamValueError.make("zip", "no-operands", "expected at least one list, but got none")
    if len(lists) == 1:
        return lists[0]
    for number, x in builtins.enumerate(lists):
        here, there = list_parts(x)[0], list_parts(lists[0])[0]
        if isinstance(here, _kolam.List) and isinstance(there, _kolam.List) and len(here) != len(there):
            raise KolamValueError.make(
                "zip", "list-lengths",
                f"expected lists of one length, but got {len(there)} for xs[0] and {len(here)} for xs[{number}]",
            )
    return Iterator.from_parts(tuple(x.parts for x in lists))


def enumerate(*xs):
    """(i, x[i], ...) for each element, i as an int64 scalar."""
    lists = [as_list("enumerate", x, f"xs[{number}]") for number, x in builtins.enumerate(xs)]
    numbers = FractalTensor.from_parts(_kolam._list_positions(list_parts(lists[0])[0]))
    return zip(numbers, *lists)


def product(xs, ys):
    """Two lists of lists, of len(ys) rows of len(xs): xss[i][j] = xs[j], yss[i][j] = ys[i]. Throws `[list-depth]`."""
    xs, ys = as_list("product", xs), as_list("product", ys, "ys")
    if xs.depth != ys.depth:
        raise KolamValueError.make(
            "product", "list-depth", f"expected lists of one depth, but got {xs.depth} and {ys.depth}"
        )
    columns = _accessed("product", xs, ["a0", "L"], ["j1"], [length(ys)])
    rows = _accessed("product", ys, ["L", "a0"], ["j0"], [length(xs)])
    return columns, rows


def join(*xs):
    """The elements of lists of one type, one after the other. Throws `[list-type]`."""
    lists = [as_list("join", x, f"xs[{number}]") for number, x in builtins.enumerate(xs)]
    if not lists:
        raise KolamValueError.make("join", "no-operands", "expected at least one list, but got none")
    counts = {len(list_parts(x)) for x in lists}
    if len(counts) > 1:
        raise KolamTypeError.make("join", "list-type", f"expected lists of as many parts, but got {sorted(counts)}")
    joined = [_kolam._list_join(list(parts)) for parts in builtins.zip(*(list_parts(x) for x in lists), strict=True)]
    return type(lists[0]).from_parts(with_lists(lists[0].parts, joined))


def single(value):
    """The list of one element: a tensor or a list."""
    if is_list(value):
        return _kolam._list_access("join", value, ["1", "L"], ["j1"], [], None)
    return _kolam._list_pack(_kolam.expand_dims(value, 0), [])


def repeat(x, n):
    """n times x, a tensor, a list or a tuple of them: a list one level deeper. n may be traced."""
    if isinstance(x, FractalTensor):
        return _accessed("repeat", x, ["a0", "L"], ["j1"], [n])
    from kolam.fractal.values import deepen, flatten

    values, structure = flatten(x)
    lists = [
        _kolam._list_access("repeat", value, ["a0", "L"], ["j1"], [n], None)
        if is_list(value)
        else _kolam._list_access("repeat", single(ko.asarray(value)), ["a0"], ["0"], [n], None)
        for value in values
    ]
    return deepen(structure, iter(lists))


def _leaves(function, xs):
    xs = as_list(function, xs)
    if not is_list(xs.parts):
        raise KolamTypeError.make(function, "list-type", "expected a list of tensors, but got a list of tuples")
    return _kolam._list_unpack(xs.parts)[0]


def flatten(xs, axis=0):
    """All leaves in order, joined along an axis of theirs: a tensor. Leaves of rank 0 give a vector."""
    leaves = _leaves("flatten", xs)
    if leaves.ndim == 1:
        return leaves
    moved = _kolam.moveaxis(leaves, 0, axis if axis >= 0 else axis + leaves.ndim - 1)
    shape = list(leaves.shape[1:])
    shape[axis] = -1
    return _kolam.reshape(moved, tuple(shape))


def stack(xs, axis=0):
    """The tensors of a list of depth 1 as one, along a new axis. Throws `[list-depth]`."""
    xs = as_list("stack", xs)
    if xs.depth != 1:
        raise KolamValueError.make("stack", "list-depth", f"expected a list of tensors, but got one of depth {xs.depth}")
    return _kolam.moveaxis(_leaves("stack", xs), 0, axis)


def unbind(x, axis=0):
    """The slices of a tensor along an axis, without it: a list."""
    return FractalTensor.from_parts(_kolam._list_pack(_kolam.moveaxis(x, axis, 0), []))


def slices(x, axis=0):
    """The slices of a tensor along an axis, which stays with extent 1: a list."""
    rows = _kolam.moveaxis(x, axis, 0)
    rank = len(rows.shape)
    kept = _kolam.expand_dims(rows, 1 + (axis if axis >= 0 else axis + rank))
    return FractalTensor.from_parts(_kolam._list_pack(kept, []))
