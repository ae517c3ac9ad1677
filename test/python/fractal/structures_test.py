"""States keep their structure: the same class, the same names of fields and keys; errors show both."""

import collections
import dataclasses
from typing import Any, NamedTuple

import numpy as np
import pytest

import kolam as ko
from kolam import fractal as ops
from kolam.fractal import FractalTensor

XS = FractalTensor([1, 2, 3])


class A(NamedTuple):
    h: Any
    c: Any


class B(NamedTuple):
    c: Any
    h: Any


@dataclasses.dataclass
class P:
    h: Any
    c: Any


@dataclasses.dataclass
class Q:
    c: Any
    h: Any


def turned(s):
    """The same values by other names."""
    if isinstance(s, A | P):
        return (B if isinstance(s, A) else Q)(c=s.c, h=s.h)
    if isinstance(s, dict):
        return {"b": s["b"], "c": s["a"]}
    return (list if isinstance(s, tuple) else tuple)(s)


#: state, its text, the text of what the body gives
STATES = {
    "named tuples": (A(1, 0), "A(h=*, c=*)", "B(c=*, h=*)"),
    "dataclasses": (P(1, 0), "P(h=*, c=*)", "Q(c=*, h=*)"),
    "keys": ({"a": 1, "b": 0}, "{'a': *, 'b': *}", "{'b': *, 'c': *}"),
    "a list for a tuple": ((1, 0), "(*, *)", "[*, *]"),
    "a tuple for a list": ([1, 0], "[*, *]", "(*, *)"),
}
FUNCTIONS = {
    "scan": lambda state, body: ops.scan(lambda s, x: body(s), XS, initializer=state),
    "scanr": lambda state, body: ops.scanr(lambda s, x: body(s), XS, initializer=state),
    "fold": lambda state, body: ops.fold(lambda s, x: body(s), XS, initializer=state),
    "foldr": lambda state, body: ops.foldr(lambda s, x: body(s), XS, initializer=state),
    "reduce": lambda state, body: ops.reduce(lambda s, x: body(s), XS, initializer=state),
    "fori_loop": lambda state, body: ko.fori_loop(0, 3, lambda i, s: body(s), state),
    "while_loop": lambda state, body: ko.while_loop(lambda s: False, body, state),
    "ko.scan": lambda state, body: ko.scan(lambda s, x: (body(s), x), state, np.ones(3)),
    "cond": lambda state, body: ko.cond(True, body, lambda s: s, state),
    "switch": lambda state, body: ko.switch(1, [lambda s: s, lambda s: s, body], state),
}
ON_LISTS = ("scan", "scanr", "fold", "foldr", "reduce")  # these say the types too


def refused(call):
    """The words of the error at once, and of the same when traced."""
    found = []
    for run in (call, ko.jit(call)):
        with pytest.raises(ko.KolamError) as info:
            run()
        found.append(str(info.value).splitlines()[0])
        assert info.value.where[0] == __file__
    assert found[0] == found[1]
    return found[0]


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_state_of_another_structure_is_refused(function, state):
    given, expected, actual = STATES[state]
    words = refused(lambda: FUNCTIONS[function](given, turned))
    slug = "branch-mismatch" if function in ("cond", "switch") else "carry-mismatch"
    assert f"[{slug}]" in words
    if function in ON_LISTS:
        expected, actual = expected.replace("*", "int32[]"), actual.replace("*", "int32[]")
    assert f"{expected}, but got {actual}" in words


def test_reductions_of_tuples_keep_their_class():
    xs = FractalTensor([A(1, 2), A(3, 4)])
    words = refused(lambda: ops.reduce(lambda a, b: turned(a), xs))
    assert words.endswith("expected f to give a state of the structure A(h=int32[], c=int32[]), but got B(c=int32[], h=int32[])")


def test_what_associative_scan_and_monoids_combine_keeps_its_names():
    x = np.arange(3, dtype=np.float32)
    state = {"a": x, "b": x}
    words = refused(lambda: ko.associative_scan(lambda a, b: turned(a), state))
    assert "expected structure {'a': *, 'b': *}, but got {'b': *, 'c': *}" in words
    words = refused(lambda: ko.associative_scan(lambda a, b: a, state, identity={"a": 0.0, "c": 0.0}))
    assert "[carry-mismatch] argument 'identity': expected structure {'a': *, 'b': *}, but got {'a': *, 'c': *}" in words
    zero = {"a": np.float32(0), "b": np.float32(0)}
    good = {"zero": zero, "merge": lambda a, b: a, "wrap": lambda x: {"a": x, "b": x}}
    bad = {"merge": lambda a, b: turned(a), "wrap": lambda x: {"b": x, "c": x}, "wrap_all": lambda x: {"b": x, "c": x}}
    for part, function in bad.items():
        words = refused(lambda: ko.reduce([x], ko.Monoid(**{**good, part: function}, name="pair")))
        assert words == (
            f"reduce: [monoid-state] expected {part} of monoid 'pair' to give a state as zero, {{'a': *, 'b': *}}, "
            "but got {'b': *, 'c': *}"
        )


