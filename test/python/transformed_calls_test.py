"""Functions that transformations made, called outside jit: traced once per signature, and again where a captured name changed."""

import functools

import numpy as np
import pytest

import kolam as ko
from kolam import fractal as ops
from kolam.fractal import FractalTensor

X = np.linspace(0.1, 1, 4).astype(np.float32)
scale = 1.0


def counted(function):
    """The function, and how often it was called."""
    calls = []

    @functools.wraps(function)
    def counting(*args):
        calls.append(args)
        return function(*args)

    return counting, calls


def tangent(f, x):
    return ko.jvp(f, (x,), (x,))[1]


def cotangent(f, x):
    y, pullback = ko.vjp(f, x)
    return pullback(y)[0]


def pushed(f, x):
    y, push = ko.linearize(f, x)
    return push(x)


WAYS = {
    "jvp": tangent,
    "vjp": cotangent,
    "linearize": pushed,
    "vmap": lambda f, x: ko.vmap(f)(x),
    "jacrev": lambda f, x: ko.jacrev(f)(x),
    "jacfwd": lambda f, x: ko.jacfwd(f)(x),
}


@pytest.mark.parametrize("name", WAYS)
def test_a_function_is_traced_once_per_signature(name):
    function, calls = counted(lambda x: ko.sin(x) * x)
    results = [np.asarray(WAYS[name](function, X)) for _ in range(15)]
    assert len(calls) == 1
    for result in results[1:]:
        np.testing.assert_array_equal(result, results[0])
    WAYS[name](function, X.astype(np.float64))
    WAYS[name](function, X[:3])
    WAYS[name](function, X)
    assert len(calls) == 3


@pytest.mark.parametrize("name", WAYS)
def test_a_captured_name_that_changes_traces_again(name):
    factor = 1.0

    def function(x):
        return x * factor * scale

    first = np.asarray(WAYS[name](function, X))
    factor = 2.0
    np.testing.assert_allclose(np.asarray(WAYS[name](function, X)), WAYS_OF_TWO[name](first), rtol=1e-6)
    globals()["scale"] = 2.0
    try:
        np.testing.assert_allclose(np.asarray(WAYS[name](function, X)), WAYS_OF_TWO[name](WAYS_OF_TWO[name](first)), rtol=1e-6)
    finally:
        globals()["scale"] = 1.0


# The result for a function twice as large: of vjp with its value as cotangent four times.
WAYS_OF_TWO = {name: (lambda y: 4 * y) if name == "vjp" else (lambda y: 2 * y) for name in WAYS}


def test_names_of_functions_that_a_function_calls():
    def inner(x):
        return x * scale

    def outer(x):
        return ko.sum(inner(x))

    gradient = ko.grad(outer)
    assert gradient(X).tolist() == [1, 1, 1, 1]
    globals()["scale"] = 3.0
    try:
        assert gradient(X).tolist() == [3, 3, 3, 3]
    finally:
        globals()["scale"] = 1.0


def test_methods_see_the_state_of_their_object():
    class Model:
        factor = 2.0

        def __call__(self, x):
            return x * self.factor

        def method(self, x):
            return x * self.factor

    model = Model()
    for way in ("jvp", "vmap", "jacfwd"):
        for function in (lambda: model, lambda: model.method):
            model.factor = 2.0
            first = np.asarray(WAYS[way](function(), X))
            model.factor = 4.0
            np.testing.assert_allclose(np.asarray(WAYS[way](function(), X)), 2 * first, rtol=1e-6)


def test_what_is_no_array_is_part_of_the_signature():
    function, calls = counted(lambda x, n: x**n)
    for n in (2, 3, 2, 3):
        np.testing.assert_allclose(np.asarray(ko.vjp(function, X, n)[1](X)[0]), n * X**n, rtol=1e-5)
        np.testing.assert_allclose(np.asarray(ko.vmap(function, in_axes=(0, None))(X, n)), X**n, rtol=1e-5)
    assert len(calls) == 4


def test_options_are_part_of_the_signature():
    function, calls = counted(lambda x: (ko.sum(x, axis=0), x))
    rows = np.ones((2, 3), np.float32)
    for _ in range(2):
        assert [leaf.shape for leaf in ko.vmap(function)(rows)] == [(2,), (2, 3)]
        assert [leaf.shape for leaf in ko.vmap(function, in_axes=1, out_axes=(0, 1))(rows)] == [(3,), (2, 3)]
        assert [leaf.shape for leaf in ko.vmap(function, in_axes={0: 1}.get(0), axis_name="i")(rows)] == [(3,), (3, 2)]
    assert len(calls) == 3


def test_cotangents_that_are_none():
    function, calls = counted(lambda x: (x * x, 3 * x))
    for _ in range(2):
        (_, _), pullback = ko.vjp(function, X)
        np.testing.assert_allclose(np.asarray(pullback((X, None))[0]), 2 * X * X, rtol=1e-6)
        np.testing.assert_allclose(np.asarray(pullback((None, X))[0]), 3 * X, rtol=1e-6)
        np.testing.assert_allclose(np.asarray(pullback((X, X))[0]), 2 * X * X + 3 * X, rtol=1e-6)
        assert pullback((None, None))[0].tolist() == [0, 0, 0, 0]
    assert len(calls) == 1
    for _ in range(2):
        np.testing.assert_allclose(np.asarray(ko.jvp(lambda x, y: x * y, (X, X), (X, None))[1]), X * X, rtol=1e-6)


