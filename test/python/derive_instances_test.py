"""Derivatives of what some instances of vmap do not run: the NaN that is computed for them reaches no gradient."""

import numpy as np
import pytest

import kolam as ko
from kolam import pallas as pl

F64 = {"dtype": ko.float64}
W = np.array([[0.5, 1.5], [-0.7, 0.3]])
X = np.array([2.0, -1.0, 0.7])


def logs(x):
    return ko.log(x * ko.arange(1, 3, **F64))


def where_positive(branch):
    return lambda x, w: ko.cond(x > 0, lambda: ko.sum(branch(x, w)), lambda: 0.0 * x)


def turns(x):
    return ko.where(x > 0, 2, 0)


def until(x, w):
    start = (ko.where(x > 0, 0, 2), ko.zeros(2, **F64))
    return ko.sum(ko.while_loop(lambda s: s[0] < 2, lambda s: (s[0] + 1, s[1] + w @ logs(x)), start)[1])


def until_all_elements(x, w):
    start = ko.where(x > 0, 1.0, 5.0) * ko.ones(2, **F64)
    step = lambda s: ko.where(s < 3, s + 1.3 + 0.01 * ko.sum(w @ ko.log(3.5 - s)), s)  # noqa: E731
    return ko.sum(ko.while_loop(lambda s: ko.any(s < 3), step, start))


def steps(x, w):
    def step(s, k):
        return ko.cond(x > k, lambda: s + ko.sum(w @ ko.log((x - k) * ko.ones(2, **F64))), lambda: s), None

    return ko.scan(step, 0.0 * x, np.array([0.5, 1.0]))[0]


@ko.custom_vjp
def by_vjp(x, w):
    return ko.sum(w @ logs(x))


by_vjp.defvjp(lambda x, w: (by_vjp(x, w), (x, w)), lambda kept, v: (v * ko.sum(kept[1]) / kept[0], ko.ones((2, 1), **F64) * v * logs(kept[0])))


@ko.custom_jvp
def by_jvp(x, w):
    return ko.sum(w @ logs(x))


by_jvp.defjvp(lambda primals, tangents: (by_jvp(*primals), ko.sum(tangents[1] * logs(primals[0])) + ko.sum(primals[1]) * tangents[0] / primals[0]))


@ko.custom_vmap
def with_rule(x, w):
    return w @ x


with_rule.def_vmap(lambda axis_size, in_batched, xs, w: (ko.vmap(lambda x, w: w @ x, in_axes=tuple(0 if each else None for each in in_batched))(xs, w), True))


def kernel(x, w):
    return pl.pallas_call(lambda x, w, o: o.set(w[...] @ ko.log(x[...])), ko.ShapeDtypeStruct((2,), ko.float64))(x * ko.ones(2, **F64), w)


CASES = {
    "product": where_positive(lambda x, w: w @ logs(x)),
    "product from the left": where_positive(lambda x, w: logs(x) @ w),
    "factors of each": where_positive(lambda x, w: (w * x) @ logs(x)),
    "einsum": where_positive(lambda x, w: ko.einsum("ij,k->ijk", w, logs(x)) ** 2),
    "convolution": where_positive(lambda x, w: ko.conv(ko.reshape(ko.log(x * ko.ones(5, **F64)), (1, 1, 5)), ko.reshape(w[:, 0], (1, 1, 2)))),
    "convolution, filters of each": where_positive(lambda x, w: ko.conv(ko.ones((1, 1, 5), **F64) * w[0, 0], ko.reshape(logs(x), (1, 1, 2)))),
    "scan": where_positive(lambda x, w: ko.scan(lambda s, _: (ko.tanh(w @ s), None), logs(x), None, length=3)[0]),
    "softmax": where_positive(lambda x, w: ko.softmax(w @ logs(x)) ** 2),
    "associative scan": where_positive(lambda x, w: ko.associative_scan(lambda a, b: a @ b, ko.stack([w * ko.log(x), w, w * ko.log(x)]))),
    "attention": where_positive(lambda x, w: ko.attention(w * ko.log(x), w, w * ko.log(x)) ** 2),
    "attention to queries of all": where_positive(lambda x, w: ko.attention(w, ko.log(x) * ko.ones((2, 2), **F64), w) ** 2),
    "gradient in a branch": where_positive(lambda x, w: ko.grad(lambda y: ko.sum(ko.tanh(w @ logs(y))))(x) * ko.log(x)),
    "gradient of attention in a branch": where_positive(lambda x, w: ko.grad(lambda q: ko.sum(ko.attention(q * ko.log(x), w, w) ** 2))(w)),
    "jvp of attention in a branch": where_positive(lambda x, w: ko.jvp(lambda q: ko.attention(q * ko.log(x), w, w), (w,), (w * ko.log(x),))[1]),
    "branch in a branch": where_positive(lambda x, w: ko.cond(x > 1, lambda: ko.sum(w @ ko.log(x - ko.ones(2, **F64))), lambda: ko.sum(w @ logs(x)))),
    "branch in a scan": steps,
    "branch in a scan in a branch": where_positive(steps),
    "checkpoint": where_positive(ko.checkpoint(lambda x, w: w @ logs(x))),
    "custom_vjp": where_positive(by_vjp),
    "custom_jvp": where_positive(by_jvp),
    "custom_vmap": where_positive(lambda x, w: with_rule(logs(x), w)),
    "kernel": where_positive(kernel),
    "switch": lambda x, w: ko.switch(ko.astype(x > 0, ko.int32), [lambda: 0 * x, lambda: ko.sum(w @ logs(x))]),
    "turns of each": lambda x, w: ko.sum(ko.fori_loop(0, turns(x), lambda i, s: s + w @ logs(x), ko.zeros(2, **F64))),
    "turns of each, of their state": lambda x, w: ko.sum(ko.fori_loop(0, turns(x), lambda i, s: w @ ko.log((9 + s) * x), ko.ones(2, **F64))),
    "while": until,
    "while any element": until_all_elements,
    "elementwise": where_positive(lambda x, w: w * ko.log(x)),
}


