"""Derivatives of associative_scan and of reductions by users' monoids, beside recurrences by hand."""

import ml_dtypes
import numpy as np
import pytest
from derivatives.checks import assert_same_bits

import kolam as ko

F64 = {"dtype": ko.float64}


def both(f, *args, argnums=0):
    """The gradients, of up to two chunks the same bits natively and in the interpreter, which takes its time."""
    if len(args[0]) > 5000:
        return ko.grad(f, argnums=argnums)(*args)
    native, interpreted = (ko.jit(ko.grad(f, argnums=argnums), backend=backend)(*args) for backend in ("cpu", "interpret"))
    assert_same_bits(native, interpreted, "native")
    return native


def drawn(*shape, seed=0):
    return np.random.default_rng(seed).uniform(-0.1, 0.1, shape)


def affine(a, b):
    """x -> b[0] x + b[1] after x -> a[0] x + a[1]."""
    return a[0] * b[0], a[1] * b[0] + b[1]


def in_turn(f, xs):
    """out[i] = f(out[i - 1], x[i])"""
    outs = [xs[0]]
    for x in xs[1:]:
        outs.append(f(outs[-1], x))
    return np.stack(outs)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("length", [1, 2, 4096, 4097, 8193])
def test_of_single_elements_around_chunks(length, reverse):
    """L[i] = v[i] + (1 + x[i + 1]) L[i + 1] and x~[i] = (1 + out[i - 1]) L[i] of f(a, b) = a + b + a b."""
    x, v = drawn(length), drawn(length, seed=1)
    found = np.asarray(both(lambda x, v: ko.sum(ko.associative_scan(lambda a, b: a + b + a * b, x, reverse=reverse) * v), x, v))
    turned = slice(None, None, -1 if reverse else 1)
    xs, vs, found = x[turned], v[turned], found[turned]
    outs = in_turn(lambda a, b: a + b + a * b, xs)
    adjoints = vs.copy()
    for i in range(length - 2, -1, -1):
        adjoints[i] += (1 + xs[i + 1]) * adjoints[i + 1]
    np.testing.assert_allclose(found, adjoints * np.concatenate([[1.0], 1 + outs[:-1]]), rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("length", [1, 3, 4096, 4097, 9000])
def test_of_pairs_around_chunks(length):
    a, b, v = 1 + drawn(length, 2), drawn(length, 2, seed=1), drawn(length, 2, seed=2)
    loss = lambda a, b, v: ko.sum(ko.associative_scan(affine, (a, b))[1] * v)  # noqa: E731
    of_a, of_b = map(np.asarray, both(loss, a, b, v, argnums=(0, 1)))
    states = np.zeros_like(b)
    for i in range(length):
        states[i] = b[i] + (a[i] * states[i - 1] if i else 0)
    adjoint, expected = np.zeros(2), np.zeros_like(b)
    for i in range(length - 1, -1, -1):
        adjoint = v[i] + (a[i + 1] * adjoint if i + 1 < length else 0)
        expected[i] = adjoint
    scale = np.abs(expected).max()
    np.testing.assert_allclose(of_b, expected, rtol=1e-9, atol=1e-11 * scale)
    np.testing.assert_allclose(of_a[1:], expected[1:] * states[:-1], rtol=1e-9, atol=1e-9 * np.abs(expected[1:] * states[:-1]).max(initial=1e-9))


@pytest.mark.parametrize("places", [(10, 11), (11, 10), (10, 4000), (4000, 10), (4094, 4095), (4095, 4094)])
def test_a_zero_beside_an_infinity(places):
    """What a recurrence step by step gives, also at the border of chunks."""
    rng = np.random.default_rng(0)
    factors, terms = rng.uniform(0.9, 1.0, 4097), rng.standard_normal(4097)
    factors[list(places)] = 0.0, np.inf
    running = lambda a, b: ko.associative_scan(affine, (a, b))[1]  # noqa: E731

    def stepwise(a, b):
        rows = ko.scan(lambda s, x: ((after := affine(s, x)), after[1]), (a[0], b[0]), (a[1:], b[1:]))[1]
        return ko.concat([b[:1], rows])

    for length in (4096, 4097):
        given = factors[:length], terms[:length]
        own, other = (both(lambda a, b, f=f: ko.sum(f(a, b)[:4096]), *given, argnums=(0, 1)) for f in (running, stepwise))
        for found, expected in zip(own, other, strict=True):
            np.testing.assert_allclose(np.asarray(found)[1:], np.asarray(expected)[1:], rtol=1e-9)


def test_of_matrices_step_by_step():
    """Prefix products, whose factors' cotangents are products of what lies on both sides."""
    x, v = np.eye(3) + drawn(20, 3, 3), drawn(20, 3, 3, seed=1)
    found = np.asarray(both(lambda x, v: ko.sum(ko.associative_scan(lambda a, b: a @ b, x) * v), x, v))
    prefix = in_turn(np.matmul, x)
    adjoint, expected = np.zeros((3, 3)), np.zeros_like(x)
    for i in range(19, -1, -1):
        adjoint = v[i] + (adjoint @ x[i + 1].T if i < 19 else 0)
        expected[i] = prefix[i - 1].T @ adjoint if i else adjoint
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)


