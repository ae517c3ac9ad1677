"""Scatters of single elements to the same places act together: beside loops in NumPy, and with the interpreter's bits."""

import numpy as np
import pytest
from random_edges.values import specials
from same_bits import require_same_bits

import kolam as ko

COUNT, BINS = 3001, 17


@pytest.fixture
def rng(seed):
    return np.random.default_rng(seed)


def statistics(x, y, ids):
    """Of each segment: sum, product, extremes, how many."""
    return (
        ko.segment_sum(x, ids, BINS), ko.segment_prod(y, ids, BINS), ko.segment_min(x, ids, BINS), ko.segment_max(y, ids, BINS),
        ko.bincount(ids, length=BINS),
    )  # fmt: skip


def one_by_one(x, y, ids):
    sums, products = np.zeros(BINS, x.dtype), np.ones(BINS, y.dtype)
    least, greatest = np.full(BINS, np.inf, x.dtype), np.full(BINS, -np.inf, y.dtype)
    counts = np.zeros(BINS, np.int32)
    for a, b, i in zip(x, y, ids, strict=True):
        if not 0 <= i < BINS:
            continue
        sums[i] += a
        products[i] *= b
        least[i], greatest[i] = np.minimum(least[i], a), np.maximum(greatest[i], b)
        counts[i] += 1
    return sums, products, least, greatest, counts


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_statistics_of_segments(dtype, rng):
    x, y = rng.standard_normal(COUNT).astype(dtype), (1 + rng.standard_normal(COUNT) / 64).astype(dtype)
    ids = rng.integers(0, BINS, COUNT).astype(np.int32)
    ours = require_same_bits(statistics, x, y, ids)
    for found, expected in zip(ours, one_by_one(x, y, ids), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-4 if dtype == np.float32 else 1e-12)
    text = ko.jit(statistics).lower(x, y, ids).as_text("nests")
    assert text.count("= scatter(") == 1


def test_special_values_and_places_outside(rng):
    x, y = np.resize(specials(np.float32), COUNT), np.resize(specials(np.float32)[::-1], COUNT)
    ids = rng.integers(-BINS, 2 * BINS, COUNT).astype(np.int32)
    for mode in ("drop", "clip"):
        require_same_bits(
            lambda x, y, ids: (ko.ones(BINS).at[ids].add(x, mode=mode), ko.zeros(BINS).at[ids].max(y, mode=mode)), x, y, ids
        )


@pytest.mark.parametrize("count", [0, 1, 7, 8, 255, 256, 257])
def test_few_updates(count, rng):
    x, ids = rng.standard_normal(count).astype(np.float32), rng.integers(0, BINS, count).astype(np.int32)
    require_same_bits(lambda x, ids: (ko.segment_sum(x, ids, BINS), ko.bincount(ids, length=BINS)), x, ids)


def test_results_of_several_dtypes_change_arguments(rng):
    x, y = rng.standard_normal(BINS).astype(np.float32), np.arange(BINS)
    u, v, at = rng.standard_normal(COUNT).astype(np.float32), rng.integers(-9, 9, COUNT), rng.integers(0, BINS, COUNT).astype(np.int32)
    changed = lambda x, y, u, v, at: (x.at[at].add(u), y.at[at].add(v))
    ours, counts = ko.jit(changed, donate_argnums=(0, 1))(ko.asarray(x.copy()), ko.asarray(y.copy()), u, v, at)
    expected, total = x.copy(), y.copy()
    np.add.at(expected, at, u)
    np.add.at(total, at, v)
    np.testing.assert_allclose(np.asarray(ours), expected, rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(np.asarray(counts), total)


def test_one_needs_the_other():
    at = np.arange(64, dtype=np.int32) % 9

    def f(x, at):
        count = ko.bincount(at, length=9)
        return count, ko.bincount(at, x * count[at], length=9)

    count, weighted = require_same_bits(f, np.arange(64, dtype=np.float32), at)
    np.testing.assert_array_equal(count, np.bincount(at, minlength=9))
    np.testing.assert_array_equal(weighted, np.bincount(at, np.arange(64) * count[at], minlength=9))


def test_inside_of_a_loop(rng):
    at = rng.integers(0, BINS, 64).astype(np.int32)

    def f(x, at):
        def step(k, state):
            a, b = state
            return a.at[at].add(x), b.at[at].add(x * x + k)

        return ko.fori_loop(0, 5, step, (ko.zeros(BINS), ko.zeros(BINS)))

    require_same_bits(f, rng.standard_normal(64).astype(np.float32), at)


@pytest.mark.parametrize("count", [0, 1, 300])
@pytest.mark.parametrize("mode", ["drop", "clip", "promise"])
def test_into_an_array_without_dims(count, mode, rng):
    x, at = rng.integers(-8, 8, count).astype(np.float64), np.zeros((count, 0), np.int32)
    of = lambda y, x, at: ko.scatter(y, x, at, [], "kAdd", mode=mode)
    for dynamic in (None, {"x": {0: "n"}, "at": {0: "n"}}):
        found = [np.asarray(ko.jit(of, backend=backend, dynamic=dynamic)(np.float64(3), x, at)) for backend in ("interpret", "cpu")]
        assert found[0] == found[1] == 3 + x.sum()


@pytest.fixture
def threads():
    count = ko.get_num_threads()
    yield ko.set_num_threads
    ko.set_num_threads(count)


@pytest.mark.parametrize("mode", ["drop", "clip", "promise"])
@pytest.mark.parametrize("shape", [(12_289,), (131, 97)])
def test_threads_share_the_first_dim_of_large_results(threads, shape, mode, rng):
    count, low = 20_011, 0 if mode == "promise" else -3
    x, at = rng.standard_normal(count, np.float32), [rng.integers(low, n - low, count).astype(np.int32) for n in shape]
    f = ko.jit(lambda y, x, *at: y.at[at].add(x, mode=mode))
    y = ko.ones(shape)
    expected = np.asarray(ko.jit(lambda y, x, *at: y.at[at].add(x, mode=mode), backend="interpret")(y, x, *at)).tobytes()
    for number in (1, 2, 3):
        threads(number)
        assert np.asarray(f(y, x, *at)).tobytes() == expected
