"""jit(checks=...) of derivatives: what is checked, the words, the user's line; beside a checkify inside."""

import inspect
import pathlib

import numpy as np
import pytest

import kolam as ko

HERE = pathlib.Path(__file__).name
V = np.array([1.0, 4.0], np.float32)


def raised(call):
    with pytest.raises(ko.KolamError) as info:
        call()
    return info.value


def checked(f, *kinds):
    return ko.jit(f, checks=set(kinds) or {"nan", "bounds", "overflow"})


def test_a_nan_of_the_derivative_alone():
    """sqrt(0) is 0 and its derivative infinite: both operands of x - x get it, with other signs."""

    def f(x):
        nonlocal line
        line = inspect.currentframe().f_lineno + 1
        zero = x - x
        return ko.sum(ko.sqrt(zero))

    line = 0
    assert checked(f)(V).item() == 0
    found = raised(lambda: checked(ko.grad(f))(V))
    assert found.slug == "nan-created" and "in the derivative of subtract: expected a number" in str(found), str(found)
    assert f"{HERE}:{line}" in str(found), str(found)


ZEROS = {"a number": lambda x: x * 0, "a float": lambda x: 0.0 * x, "an array": lambda x: x * ko.zeros(2), "of a sine": lambda x: ko.sin(x) * 0}


@pytest.mark.parametrize("name", ZEROS)
def test_a_nan_by_a_known_zero(name):
    """The cotangent of sqrt(0) is infinite, and zero times it is NaN."""
    f = lambda x: ko.sum(ko.sqrt(ZEROS[name](x)))  # noqa: E731
    found = raised(lambda: checked(ko.grad(f))(V))
    assert found.slug == "nan-created" and "in the derivative of multiply" in str(found), str(found)
    error, _ = ko.checkify(ko.grad(f), errors="nan")(V)
    assert "[nan-created]" in error.get()


def test_a_nan_of_the_function_is_not_the_derivatives():
    found = raised(lambda: checked(ko.grad(lambda x: ko.sum(ko.log(x - 2))))(V))
    assert found.slug == "nan-created" and "log: expected a number" in str(found) and "derivative" not in str(found)


EDGES = {
    "logaddexp of infinities": (lambda x: ko.sum(ko.logaddexp(x, ko.asarray([np.inf, -np.inf], dtype=ko.float32))), np.array([np.inf, np.inf], np.float32)),
    "logaddexp of minus infinities": (lambda x: ko.sum(ko.logaddexp(x, ko.asarray([-np.inf, -np.inf], dtype=ko.float32))), np.array([-np.inf, 1], np.float32)),
    "where and log": (lambda x: ko.sum(ko.where(x > 2, ko.log(x), 0)), np.array([0.0, 4.0], np.float32)),
    "hypot at 0": (lambda x: ko.sum(ko.hypot(x, x)), np.zeros(2, np.float32)),
    "atan2 at 0": (lambda x: ko.sum(ko.atan2(x, x)), np.zeros(2, np.float32)),
    "pow at 0": (lambda x: ko.sum(x**x), np.zeros(2, np.float32)),
    "std of equal elements": (lambda x: ko.std(x), np.ones(2, np.float32)),
    "softmax of infinities": (lambda x: ko.sum(ko.softmax(x) * V), np.array([-np.inf, 4.0], np.float32)),
    "a product with zeros": (lambda x: ko.prod(x), np.zeros(2, np.float32)),
    "silu far out": (lambda x: ko.sum(ko.silu(x)), np.array([-1000.0, 1000.0], np.float32)),
}  # fmt: skip


@pytest.mark.parametrize("name", EDGES)
def test_edges_whose_derivatives_are_numbers(name):
    f, x = EDGES[name]
    plain = np.asarray(ko.grad(f)(x))
    assert not np.isnan(plain).any()
    np.testing.assert_array_equal(np.asarray(checked(ko.grad(f))(x)), plain)


def test_places_outside():
    def f(x, i):
        return ko.sum(ko.take(x, i, axis=0) ** 2)

    inside, outside = np.array([1, 0], np.int32), np.array([1, 7], np.int32)
    gradient = checked(ko.grad(f), "bounds")
    np.testing.assert_array_equal(np.asarray(gradient(V, inside)), 2 * V)
    found = raised(lambda: gradient(V, outside))
    assert found.slug == "index-out-of-range" and HERE in str(found)


def test_a_checkify_inside_catches():
    error, y = checked(ko.checkify(ko.log, errors="nan"))(-V)
    assert "[nan-created] log" in error.get() and np.isnan(np.asarray(y)).all()
    error, _ = checked(ko.checkify(ko.grad(lambda x: ko.sum(ko.log(x) * x)), errors="all"))(-V)
    assert "[nan-created]" in error.get()
    error, _ = checked(lambda x: ko.vmap(ko.checkify(ko.log, errors="nan"))(x))(-V)
    assert "[nan-created]" in error.get()


def test_what_no_checkify_inside_catches():
    found = raised(lambda: checked(ko.checkify(ko.log, errors="user"))(-V))
    assert found.slug == "nan-created"
    found = raised(lambda: checked(ko.checkify(ko.log, errors="bounds"))(-V))
    assert found.slug == "nan-created"
    found = raised(lambda: checked(lambda x: ko.log(-ko.checkify(ko.log, errors="nan")(x)[1] - 9))(V))
    assert found.slug == "nan-created"
