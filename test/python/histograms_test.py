"""Histograms, bins and piecewise linear functions beside NumPy."""

import numpy as np
import pytest
from random_edges.values import specials
from same_bits import require_same_bits, ways_to_read

import kolam as ko

BACKENDS = ["cpu", "interpret"]


@pytest.fixture
def rng(seed):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("backend", BACKENDS)
def test_histogram(backend, rng):
    x, w = rng.standard_normal((6, 50)).astype(np.float32), rng.random((6, 50)).astype(np.float32)
    edges = np.array([-2, -0.5, 0, 0.25, 3], np.float32)
    cases = [{}, {"bins": 7}, {"bins": 5, "range": (-1.0, 2.0)}, {"bins": edges}, {"bins": 1}, {"bins": edges, "density": True},
             {"bins": 4, "density": True}, {"bins": edges, "weights": w}, {"bins": 6, "weights": w, "density": True}]  # fmt: skip
    for options in cases:
        counts, ours = ko.jit(lambda x: ko.histogram(x, **options), backend=backend)(x)
        expected, theirs = np.histogram(x, **options)
        # Edges are rounded to float32: counts are those of our edges.
        np.testing.assert_allclose(np.asarray(ours), theirs, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(np.asarray(counts), np.histogram(x, np.asarray(ours), **{k: v for k, v in options.items() if k in ("weights", "density")})[0], rtol=1e-5)
        np.testing.assert_array_equal(np.asarray(ko.histogram_bin_edges(x, options.get("bins", 10), options.get("range"))), np.asarray(ours))


def test_borders_of_bins():
    counts, edges = ko.histogram(ko.asarray([0, 1, 1, 2, 4, 4]), 4)
    assert counts.tolist() == [1, 2, 1, 2] and edges.tolist() == [0, 1, 2, 3, 4]
    assert counts.dtype == ko.int32 and edges.dtype == ko.float32
    assert ko.histogram(ko.zeros(0), 2)[1].tolist() == [0, 0.5, 1]
    assert ko.histogram(ko.full((3,), 2.0), 2)[1].tolist() == [1.5, 2, 2.5]
    assert ko.histogram(ko.asarray([1.0, np.nan, 9.0]), ko.asarray([0.0, 2.0]))[0].tolist() == [1]
    assert ko.histogram(ko.asarray([True, False, True]), 2)[0].tolist() == [1, 2]
    for wrong in (lambda: ko.histogram(ko.zeros(3), 0), lambda: ko.histogram(ko.zeros(3), "auto"), lambda: ko.histogram(ko.asarray([np.nan])),
                  lambda: ko.histogram(ko.zeros(3), ko.zeros(1)), lambda: ko.histogram(ko.zeros(3), ko.zeros((2, 2))),
                  lambda: ko.histogram(ko.zeros(3), 2, range=(2, 1)), lambda: ko.histogram(ko.zeros(3), 2, weights=ko.zeros(4))):  # fmt: skip
        with pytest.raises(ValueError):
            wrong()


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("right", [False, True])
def test_digitize(right, backend, rng):
    x = np.concatenate([rng.standard_normal(40), [0, 1, -1, np.inf, -np.inf, np.nan]]).astype(np.float32)
    for bins in ([-1.0, 0, 0, 1], [1.0, 0, -1], [0.5], []):
        bins = np.array(bins, np.float32)
        result = ko.jit(lambda x, b: ko.digitize(x, b, right), backend=backend)(x, bins)
        known = ~np.isnan(x)
        np.testing.assert_array_equal(np.asarray(result)[known], np.digitize(x, bins, right)[known])
    assert ko.digitize(ko.asarray([3, 7]), ko.asarray([5])).tolist() == [0, 1]
    with pytest.raises(ValueError):
        ko.digitize(x, ko.zeros((2, 2)))


@pytest.mark.parametrize("backend", BACKENDS)
def test_interp(backend, rng):
    xp, fp = np.sort(rng.standard_normal(9)).astype(np.float32), rng.standard_normal(9).astype(np.float32)
    x = np.concatenate([rng.standard_normal(60) * 2, xp, [np.inf, -np.inf, np.nan]]).astype(np.float32)
    for options in ({}, {"left": -5.0}, {"right": 7.0}, {"left": 0.0, "right": np.nan}):
        result = ko.jit(lambda x, xp, fp: ko.interp(x, xp, fp, **options), backend=backend)(x, xp, fp)
        np.testing.assert_allclose(np.asarray(result), np.interp(x, xp, fp, **options), rtol=1e-4, atol=1e-5)
    assert ko.interp(2.5, ko.asarray([1, 2, 3]), ko.asarray([3, 2, 0])).item() == 1
    assert ko.interp(ko.asarray([0.0, 5.0]), ko.asarray([1.0]), ko.asarray([2.0])).tolist() == [2, 2]
    for wrong in (lambda: ko.interp(x, xp, fp[:3]), lambda: ko.interp(x, ko.zeros(0), ko.zeros(0)), lambda: ko.interp(x, ko.zeros((2, 2)), fp)):
        with pytest.raises(ValueError):
            wrong()


def test_no_elements_where_only_the_run_knows_it():
    run = ko.jit(lambda x: ko.histogram(x, bins=3), dynamic={"x": [0]})
    for count in (0, 1, 4):
        for got, wanted in zip(run(np.arange(count, dtype=np.float32)), np.histogram(np.arange(count), bins=3), strict=True):
            np.testing.assert_allclose(got, wanted, rtol=1e-6)


def uneven(rng):
    """Elements, numbers of bins and ranges where edges are rounded to few numbers, or nearly so."""
    x = rng.standard_normal(3000).astype(np.float32)
    yield x, 100, (-1.0, 1.0)
    yield x * 1e-3 + 1e6, 100, (1e6 - 1, 1e6 + 1)
    yield x * 1e-3 + 1, 7000, (1.0, 1.001)
    yield x * 1e-40, 50, (-1e-40, 2e-40)
    yield x * 1e38, 9, (-3e38, 3e38)
    yield np.repeat(np.linspace(-1, 1, 101).astype(np.float32), 3), 100, (-1.0, 1.0)
    yield np.nextafter(np.linspace(0, 1, 1001), -1).astype(np.float32), 1000, (0.0, 1.0)
    yield np.array([np.nan, np.inf, -np.inf, 0, -0.0, 1, 5], np.float32), 3, (0.0, 1.0)
    yield x.astype(np.float64), 100, (-1.0, 1.0)
    yield x.astype(np.float64) * 1e-13 + 1, 100, (1 - 1e-13, 1 + 1e-13)
    yield x.astype(np.float16), 60, (-2.0, 2.0)
    yield x.astype(np.float16) + 1000, 60, (999.0, 1001.0)
    yield x, 1, (0.0, 0.0)
    yield (x * 50).astype(np.int32), 33, (-90.0, 77.0)
    yield (x * 50).astype(np.uint8), 256, (0.0, 256.0)


@pytest.mark.parametrize("backend", BACKENDS)
def test_equal_bins_are_those_of_a_search(backend, rng):
    for x, bins, limits in uneven(rng):
        for given in (limits, None) if np.isfinite(x.astype(np.float64)).all() else (limits,):
            counts, edges = ko.jit(lambda x: ko.histogram(x, bins, range=given), backend=backend)(x)
            searched = ko.jit(lambda x, e: ko.histogram(x, e)[0], backend=backend)(x, edges)
            np.testing.assert_array_equal(np.asarray(counts), np.asarray(searched))


def test_bins_of_views_are_the_interpreters(rng):
    for x, bins, limits in uneven(rng):
        require_same_bits(lambda x: ko.histogram(x, bins, range=limits), x)
    x, edges = specials("float32")[1:].reshape(3, 6), np.array([-1, 0, 0, 1e-40, 2], np.float32)
    for read, array in ways_to_read(x):
        require_same_bits(lambda y: (ko.histogram(read(y), 5, range=(-1, 1)), ko.histogram(read(y), edges), ko.digitize(read(y), edges)), array)


@pytest.mark.parametrize("backend", BACKENDS)
def test_equal_bins_of_many_rows(backend, rng):
    x = rng.standard_normal((5, 70)).astype(np.float32)
    counts, edges = ko.jit(ko.vmap(lambda x: ko.histogram(x, 9)), backend=backend)(x)
    for row, count, edge in zip(x, np.asarray(counts), np.asarray(edges), strict=True):
        np.testing.assert_array_equal(count, np.histogram(row, edge)[0])
