"""Derivatives beside what else jit takes: donated arguments, checks, captured arrays, static arguments, random keys."""

import numpy as np
import pytest
from derivatives import twins

import kolam as ko
from kolam import fractal as ops

RNG = np.random.default_rng(9)
X, W = RNG.standard_normal((32, 20)), RNG.standard_normal((20, 20))


def loss(params, x):
    return ko.sum(ko.tanh(x @ params["w"] + params["b"]) ** 2)


def step(params, x):
    value, gradient = ko.value_and_grad(loss)(params, x)
    return value, {name: params[name] - 0.1 * gradient[name] for name in params}


def test_donated_parameters_keep_every_bit():
    params = lambda: {"w": ko.asarray(W), "b": ko.zeros(20, dtype=ko.float64)}  # noqa: E731
    kept, expected = params(), ko.jit(step, backend="interpret")(params(), X)
    donated = ko.jit(step, donate_argnames="params")
    for _ in range(2):
        given = params()
        twins.assert_same(twins.arrays_of(donated(given, X)), twins.arrays_of(expected), "donated")
        with pytest.raises(ko.KolamError):
            given["w"] + 1
    twins.assert_same(twins.arrays_of(ko.jit(step)(kept, X)), twins.arrays_of(expected), "kept")
    assert kept["w"].shape == (20, 20)


def test_donated_lists_and_arrays_of_loops():
    def program(w, xs):
        return ko.value_and_grad(lambda w: ko.sum(ko.scan(lambda h, x: (ko.tanh(h @ w + x), None), ko.zeros(20, dtype=ko.float64), xs)[0]))(w)

    expected = twins.arrays_of(ko.jit(program)(ko.asarray(W), X))
    found = ko.jit(program, donate_argnames=("w", "xs"))(ko.asarray(W), ko.asarray(X))
    twins.assert_same(twins.arrays_of(found), expected, "donated")


def test_checks_of_the_derivative():
    """0.5 / sqrt(0) is infinite, and 0 times that no number."""
    gradient = ko.grad(lambda x, y: ko.sum(ko.sqrt(x) * y))
    x, ones = np.array([4.0, 0.0]), np.ones(2)
    checked = ko.jit(gradient, checks={"nan"})
    assert checked(x, ones).tolist() == [0.25, np.inf]
    with pytest.raises(ko.KolamError, match=r"\[nan-created\]"):
        ko.jit(ko.grad(lambda x: ko.sum(ko.log(x) * 0.0)), checks={"nan"})(np.array([-1.0]))
    outside = ko.jit(ko.grad(lambda x, i: ko.sum(ko.gather(x, i, (0,), (1,), mode="check"))), checks={"bounds"})
    assert outside(ones, np.array([[1]])).tolist() == [0, 1]
    with pytest.raises(ko.KolamError, match=r"\[index-out-of-range\]"):
        outside(ones, np.array([[2]]))


def test_large_captured_arrays_are_arguments_and_small_ones_constants():
    """Above 1 KiB what a function captures is no part of its code: the gradient is that of an argument, bit by bit."""
    large, small = RNG.standard_normal((20, 20)), RNG.standard_normal(20)
    assert large.nbytes > 1024 > small.nbytes
    captured = lambda x: ko.sum(ko.tanh(x @ ko.asarray(large) + ko.asarray(small)) ** 2)  # noqa: E731
    given = lambda x, w, b: ko.sum(ko.tanh(x @ w + b) ** 2)  # noqa: E731
    expected = twins.arrays_of(ko.jit(ko.value_and_grad(given))(X, large, small))
    for transformed in (ko.value_and_grad(captured), ko.jit(ko.value_and_grad(captured)), ko.jit(ko.value_and_grad(captured), backend="interpret")):
        twins.assert_same(twins.arrays_of(transformed(ko.asarray(X))), expected, "captured")
    value, pullback = ko.vjp(captured, ko.asarray(X))
    twins.assert_same(twins.arrays_of((value, pullback(ko.ones((), dtype=ko.float64))[0])), expected, "by vjp")
    mapped = ko.vmap(ko.grad(lambda row: captured(row[None])))(ko.asarray(X))
    single = ko.grad(lambda row: captured(row[None]))(ko.asarray(X[3]))
    assert np.array_equal(mapped[3], single)