def test_equal_structures_pass():
    """Keys in another order, factories of their own, zips for tuples of lists."""
    result = ops.fold(lambda s, x: {"b": s["b"], "a": s["a"] + x}, XS, initializer={"a": 0, "b": 1})
    assert (result["a"].item(), result["b"].item()) == (6, 1)
    fresh = lambda a: collections.defaultdict(lambda: 0, {"a": a})  # noqa: E731
    assert ops.fold(lambda s, x: fresh(s["a"] + x), XS, initializer=fresh(0))["a"].item() == 6
    ys, _ = ops.fold(lambda s, x: ops.zip(*s), XS, initializer=(XS, XS))
    assert ys.to_list() == [1, 2, 3]


def test_joined_tuples_show_their_classes():
    one, other = FractalTensor([A(1, 2)]), FractalTensor([B(1, 2)])
    assert refused(lambda: ops.join(one, other)) == (
        "join: [list-type] argument 'xs[1]': expected tuples as xs[0] has, A(h=list<int32[]>, c=list<int32[]>), "
        "but got B(c=list<int32[]>, h=list<int32[]>)"
    )
    nested, flat = FractalTensor([[(1, 2)]]), FractalTensor([([1], [2])])
    assert refused(lambda: ops.join(nested, flat)).endswith(
        "lists of (list<list<int32[]>>, list<list<int32[]>>), but got (list<list<int32[]>>, list<list<int32[]>>)"
    )


def test_an_initial_value_of_another_dtype_makes_a_reduction_a_fold():
    small = ops.FractalTensor([1e-8] * 4, dtype=np.float32)
    for one in (np.float64(1), np.array(1.0)):
        total = ops.reduce(lambda s, x: s + x, small, initializer=one)
        assert total.dtype == ko.float64 and total.item() == 1 + 4 * float(np.float32(1e-8))
    assert ops.reduce(ops.add, small, initializer=1.0).dtype == ko.float32  # a number takes the dtype of the elements


PAIRS = {
    "named tuple": (A, lambda e: e.h * 2 + e.c),
    "dataclass": (P, lambda e: e.h * 2 + e.c),
}


@pytest.mark.parametrize("compiled", [lambda f: f, lambda f: ko.jit(f, backend="interpret"), ko.jit], ids=["eager", "interpret", "cpu"])
@pytest.mark.parametrize("cls, value", PAIRS.values(), ids=PAIRS.keys())
def test_functions_take_what_they_give(cls, value, compiled):
    pairs_of = lambda xs: ops.map(lambda x: cls(x, x + 10), xs)
    assert compiled(lambda xs: ops.map(value, pairs_of(xs)))(XS).to_list() == [13, 16, 19]
    assert compiled(lambda xs: ops.fold(lambda s, e: s + value(e), pairs_of(xs), initializer=0))(XS).item() == 48
    kept = compiled(lambda xs: ops.filter(lambda e: e.h > 1, pairs_of(xs)))(XS)
    assert kept == FractalTensor([cls(2, 12), cls(3, 13)])


@pytest.mark.parametrize("compiled", [lambda f: f, lambda f: ko.jit(f, backend="interpret"), ko.jit], ids=["eager", "interpret", "cpu"])
@pytest.mark.parametrize("make", [A, P, lambda h, c: (h, c)], ids=["named tuple", "dataclass", "tuple"])
def test_states_may_be_lists_of_tuples(make, compiled):
    def step(state, x):
        return ops.map(lambda e: make(*(part + x for part in (e if isinstance(e, tuple) else (e.h, e.c)))), state)

    last = compiled(lambda xs, pairs: ops.fold(step, xs, initializer=pairs))(XS, FractalTensor([make(1, 2), make(3, 4)]))
    first, second = last if isinstance(last, tuple) else (last.h, last.c)
    assert (first.to_list(), second.to_list()) == ([7, 9], [8, 10])


def test_a_zip_is_a_list_of_tuples():
    pairs, zipped = FractalTensor([(1, 4), (2, 5), (3, 6)]), ops.zip(XS, FractalTensor([4, 5, 6]))
    assert zipped == pairs and pairs == zipped and zipped.is_same_type(pairs)
    assert zipped != FractalTensor([A(1, 4), A(2, 5), A(3, 6)])


@pytest.mark.parametrize("call, words", [
    (lambda: ops.map(lambda e: e.h, P(XS, XS[:2])), r"\[list-lengths\] expected lists of one length, but got 3 and 2"),
    (lambda: ops.map(lambda e: e.h, P(XS, 2)), r"map: \[not-a-list\] argument 'xs': expected a FractalTensor, but got a P"),
    (lambda: ops.map(lambda e: e[0], (XS, 2)), r"map: \[not-a-list\] .* but got a tuple; zip\(\*xs\) reads lists side by side"),
    (lambda: ops.map(lambda e: e[0], (XS, XS[:2])), r"\[list-lengths\] expected lists of one length, but got 3 and 2"),
    (lambda: ops.map(lambda e: e.h, P), r"map: \[not-a-list\] .* but got a type"),
])  # fmt: skip
def test_what_is_no_list_of_tuples(call, words):
    with pytest.raises((TypeError, ValueError), match=words):
        call()


@pytest.mark.parametrize("compiled", [lambda f: f, ko.jit], ids=["eager", "cpu"])
def test_zips_of_zips_unpack(compiled):
    def program(xs):
        (a, b), c = ops.zip(ops.zip(xs, ops.reverse(xs)), xs[:])
        return a, b, c

    assert [list(part) for part in compiled(program)(XS)] == [[1, 2, 3], [3, 2, 1], [1, 2, 3]]
