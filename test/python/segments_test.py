"""segment_sum and its kin, bincount, running extremes: beside loops of NumPy."""

import numpy as np
import pytest
from random_edges.values import specials
from same_bits import require_same_bits, ways_to_read

import kolam as ko

BACKENDS = ["cpu", "interpret"]
REDUCTIONS = {
    "segment_sum": (np.add, 0), "segment_prod": (np.multiply, 1), "segment_min": (np.minimum, np.inf),
    "segment_max": (np.maximum, -np.inf),
}  # fmt: skip


def loop(data, ids, segments, combine, identity):
    if not np.issubdtype(data.dtype, np.floating) and np.isinf(identity):
        identity = np.iinfo(data.dtype).max if identity > 0 else np.iinfo(data.dtype).min
    result = np.full((segments, *data.shape[ids.ndim :]), identity, data.dtype)
    for place in np.ndindex(ids.shape):
        if 0 <= ids[place] < segments:
            result[ids[place]] = combine(result[ids[place]], data[place])
    return result


@pytest.fixture
def rng(seed):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("shape, of_ids", [((30,), (30,)), ((12, 5), (12,)), ((4, 6, 3), (4, 6)), ((0, 2), (0,)), ((5, 0), (5,))])
def test_reductions(name, shape, of_ids, backend, rng):
    combine, identity = REDUCTIONS[name]
    ids = rng.integers(-2, 9, of_ids)
    f = ko.jit(lambda x, i: getattr(ko, name)(x, i, 7), backend=backend)
    for x in (rng.standard_normal(shape).astype(np.float32), rng.integers(-5, 5, shape).astype(np.int32)):
        if x.dtype == np.float32 and x.size > 4:
            x.flat[3] = np.nan
        expected = loop(x, ids, 7, combine, identity)
        result = np.asarray(f(x, ids))
        assert result.dtype == expected.dtype
        np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("shape", [(0,), (1,), (37,), (130,), (0, 3), (9, 0), (37, 1), (37, 3), (40, 17)])
def test_special_values_and_views(shape, rng):
    ids = rng.integers(-2, 9, shape[0])

    def all_of(x, ids):
        return tuple(getattr(ko, name)(x, ids, 7) for name in REDUCTIONS)

    require_same_bits(all_of, rng.integers(-128, 128, shape).astype(np.int8), ids)
    require_same_bits(all_of, rng.choice(specials("float16"), shape), ids)
    x = rng.choice([*specials("float32"), *np.arange(20, dtype=np.float32)], shape)
    require_same_bits(all_of, x, np.sort(ids))
    for read, array in ways_to_read(x):
        require_same_bits(lambda y, i: all_of(read(y), i[::-1]), array, ids)


def test_mean():
    result = np.asarray(ko.segment_mean(ko.asarray([[1, 2], [3, 4], [5, 9]]), ko.asarray([2, 0, 2]), 3))
    np.testing.assert_array_equal(result, [[3, 4], [np.nan] * 2, [3, 5.5]])
    assert result.dtype == np.float32


def test_dtypes_are_those_of_sum():
    ids = ko.asarray([0, 0, 1])
    for dtype in ("bool", "int8", "uint8", "int16", "uint16", "int64", "float16", "bfloat16", "float64"):
        x = ko.ones(3, dtype)
        assert ko.segment_sum(x, ids, 2).dtype == ko.sum(x).dtype
        assert ko.segment_sum(x, ids, 2).tolist() == [2, 1]
    many = ko.full((4096,), 1.0, "float16")
    assert ko.segment_sum(many, ko.zeros(4096, "int32"), 1).tolist() == [4096]


