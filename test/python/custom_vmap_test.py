"""Functions with rules of their own for many instances."""

import numpy as np
import pytest

import kolam as ko

X = np.arange(12, dtype=np.float32).reshape(4, 3)
Y = np.linspace(0.5, 2, 3).astype(np.float32)


def array(x):
    return np.asarray(x)


def scaled(calls):
    """x * y, whose rule notes what it was called with."""

    @ko.custom_vmap
    def f(x, y):
        return x * y

    @f.def_vmap
    def rule(axis_size, in_batched, x, y):
        calls.append((axis_size, tuple(in_batched), x.shape, y.shape))
        x_batched, y_batched = in_batched
        if x_batched and y_batched:
            return x * y, True
        return (x * y if x_batched else ko.expand_dims(x, 0) * y), True

    return f


@pytest.mark.parametrize("around", [lambda f: f, ko.jit])
def test_the_rule_is_called_with_all_instances(around):
    calls = []
    f = scaled(calls)
    np.testing.assert_array_equal(array(around(f)(X, Y)), X * Y)
    assert not calls
    np.testing.assert_array_equal(array(around(ko.vmap(f, in_axes=(0, None)))(X, Y)), X * Y)
    assert calls == [(4, (True, False), (4, 3), (3,))]
    np.testing.assert_array_equal(array(around(ko.vmap(f, in_axes=(None, 0)))(Y, X)), X * Y)
    assert calls[1:] == [(4, (False, True), (3,), (4, 3))]
    np.testing.assert_array_equal(array(around(ko.vmap(f, in_axes=(None, None), axis_size=2))(X, Y)), np.stack([X * Y] * 2))
    assert len(calls) == 2  # nothing differs


def test_nested_and_in_loops():
    calls = []
    f = scaled(calls)
    np.testing.assert_array_equal(array(ko.vmap(ko.vmap(f), in_axes=(0, None))(X, Y)), X * Y)
    assert calls == [(3, (True, True), (3,), (3,))]  # within the rule x * y is batched further
    del calls[:]
    step = ko.vmap(lambda x: ko.scan(lambda s, _: (f(s, ko.asarray(Y)), None), x, None, length=2)[0])
    np.testing.assert_array_equal(array(step(X)), X * Y * Y)
    assert calls == [(4, (True, False), (4, 3), (3,))]
    del calls[:]
    branch = ko.vmap(lambda x: ko.cond(x[0] > 3, lambda x: f(x, x), lambda x: x, x))
    np.testing.assert_array_equal(array(branch(X)), np.where(X[:, :1] > 3, X * X, X))
    assert len(calls) == 1


def test_structures_and_what_is_not_batched():
    @ko.custom_vmap
    def f(p, flag, n=2):
        return {"sum": ko.sum(p["x"]), "same": ko.ones(2)}, p["x"] * n

    @f.def_vmap
    def rule(axis_size, in_batched, p, flag, n):
        assert in_batched == ({"x": True}, False, False) and flag == "a" and n == 3
        return ({"sum": ko.sum(p["x"], axis=1), "same": ko.ones(2)}, p["x"] * n), ({"sum": True, "same": False}, True)

    parts, twice = ko.vmap(lambda x: f({"x": x}, "a", n=3), out_axes=({"sum": 0, "same": None}, 1))(X)
    np.testing.assert_array_equal(array(parts["sum"]), X.sum(1))
    assert parts["same"].shape == (2,)
    np.testing.assert_array_equal(array(twice), 3 * X.T)


def test_derivatives():
    calls = []
    f = scaled(calls)
    g = ko.grad(lambda x: ko.sum(ko.vmap(f, in_axes=(0, None))(x, Y)))
    np.testing.assert_array_equal(array(g(X)), np.broadcast_to(Y, X.shape))  # of what the rule gives
    assert len(calls) == 1
    inside = ko.vmap(ko.grad(lambda x: ko.sum(f(x, x))))
    np.testing.assert_array_equal(array(inside(X)), 2 * X)
    assert len(calls) == 1  # of its own ops


def test_beside_jax():
    jax = pytest.importorskip("jax")

    def make(custom_vmap, m):
        @custom_vmap
        def f(x, y):
            return m.sin(x) + y

        @f.def_vmap
        def rule(axis_size, in_batched, xs, ys):
            return xs + (ys if in_batched[1] else ys[None]), True  # something else, to be seen

        return f

    own, other = make(ko.custom_vmap, ko), make(jax.custom_batching.custom_vmap, jax.numpy)
    for axes in ((0, 0), (0, None)):
        y = X if axes[1] == 0 else X[0]
        np.testing.assert_allclose(array(ko.vmap(own, in_axes=axes)(X, y)), np.asarray(jax.vmap(other, in_axes=axes)(X, y)))


def test_errors():
    def call(rule, f=lambda x: x * 2):
        g = ko.custom_vmap(f)
        g.def_vmap(rule)
        return ko.vmap(g)(X)

    for rule, words in (
        (lambda n, b, x: x, "the rule: expected a pair, the result and which of it is batched"),
        (lambda n, b, x: (x[0], True), r"the rule, result 0, which is batched: expected float32\[4, 3\], but got float32\[3\]"),
        (lambda n, b, x: (x, False), r"the rule, result 0, which is not batched: expected float32\[3\], but got float32\[4, 3\]"),
        (lambda n, b, x: (ko.astype(x, ko.int32), True), r"expected float32\[4, 3\], but got int32\[4, 3\]"),
        (lambda n, b, x: ((x, x), True), "the rule: expected a result of the structure"),
        (lambda n, b, x: (x, (True, True)), "out_batched: expected a boolean or a container like"),
    ):
        with pytest.raises(ko.KolamError, match=rf"\[custom-rule\].*{words}"):
            call(rule)
    with pytest.raises(ko.KolamError, match=r"custom_vmap: \[custom-rule\] expected a rule of f before it is called; f.def_vmap\(rule\)"):

        @ko.custom_vmap
        def f(x):
            return x

        f(X)

    def captures(x):
        g = ko.custom_vmap(lambda y: y + x)
        g.def_vmap(lambda n, b, y: (y, True))
        return g(x)

    with pytest.raises(ko.KolamError, match=r"\[custom-rule\].*expected a function that takes what differs between instances as arguments, but it captures float32\[4, 3\]; pass it"):
        ko.vmap(captures)(X)


def test_a_rule_may_use_what_is_around_the_vmap_and_the_function():
    @ko.jit
    def run(x, w):
        @ko.custom_vmap
        def f(x):
            return x + w

        @f.def_vmap
        def rule(axis_size, in_batched, x):
            return ko.vmap(f)(x) * 1, True  # its own ops

        return ko.vmap(f)(x)

    np.testing.assert_array_equal(array(run(X, Y)), X + Y)
