"""Derivatives of programs that nobody would write on purpose: an answer or an error, soon, and never a crash."""

import functools
import subprocess
import sys

import numpy as np
import pytest

import kolam as ko

X = np.linspace(0.1, 1, 4).astype(np.float32)


def nth(function, order):
    for _ in range(order):
        function = ko.grad(function)
    return function


def nested(wrap, depth, function=ko.sin):
    return functools.reduce(lambda f, _: wrap(f), range(depth), function)


def test_the_thirtieth_derivative():
    assert nth(ko.sin, 30)(0.5).item() == pytest.approx(-np.sin(0.5))
    assert nth(lambda x: x**30, 29)(np.float64(2)).item() == pytest.approx(2 * float(np.prod(np.arange(1, 31, dtype=np.float64))))


@pytest.mark.parametrize("function", [ko.tanh, lambda x: ko.exp(x * x)])
def test_derivatives_that_grow_without_end(function):
    with pytest.raises(ko.KolamError) as info:
        nth(function, 30)(0.5)
    assert info.value.slug == "derivative-too-large" and "products where it is differentiated again" in str(info.value)


def test_deep_nests_of_transformations():
    assert ko.grad(nested(ko.checkpoint, 150))(0.5).item() == pytest.approx(np.cos(0.5))
    assert ko.grad(lambda x: ko.sum(nested(ko.vmap, 30)(x)))(np.ones((1,) * 30, np.float32)).shape == (1,) * 30
    assert ko.grad(nested(ko.jit, 40))(0.5).item() == pytest.approx(np.cos(0.5))


def test_rules_in_rules_are_traced_once_each():
    def doubled(function):
        custom = ko.custom_jvp(function)
        custom.defjvp(lambda primals, tangents: (function(*primals), 2 * ko.jvp(function, primals, tangents)[1]))
        return custom

    assert ko.grad(nested(doubled, 6))(0.0).item() == 64


DEEP = """
import functools, math, resource, sys, threading, time
import kolam as ko
from kolam import fractal
from kolam import pallas as pl

sys.setrecursionlimit(100000)


def custom(f, make):
    rule = make(f)
    if make is ko.custom_jvp:
        rule.defjvp(lambda primals, tangents: (f(*primals), ko.cos(primals[0]) * tangents[0]))
    else:
        rule.defvjp(lambda x: (f(x), x), lambda x, v: (ko.cos(x) * v,))
    return rule


def weighted(f):  # each loop captures what is differentiated
    def step(h):
        w = h * 1.0
        return ko.scan(lambda c, _: (f(c) + w - w, None), h, None, length=1)[0]

    return step


def in_a_kernel(f):
    def kernel(x, o):
        o[...] = f(x[...])

    return pl.pallas_call(kernel, ko.ShapeDtypeStruct((), ko.float32))


wraps = {
    "scan": lambda f: lambda h: ko.scan(lambda c, _: (f(c), None), h, None, length=1)[0],
    "scan_with_captures": weighted,
    "fori_loop": lambda f: lambda h: ko.fori_loop(0, 1, lambda i, c: f(c), h),
    "while_loop": lambda f: lambda h: ko.while_loop(lambda s: s[0] < 1, lambda s: (s[0] + 1, f(s[1])), (ko.asarray(0), h))[1],
    "cond": lambda f: lambda h: ko.cond(h > 0, lambda: f(h), lambda: h),
    "switch": lambda f: lambda h: ko.switch(ko.astype(h > 0, ko.int32), [lambda: h, lambda: f(h)]),
    "associative_scan": lambda f: lambda h: ko.associative_scan(lambda a, b: f(b), ko.stack([h, h]))[1],
    "fractal.map": lambda f: lambda h: ko.sum(fractal.stack(fractal.map(f, fractal.FractalTensor([h])))),
    "fractal.scan": lambda f: lambda h: fractal.scan(lambda c, _: f(c), fractal.FractalTensor([h]), h)[0],
    "fractal.fold": lambda f: lambda h: fractal.fold(lambda c, _: f(c), fractal.FractalTensor([h]), h),
    "kernel": in_a_kernel,
    "checkpoint": ko.checkpoint,
    "jit": ko.jit,
    "vmap": lambda f: lambda h: ko.vmap(f)(ko.reshape(h, (1,)))[0],
    "jacfwd": lambda f: lambda h: ko.jacfwd(lambda x: f(h) * x)(h),  # of a function that is linear in x
    "custom_jvp": lambda f: custom(f, ko.custom_jvp),
    "custom_vjp": lambda f: custom(f, ko.custom_vjp),
}
ways = {
    "value": (lambda f, x: f(x), math.sin),
    "jvp": (lambda f, x: ko.jvp(f, (x,), (ko.ones(()),))[1], math.cos),
    "grad": (lambda f, x: ko.grad(f)(x), math.cos),
    "vmap": (lambda f, x: ko.vmap(f)(ko.stack([x, x]))[1], math.sin),
    "checkify": (lambda f, x: ko.checkify(f)(x)[1], math.sin),
}
name, depth = sys.argv[1], int(sys.argv[2])


def run():
    for way, (make, expected) in ways.items():
        limit = math.ceil(time.process_time() + 10)  # of each program: a signal ends what takes longer
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
        f = functools.reduce(lambda f, _: wraps[name](f), range(depth), ko.sin)
        try:
            found = make(f, ko.asarray(0.5)).item()
            print(way, "right" if math.isclose(found, expected(0.5), rel_tol=1e-5) else found, flush=True)
        except ko.KolamError as error:
            print(way, error.slug, flush=True)


threading.stack_size(256 << 20)  # of Python's frames
thread = threading.Thread(target=run)
thread.start()
thread.join()
"""

