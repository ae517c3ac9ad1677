"""Several lists read side by side, in all pairs, one after the other, or over and over."""

import builtins

import kolam
from kolam import _kolam
from kolam.errors import KolamTypeError, KolamValueError
from kolam.fractal.access import accessed, describe_lists
from kolam.fractal.arguments import integer
from kolam.fractal.elements import length
from kolam.fractal.lists import FractalTensor, Iterator
from kolam.fractal.parts import is_list, is_traced
from kolam.fractal.values import as_list, deepen, flatten, list_parts, with_lists


def zip(*xs):
    """Lists of one length, read as a list of tuples; of one list, that list.

    >>> from kolam import fractal as ops
    >>> xs, ys = ops.FractalTensor([1, 2]), ops.FractalTensor([[5], [6, 7]])
    >>> ops.map(lambda both: both[0] + ops.fold(ops.add, both[1]), ops.zip(xs, ys)).to_list()
    [6, 15]

    Unpacking gives the lists back: `xs, ys = zip(xs, ys)`. Throws `[list-lengths]`, of traced lists where they are read.
    """
    lists = _lists("zip", xs)
    if len(lists) == 1:
        return lists[0]
    for number, x in builtins.enumerate(lists):
        if not is_traced(x) and not is_traced(lists[0]) and len(x) != len(lists[0]):
            raise KolamValueError.make(
                "zip", "list-lengths",
                f"expected lists of one length, but got {len(lists[0])} for xs[0] and {len(x)} for xs[{number}]",
            )  # fmt: skip
    return Iterator.from_parts(tuple(x.parts for x in lists))


def enumerate(*xs):
    """(i, x[i], ...) for each element, i as an int64 scalar.

    >>> from kolam import fractal as ops
    >>> ops.enumerate(ops.FractalTensor([5, 6])).to_list()
    [(0, 5), (1, 6)]

    Throws `[list-lengths]`, as `zip`.
    """
    lists = _lists("enumerate", xs)
    return zip(FractalTensor.from_parts(_kolam._list_positions(list_parts(lists[0])[0])), *lists)


def product(xs, ys):
    """Two lists of lists, of len(ys) rows of len(xs): xss[i][j] = xs[j], yss[i][j] = ys[i].

    >>> from kolam import fractal as ops
    >>> xss, yss = ops.product(ops.FractalTensor([0, 1, 2]), ops.FractalTensor([10, 20]))
    >>> xss.to_list(), yss.to_list()
    ([[0, 1, 2], [0, 1, 2]], [[10, 10, 10], [20, 20, 20]])

    Throws `[list-depth]` for lists of two depths.
    """
    xs, ys = as_list("product", xs), as_list("product", ys, "ys")
    if xs.depth != ys.depth:
        raise KolamValueError.make("product", "list-depth", f"expected lists of one depth, but got {xs.depth} and {ys.depth}")
    columns = accessed("product", xs, ["a0", "L"], ["j1"], [length(ys)])
    rows = accessed("product", ys, ["L", "a0"], ["j0"], [length(xs)])
    return columns, rows


def join(*xs):
    """The elements of lists of one type, one after the other.

    >>> from kolam import fractal as ops
    >>> ops.join(ops.FractalTensor([[1], []]), ops.FractalTensor([[2, 3]])).to_list()
    [[1], [], [2, 3]]

    Throws `[list-type]`.
    """
    lists = _lists("join", xs)
    structure, _ = _structure(lists[0])
    for number, x in builtins.enumerate(lists):
        if _structure(x)[0] != structure:
            raise KolamTypeError.make(
                "join", "list-type",
                f"argument 'xs[{number}]': expected {describe_lists(lists[0])}, as xs[0] is, but got {describe_lists(x)}",
            )  # fmt: skip
    columns = builtins.zip(*builtins.map(list_parts, lists), strict=True)
    return type(lists[0]).from_parts(with_lists(lists[0].parts, [_kolam._list_join(list(column)) for column in columns]))


def repeat(x, n):
    """n times x, a tensor, a list, or a tuple of them: a list one level deeper. n may be traced.

    >>> from kolam import fractal as ops
    >>> ops.repeat(ops.FractalTensor([1, 2]), 3).to_list()
    [[1, 2], [1, 2], [1, 2]]

    Flat copies are `join(x, x, x)`. Throws `[list-argument]` for an n below 0; a traced one counts as 0.
    """
    if not isinstance(n, _kolam.Tensor):
        n = integer("repeat", "n", n, 0)
    values, structure = flatten(x)
    if not values:
        raise KolamTypeError.make("repeat", "not-an-array", f"argument 'x': expected a tensor or a list, but got {x!r}")
    return deepen(structure, iter([_repeated(value, n) for value in values]))


def single(value):
    """The list of one element, a tensor or a part of a list."""
    return _repeated(value, 1)


def _repeated(value, n):
    if is_list(value):
        return _kolam._list_access("repeat", value, ["a0", "L"], ["j1"], [n], None)
    row = _kolam._list_pack(_kolam.expand_dims(kolam.asarray(value), 0), [])
    return _kolam._list_access("repeat", row, ["a0"], ["0"], [n], None)


def _lists(function, xs):
    if not xs:
        raise KolamValueError.make(function, "no-operands", "expected at least one list, but got none")
    return [as_list(function, x, f"xs[{number}]") for number, x in builtins.enumerate(xs)]


def _structure(xs):
    """What two lists that are joined have in common: their tuples; and the types of their parts."""
    values, structure = flatten(xs.parts)
    return structure, [value.type for value in values]
