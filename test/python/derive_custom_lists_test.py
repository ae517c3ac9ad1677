"""Rules of custom functions over lists, in the bodies of lists and in kernels; checkpoints over lists."""

import numpy as np
import pytest

import kolam as ko
from kolam import fractal
from kolam import pallas as pl
from kolam.fractal import FractalTensor

XS = FractalTensor([[1.0, 2.0], [], [3.0]])
FLAT = FractalTensor([1.0, 2.0, 3.0])


def scaled(xs, factor):
    return fractal.map(lambda x: x * factor, xs) if xs.depth == 1 else fractal.map(lambda row: scaled(row, factor), xs)


def total(xs):
    return fractal.fold(lambda sum, x: sum + (x if xs.depth == 1 else total(x)), xs, ko.zeros(()))


def by_vjp():
    """Twice the list, with ten times its gradient."""
    f = ko.custom_vjp(lambda xs: scaled(xs, 2))
    f.defvjp(lambda xs: (scaled(xs, 2), xs), lambda xs, v: (scaled(v, 20),))
    return f


def by_jvp():
    f = ko.custom_jvp(lambda xs: scaled(xs, 2))
    f.defjvp(lambda primals, tangents: (scaled(primals[0], 2), scaled(tangents[0], 20)))
    return f


BOTH = pytest.mark.parametrize("make", [by_vjp, by_jvp])
LISTS = pytest.mark.parametrize("xs", [FLAT, XS], ids=["flat", "nested"])


@BOTH
@LISTS
def test_a_list_to_a_list(make, xs):
    f = make()
    assert str(f(xs)) == str(scaled(xs, 2))
    assert str(ko.grad(lambda xs: total(f(xs)))(xs)) == str(ones(xs, 20))
    value, tangent = ko.jvp(f, (xs,), (xs,))
    assert str(value) == str(scaled(xs, 2)) and str(tangent) == str(scaled(xs, 20))
    assert str(ko.vjp(f, xs)[1](xs)[0]) == str(scaled(xs, 20))
    assert str(ko.jit(ko.grad(lambda xs: total(f(xs))))(xs)) == str(ones(xs, 20))


def ones(xs, factor):
    """The factor in the place of each number."""
    return fractal.map(lambda x: x * 0 + factor, xs) if xs.depth == 1 else fractal.map(lambda row: ones(row, factor), xs)


@LISTS
def test_a_list_and_an_array_of_which_one_has_no_cotangent(xs):
    f = ko.custom_vjp(lambda xs, w: (scaled(xs, w), w * 3))
    f.defvjp(lambda xs, w: ((scaled(xs, w), w * 3), (xs, w)), lambda kept, v: (None, total(v[0]) + v[1] * 5))
    of_list, of_weight = ko.grad(lambda xs, w: total(f(xs, w)[0]) + f(xs, w)[1], argnums=(0, 1))(xs, 2.0)
    assert str(of_list) == str(ones(xs, 0)) and of_weight.item() == 3 + 5
    g = ko.custom_vjp(lambda xs, w: (scaled(xs, w), w * 3))
    g.defvjp(lambda xs, w: ((scaled(xs, w), w * 3), None), lambda kept, v: (v[0], None))
    of_list, of_weight = ko.grad(lambda xs, w: g(xs, w)[1], argnums=(0, 1))(xs, 2.0)  # the list has no cotangent
    assert str(of_list) == str(ones(xs, 0)) and of_weight.item() == 0


def test_a_list_of_integers_gets_and_gives_none():
    numbers = FractalTensor([np.int32(2), np.int32(0)])

    def picked(table, numbers):
        return fractal.map(lambda number: ko.take(table, number, axis=0), numbers)

    f = ko.custom_jvp(picked)

    @f.defjvp
    def rule(primals, tangents):
        assert tangents[1] is None
        return picked(*primals), scaled(picked(tangents[0], primals[1]), 10)

    assert ko.grad(lambda table: total(f(table, numbers)))(ko.asarray([1.0, 2.0, 3.0])).tolist() == [10, 0, 10]


