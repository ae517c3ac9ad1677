"""Collectives by the name of a vmap: beside JAX's, and the bits of reductions over the axis."""

import functools

import numpy as np
import pytest

import kolam as ko

X = np.random.default_rng(3).standard_normal((4, 3)).astype(np.float32)
AROUND = pytest.mark.parametrize("around", [lambda f: f, ko.jit, functools.partial(ko.jit, backend="interpret")])


def array(x):
    return np.asarray(x)


def same(a, b):
    a, b = array(a), array(b)
    assert (a.dtype, a.shape) == (b.dtype, b.shape)
    np.testing.assert_array_equal(a, b)


def named(f, **options):
    return ko.vmap(f, axis_name="i", **options)


@AROUND
def test_reductions_have_the_bits_of_those_over_the_axis(around):
    f = named(lambda x: (ko.psum(x, "i"), ko.pmean(x, "i"), ko.pmin(x, "i"), ko.pmax(x, "i"), ko.axis_index("i"), x * ko.axis_size("i")))
    total, mean, least, most, index, scaled = around(f)(X)
    for own, expected in ((total, ko.sum(X, axis=0)), (least, X.min(0)), (most, X.max(0)), (mean, ko.sum(X, axis=0) / 4)):
        same(own, np.broadcast_to(array(expected), (4, 3)))
    same(index, np.arange(4, dtype=np.int32))
    same(scaled, X * 4)


def test_what_is_the_same_for_all():
    same(named(lambda x: ko.psum(x, "i"), out_axes=None)(X), ko.sum(X, axis=0))  # no instance has its own
    w = ko.asarray(X[0])
    same(named(lambda x: ko.psum(w, "i"), out_axes=None)(X), X[0] * 4)
    assert named(lambda x: ko.psum(1, "i") + 0 * x)(X).tolist() == [[4.0] * 3] * 4
    same(named(lambda x: ko.psum(x > 0, "i"))(X), np.broadcast_to((X > 0).sum(0).astype(np.int32), (4, 3)))
    a, b = named(lambda x: ko.psum((x, {"y": 2 * x})["__len__" and 1]["y"], "i")), ko.sum(2 * X, axis=0)
    same(a(X)[0], b)
    same(named(lambda t: ko.pmax(t, "i"), in_axes=({"a": 0, "b": None},))({"a": X, "b": X[0]})["b"][0], X[0])


