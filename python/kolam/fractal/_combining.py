"""Several lists read side by side, in all pairs, one after the other, or over and over."""

import builtins

from kolam import _kolam
from kolam.errors import KolamTypeError, KolamValueError
from kolam.fractal._lists import FractalTensor, Iterator
from kolam.fractal._values import as_list, deepen, describe_lists, flatten, grouped_as, list_parts, read_as


def zip(*xs):
    """Lists of one length, read as a list of tuples; of one list, that list.

    >>> from kolam import fractal as ops
    >>> xs, ys = ops.FractalTensor([1, 2]), ops.FractalTensor([[5], [6, 7]])
    >>> ops.map(lambda both: both[0] + ops.fold(ops.add, both[1]), ops.zip(xs, ys)).to_list()
    [6, 15]

    Unpacking gives the lists back: `xs, ys = zip(xs, ys)`. Throws `[list-lengths]`, of traced lists where they are read.
    """
    lists = _lists("zip", xs)
    _kolam._list_zip([*builtins.map(list_parts, lists)])  # throws
    return lists[0] if len(lists) == 1 else Iterator.from_parts(tuple(x.parts for x in lists))


def enumerate(*xs):
    """(i, x[i], ...) for each element, i as an int64 scalar.

    >>> from kolam import fractal as ops
    >>> ops.enumerate(ops.FractalTensor([5, 6])).to_list()
    [(0, 5), (1, 6)]

    Throws `[list-lengths]`, as `zip`.
    """
    lists = _lists("enumerate", xs)
    places = _kolam._list_enumerate([*builtins.map(list_parts, lists)])[0]
    return Iterator.from_parts((places, *[x.parts for x in lists]))


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
    columns, rows = _kolam._list_product(list_parts(xs), list_parts(ys))
    return grouped_as(xs, columns), grouped_as(ys, rows)


def join(*xs):
    """The elements of lists of one type, one after the other.

    >>> from kolam import fractal as ops
    >>> ops.join(ops.FractalTensor([[1], []]), ops.FractalTensor([[2, 3]])).to_list()
    [[1], [], [2, 3]]

    Throws `[list-type]`.
    """
    lists = _lists("join", xs)
    structures = [flatten(x.parts)[1] for x in lists]
    for number, x in builtins.enumerate(lists):
        if structures[number] != structures[0]:
            raise KolamTypeError.make(
                "join", "list-type",
                f"argument 'xs[{number}]': expected tuples as xs[0] has, {describe_lists(lists[0])}, "
                f"but got {describe_lists(x)}",
            )  # fmt: skip
    return read_as(lists[0], _kolam._list_join([*builtins.map(list_parts, lists)]))


def repeat(x, n):
    """n times x, a tensor, a list, or a tuple of them: a list one level deeper. n may be traced.

    >>> from kolam import fractal as ops
    >>> ops.repeat(ops.FractalTensor([1, 2]), 3).to_list()
    [[1, 2], [1, 2], [1, 2]]

    Flat copies are `join(x, x, x)`. Throws `[list-argument]` for an n below 0; a traced one counts as 0.
    """
    values, structure = flatten(x)
    if not values:
        raise KolamTypeError.make("repeat", "not-an-array", f"argument 'x': expected a tensor or a list, but got {x!r}")
    if isinstance(x, FractalTensor):
        _kolam._list_require_one_length(list_parts(x))
    lists = _kolam._list_repeat(values, n)
    return grouped_as(x, lists) if isinstance(x, FractalTensor) else deepen(structure, iter(lists))


def _lists(function, xs):
    if not xs:
        raise KolamValueError.make(function, "no-operands", "expected at least one list, but got none")
    return [as_list(function, x, f"xs[{number}]") for number, x in builtins.enumerate(xs)]