def sine(kind):
    """The sine, with twice its derivative."""
    if kind == "jvp":
        f = ko.custom_jvp(ko.sin)
        f.defjvp(lambda primals, tangents: (ko.sin(primals[0]), 2 * ko.cos(primals[0]) * tangents[0]))
    else:
        f = ko.custom_vjp(ko.sin)
        f.defvjp(lambda x: (ko.sin(x), x), lambda x, v: (2 * ko.cos(x) * v,))
    return f


KINDS = pytest.mark.parametrize("kind", ["jvp", "vjp"])
ROWS = [np.linspace(0.1, 1, length) for length in (3, 1, 4)]


@KINDS
def test_in_the_bodies_of_lists(kind):
    f = sine(kind)
    xs = FractalTensor([FractalTensor(list(row)) for row in ROWS])
    zero = lambda: ko.zeros((), dtype=ko.float64)  # noqa: E731
    mapped = ko.grad(lambda xs: fractal.fold(lambda s, row: s + fractal.fold(lambda s, x: s + f(x), row, zero()), xs, zero()))(xs)
    np.testing.assert_allclose(np.asarray(fractal.flatten(mapped)), 2 * np.cos(np.concatenate(ROWS)), rtol=1e-12)
    states = lambda h, x: f(h) + x  # noqa: E731
    row = FractalTensor(list(ROWS[0]))
    scanned = ko.grad(lambda xs: fractal.fold(states, xs, zero()))(row)
    h = [0.0]
    for x in ROWS[0]:
        h.append(np.sin(h[-1]) + x)
    slopes = [4 * np.cos(h[1]) * np.cos(h[2]), 2 * np.cos(h[2]), 1.0]
    np.testing.assert_allclose(np.asarray(fractal.stack(scanned)), slopes, rtol=1e-12)


@KINDS
def test_in_a_kernel(kind):
    f = sine(kind)

    def body(x_ref, o_ref):
        o_ref[...] = f(x_ref[...]) * 3

    spec = pl.BlockSpec((4,), lambda i: (i,))
    call = pl.pallas_call(body, out_shape=ko.ShapeDtypeStruct((8,), ko.float64), grid=(2,), in_specs=[spec], out_specs=spec)
    x = np.linspace(0, 2, 8)
    np.testing.assert_allclose(np.asarray(ko.grad(lambda x: ko.sum(call(x)))(x)), 6 * np.cos(x), rtol=1e-12)
    np.testing.assert_allclose(np.asarray(ko.jvp(call, (x,), (x,))[1]), 6 * np.cos(x) * x, rtol=1e-12)


@LISTS
def test_checkpoints_over_lists_have_the_same_bits(xs):
    def f(xs):
        return fractal.map(lambda x: ko.sin(ko.exp(x)), xs) if xs.depth == 1 else fractal.map(f, xs)

    plain = ko.grad(lambda xs: total(f(xs)))(xs)
    assert str(ko.grad(lambda xs: total(ko.checkpoint(f)(xs)))(xs)) == str(plain)
    assert str(ko.jit(ko.grad(lambda xs: ko.checkpoint(lambda xs: total(f(xs)))(xs)))(xs)) == str(plain)


@LISTS
def test_rules_of_single_arguments_that_give_lists(xs):
    """Parts that are lists are added number by number."""
    f = ko.custom_jvp(lambda xs, w: (scaled(xs, w), w * 2))
    f.defjvps(lambda t, value, xs, w: (scaled(t, 5), None), lambda t, value, xs, w: (scaled(xs, 7 * t), 3 * t))
    for around in (lambda g: g, ko.jit):
        tangents = around(lambda xs, w: ko.jvp(f, (xs, w), (xs, w))[1])(xs, np.float32(2))
        assert str(tangents[0]) == str(scaled(xs, 5 + 14)) and tangents[1].item() == 6
        of_list, of_weight = around(ko.grad(lambda xs, w: total(f(xs, w)[0]) + f(xs, w)[1], argnums=(0, 1)))(xs, np.float32(2))
        assert str(of_list) == str(ones(xs, 5)) and of_weight.item() == 3 + 7 * 6
