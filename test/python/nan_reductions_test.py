"""Reductions without NaN, and quantiles: beside NumPy."""

import warnings

import numpy as np
import pytest

import kolam as ko

BACKENDS = ["cpu", "interpret"]
AXES = [None, 0, 1, -1, (0, 2), (1, 2), (0, 1, 2), ()]


@pytest.fixture
def x(seed):
    rng = np.random.default_rng(seed)
    values = rng.standard_normal((4, 5, 6)).astype(np.float32)
    values[rng.random(values.shape) < 0.3] = np.nan
    values[1, :, 2] = np.nan
    values[2, 3, 1] = np.inf
    values[2, 4, 1] = -np.inf
    return values


def quiet(function, *arguments, **options):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return function(*arguments, **options)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", ["nansum", "nanprod", "nanmin", "nanmax", "nanmean", "nanvar", "nanstd"])
@pytest.mark.parametrize("axis", AXES)
def test_reductions(name, axis, backend, x):
    for keepdims in (False, True):
        result = ko.jit(lambda x: getattr(ko, name)(x, axis, keepdims=keepdims), backend=backend)(x)
        expected = quiet(getattr(np, name), x.astype(np.float64), axis, keepdims=keepdims)
        np.testing.assert_allclose(np.asarray(result), expected, rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("backend", BACKENDS)
def test_corrections_and_places(backend, x):
    f = ko.jit(lambda x: (ko.nanvar(x, 0, 1.0), ko.nanargmin(x, 2), ko.nanargmax(x), ko.nancumsum(x, 1), ko.nancumprod(x, 2)), backend=backend)
    variance, least, greatest, sums, products = map(np.asarray, f(x))
    np.testing.assert_allclose(variance, quiet(np.nanvar, x, 0, ddof=1), rtol=1e-4)
    filled = np.where(np.isnan(x), np.inf, x)
    has = ~np.isnan(x).all(2)
    np.testing.assert_array_equal(least, np.where(has, filled.argmin(2), -1))
    assert greatest == np.nanargmax(x)
    np.testing.assert_allclose(sums, quiet(np.nancumsum, x, 1), rtol=1e-4)
    np.testing.assert_allclose(products, quiet(np.nancumprod, x, 2), rtol=1e-4)


def test_all_nan_and_infinities():
    assert ko.nanargmin(ko.asarray([np.nan, np.inf])).item() == 1
    assert ko.nanargmax(ko.asarray([np.nan, np.nan])).item() == -1
    assert np.isnan(ko.nanmax(ko.asarray([np.nan])).item())
    assert ko.nanmin(ko.asarray([np.nan, np.inf])).item() == np.inf
    assert ko.nansum(ko.asarray([3, 4])).dtype == ko.int32
    assert ko.nanmean(ko.asarray([True, False])).item() == 0.5
    with pytest.raises(ValueError, match="at least one element"):
        ko.nanmin(ko.zeros(0))


def test_nan_to_num():
    x = np.array([np.nan, np.inf, -np.inf, 1.5])
    for dtype in ("float16", "float32", "float64"):
        np.testing.assert_array_equal(ko.nan_to_num(x.astype(dtype)), np.nan_to_num(x.astype(dtype)))
    assert ko.nan_to_num(x.astype("f4"), nan=7, posinf=8, neginf=9).tolist() == [7, 8, 9, 1.5]
    assert ko.nan_to_num(ko.asarray([1, 2])).dtype == ko.int32


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("method", ["linear", "lower", "higher", "nearest", "midpoint"])
@pytest.mark.parametrize("axis", [axis for axis in AXES if axis != ()])
def test_quantiles(axis, method, backend, x):
    q = np.array([0.0, 0.25, 0.5, 0.99, 1.0])
    # Between an infinity and a number NumPy gives NaN, and of shares of rank 2 it turns the dims of nanquantile.
    finite = np.where(np.isinf(x), 9, x)
    for name, values in (("nanquantile", finite), ("quantile", np.nan_to_num(finite))):
        for shares in (q, q[1], *([q.reshape(5, 1)] if name == "quantile" else [])):
            f = ko.jit(lambda x, q: getattr(ko, name)(x, q, axis, method), backend=backend)
            expected = quiet(getattr(np, name), values.astype(np.float64), shares, axis, method=method)
            np.testing.assert_allclose(np.asarray(f(values, shares)), expected, rtol=1e-5, atol=1e-6, err_msg=f"{name} {shares}")


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("axis", [axis for axis in AXES if axis != ()])
def test_medians(axis, backend, x):
    y = np.where(np.isnan(x), 0, x)
    f = ko.jit(lambda x, y: (ko.nanmedian(x, axis), ko.median(y, axis, keepdims=True), ko.median(x, axis)), backend=backend)
    without, with_dims, spread = map(np.asarray, f(x, y))
    np.testing.assert_allclose(without, quiet(np.nanmedian, x, axis), rtol=1e-6)
    np.testing.assert_allclose(with_dims, np.median(y, axis, keepdims=True), rtol=1e-6)
    np.testing.assert_array_equal(np.isnan(spread), np.isnan(quiet(np.median, x, axis)))


def test_percentiles_and_numbers():
    x = np.arange(11, dtype=np.float32)
    assert ko.percentile(x, 30).item() == np.float32(3)
    assert ko.nanpercentile(x, [10, 20]).tolist() == [1, 2]
    assert ko.quantile(x, [0.1, 0.3]).tolist() == [1, np.float32(0.3 * 10)]
    assert ko.quantile(ko.arange(4), 0.5).dtype == ko.float32
    assert ko.quantile(x.astype("f8"), 0.5, keepdims=True).shape == (1,)
    assert ko.median(ko.asarray([np.inf, np.inf])).item() == np.inf


def test_wrong_quantiles():
    x = np.ones(3)
    for q in (1.5, -0.1, np.nan):
        with pytest.raises(ValueError, match="from 0 to 1"):
            ko.quantile(x, q)
    with pytest.raises(ValueError, match="'linear'"):
        ko.quantile(x, 0.5, method="hazen")
    with pytest.raises(ValueError, match="at least one element"):
        ko.median(ko.zeros((0,)))
    with pytest.raises(IndexError):
        ko.median(x, 1)
    f = ko.jit(lambda x: ko.median(x), dynamic={"x": [0]})
    assert f(np.array([3.0, 1.0, 2.0], np.float32)).item() == 2
    with pytest.raises(ValueError, match="at least one element"):
        f(np.zeros(0, np.float32))
