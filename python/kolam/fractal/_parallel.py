"""The parallel functions: a user's function for each element, alone or with a state.

`f` takes the state first, where there is one, then the element (a tuple where several lists are zipped), then keywords:
what is passed to the parallel function by other names goes to `f` as it is. It may use all that stands around it.
"""

import builtins

import kolam
from kolam import _kolam, _pytree as pytree
from kolam._callables import check_callable, checks_arguments
from kolam.dtypes import as_dtype
from kolam.errors import KolamError, KolamTypeError
from kolam.fractal._elements import first, last, length
from kolam.fractal._groups import interleave, strided
from kolam.fractal._lists import FractalTensor
from kolam.fractal._parts import is_list
from kolam.fractal._values import (
    as_list, deepen, describe, element_from, element_structure, flatten, list_parts, unflatten, with_lists,
)  # fmt: skip


@checks_arguments
def map(f, xs, **named):
    """results[i] = f(xs[i]): instances are independent and run in any order.

    >>> from kolam import fractal as ops
    >>> ops.map(lambda x: x + x, ops.FractalTensor([[1, 2], [3]])[0]).to_list()
    [2, 4]

    A function that gives a tuple makes `map` give a tuple of lists; a zip counts as a tuple. Throws `[list-type]`.
    """
    return _mapped("map", f, xs, named)


@checks_arguments
def forall(f, xs, **named):
    """f of each leaf, at all depths; the structure stays.

    >>> from kolam import fractal as ops
    >>> ops.forall(lambda x: -x, ops.FractalTensor([[1], [2, 3]])).to_list()
    [[-1], [-2, -3]]
    """
    xs = as_list("forall", xs)
    _check("forall", f, named, 1)
    if xs.depth == 1:
        return map(f, xs, **named)
    return map(lambda row: forall(f, row, **named), xs)


@checks_arguments
def filter(p, xs, **named):
    """The elements for which p, which gives a bool scalar, gives true, in order.

    >>> from kolam import fractal as ops
    >>> ops.filter(lambda x: x > 1, ops.FractalTensor([1, 2, 3])).to_list()
    [2, 3]

    Throws `[list-type]` where p gives anything else.
    """
    return _filtered("filter", p, xs, named)


def _filtered(name, p, xs, named):
    xs = as_list(name, xs)
    mask = _mapped(name, p, xs, named, "p")
    if not isinstance(mask, FractalTensor) or not is_list(mask.parts):
        raise KolamTypeError.make(name, "list-type", "expected p to give a bool scalar, but got several values")
    return type(xs).from_parts(with_lists(xs.parts, _kolam._list_filter(name, list_parts(xs), mask.parts)))


@checks_arguments
def filterall(p, xs, **named):
    """The leaves for which p gives true, at all depths; rows stay and may become empty.

    >>> from kolam import fractal as ops
    >>> ops.filterall(lambda x: x > 2, ops.FractalTensor([[1, 2], [3]])).to_list()
    [[], [3]]
    """
    xs = as_list("filterall", xs)
    _check("filterall", p, named, 1, "p")
    if xs.depth == 1:
        return _filtered("filterall", p, xs, named)
    return map(lambda row: filterall(p, row, **named), xs)


@checks_arguments
def scan(f, xs, initializer=None, *, associative=False, **named):
    """All states of a fold from the left, the initial one left out: [f(I, x0), f(f(I, x0), x1), ...].

    >>> from kolam import fractal as ops
    >>> ops.scan(lambda s, x: s + x, ops.FractalTensor([1, 2, 3]), initializer=10).to_list()
    [11, 13, 16]

    `f` gives what it takes as state. Without `initializer` the state starts as x0, which is then the first result; of an
    empty list there is none. With
    `associative=True` chunks of 4096 elements start anew and are combined with what came before: another order, of states
    and elements that are tensors of one type, else `[list-type]`. Throws `[carry-mismatch]` where f gives another
    structure, dtype or shape, with both.
    """
    return _states("scan", f, xs, initializer, named, False, associative)


@checks_arguments
def scanr(f, xs, initializer=None, *, associative=False, **named):
    """All states of a fold from the right; place i holds that of the elements from i on.

    >>> from kolam import fractal as ops
    >>> ops.scanr(lambda s, x: s + x, ops.FractalTensor([1, 2, 3]), initializer=10).to_list()
    [16, 15, 13]

    `associative` and errors as in `scan`; chunks count from the end.
    """
    return _states("scanr", f, xs, initializer, named, True, associative)


