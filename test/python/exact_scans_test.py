"""Running combinations that any grouping gives in the same bits: both backends, and associative_scan beside NumPy."""

import numpy as np
import pytest

import kolam as ko

SIZES = [0, 1, 2, 15, 16, 17, 33, 100, 5000]


def numbers(size, dtype, seed=1):
    rng = np.random.default_rng(seed)
    if np.dtype(dtype).kind != "f":
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, size, dtype, endpoint=True)
    x = rng.standard_normal(size).astype(dtype)
    special = np.array([0.0, -0.0, np.inf, -np.inf], dtype)
    return np.where(rng.random(size) < 0.2, rng.choice(special, size), x)


def check(f, x):
    """The bits of both backends, which agree."""
    native, meant = (np.asarray(ko.jit(f, backend=backend)(ko.asarray(x))) for backend in ("cpu", "interpret"))
    assert native.tobytes() == meant.tobytes()
    return native


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "uint16", "int32", "int64"])
@pytest.mark.parametrize("size", SIZES)
def test_extremes(size, dtype):
    x = numbers(size, dtype)
    for reverse in (False, True):
        for ours, numpy in ((ko.cumulative_max, np.maximum), (ko.cumulative_min, np.minimum)):
            result = check(lambda x: ours(x, reverse=reverse), x)
            order = slice(None, None, -1 if reverse else 1)
            assert np.array_equal(result, numpy.accumulate(x[order])[order])


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "int64", "float32"])
@pytest.mark.parametrize("size", SIZES)
def test_sums_and_products(size, dtype):
    x = numbers(size, dtype)
    for f in (ko.cumulative_sum, ko.cumulative_prod):
        check(lambda x: f(x, dtype=dtype), x)
        check(lambda x: f(x, dtype=dtype, include_initial=True), x)


def test_nan_stays():
    x = numbers(1000, "float32")
    x[[300, 700]] = np.nan
    result = check(ko.cumulative_max, x)
    assert not np.isnan(result[:300]).any() and np.isnan(result[300:]).all()
    result = check(lambda x: ko.associative_scan(ko.minimum, x, reverse=True), x)
    assert np.isnan(result[:701]).all() and not np.isnan(result[701:]).any()


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_axes(axis):
    x = numbers((3, 50, 70), "float32")
    result = check(lambda x: ko.cumulative_max(x * 2, axis=axis) + 1, x)
    assert np.array_equal(result, np.maximum.accumulate(x * 2, axis=axis) + 1)


FUNCTIONS = {
    "maximum": (ko.maximum, np.maximum, "float32"),
    "lambda": (lambda a, b: ko.minimum(a, b), np.minimum, "float64"),
    "add": (ko.add, np.add, "int32"),
    "times": (lambda a, b: a * b, np.multiply, "int64"),
    "or": (ko.bitwise_or, np.bitwise_or, "uint16"),
    "xor": (lambda a, b: a ^ b, np.bitwise_xor, "int8"),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("reverse", [False, True])
def test_associative_scan(name, reverse):
    ours, numpy, dtype = FUNCTIONS[name]
    order = slice(None, None, -1 if reverse else 1)
    for size in (0, 1, 100, 10_000):
        x = numbers(size, dtype)
        result = check(lambda x: ko.associative_scan(ours, x, reverse=reverse), x)
        assert np.array_equal(result, numpy.accumulate(x[order], dtype=dtype)[order])
    grid = numbers((40, 50), dtype)
    result = check(lambda x: ko.associative_scan(ours, x, axis=1, reverse=reverse), grid)
    assert np.array_equal(result, numpy.accumulate(grid[:, order], axis=1, dtype=dtype)[:, order])


def test_which_functions_are_one_pass():
    x = ko.asarray(numbers(10_000, "float32"))
    assert "cumulative" in ko.jit(lambda x: ko.associative_scan(ko.maximum, x)).lower(x).as_text()
    for f in (ko.add, lambda a, b: ko.maximum(b, a), lambda a, b: ko.maximum(a, b + 0)):
        assert "kolam.cumulative" not in ko.jit(lambda x, f=f: ko.associative_scan(f, x)).lower(x).as_text()