def test_nested_names():
    def f(x):
        inner = ko.vmap(lambda y: (ko.psum(y, "i") - ko.psum(y, "j"), ko.psum(y, ("i", "j")), ko.axis_index("i") * 10 + ko.axis_index("j"), ko.axis_index(("i", "j"))), axis_name="j")
        return inner(x)

    by_i, both, number, flat = named(f)(X)
    np.testing.assert_allclose(array(by_i), X.sum(0)[None] - X.sum(1, keepdims=True), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(array(both), np.full((4, 3), X.sum()), rtol=1e-5)
    same(number, (10 * np.arange(4)[:, None] + np.arange(3)).astype(np.int32))
    same(flat, np.arange(12, dtype=np.int32).reshape(4, 3))
    # The innermost of one name is meant.
    twice = named(lambda x: named(lambda y: ko.psum(y, "i"))(x))
    np.testing.assert_allclose(array(twice(X)), np.broadcast_to(X.sum(1, keepdims=True), (4, 3)), rtol=1e-5)


@AROUND
def test_in_loops_and_branches(around):
    def loop(x):
        return ko.fori_loop(0, 3, lambda k, s: s + ko.psum(s, "i") * 0.1, x)

    expected = X
    for _ in range(3):
        expected = expected + expected.sum(0) * np.float32(0.1)
    np.testing.assert_allclose(array(around(named(loop))(X)), expected, rtol=1e-5)
    scanned = named(lambda x: ko.scan(lambda s, row: (s + ko.pmean(row, "i"), ko.axis_index("i")), 0.0, x))
    last, indices = around(scanned)(X)
    np.testing.assert_allclose(array(last), np.full(4, X.mean(0).sum()), rtol=1e-5)
    same(indices, np.repeat(np.arange(4, dtype=np.int32)[:, None], 3, 1))
    chosen = named(lambda x: ko.cond(x[0] > 0, lambda x: ko.psum(x, "i"), lambda x: x, x))
    same(around(chosen)(X), np.where(X[:, :1] > 0, array(ko.sum(X, axis=0)), X))
    # Whom nothing tells apart stop together.
    until = named(lambda x: ko.while_loop(lambda s: ko.pmax(ko.max(s), "i") > 0.1, lambda s: s / 2, ko.abs(x)))
    times = int(np.ceil(np.log2(np.abs(X).max() / 0.1)))
    np.testing.assert_allclose(array(around(until)(X)), np.abs(X) / 2**times)
    nothing = named(lambda x: ko.scan(lambda s, _: (s + ko.axis_index("i"), None), 0, None, length=3)[0] + ko.psum(1, "i"), axis_size=4)
    same(around(nothing)(X), (3 * np.arange(4) + 4).astype(np.int32))


@AROUND
def test_derivatives(around):
    soft = lambda x: x / ko.psum(ko.exp(x), "i")
    plain = lambda x: x / ko.sum(ko.exp(x), axis=0, keepdims=True)
    w = np.linspace(-1, 2, 12).reshape(4, 3)
    x = X.astype(np.float64)
    same(around(ko.grad(lambda x: ko.sum(named(soft)(x) * w)))(x), around(ko.grad(lambda x: ko.sum(plain(x) * w)))(x))
    same(around(named(ko.grad(lambda x: ko.psum(ko.sum(x * x), "i"))))(x), 8 * x)  # of what all instances give
    tied = np.array([1.0, 3.0, 3.0, 2.0])
    same(around(named(ko.grad(lambda x: ko.pmax(x, "i"))))(tied), np.array([0, 2.0, 2.0, 0]))
    same(around(ko.grad(lambda x: ko.sum(named(lambda x: ko.pmax(x, "i"))(x))))(tied), np.array([0, 2.0, 2.0, 0]))
    value, tangent = around(named(lambda x: ko.jvp(lambda x: ko.pmean(x * x, "i"), (x,), (ko.ones_like(x),))))(x)
    np.testing.assert_allclose(array(tangent), np.broadcast_to(2 * x.mean(0), (4, 3)))
    once = lambda x: ko.grad(lambda x: ko.psum(ko.sum(x**3), "i"))(x)
    np.testing.assert_allclose(array(named(ko.grad(lambda x: ko.sum(once(x))))(x)), 24 * x, rtol=1e-12)
    np.testing.assert_allclose(array(named(ko.grad(lambda x: ko.sum(ko.checkpoint(lambda x: ko.sin(ko.psum(x, "i")))(x))))(x)), np.broadcast_to(4 * np.cos(x.sum(0)), (4, 3)), rtol=1e-12)


def test_beside_jax():
    jax = pytest.importorskip("jax")
    lax = jax.lax
    programs = [
        (lambda p, m: lambda x: x / p.psum(m.exp(x), "i")),
        (lambda p, m: lambda x: p.pmean(x, "i") + p.pmax(x, "i") * p.pmin(x, "i")),
        (lambda p, m: lambda x: p.psum(x, "i") * p.axis_index("i")),
    ]
    for program in programs:
        own, other = program(ko, ko), program(lax, jax.numpy)
        np.testing.assert_allclose(array(named(own)(X)), np.asarray(jax.vmap(other, axis_name="i")(X)), rtol=1e-6)
    total = lambda p, m: lambda x: m.sum(p.psum(m.tanh(x), "i") ** 2)
    np.testing.assert_allclose(array(named(ko.grad(total(ko, ko)))(X)), np.asarray(jax.vmap(jax.grad(total(lax, jax.numpy)), axis_name="i")(X)), rtol=1e-5)
    summed = lambda p, m, v: lambda x: m.sum(v(total(p, m), axis_name="i")(x))
    np.testing.assert_allclose(array(ko.grad(summed(ko, ko, ko.vmap))(X)), np.asarray(jax.grad(summed(lax, jax.numpy, jax.vmap))(X)), rtol=1e-5)
    branch = lambda p, m, c: lambda x: c(x[0] > 0, lambda x: p.psum(x, "i"), lambda x: x, x)
    np.testing.assert_allclose(array(named(branch(ko, ko, ko.cond))(X)), np.asarray(jax.vmap(branch(lax, jax.numpy, lax.cond), axis_name="i")(X)), rtol=1e-6)


def test_inside_jit_and_dynamic_extents():
    inner = ko.jit(lambda x: ko.psum(x, "i"))  # inlined
    same(named(inner)(X), np.broadcast_to(array(ko.sum(X, axis=0)), (4, 3)))
    f = ko.jit(named(lambda x: x - ko.pmean(x, "i")), dynamic={"x": [0]})
    for n in (1, 2, 4):
        np.testing.assert_allclose(array(f(X[:n])), X[:n] - X[:n].mean(0), rtol=1e-5, atol=1e-6)
    assert f.cache_size == 1


def test_errors():
    with pytest.raises(ko.KolamError, match=r"psum: \[unbound-axis\] expected the name of a vmap around, but got 'i'; vmap\(f, axis_name='i'\) binds it") as raised:
        ko.vmap(lambda x: ko.psum(x, "i"))(X)
    assert "collectives_test.py" in str(raised.value)
    with pytest.raises(ko.KolamError, match=r"pmax: \[unbound-axis\].* but got 'k'; those around bind 'i'"):
        named(lambda x: ko.pmax(x, "k"))(X)
    with pytest.raises(ko.KolamError, match=r"axis_index: \[unbound-axis\]"):
        ko.jit(lambda x: x + ko.axis_index("i"))(X)
    with pytest.raises(ko.KolamError, match=r"\[argument-type\] argument 'axis_name': expected a text"):
        named(lambda x: ko.psum(x, 1))(X)
    with pytest.raises(ko.KolamError, match=r"vmap: \[argument-type\] argument 'axis_name'"):
        ko.vmap(lambda x: x, axis_name=3)
    host = lambda x: (ko.debug.callback(lambda x: None, x), x)[1]
    with pytest.raises(ko.KolamError, match=r"\[batch-axis\] expected a function that runs for all instances at once, as it reduces over axis 'i', but a function of the host"):
        named(lambda x: ko.psum(host(x), "i"))(X)
    with pytest.raises(ko.KolamError, match=r"\[pattern-body\]"):
        named(lambda x: ko.zip_map_reduce(lambda a: ko.psum(a, "i"), x))(X)


def test_linear_parts_do_not_leave_their_vmap():
    kept = []

    def f(x):
        y, pullback = ko.vjp(lambda x: ko.psum(x, "i"), x)
        kept.append(pullback)
        return y

    def outside(x):
        named(f)(x)
        return kept[-1](x[0])

    with pytest.raises(ko.KolamError, match=r"\[unbound-axis\] expected the linear part of a function to be used in the vmap that binds 'i'"):
        ko.jit(outside)(X)


def test_unequal_sizes_name_every_argument():
    with pytest.raises(ko.KolamError, match=r"\[batch-axis\] .*args\[0\] has 4 along its axis 0, args\[1\]\['w'\] has 3 along its axis 1, args\[2\] has 2 along its axis 0"):
        ko.vmap(lambda x, p, y: x, in_axes=(0, {"w": 1}, 0))(X, {"w": X}, X[:2])
    with pytest.raises(ko.KolamError, match=r"\[batch-axis\].*axis_size says 5, args\[0\] has 4"):
        ko.vmap(lambda x: x, axis_size=5)(X)