def test_number_of_segments():
    x, ids = ko.asarray([1.0, 2.0]), ko.asarray([3, 1])
    assert ko.segment_sum(x, ids).tolist() == [0, 2, 0, 1]
    assert ko.segment_sum(ko.zeros(0), ko.zeros(0, "int32")).shape == (0,)
    assert ko.segment_max(x, ids, 0).shape == (0,)
    with pytest.raises(TypeError, match="num_segments"):
        ko.jit(lambda x, i: ko.segment_sum(x, i))(np.ones(2), np.zeros(2, int))
    f = ko.jit(lambda x, i: ko.segment_sum(x, i, 3), dynamic={"x": [0], "i": [0]})
    for n in (0, 1, 6):
        assert f(np.ones(n, np.float32), np.arange(n) % 2).tolist() == [(n + 1) // 2, n // 2, 0]


@pytest.mark.parametrize("data, ids, segments, error, words", [
    (np.ones(3), np.ones(3), 2, TypeError, "integers"), (np.ones(3), np.zeros(4, int), 2, ValueError, "dim 0"),
    (np.ones(3), np.int32(0), 2, ValueError, "from 1 to 1 dims"), (np.ones(3), np.zeros(3, int), -1, ValueError, "extents >= 0"),
    (np.ones(3), np.zeros((3, 1), int), 2, ValueError, "from 1 to 1 dims"),
])  # fmt: skip
def test_wrong_segments(data, ids, segments, error, words):
    with pytest.raises(error, match=words):
        ko.segment_sum(data, ids, segments)
    with pytest.raises(TypeError, match="integers or floats"):
        ko.segment_min(np.array([True]), np.array([0]), 1)


@pytest.mark.parametrize("backend", BACKENDS)
def test_bincount(backend, rng):
    x, weights = rng.integers(0, 12, 100), rng.standard_normal(100).astype(np.float32)
    f = ko.jit(lambda x, w: (ko.bincount(x, length=10), ko.bincount(x, w, length=15)), backend=backend)
    counts, sums = f(x, weights)
    np.testing.assert_array_equal(counts, np.bincount(x, minlength=10)[:10])
    np.testing.assert_allclose(sums, np.bincount(x, weights, 15), rtol=1e-4, atol=1e-5)


def test_length_of_bincount():
    assert ko.bincount(np.array([1, 1, 4], np.uint8)).tolist() == [0, 2, 0, 0, 1]
    assert ko.bincount(np.zeros(0, int)).tolist() == []
    assert ko.bincount(np.array([1]), minlength=4).tolist() == [0, 1, 0, 0]
    assert ko.bincount(np.array([-1, 2]), length=2).tolist() == [0, 0]
    for wrong, error in ((np.array([-1]), ValueError), (np.array([1.5]), TypeError), (np.zeros((2, 2), int), ValueError)):
        with pytest.raises(error):
            ko.bincount(wrong)
    with pytest.raises(TypeError, match="give 'length'"):
        ko.jit(ko.bincount)(np.array([1]))
    with pytest.raises(ValueError):
        ko.bincount(np.array([1, 2]), np.ones(3))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("dtype", ["float32", "int8", "float16", "uint64"])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_running_extremes(dtype, axis, backend, rng):
    x = rng.integers(0, 100, (5, 7)).astype(dtype)
    f = ko.jit(lambda x: (ko.cumulative_max(x, axis), ko.cumulative_min(x, axis, reverse=True)), backend=backend)
    highest, lowest = f(x)
    np.testing.assert_array_equal(highest, np.maximum.accumulate(x, axis))
    np.testing.assert_array_equal(lowest, np.flip(np.minimum.accumulate(np.flip(x, axis), axis), axis))
    assert np.asarray(highest).dtype == x.dtype


def test_running_extremes_of_nan_and_errors():
    np.testing.assert_array_equal(ko.cumulative_max(ko.asarray([1.0, np.nan, 2.0])), [1, np.nan, np.nan])
    assert ko.cumulative_min(ko.zeros((0, 2)), 0).shape == (0, 2)
    with pytest.raises(ValueError, match="an axis for rank 2"):
        ko.cumulative_max(ko.zeros((2, 2)))
    with pytest.raises(TypeError):
        ko.cumulative_max(ko.asarray([True]))