@checks_arguments
def fold(f, xs, initializer=None, **named):
    """The last state of `scan`; of an empty list the initial one.

    >>> from kolam import fractal as ops
    >>> ops.fold(lambda s, x: s + x, ops.FractalTensor([1, 2, 3, 4]), initializer=5).item()
    15

    Without either throws `[list-empty]`.
    """
    return _last_state("fold", f, xs, initializer, named, False)


@checks_arguments
def foldr(f, xs, initializer=None, **named):
    """The first state of `scanr`; of an empty list the initial one.

    >>> from kolam import fractal as ops
    >>> ops.foldr(lambda s, x: x - s, ops.FractalTensor([1, 2, 3]), initializer=0).item()
    2

    Without either throws `[list-empty]`.
    """
    return _last_state("foldr", f, xs, initializer, named, True)


scanl, foldl = scan, fold


@checks_arguments
def reduce(f, xs, initializer=None, **named):
    """The elements combined by f, which is associative: chunks of 64 from the left, chunks pairwise, the initial value first.

    >>> from kolam import fractal as ops
    >>> ops.reduce(ops.maximum, ops.FractalTensor([1, 5, 3])).item()
    5

    Where the initial value is of another type than the elements, it is a `fold`. Of an empty list it is the result; without
    one an empty list throws `[list-empty]`.
    """
    xs = as_list("reduce", xs)
    _check("reduce", f, named, 2)
    lists, inits = list_parts(xs), []
    structure = element_structure(xs.parts)
    if initializer is not None:
        inits = _as_elements(initializer, structure, lists)
        if inits is None:
            return _scan("reduce", f, xs, initializer, named, False)[0]
    step = _Step("reduce", structure)

    def merge(values):
        half = len(values) // 2
        given = f(element_from(xs.parts, values[:half]), element_from(xs.parts, values[half:]), **named)
        return step.values_of(given, values[:half])

    out = _kolam._list_reduce(inits, lists, merge)
    return unflatten(step.found, out)


def _as_elements(initializer, structure, lists):
    """The parts of an initial value that is like an element; else None. A number takes the dtype of the elements."""
    inits, found = flatten(initializer)
    if describe(found) != describe(structure):
        return None
    inits = [_as_element(init, inner) for init, inner in zip(inits, lists, strict=True)]
    return None if any(init is None for init in inits) else inits


def _as_element(init, inner):
    if is_list(init):
        agrees = (init.depth, init.dtype, tuple(init.leaf_shape)) == (inner.depth - 1, inner.dtype, tuple(inner.leaf_shape))
        return init if agrees else None
    if inner.depth > 1:
        return None
    if type(init) in (int, float):
        return _fitted(init, inner)
    array = kolam.asarray(init)
    return array if (as_dtype(array.dtype), tuple(array.shape)) == (inner.dtype, tuple(inner.leaf_shape)) else None


def _fitted(number, inner):
    """The number as a leaf; a float is none of integers."""
    if tuple(inner.leaf_shape) != () or (type(number) is float and inner.dtype.kind != "float"):
        return None
    try:
        return kolam.full((), number, dtype=inner.dtype)
    except KolamError as error:
        words = f"argument 'initializer': expected a number that {inner.dtype} holds, but got {number!r}"
        raise type(error).make("reduce", error.slug, words) from None


@checks_arguments
def dilated_map(f, xs, dilation, **named):
    """f on each of `dilation` strided sub-lists x[r], x[r + dilation], ...; results are put back in the order of xs.

    >>> from kolam import fractal as ops
    >>> ops.dilated_map(lambda row: ops.scan(ops.add, row), ops.FractalTensor([0, 1, 2, 3, 4]), 2).to_list()
    [0, 1, 2, 4, 6]

    `f` gives a list as long as it takes, or a tuple of such lists. Throws `[list-type]` where it gives tensors, and
    `[list-lengths]`.
    """
    _check("dilated_map", f, named, 1)

    def checked(row):
        given = f(row, **named)
        lists = [part for part in flatten(given)[0] if is_list(part)]
        _kolam._list_require_one_length([list_parts(row)[0], *lists], "dilated_map")
        return given

    rows = _mapped("dilated_map", checked, strided("dilated_map", xs, dilation), {})
    return _each_list(lambda inner: interleave(inner, dilation), rows)


