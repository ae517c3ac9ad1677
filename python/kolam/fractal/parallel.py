"""The parallel functions: a user's function for each element, alone or with a state.

`f` takes the state first, where there is one, then the element (a tuple where several lists are zipped), then keywords:
what is passed to the parallel function by other names goes to `f` as it is. It may use all that stands around it.
"""

import builtins

import kolam as ko
from kolam import _kolam
from kolam.callables import check_callable
from kolam.dtypes import as_dtype
from kolam.errors import KolamTypeError
from kolam.fractal import access
from kolam.fractal.lists import FractalTensor
from kolam.fractal.parts import is_list
from kolam.fractal.values import (
    as_list, deepen, describe, element_from, flatten, list_parts, unflatten, with_lists,
)  # fmt: skip

_NONE = object()


def _check(name, f, named, count=1):
    """Refuses what can't be called with a state, where there is one, and an element."""
    check_callable(name, "f", f if not named else lambda *values: f(*values, **named), count)


def _traced(function, results):
    """A body for the C++ half: `function` takes its values and gives a pytree."""

    def body(values):
        leaves, structure = flatten(function(values))
        results.append(structure)
        return leaves

    return body


def map(f, xs, **named):
    """results[i] = f(xs[i]): instances are independent and run in any order.

    >>> from kolam import fractal as ops
    >>> ops.map(lambda x: x + x, ops.FractalTensor([[1, 2], [3]])[0]).to_list()
    [2, 4]

    A function that gives a tuple makes `map` give a tuple of lists; a zip counts as a tuple. Throws `[list-type]`.
    """
    xs = as_list("map", xs)
    _check("map", f, named)
    results = []
    body = _traced(lambda values: f(element_from(xs.parts, values), **named), results)
    lists = _kolam._list_map(list_parts(xs), body)
    return deepen(results[0], iter(lists))


def forall(f, xs, **named):
    """f of each leaf, at all depths; the structure stays."""
    xs = as_list("forall", xs)
    if xs.depth == 1:
        return map(f, xs, **named)
    return map(lambda row: forall(f, row, **named), xs)


def filter(p, xs, **named):
    """The elements for which p gives true, in order. `p` gives a bool scalar."""
    xs = as_list("filter", xs)
    mask = map(p, xs, **named)
    if not isinstance(mask, FractalTensor):
        raise KolamTypeError.make("filter", "list-type", "expected p to give one bool for an element, but got several values")
    return type(xs).from_parts(with_lists(xs.parts, _kolam._list_filter(list_parts(xs), mask.parts)))


def filterall(p, xs, **named):
    """The leaves for which p gives true, at all depths; rows stay and may become empty."""
    xs = as_list("filterall", xs)
    if xs.depth == 1:
        return filter(p, xs, **named)
    return map(lambda row: filterall(p, row, **named), xs)


def _scan(name, f, xs, initializer, named, reverse, associative=False):
    """(last state, all states)."""
    xs = as_list(name, xs)
    _check(name, f, named, 2)
    if initializer is _NONE:
        first = access.last(xs) if reverse else access.first(xs)
        rest = xs[:-1] if reverse else xs[1:]
        final, states = _scan(name, f, rest, first, named, reverse, associative)
        return final, _with_first(first, states, reverse)
    inits, structure = flatten(initializer)
    count, results = len(inits), []

    def step(values):
        state = unflatten(structure, values[:count])
        return f(state, element_from(xs.parts, values[count:]), **named)

    def body(values):
        leaves, found = flatten(step(values))
        if describe(found) != describe(structure):
            raise KolamTypeError.make(
                name, "carry-mismatch",
                f"expected f to give a state of the structure {describe(structure)}, but got {describe(found)}",
            )
        results.append(found)
        return leaves

    last, states = _kolam._list_scan(name, inits, list_parts(xs), body, reverse, associative)
    return unflatten(results[0], last), deepen(results[0], iter(states))


def _with_first(first, states, reverse):
    """The states, and the element that they started from before or behind them."""
    firsts, _ = flatten(first)
    inner, structure = flatten(states)
    joined = []
    for value, lists in zip(firsts, inner, strict=True):
        one = access.single(value)
        joined.append(_kolam._list_join([lists, one] if reverse else [one, lists]))
    return unflatten(structure, joined)


def scan(f, xs, initializer=_NONE, *, associative=False, **named):
    """All states of a fold from the left, the initial one left out: [f(I, x0), f(f(I, x0), x1), ...].

    >>> from kolam import fractal as ops
    >>> ops.scan(lambda s, x: s + x, ops.FractalTensor([1, 2, 3]), initializer=10).to_list()
    [11, 13, 16]

    `f` gives what it takes as state. Without `initializer` the state starts as x0, which is then the first result. With
    `associative=True` chunks of 4096 elements start anew and are combined with what came before: another order.
    Throws `[carry-mismatch]` where f gives another structure, dtype or shape, with both.
    """
    return _scan("scan", f, xs, initializer, named, False, associative)[1]


def scanr(f, xs, initializer=_NONE, **named):
    """All states of a fold from the right; place i holds that of the elements from i on."""
    return _scan("scanr", f, xs, initializer, named, True)[1]


def fold(f, xs, initializer=_NONE, **named):
    """The last state of `scan`; of an empty list the initial one."""
    return _scan("fold", f, xs, initializer, named, False)[0]


def foldr(f, xs, initializer=_NONE, **named):
    """The first state of `scanr`; of an empty list the initial one."""
    return _scan("foldr", f, xs, initializer, named, True)[0]


scanl, foldl = scan, fold


def reduce(f, xs, initializer=_NONE, **named):
    """The elements combined by f, which is associative: chunks of 64 from the left, chunks pairwise, the initial value first.

    Where the initial value is of another type than the elements, it is a `fold`. Without one, an empty list throws
    `[list-empty]`.
    """
    xs = as_list("reduce", xs)
    _check("reduce", f, named, 2)
    lists = list_parts(xs)
    inits = []
    if initializer is not _NONE:
        inits, structure = flatten(initializer)
        element = flatten(element_from(xs.parts, [object() for _ in lists]))[1]
        agrees = describe(structure) == describe(element) and [*builtins.map(_type, inits)] == [
            *builtins.map(_element_type, lists)
        ]
        if not agrees:
            return fold(f, xs, initializer, **named)
    results = []

    def merge(values):
        half = len(values) // 2
        return f(element_from(xs.parts, values[:half]), element_from(xs.parts, values[half:]), **named)

    out = _kolam._list_reduce(inits, lists, _traced(merge, results))
    return unflatten(results[0], out)


def _type(value):
    """(depth, dtype, shape) of a state."""
    if is_list(value):
        return value.depth, value.dtype, tuple(value.leaf_shape)
    array = value if hasattr(value, "dtype") else ko.asarray(value)
    return 0, as_dtype(array.dtype), tuple(array.shape)


def _element_type(inner):
    return inner.depth - 1, inner.dtype, tuple(inner.leaf_shape)


def dilated_map(f, xs, dilation, **named):
    """f on each of `dilation` strided sub-lists x[r], x[r + dilation], ...; results are put back in the order of xs.

    `f` gives a list as long as it takes, or a tuple of such lists.
    """
    rows = map(f, access.dilate(xs, dilation), **named)
    lists, structure = flatten(rows)
    back = [access.interleave(inner, dilation) for inner in lists]
    return unflatten(structure, back)