def test_static_arguments_have_a_program_each():
    traced = []

    def powers(x, n, *, scale):
        traced.append((n, scale))
        return ko.grad(lambda x: scale * ko.sum(x**n))(x)

    f = ko.jit(powers, static_argnums=1, static_argnames="scale")
    x = np.array([1.0, 2.0])
    for _ in range(2):
        assert f(x, 3, scale=2.0).tolist() == [6, 24]
        assert f(x, 2, scale=1.0).tolist() == [2, 4]
    assert len(traced) == f.cache_size == 2
    # Around jit, and numbers that are no floats of the function itself.
    inner = ko.jit(lambda x, n: ko.sum(x**n), static_argnums=1)
    assert ko.grad(lambda x: inner(x, 3))(x).tolist() == [3, 12]
    assert ko.grad(inner)(x, 3).tolist() == [3, 12]


def test_masks_are_drawn_again_from_their_key():
    key = ko.random.key(7)
    dropped = lambda x: ko.dropout(key, x, 0.5)  # noqa: E731
    x = ko.ones((64, 64))
    gradient = ko.jit(ko.grad(lambda x: ko.sum(dropped(x))))
    assert np.array_equal(gradient(x), dropped(x)) and np.unique(np.asarray(gradient(x))).tolist() == [0, 2]
    noise = lambda x: ko.sum(x * ko.random.normal(key, (64, 64)))  # noqa: E731
    assert np.array_equal(ko.grad(noise)(x), ko.random.normal(key, (64, 64)))


def test_a_step_over_a_batch_of_lists_and_a_key():
    """What training does in one jitted function: lists, donation, masks, and something beside the loss."""

    def model(params, batch, key):
        scores = ops.stack(ops.map(lambda row: ops.fold(lambda h, x: ko.tanh(h + x * params["w"]), row, params["h"]), batch))
        scores = ko.dropout(key, scores, 0.2)
        return ko.sum(scores**2), scores

    def train(params, batch, key):
        (value, scores), g = ko.value_and_grad(model, has_aux=True, memory_limit="1MiB")(params, batch, key)
        return value, scores, {name: params[name] - 0.1 * g[name] for name in params}

    params = {"w": ko.asarray(0.5), "h": ko.asarray(0.25)}
    batch = ops.FractalTensor([[1.0, -2.0], [0.5], [3.0, 1.0, 2.0]], dtype="float32")
    native, oracle = (ko.jit(train, backend=backend) for backend in ("cpu", "interpret"))
    expected = twins.arrays_of(oracle(params, batch, ko.random.key(1)))
    twins.assert_same(twins.arrays_of(native(params, batch, ko.random.key(1))), expected, "native")
    own = {name: ko.asarray(np.asarray(value)) for name, value in params.items()}
    donated = ko.jit(train, donate_argnames="params")(own, batch, ko.random.key(1))
    twins.assert_same(twins.arrays_of(donated), expected, "donated")


def times_hundred():
    f = ko.custom_vjp(lambda x: x * x)
    f.defvjp(lambda x: (x * x, x), lambda residual, v: (v * 100.0,))
    return f


def doubled_up_to(bound):
    return lambda x: ko.while_loop(lambda s: s < bound, lambda s: s * 2, x)


def with_loops():
    """A rule whose loop would not end for an instance that does not take it."""
    f = ko.custom_vjp(doubled_up_to(5))
    f.defvjp(lambda x: (doubled_up_to(5)(x), x), lambda x, v: (v * doubled_up_to(50)(x),))
    return f