def test_instances_have_the_bits_of_single_calls():
    a, b = 1 + drawn(3, 50), drawn(3, 50, seed=1)
    single = ko.grad(lambda a, b: ko.sum(ko.associative_scan(affine, (a, b))[1]), argnums=(0, 1))
    expected = [np.stack(each) for each in zip(*[[np.asarray(g) for g in single(*call)] for call in zip(a, b, strict=True)], strict=True)]
    assert_same_bits(ko.vmap(single)(a, b), expected, "instances")


MOMENTS = ko.Monoid(
    zero=(ko.asarray(0.0, **F64), ko.asarray(0.0, **F64), ko.asarray(0)), wrap=lambda x: (x, x * x, ko.asarray(1)), merge=lambda a, b: (a[0] + b[0], b[1] + a[1], a[2] + b[2]),
    unwrap=lambda s: s[1] / s[2].astype(ko.float64) - (s[0] / s[2].astype(ko.float64)) ** 2, name="variance", commutative=True,
)  # fmt: skip


def largest_first(a, b):
    most = ko.maximum(a[0], b[0])
    return most, a[1] * ko.exp(a[0] - most) + b[1] * ko.exp(b[0] - most)


SOFT = ko.Monoid(
    zero=(ko.asarray(-1e300, **F64), ko.asarray(0.0, **F64)), wrap=lambda x: (x, 1.0 + 0.0 * x), merge=largest_first, unwrap=lambda s: s[0] + ko.log(s[1]), name="logsumexp",
)  # fmt: skip
PRODUCT = ko.Monoid(zero=ko.asarray(1.0, **F64), merge=lambda a, b: a * b, name="product")


def test_sums_are_spread():
    """No state is kept one by one where each adds up."""
    x = np.random.default_rng(0).standard_normal((5, 7))
    loss = lambda x: ko.sum(ko.reduce(x, MOMENTS, axis=1) ** 2)  # noqa: E731
    variance = x.var(axis=1, keepdims=True)
    expected = 2 * variance * 2 * (x - x.mean(axis=1, keepdims=True)) / 7
    np.testing.assert_allclose(np.asarray(both(loss, x)), expected, rtol=1e-10, atol=1e-12)
    assert "kolam.scan" not in ko.jit(ko.grad(loss)).lower(x).as_text()


@pytest.mark.parametrize("axis", [0, 1, (0, 1), None])
def test_other_merges_see_what_lies_on_both_sides(axis):
    x = np.random.default_rng(1).standard_normal((5, 7))
    found = np.asarray(both(lambda x: ko.sum(ko.reduce(x, SOFT, axis=axis)), x))
    shares = np.exp(x) / np.exp(x).sum(axis=axis, keepdims=True)
    np.testing.assert_allclose(found, shares, rtol=1e-12)


def test_products_are_right_with_zeros():
    x = np.array([[2.0, 0.0, 3.0, 4.0], [0.0, 0.0, 1.0, 2.0], [1.0, 2.0, 3.0, 4.0]])
    found = np.asarray(both(lambda x: ko.sum(ko.reduce(x, PRODUCT, axis=1)), x))
    assert found.tolist() == [[0.0, 24.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [24.0, 12.0, 8.0, 6.0]]


@pytest.mark.parametrize("length", [0, 1, 4097])
def test_lengths(length):
    x = 1 + drawn(length) / 100
    found = np.asarray(both(lambda x: ko.reduce(x, PRODUCT), x))
    np.testing.assert_allclose(found, np.prod(x) / x, rtol=1e-10)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, ml_dtypes.bfloat16])
def test_the_value_keeps_its_bits(dtype):
    x = np.random.default_rng(2).standard_normal((3, 300)).astype(dtype)
    total = ko.Monoid(zero=ko.asarray(np.zeros((), dtype)), merge=lambda a, b: a + b, wrap=lambda x: x * x, unwrap=lambda s: s * s, name="total")
    for backend in ("cpu", "interpret"):
        plain = ko.jit(lambda x: ko.sum(ko.reduce(x, total, axis=1)), backend=backend)
        value, _ = ko.jit(ko.value_and_grad(lambda x: ko.sum(ko.reduce(x, total, axis=1))), backend=backend)(x)
        assert_same_bits(value, plain(x), backend)