def _check(name, f, named, count, argument="f"):
    """Refuses what can't be called with a state, where there is one, and an element."""
    check_callable(name, argument, f, count, named)


def _mapped(name, f, xs, named, argument="f"):
    """f of each element."""
    xs = as_list(name, xs)
    _check(name, f, named, 1, argument)
    results = []

    def body(values):
        leaves, structure = flatten(f(element_from(xs.parts, values), **named))
        _require_values(name, leaves, structure, argument)
        results.append(structure)
        return leaves

    lists = _kolam._list_map(name, list_parts(xs), body)
    return deepen(results[0], iter(lists))


def _require_values(name, leaves, structure, argument="f"):
    if not leaves:
        raise KolamTypeError.make(
            name, "not-an-array", f"expected {argument} to give a tensor, a list or a tuple of them, but got {structure}"
        )


class _Step:
    """What a body that takes a state gives, which is of the same structure."""

    def __init__(self, name, structure):
        self.name, self.structure, self.found = name, structure, None

    def values_of(self, state, taken):
        """The leaves of the state that a body gives, which took the leaves `taken`."""
        leaves, self.found = flatten(state)
        _require_values(self.name, leaves, self.found)
        if describe(self.found) != describe(self.structure):
            expected, given = describe(self.structure, taken), describe(self.found, leaves)
            raise KolamTypeError.make(
                self.name, "carry-mismatch", f"expected f to give a state of the structure {expected}, but got {given}"
            )
        return leaves


def _states(name, f, xs, initializer, named, reverse, associative):
    if initializer is not None:
        return _scan(name, f, xs, initializer, named, reverse, associative)[1]
    xs = as_list(name, xs)
    _check(name, f, named, 2)
    return _scan_from_element(name, f, xs, named, reverse, associative)


def _last_state(name, f, xs, initializer, named, reverse):
    if initializer is not None:
        return _scan(name, f, xs, initializer, named, reverse)[0]
    xs = as_list(name, xs)
    _check(name, f, named, 2)
    return _fold_from_element(name, f, xs, named, reverse)


def _scan(name, f, xs, initializer, named, reverse, associative=False, after_first=False):
    """(last state, all states)."""
    xs = as_list(name, xs)
    _check(name, f, named, 2)
    inits, structure = flatten(initializer)
    _require_initial(name, inits, structure)
    count, step = len(inits), _Step(name, structure)

    def body(values):
        state = unflatten(structure, values[:count])
        return step.values_of(f(state, element_from(xs.parts, values[count:]), **named), values[:count])

    final, states = _kolam._list_scan(name, inits, list_parts(xs), body, reverse, associative, after_first)
    return unflatten(step.found, final), deepen(step.found, iter(states))


def _require_initial(name, inits, structure):
    if not inits:
        raise KolamTypeError.make(
            name, "not-an-array", f"argument 'initializer': expected a tensor, a list or a tuple of them, but got {structure}"
        )


def _fold_from_element(name, f, xs, named, reverse):
    """The last state, which starts as the first element of the walk."""
    _kolam._list_require(
        _kolam.greater(kolam.asarray(length(xs)), 0), "list-empty",
        "expected an element or an initial value, but got an empty list", name,
    )  # fmt: skip
    start, rest = (last(xs), xs[:-1]) if reverse else (first(xs), xs[1:])
    return _scan(name, f, rest, start, named, reverse, after_first=True)[0]


def _scan_from_element(name, f, xs, named, reverse, associative):
    """All states, of which the first is the first element of the walk; of an empty list none."""
    lists = list_parts(xs)
    _kolam._list_require_one_length(lists)
    start = element_from(xs.parts, [_kolam._list_end(inner, -1 if reverse else 0) for inner in lists])
    rest, one = (xs[:-1], xs[-1:]) if reverse else (xs[1:], xs[:1])
    inner, structure = flatten(_scan(name, f, rest, start, named, reverse, associative, after_first=True)[1])
    return unflatten(structure, _kolam._list_join([inner, list_parts(one)] if reverse else [list_parts(one), inner]))


def _each_list(function, value):
    """`function` of each list in the tuples that a body gave."""
    leaves = []
    structure = pytree.flatten(value, leaves, lambda part: isinstance(part, FractalTensor))
    return unflatten(structure, [function(leaf) for leaf in leaves])