NESTS = [
    "scan", "scan_with_captures", "fori_loop", "while_loop", "cond", "switch", "fractal.map", "kernel", "checkpoint", "jit", "vmap", "jacfwd",
    "custom_jvp", "custom_vjp",
]  # fmt: skip
LIST_SCANS = ["fractal.scan", "fractal.fold"]

DEEP_NESTS = [
    *((name, depth) for name in NESTS for depth in (6, 30, 200)),
    *((name, depth) for name in LIST_SCANS for depth in (6, 30)),
    *(("associative_scan", depth) for depth in (6, 16)),  # its tangents of two elements run the function twice
]


@pytest.mark.parametrize(("name", "depth"), DEEP_NESTS)
def test_deep_nests_of_bodies(name, depth):
    done = subprocess.run([sys.executable, "-c", DEEP, name, str(depth)], capture_output=True, text=True)
    assert done.returncode == 0, f"{done.returncode}: {done.stdout} {done.stderr}"
    found = dict(line.split(" ", 1) for line in done.stdout.splitlines())
    assert list(found) == ["value", "jvp", "grad", "vmap", "checkify"], done.stderr
    assert set(found.values()) <= ({"right"} if depth < 10 or depth < 100 and name not in LIST_SCANS else {"right", "too-deep"}), found


ORDERS = """
import resource, sys
import kolam as ko

resource.setrlimit(resource.RLIMIT_CPU, (40, 40))  # two programs
functions = {
    "x sin x": lambda x: ko.sin(x) * x,
    "softmax": lambda x: ko.sum(ko.softmax(ko.stack([x, 2 * x, x * x])) * ko.asarray([1.0, 2.0, 3.0])),
    "scan": lambda x: ko.scan(lambda h, _: (ko.sin(h) * x, None), x, None, length=3)[0],
    "while": lambda x: ko.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, ko.sin(s[1]) * x), (ko.asarray(0), x))[1],
}
for order in (7, 30):
    function = functions[sys.argv[1]]
    for number in range(order):
        forward = sys.argv[2] == "forward" or sys.argv[2] == "both" and number % 2
        function = (lambda f: lambda x: ko.jvp(f, (x,), (ko.ones(()),))[1])(function) if forward else ko.grad(function)
    try:
        print(function(ko.asarray(0.5)).item())
    except ko.KolamError as error:
        print(error.slug)
"""


@pytest.mark.parametrize("mode", ["forward", "reverse", "both"])
@pytest.mark.parametrize("name", ["x sin x", "softmax", "scan", "while"])
def test_high_orders(name, mode):
    done = subprocess.run([sys.executable, "-c", ORDERS, name, mode], capture_output=True, text=True)
    assert done.returncode == 0, f"{done.returncode}: {done.stdout} {done.stderr}"
    found = done.stdout.splitlines()
    if name == "x sin x":  # order k: x sin(x + k pi / 2) + k sin(x + (k - 1) pi / 2)
        expected = [0.5 * np.sin(0.5 + k * np.pi / 2) + k * np.sin(0.5 + (k - 1) * np.pi / 2) for k in (7, 30)]
        np.testing.assert_allclose([float(text) for text in found], expected, rtol=1e-5)
    else:
        assert found[1] == "derivative-too-large"


def test_coefficients_that_are_not_finite():
    found = ko.grad(lambda x: ko.sum(x * ko.asarray([np.nan, np.inf, 1, 2], dtype=ko.float32)))(X).tolist()
    assert np.isnan(found[0]) and found[1:] == [np.inf, 1, 2]


def test_trees_of_many_leaves():
    found = ko.grad(lambda tree: sum((ko.sum(leaf) for leaf in tree.values()), ko.zeros(())))({f"leaf{number}": X for number in range(500)})
    assert len(found) == 500 and all(leaf.tolist() == [1, 1, 1, 1] for leaf in found.values())


class Squares:
    def __call__(self, x):
        return ko.sum(x * x)

    def method(self, x):
        return ko.sum(x * x)


@pytest.mark.parametrize("function", [Squares(), Squares().method, functools.partial(lambda a, x: ko.sum(x * x) * a, 1.0), ko.jit(lambda x: ko.sum(x * x))])
def test_what_can_be_called(function):
    assert ko.grad(function)(X).tolist() == pytest.approx((2 * X).tolist())


