"""Under NumPy's names results have NumPy's dtypes: sums and averages of integers, places and counts."""

import numpy as np
import pytest

import kolam as ko

DTYPES = [np.bool_, np.int8, np.int32, np.uint8, np.uint32, np.int64]
PLACES = {
    "argmax": lambda a: np.argmax(a), "argmin": lambda a: np.argmin(a, axis=0, keepdims=True), "nanargmax": lambda a: np.nanargmax(a, 1),
    "argsort": lambda a: np.argsort(a, axis=0), "argsort of all": lambda a: np.argsort(a, axis=None, stable=True),
    "searchsorted": lambda a: np.searchsorted(np.sort(a[0]), a[1]), "digitize": lambda a: np.digitize(a, np.asarray([1, 2], a.dtype)),
    "count_nonzero": lambda a: np.count_nonzero(a, axis=0), "nonzero": lambda a: np.nonzero(a)[1], "argwhere": lambda a: np.argwhere(a),
    "flatnonzero": lambda a: np.flatnonzero(a), "where": lambda a: np.where(a)[0], "unique": lambda a: np.unique(a, return_inverse=True)[1],
    "unique_counts": lambda a: np.unique_counts(a).counts, "unique_inverse": lambda a: np.unique_inverse(a).inverse_indices,
    "counts": lambda a: np.unique(a, return_counts=True)[1], "bincount": lambda a: np.bincount(abs(np.asarray(a)[0].astype(np.int32))),
    "histogram": lambda a: np.histogram(a, bins=3)[0], "histogram with edges": lambda a: np.histogram(a, bins=np.asarray([0.0, 1.0, 3.0]))[0],
}  # fmt: skip
AVERAGES = {
    "trace": lambda a: np.trace(a), "trace beside": lambda a: np.trace(a, 1), "average": lambda a: np.average(a, axis=0), "cov": lambda a: np.cov(a),
    "weighted average": lambda a: np.average(a, axis=0, weights=[1, 2, 3]), "cov of columns": lambda a: np.cov(a, rowvar=False),
    "biased cov": lambda a: np.cov(a, bias=True), "cov of two": lambda a: np.cov(a, a[:1]), "corrcoef": lambda a: np.corrcoef(a),
    "corrcoef of two": lambda a: np.corrcoef(a[0], a[1]), "edges": lambda a: np.histogram(a, bins=4)[1],
    "cumulative_sum": lambda a: np.cumulative_sum(a, axis=1, include_initial=True), "bin edges": lambda a: np.histogram_bin_edges(a, 3),
    "vander": lambda a: np.vander(a[0]),
    "density": lambda a: np.histogram(a, 4, None, True)[0], "interp": lambda a: np.interp(a[0], [0, 1, 2], [3, 4, 9]),
    "nearest quantile": lambda a: np.quantile(a, 0.4, method="lower"), "nanpercentile": lambda a: np.nanpercentile(a, 30, axis=0),
}  # fmt: skip


def given(dtype):
    return (np.arange(12).reshape(3, 4) ** 2 % 7 % 3).astype(dtype)


@pytest.mark.filterwarnings("ignore:Converting input from bool")
@pytest.mark.parametrize("dtype", [*DTYPES, np.float32])
@pytest.mark.parametrize("name", PLACES)
def test_places_and_counts(name, dtype):
    result, expected = PLACES[name](ko.asarray(given(dtype))), PLACES[name](given(dtype))
    assert result.dtype == expected.dtype == np.int64
    np.testing.assert_array_equal(np.asarray(result), expected)


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", AVERAGES)
def test_sums_and_averages_of_integers(name, dtype):
    if dtype == np.bool_ and name in ("nearest quantile", "nanpercentile", "edges", "bin edges", "density"):
        pytest.skip("NumPy subtracts no booleans")
    result, expected = AVERAGES[name](ko.asarray(given(dtype))), AVERAGES[name](given(dtype))
    assert result.dtype == expected.dtype
    np.testing.assert_allclose(np.asarray(result), expected, rtol=1e-12)


def test_a_trace_beyond_int32():
    x = ko.asarray(np.full((2, 2), 2**31 - 1, np.int32))
    assert np.trace(x).item() == 2**32 - 2
    assert ko.jit(np.trace)(x).item() == 2**32 - 2


def test_parameters_are_numpys_by_place():
    a = given(np.float32)
    x = ko.asarray(a)
    for call in (
        lambda a: np.nan_to_num(a, True), lambda a: np.cov(a, None, False), lambda a: np.histogram(a, 3, None, None, a)[0],
        lambda a: np.bincount(np.asarray([0, 1, 1]), a[0, :3]),
    ):  # fmt: skip
        np.testing.assert_allclose(np.asarray(call(x)), call(a), rtol=1e-5)
