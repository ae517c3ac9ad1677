"""Each rule of derivatives in float64: differences, adjoints, second order, instances, backends, dtypes, extents."""

import ml_dtypes
import numpy as np
import pytest
from derivatives import checks
from derivatives.cases import CASES
from derivatives.checks import assert_near, assert_same_bits

import kolam as ko

EVERY = pytest.mark.parametrize("name", CASES)
# The error of a gradient of a handful of ops: so many units of the dtype, relative to the largest element.
UNITS = {np.float32: 2.0**-23, np.float16: 2.0**-10, ml_dtypes.bfloat16: 2.0**-7}


def weights_of(case, arrays):
    shapes = [np.asarray(result) for result in checks.arrays_of(checks.interpreted(case.function)(*arrays))]
    return checks.directions(shapes, 2)


@EVERY
def test_agrees_with_differences_and_is_adjoint(name):
    case = CASES[name]
    arrays = case.arrays()
    tangents = checks.check_forward(case.function, arrays)
    checks.check_adjoint(case.function, arrays, tangents)


@EVERY
def test_second_order(name):
    case = CASES[name]
    arrays = case.arrays()
    checks.check_second(case.function, arrays, weights_of(case, arrays))


@pytest.mark.slow
@EVERY
def test_native_code_gives_the_interpreters_bits(name):
    case = CASES[name]
    arrays = case.arrays()
    weights = weights_of(case, arrays)
    along = checks.directions(arrays)

    def both(*given):
        args, direction = given[: len(arrays)], given[len(arrays) :]
        value, tangent = ko.jvp(case.function, args, direction)
        gradient = checks.gradient_of(case.function, args, weights)(*args)
        second = checks.product_with_hessian(case.function, args, weights)(*given)
        return (*checks.results_of(value), *checks.results_of(tangent), *gradient, *second)

    assert_same_bits(ko.jit(both)(*arrays, *along), checks.interpreted(both)(*arrays, *along), "native")


@EVERY
@pytest.mark.parametrize("run", [checks.interpreted, pytest.param(ko.jit, marks=pytest.mark.slow)], ids=["interpreted", "native"])
def test_instances_have_the_bits_of_single_calls(name, run):
    case = CASES[name]
    calls = [case.arrays(seed) for seed in range(3)]
    checks.check_instances(checks.gradient_of(case.function, calls[0], weights_of(case, calls[0])), calls, run)


@pytest.mark.slow
@EVERY
@pytest.mark.parametrize("dtype", UNITS)
def test_other_dtypes(name, dtype):
    case = CASES[name]
    wide = [a.astype(dtype).astype(np.float64) for a in case.arrays()]
    narrow = [a.astype(dtype) for a in wide]
    weights = weights_of(case, case.arrays())
    expected = checks.arrays_of(checks.interpreted(checks.gradient_of(case.function, wide, weights))(*wide))
    own = checks.gradient_of(case.function, narrow, [w.astype(dtype) for w in weights])
    found = checks.interpreted(own)(*narrow)
    for gradient, other, array in zip(found, expected, narrow, strict=True):
        assert np.asarray(gradient).dtype == array.dtype
        assert_near(np.asarray(gradient), other, str(array.dtype), 30 * case.narrow * UNITS[dtype])
    assert_same_bits(ko.jit(own)(*narrow), found, "native")


def summed(case, seed=5):
    """A scalar that needs no weights of a known shape."""

    def scalar(*args):
        total = None
        for result in checks.results_of(case.function(*args)):
            part = ko.sum(ko.sin(result))
            total = part if total is None else total + part
        return total

    return scalar


def open_extents(case, function):
    names = [f"x{number}" for number in range(len(case.shapes))]
    scope = {"function": function}
    exec(f"def with_names({', '.join(names)}): return function({', '.join(names)})", scope)
    dynamic = {name: dims for name, dims in zip(names, case.dynamic().values(), strict=True) if dims}
    return scope["with_names"], dynamic


OPEN = [name for name, case in CASES.items() if any(case.dynamic().values())]


@pytest.mark.slow
@pytest.mark.parametrize("name", OPEN)
def test_open_extents(name):
    case = CASES[name]
    gradient = ko.grad(summed(case), argnums=tuple(range(len(case.shapes))))
    function, dynamic = open_extents(case, gradient)
    native, oracle = ko.jit(function, dynamic=dynamic), checks.interpreted(function, dynamic=dynamic)
    for sizes in ({}, {"n": max(1, case.least), "m": max(1, case.least)}, {"n": max(0, case.least)}, {"m": max(0, case.least)}, {"n": 5, "m": 7, "k": 2}):
        arrays = case.arrays(**sizes)
        expected = checks.interpreted(gradient)(*arrays)
        found = oracle(*arrays)
        for own, other in zip(found, expected, strict=True):
            assert_near(own, other, f"{name} {sizes}", 1e-12)
        assert_same_bits(native(*arrays), found, f"native {sizes}")
    assert native.cache_size == 1


@pytest.mark.slow
@EVERY
@pytest.mark.parametrize("extent", [0, 1])
def test_no_elements_and_one(name, extent):
    case = CASES[name]
    extent = max(extent, case.least)
    for letter in "nm":
        if any(letter in word for word in case.shapes):
            arrays = case.arrays(**{letter: extent})
            gradient = ko.grad(summed(case), argnums=tuple(range(len(arrays))))
            found = checks.interpreted(gradient)(*arrays)
            assert [np.asarray(g).shape for g in found] == [a.shape for a in arrays]
            assert all(np.isfinite(np.asarray(g)).all() for g in found)
            assert_same_bits(ko.jit(gradient)(*arrays), found, f"{letter} {extent}")