def test_values_that_escape():
    kept = []
    ko.grad(lambda x: (kept.append(x), ko.sum(x))[1])(X)
    ko.jit(lambda x: (kept.append(ko.vjp(ko.sin, x)[1]), x)[1])(X)
    for use in (lambda: kept[0] + 1, lambda: kept[1](X)):
        with pytest.raises(ko.KolamError) as info:
            use()
        assert info.value.slug == "escaped-tracer"


def test_pullbacks_in_other_traces():
    pullback = ko.vjp(ko.sin, X)[1]
    expected = np.asarray(pullback(X)[0])
    np.testing.assert_array_equal(np.asarray(ko.jit(lambda v: pullback(v)[0])(X)), expected)
    looped = ko.scan(lambda h, _: (pullback(h)[0], None), ko.asarray(X), None, length=2)[0]
    np.testing.assert_array_equal(np.asarray(looped), np.asarray(pullback(expected)[0]))


def test_traced_values_that_are_captured():
    outer = ko.jit(lambda x: ko.grad(lambda y: ko.sum(x * y * y))(x))
    np.testing.assert_allclose(np.asarray(outer(X)), 2 * X * X, rtol=1e-6)
    steps = ko.scan(lambda h, _: (h - 0.1 * ko.grad(lambda y: ko.sum(y**2))(h), None), ko.asarray(X), None, length=2)[0]
    np.testing.assert_allclose(np.asarray(steps), X * 0.64, rtol=1e-6)


def test_arguments_of_every_kind():
    assert ko.grad(lambda x, y: ko.sum(x))(X, None).tolist() == [1, 1, 1, 1]
    assert ko.grad(lambda x, y: ko.sum(x))(X, "name").tolist() == [1, 1, 1, 1]
    assert ko.grad(lambda x, *, s: ko.sum(x) * s)(X, s=3.0).tolist() == [3, 3, 3, 3]
    assert ko.grad(lambda x: x * x)(3.0).item() == 6
    for wrong in (3, True, 1j, None, "text"):
        with pytest.raises(ko.KolamError) as info:
            ko.grad(lambda x: x)(wrong)
        assert info.value.slug == "not-differentiable"
    with pytest.raises(ko.KolamError) as info:
        ko.grad(lambda: 1.0)()
    assert info.value.slug == "bad-option"


def test_errors_of_the_function_come_through():
    with pytest.raises(ZeroDivisionError):
        ko.grad(lambda x: 1 / 0)(X)
    with pytest.raises(ko.KolamError) as info:
        ko.grad(lambda x: ko.sum(x) if ko.sum(x) > 0 else ko.sum(-x))(X)
    assert info.value.slug == "traced-value"


def test_jacobians_of_trees_with_integers():
    """Integers and booleans have None, as in a gradient."""
    tree = {"f": np.array([1.0, 2.0]), "i": np.arange(2)}
    f = lambda tree: tree["f"] ** 2 * tree["i"]  # noqa: E731
    for jacobian in (ko.jacrev, ko.jacfwd):
        for chunk in (None, 1):
            found = jacobian(f, chunk=chunk)(tree)
            assert found["i"] is None and found["f"].tolist() == [[0, 0], [0, 4]]
    second = ko.hessian(lambda tree: ko.sum(f(tree)))(tree)
    assert second["i"] is None and second["f"]["i"] is None and second["f"]["f"].tolist() == [[0, 0], [0, 2]]
    first, other = ko.jit(ko.jacrev(lambda x, tree: x * tree["a"], argnums=(0, 1)))(X[:2], {"a": X[:2], "b": True})
    assert first.tolist() == other["a"].tolist() == np.diag(X[:2]).tolist() and other["b"] is None


def test_arrays_without_elements():
    empty = np.zeros(0, np.float32)
    assert ko.jacrev(ko.sin)(empty).shape == ko.jacfwd(ko.sin)(empty).shape == (0, 0)
    assert ko.hessian(lambda x: ko.sum(x * x))(empty).shape == (0, 0)
    assert ko.grad(lambda x: ko.sum(ko.softmax(x)))(np.zeros((0, 3), np.float32)).shape == (0, 3)


def test_extents_that_the_data_decide():
    expected = np.where(X > 0.3, 2 * X, 0)
    for pick in (lambda x: x[ko.nonzero(x > 0.3)[0]], lambda x: x[x > 0.3]):
        np.testing.assert_allclose(np.asarray(ko.grad(lambda x, pick=pick: ko.sum(pick(x) ** 2))(X)), expected, rtol=1e-6)


def test_sorting_nan():
    x = np.array([np.nan, 1, np.nan, 0], np.float32)
    assert ko.grad(lambda x: ko.sum(ko.sort(x) * ko.arange(4, dtype=ko.float32)))(x).tolist() == [2, 1, 3, 0]
