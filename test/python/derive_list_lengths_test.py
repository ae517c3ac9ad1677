"""Tangents and cotangents of lists have the lengths of these: at once and in a trace, at every level."""

import pathlib

import numpy as np
import pytest

import kolam as ko
from kolam import fractal as ops
from kolam.fractal import FractalTensor

FLAT, NESTED = FractalTensor([1.0, 2.0]), FractalTensor([[1.0, 2.0], [3.0]])
SHORT, LONG, MOVED = FractalTensor([5.0]), FractalTensor([5.0, 6.0, 7.0]), FractalTensor([[1.0], [2.0, 3.0]])


def square(xs):
    return ops.forall(lambda x: x * x, xs)


def twice(xs):
    return ops.forall(lambda x: x * 2, xs)


#: name: (call of a list and what is no tangent of it, the function that errors name, path)
CALLS = {
    "vjp": (lambda xs, t: ko.vjp(square, xs)[1](t), "vjp", "cotangent"),
    "jvp": (lambda xs, t: ko.jvp(square, (xs,), (t,)), "jvp", "tangents[0]"),
    "linearize": (lambda xs, t: ko.linearize(square, xs)[1](t), "linearize", "tangents[0]"),
    "linear_transpose": (lambda xs, t: ko.linear_transpose(twice, xs)(t), "linear_transpose", "cotangent"),
    "trees": (lambda xs, t: ko.jvp(lambda tree: square(tree["a"][0]), ({"a": [xs]},), ({"a": [t]},)), "jvp", 'tangents[0]["a"][0]'),
    "a tree of results": (lambda xs, t: ko.vjp(lambda xs: {"a": [xs, square(xs)]}, xs)[1]({"a": [None, t]}), "vjp", 'cotangent["a"][1]'),
}  # fmt: skip
#: (list, given, what is said)
GIVEN = [
    (FLAT, SHORT, "expected 2 elements, but got 1"),
    (FLAT, LONG, "expected 2 elements, but got 3"),
    (NESTED, MOVED, "expected 2 elements, but got 1 (at [0])"),
    (NESTED, FractalTensor([[1.0, 2.0]]), "expected 2 elements, but got 1"),
]  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("number", range(len(GIVEN)))
@pytest.mark.parametrize("backend", [None, "cpu", "interpret"])
def test_other_lengths(name, number, backend):
    (call, function, path), (xs, given, words) = CALLS[name], GIVEN[number]
    with pytest.raises(ko.KolamError) as info:
        (ko.jit(call, backend=backend) if backend else call)(xs, given)
    assert info.value.slug == "tangent-mismatch"
    if backend or name == "linear_transpose":
        assert str(info.value).startswith(f"jit: [tangent-mismatch] {function}: {path}: {words}"), str(info.value)
    else:
        assert str(info.value).startswith(f"{function}: [tangent-mismatch] {path}: {words}"), str(info.value)


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("xs", [FLAT, NESTED, FractalTensor([[], [1.0]]), FLAT[2:]])
def test_equal_lengths(name, xs):
    call, given = CALLS[name][0], ops.forall(lambda x: x + 1, xs)
    assert str(call(xs, given)) == str(ko.jit(call)(xs, given))


def test_a_pullback_that_is_called_in_a_trace():
    _, pullback = ko.vjp(square, FLAT)
    assert str(ko.jit(lambda t: pullback(t))(FLAT)[0]) == str(pullback(FLAT)[0])
    with pytest.raises(ko.KolamError, match=r"\[tangent-mismatch\] vjp: cotangent: expected 2 elements, but got 1"):
        ko.jit(lambda t: pullback(t))(SHORT)


def by_vjp(bwd):
    f = ko.custom_vjp(square)
    f.defvjp(lambda xs: (square(xs), xs), bwd)
    return f


def by_jvp(rule):
    f = ko.custom_jvp(square)
    f.defjvp(rule)
    return f


@pytest.mark.parametrize(("f", "words"), [
    (by_vjp(lambda xs, v: (v[1:],)), "custom_vjp: bwd, cotangent 0: expected 2 elements, but got 1"),
    (by_jvp(lambda primals, tangents: (square(*primals), tangents[0][1:])), "custom_jvp: the rule, tangent 0: expected 2 elements, but got 1"),
])  # fmt: skip
def test_rules_that_give_other_lengths(f, words):
    with pytest.raises(ko.KolamError) as info:
        ko.grad(lambda xs: ops.fold(lambda sum, x: sum + x, f(xs), np.float32(0)))(FLAT)
    assert info.value.slug == "custom-rule" and words in str(info.value)
    assert str(info.value).count("  at ") == 1 and pathlib.Path(__file__).name in str(info.value)


LINEAR = {
    "a slice": (lambda xs: xs[1:], FLAT, FLAT[:1], [0, 1]),
    "reversed": (ops.reverse, FLAT, FLAT, [2, 1]),
    "joined": (lambda xs: ops.join(xs, xs), FLAT, FractalTensor([1.0, 2.0, 3.0, 4.0]), [4, 6]),
    "nested": (twice, NESTED, NESTED, [2, 4, 6]),
    "times its length": (lambda xs: ops.map(lambda x: x * ops.len(xs), xs), FLAT, FLAT, [2, 4]),
}


@pytest.mark.parametrize("name", LINEAR)
def test_transposes_of_functions_that_read_lengths_alone(name):
    function, like, cotangent, expected = LINEAR[name]
    (found,) = ko.linear_transpose(function, like)(cotangent)
    assert np.asarray(ops.flatten(found) if name == "nested" else ops.stack(found)).tolist() == expected


@pytest.mark.parametrize("function", [
    lambda xs: ops.filter(lambda x: x > 1, xs),
    lambda xs: ops.map(lambda x: xs[ko.astype(x - 1, ko.int32)], xs),
    lambda xs: ops.map(lambda x: x * ops.len(ops.filter(lambda x: x > 1, xs)), xs),
])  # fmt: skip
def test_lengths_and_places_that_elements_decide_are_not_linear(function):
    with pytest.raises(ko.KolamError, match=r"\[not-linear\]"):
        ko.linear_transpose(function, FLAT)(FLAT)


def running(scan, **options):
    """The sum of the running products of a list, the first of which is its first element."""
    return lambda row: ops.fold(lambda a, b: a + b, scan(lambda s, x: s * x, row, **options), initializer=np.float64(0))


@pytest.mark.parametrize("backend", ["cpu", "interpret"])
@pytest.mark.parametrize("name, options", [("scan", {}), ("scan", {"associative": True}), ("scanr", {})])
def test_running_products_of_short_lists(name, options, backend):
    """Of one element the products are that, of none there are none."""
    of_row = running(getattr(ops, name), **options)
    total = lambda rows: ops.fold(lambda a, r: a + r, ops.map(of_row, rows), initializer=np.float64(0))  # noqa: E731
    for lists, expected in (([[2.0, 3.0], [4.0]], [[4, 2], [1]]), ([[2.0, 3.0], []], [[4, 2], []]), ([[], [5.0]], [[], [1]])):
        if name == "scanr":
            expected = [[3, 3] if len(row) == 2 else row for row in expected]
        rows = FractalTensor(lists, dtype="float64", depth=2, leaf_shape=())
        found = ko.jit(ko.grad(total), backend=backend)(rows)
        assert [[float(x) for x in row] for row in found] == expected
    assert [float(x) for x in ko.jit(ko.grad(of_row), backend=backend)(FractalTensor([7.0], dtype="float64"))] == [1]