@pytest.mark.parametrize("backend", ["cpu", "interpret"])
@pytest.mark.parametrize("name", CASES)
def test_gradients_are_the_sum_of_single_ones(name, backend):
    f = CASES[name]
    total = lambda x, w: ko.sum(ko.vmap(f, in_axes=(0, None))(x, w))  # noqa: E731
    single = [[np.asarray(part) for part in ko.grad(f, argnums=(0, 1))(ko.asarray(x), W)] for x in X]
    of_x, of_w = np.stack([part[0] for part in single]), sum(part[1] for part in single)
    assert np.isfinite(of_w).all(), "a single gradient is to be finite"
    for found, expected in zip(ko.jit(ko.grad(total, argnums=(0, 1)), backend=backend)(X, W), (of_x, of_w), strict=True):
        np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-11, atol=1e-13)
    pushed = ko.jit(lambda x, w: ko.jvp(total, (x, w), (np.ones(3), np.ones((2, 2))))[1], backend=backend)(X, W)
    np.testing.assert_allclose(np.asarray(pushed), of_x.sum() + of_w.sum(), rtol=1e-11)


@pytest.mark.parametrize("name", ["product", "attention", "scan", "turns of each"])
def test_second_derivatives_are_the_sum_of_single_ones(name):
    f = CASES[name]
    total = lambda w: ko.sum(ko.vmap(lambda x: f(x, w))(ko.asarray(X)))  # noqa: E731
    along = np.array([[1.0, -2.0], [0.5, 3.0]])
    second = lambda f: ko.grad(lambda w: ko.sum(ko.grad(f)(w) * w * along))(W)  # noqa: E731
    parts = sum(np.asarray(second(lambda w, x=x: f(ko.asarray(x), w))) for x in X)
    np.testing.assert_allclose(np.asarray(second(total)), parts, rtol=1e-10)
    # The first for each instance, the second of all.
    each = ko.grad(lambda w: ko.sum(ko.vmap(lambda x: ko.sum(ko.grad(f, argnums=1)(x, w) * w * along))(ko.asarray(X))))(W)
    np.testing.assert_allclose(np.asarray(each), parts, rtol=1e-10)


def test_all_or_no_instances_take_a_branch():
    for x in (np.abs(X), -np.abs(X)):
        total = lambda w, x=x: ko.sum(ko.vmap(lambda x: CASES["product"](x, w))(ko.asarray(x)))  # noqa: E731
        parts = sum(np.asarray(ko.grad(CASES["product"], argnums=1)(ko.asarray(one), W)) for one in x)
        np.testing.assert_allclose(np.asarray(ko.grad(total)(W)), parts, rtol=1e-12)


def test_elementwise_branches_have_no_other_ops():
    selects = lambda name: ko.jit(ko.vmap(CASES[name], in_axes=(0, None))).lower(X, W).as_text("program").count('"where"')  # noqa: E731
    assert selects("elementwise") == 1 and selects("product") == 2