def by_sevens():
    f = ko.custom_jvp(doubled_up_to(5))
    f.defjvp(lambda primals, tangents: (doubled_up_to(5)(primals[0]), tangents[0] * 7.0))
    return f


def checked(x):
    ko.check(x < 100, "too large: {}", x)
    return 3 * x


OF_SOME = {
    "stop_gradient": (lambda x: ko.stop_gradient(x) * x, [1, 2, 1]),
    "custom_vjp": (times_hundred(), [100, 100, 1]),
    "custom_vjp with loops": (with_loops(), [64, 64, 1]),
    "custom_jvp": (by_sevens(), [7, 7, 1]),
    "checkpoint": (ko.checkpoint(doubled_up_to(5)), [8, 4, 1]),
    "check": (ko.checkpoint(checked), [3, 3, 1]),
    "std of equals": (lambda x: ko.std(ko.stack([x, x])), [0, 0, 1]),
}


@pytest.mark.parametrize("name", OF_SOME)
def test_rules_count_where_some_instances_come_to_them(name):
    """A branch that differs from instance to instance: derivatives of the batch are those of single calls."""
    function, expected = OF_SOME[name]
    x = np.array([1.0, 2.0, -1000.0])
    ways = {
        "cond": lambda x: ko.cond(x > 0, function, lambda v: v * 1.0, x),
        "switch": lambda x: ko.switch(ko.astype(x > 0, ko.int32), [lambda v: v, function], x),
        "loop": lambda x: ko.fori_loop(0, ko.astype(x > 0, ko.int32), lambda _, s: function(s), x),
    }
    for way, one in ways.items():
        gradient = ko.grad(lambda x, one=one: ko.sum(ko.vmap(one)(x)))
        assert np.asarray(gradient(x)).tolist() == expected, way
        assert np.asarray(ko.vmap(ko.grad(one))(x)).tolist() == expected, way


#: name: (function of x [n] and w [n, 3], its Jacobian to x)
JACOBIANS = {
    "known rows": (lambda x, w: ko.tanh(x @ w), lambda x, w: ((1 - np.tanh(x @ w) ** 2) * w).T),
    "open rows": (lambda x, w: ko.sin(x) * ko.sum(w, axis=1), lambda x, w: np.diag(np.cos(x) * w.sum(1))),
    "open rows of open rows": (lambda x, w: w * ko.exp(x)[:, None], lambda x, w: np.eye(len(x))[:, None] * (w * np.exp(x)[:, None])[:, :, None]),
}


@pytest.mark.parametrize("chunk", [None, 2])
@pytest.mark.parametrize("name", JACOBIANS)
def test_jacobians_of_extents_that_only_a_call_knows(name, chunk):
    """All columns or rows at once where their number is such an extent, `chunk` at a time where it is known."""
    function, expected = JACOBIANS[name]
    for jacobian in (ko.jacfwd, ko.jacrev):
        native = ko.jit(lambda x, w, of=jacobian: of(function, chunk=chunk)(x, w), dynamic={"x": {0: "n"}, "w": {0: "n"}})
        for n in (4, 7):
            x, w = X[0, :n], W[:n, :3]
            np.testing.assert_allclose(np.asarray(native(x, w)), expected(x, w), rtol=1e-12, atol=1e-12)
        assert native.cache_size == 1


@pytest.mark.parametrize("chunk", [None, 2])
def test_hessians_of_extents_that_only_a_call_knows(chunk):
    native = ko.jit(ko.hessian(lambda x: ko.sum(x**3) + ko.sum(x) ** 2, chunk=chunk), dynamic={"x": [0]})
    for n in (4, 7):
        x = X[0, :n]
        np.testing.assert_allclose(np.asarray(native(x)), np.diag(6 * x) + 2, rtol=1e-12)
    assert native.cache_size == 1