def test_a_pullback_keeps_its_own_residuals():
    pullbacks = [ko.vjp(ko.sin, x)[1] for x in (X, 2 * X, 3 * X)]
    for number, pullback in enumerate(pullbacks, 1):
        np.testing.assert_allclose(np.asarray(pullback(np.ones_like(X))[0]), np.cos(number * X), rtol=1e-5)


def test_beside_the_value():
    function, calls = counted(lambda x: (ko.sum(x * x), {"x": x, "name": "square"}))
    for x in (X, 2 * X, X):
        value, pullback, aux = ko.vjp(function, x, has_aux=True)
        np.testing.assert_allclose(np.asarray(pullback(np.float32(1))[0]), 2 * x, rtol=1e-6)
        assert aux["name"] == "square" and np.array_equal(np.asarray(aux["x"]), x)
        assert ko.jvp(function, (x,), (x,), has_aux=True)[2]["name"] == "square"
    assert len(calls) == 2


def test_dropped_functions_are_freed():
    import gc
    import weakref

    def make():
        def function(x):
            return x * x

        ko.jvp(function, (X,), (X,))
        ko.vjp(function, X)
        ko.vmap(function)(X)
        return weakref.ref(function)

    reference = make()
    gc.collect()
    assert reference() is None


def test_small_calls_are_interpreted_with_the_same_bits():
    gradient = ko.grad(lambda x: ko.sum(ko.tanh(x) ** 3))
    results = [np.asarray(gradient(X)) for _ in range(25)]
    for result in results:
        np.testing.assert_array_equal(result, np.asarray(ko.jit(gradient)(X)))


LISTS = {
    "vjp": lambda f, xs: cotangent(f, xs),
    "linearize": lambda f, xs: pushed(f, xs),
    "jvp": lambda f, xs: tangent(f, xs),
}


@pytest.mark.parametrize("name", LISTS)
def test_a_function_of_lists_is_traced_once_for_all_lengths(name):
    function, calls = counted(lambda xs: ops.map(lambda row: ops.map(lambda x: ko.sin(x) * x, row), xs))
    for rows in ([[1.0, 2.0], [3.0]], [[0.5], [1.5, 2.5, 3.5]], [[4.0]]):
        xs = FractalTensor([[ko.asarray(x) for x in row] for row in rows])
        found = LISTS[name](function, xs)
        inside = ko.jit(lambda xs: LISTS[name](lambda xs: ops.map(lambda row: ops.map(lambda x: ko.sin(x) * x, row), xs), xs))(xs)
        assert str(found) == str(inside)
    assert len(calls) == 1
    LISTS[name](function, FractalTensor([[ko.asarray(np.float64(1.0))]]))
    LISTS[name](function, xs)
    assert len(calls) == 2


def test_a_pullback_of_lists_from_outside_runs_inside_jit():
    xs = FractalTensor([[ko.asarray(1.0), ko.asarray(2.0)], [ko.asarray(3.0)]])
    weights = ko.asarray(np.float32([0.5, 0.25]))

    def total(xs, w):
        return ops.map(lambda row: ops.reduce(lambda a, b: a + b, ops.map(lambda x: ko.sum(ko.sin(x) * w), row)), xs)

    y, pullback = ko.vjp(total, xs, weights)
    outside = pullback(y)
    inside = ko.jit(lambda v: pullback(v))(y)
    assert str(outside[0]) == str(inside[0])
    np.testing.assert_array_equal(np.asarray(outside[1]), np.asarray(inside[1]))


def test_pullbacks_of_sizes_that_only_the_run_knows():
    for x in (X, -X, np.concatenate([X, -X]).astype(np.float32)):
        y, pullback = ko.vjp(lambda x: ko.nonzero(x > 0.5)[0].astype(ko.float32) * ko.sum(x), ko.asarray(x))
        np.testing.assert_allclose(np.asarray(pullback(ko.ones_like(y))[0]), np.full(x.shape, np.sum(np.nonzero(x > 0.5)[0])), rtol=1e-6)


def test_linear_transpose_of_equal_shapes_is_traced_once():
    function, calls = counted(lambda x: x[1:] * 2)
    for _ in range(3):
        assert ko.linear_transpose(function, ko.ones(3))(ko.asarray([1.0, 2.0]))[0].tolist() == [0, 2, 4]
    assert len(calls) == 1
    assert ko.linear_transpose(function, ko.ShapeDtypeStruct((2,), ko.float32))(ko.asarray([1.0]))[0].tolist() == [0, 2]
    assert len(calls) == 2


@pytest.mark.parametrize("around", [lambda f: f, ko.jit])
def test_a_python_float_takes_the_dtype_of_what_it_meets(around):
    def scaled(a, x):
        products.append((a * x).dtype)
        return ko.astype(ko.sum(a * x), ko.float32)

    products = []
    x = ko.ones(3, dtype=ko.float16)
    both = around(ko.value_and_grad(scaled, argnums=1))
    for a in (2.0, 3.0):
        value, gradient = both(a, x)
        assert value == 3 * a and gradient.dtype == ko.float16 and gradient.tolist() == [a] * 3
    assert products == [ko.float16]  # one program for all floats
    both(ko.asarray(2.0), x)
    assert products == [ko.float16, ko.float32]  # an array has a dtype of its own
    value, gradient = around(ko.value_and_grad(scaled))(2.0, x)
    assert products[-1] == ko.float32 and gradient.dtype == ko.float32 and gradient == 3
