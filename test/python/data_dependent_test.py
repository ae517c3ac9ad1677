"""Functions whose extents data decide: at once and in jitted programs, beside NumPy."""

import numpy as np
import pytest

import kolam as ko

ROWS = {
    "ints": np.array([[3, 0, 3], [0, 1, 2]], np.int32), "floats": np.array([0.5, 0, np.nan, -1, np.nan, 0.5, -0.0], np.float32),
    "bools": np.array([True, False, True]), "nothing": np.zeros(0, np.float32), "empty rows": np.zeros((3, 0), np.int8),
    "zeros": np.zeros((2, 2), np.int64), "one": np.array([7], np.uint8), "half": np.array([2, 1, 2], np.float16),
}  # fmt: skip
FUNCTIONS = {
    "nonzero": (lambda x: ko.nonzero(x), lambda x: np.nonzero(x)),
    "argwhere": (lambda x: ko.argwhere(x), lambda x: np.argwhere(x)),
    "flatnonzero": (lambda x: ko.flatnonzero(x), lambda x: np.flatnonzero(x)),
    "where": (lambda x: ko.where(x), lambda x: np.where(x)),
    "mask": (lambda x: x[x > 0], lambda x: x[x > 0]),
    "mask of rows": (lambda x: x[ko.any(ko.reshape(x, (x.shape[0], -1)) != 0, 1)] if x.size else x[x > 0],
                     lambda x: x[np.any(x.reshape(x.shape[0], -1) != 0, 1)] if x.size else x[x > 0]),
    "unique": (lambda x: ko.unique(x), lambda x: np.unique(x)),
    "every NaN": (lambda x: ko.unique(x, equal_nan=False), lambda x: np.unique(x, equal_nan=False)),
    "unique of all parts": (lambda x: ko.unique(x, True, True, True), lambda x: np.unique(x, True, True, True)),
    "unique counts": (lambda x: ko.unique(x, return_counts=True), lambda x: np.unique(x, return_counts=True)),
    "unique inverse": (lambda x: ko.unique(x, return_inverse=True), lambda x: np.unique(x, return_inverse=True)),
    "sum of what is kept": (lambda x: ko.sum(x[x > 1]), lambda x: np.sum(x[x > 1], dtype=ko.sum(x).dtype)),
}  # fmt: skip


def assert_same(ours, theirs):
    if isinstance(theirs, tuple):
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            assert_same(one, other)
        return
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    places = ours.dtype in (np.int32, np.int64) and theirs.dtype == np.int64
    np.testing.assert_array_equal(ours, theirs.astype(ours.dtype) if places else theirs, strict=True)


@pytest.mark.parametrize("case", ROWS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_like_numpy(name, case):
    function, expected = FUNCTIONS[name]
    x = ROWS[case]
    assert_same(function(ko.asarray(x)), expected(x))
    assert_same(ko.jit(function)(x), expected(x))
    if name not in ("mask of rows",):
        assert_same(ko.jit(function, dynamic={"x": list(range(x.ndim))})(x), expected(x))


def test_results_feed_what_comes_behind():
    def program(x, y):
        kept = x[x > 0]
        values, counts = ko.unique_counts(kept)
        return kept + 1, ko.sort(kept, descending=True), ko.concat([kept, y]), values @ counts.astype(ko.float32), kept[::2], kept.shape[0]

    def expected(x, y):
        kept = x[x > 0]
        return kept + 1, -np.sort(-kept), np.concatenate([kept, y]), kept.sum(), kept[::2]

    for x in (np.array([1, -1, 2, 2], np.float32), np.array([-1.0], np.float32)):
        *ours, count = ko.jit(program)(x, x)
        for one, other in zip(ours, expected(x, x), strict=True):
            np.testing.assert_allclose(np.asarray(one), other)


def test_two_masks_are_two_extents():
    x = np.arange(6, dtype=np.float32)
    with pytest.raises(ko.KolamError, match=r"\[shape-mismatch\]"):
        ko.jit(lambda x: x[x > 1] + x[x > 2])(x)
    assert ko.jit(lambda x: x[x > 1] + x[x > 1])(x).tolist() == [4, 6, 8, 10]


def test_sizes_that_are_asked_for():
    x = np.array([[0, 5], [6, 0]], np.int32)
    for call in (lambda f: f(ko.asarray(x)), lambda f: ko.jit(f)(x)):
        rows, columns = call(lambda x: ko.nonzero(x, size=3, fill_value=-1))
        assert rows.tolist() == [0, 1, -1] and columns.tolist() == [1, 0, -1]
        assert call(lambda x: ko.argwhere(x, size=3, fill_value=(7, 8))).tolist() == [[0, 1], [1, 0], [7, 8]]
        assert call(lambda x: ko.where(x > 5, size=2)[0]).tolist() == [1, 0]
        assert call(lambda x: ko.flatnonzero(x, size=1)).tolist() == [1]  # too small: the first ones
        values, indices, inverse, counts = call(lambda x: ko.unique_all(x, size=4, fill_value=9))
        assert (values.tolist(), indices.tolist(), counts.tolist()) == ([0, 5, 6, 9], [0, 1, 2, 0], [2, 1, 1, 0])
        assert [part.tolist() for part in call(lambda x: ko.unique_counts(x, size=2))] == [[0, 5], [2, 1]]
        assert call(lambda x: ko.unique(x, size=5)).tolist() == [0, 5, 6, 0, 0]
        assert call(lambda x: ko.nonzero(x, size=0)[0]).shape == (0,)


def test_a_size_of_an_extent():
    f = ko.jit(lambda x: ko.flatnonzero(x > 0, size=x.shape[0], fill_value=-1), dynamic={"x": [0]})
    assert f(np.array([1.0, -1.0, 2.0])).tolist() == [0, 2, -1] and f(np.zeros(0)).tolist() == []


@pytest.mark.parametrize("call, words", [
    (lambda: ko.nonzero(3.0), r"nonzero: \[rank-mismatch\] argument 'x': expected at least 1 dim"),
    (lambda: ko.nonzero([1], size=-1), r"nonzero: \[extent-negative\] argument 'size': expected an extent >= 0, but got -1"),
    (lambda: ko.nonzero([1], size=2, fill_value=(1, 2)), r"nonzero: \[rank-mismatch\] argument 'fill_value': expected one number or 1"),
    (lambda: ko.unique([1], size=2.5), r"unique_values: \[argument-type\] argument 'size': expected an integer"),
    (lambda: ko.unique(ko.asarray([1], "i8"), size=2, fill_value=300), r"\[scalar-does-not-fit\]"),
    (lambda: ko.unique([[1]], axis=0), r"unique: \[bad-option\] argument 'axis': expected None, but got 0"),
    (lambda: ko.searchsorted([[1]], 1), r"searchsorted: \[rank-mismatch\] argument 'x': expected 1 dim, but got int32\[1, 1\]"),
    (lambda: ko.searchsorted([1], 1, side="middle"), r"\[unknown-mode\] argument 'side': expected 'left' or 'right', but got 'middle'"),
    (lambda: ko.diff([1], n=-1), r"diff: \[negative-count\] argument 'n': expected 0 or more, but got -1"),
    (lambda: ko.isin(ko.asarray([1], "u64"), ko.asarray([1], "i8")), r"\[no-promotion\]"),
])  # fmt: skip
def test_words_of_errors(call, words):
    with pytest.raises(ko.KolamError, match=words):
        call()


RNG_SIZES = (0, 1, 5, 64, 1000)


@pytest.mark.parametrize("n", RNG_SIZES)
def test_searches(n):
    rng = np.random.default_rng(n)
    x, values = np.sort(rng.integers(0, 40, n)).astype(np.float32), rng.integers(-3, 43, (7, 9)).astype(np.float32)
    values[0, 0] = np.nan
    for side in ("left", "right"):
        expected = np.searchsorted(x, values, side)
        np.testing.assert_array_equal(np.asarray(ko.searchsorted(x, values, side=side)), expected)
        np.testing.assert_array_equal(np.asarray(ko.jit(lambda x, v, s=side: ko.searchsorted(x, v, side=s))(x, values)), expected)
    np.testing.assert_array_equal(np.asarray(ko.isin(values, x)), np.isin(values, x))
    np.testing.assert_array_equal(np.asarray(ko.isin(values, x, invert=True)), np.isin(values, x, invert=True))
    shuffled = rng.permutation(x)
    np.testing.assert_array_equal(
        np.asarray(ko.searchsorted(shuffled, values, sorter=ko.argsort(shuffled))), np.searchsorted(x, values)
    )


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.uint8, np.uint64])
def test_counts_among_sorted_integers(side, dtype):
    """The rows of the elements of a sparse matrix: elements are counted, not searched for."""
    limits = np.iinfo(dtype)
    rng = np.random.default_rng(0)
    for count in (16, 100):
        ends = [limits.min, limits.max, 0, count - 1, count, min(count + 1, limits.max)]
        for bins in ([], [0], np.zeros(5), [limits.max] * 3, ends, rng.integers(0, 110, 60), rng.integers(0, 110, 700)):
            bins = np.sort(np.asarray(bins, dtype))
            f = lambda bins: ko.searchsorted(bins, ko.arange(count, dtype=getattr(ko, np.dtype(dtype).name)), side=side)
            for backend in ("cpu", "interpret"):
                found = np.asarray(ko.jit(f, backend=backend)(bins))
                np.testing.assert_array_equal(found, np.searchsorted(bins, np.arange(count, dtype=dtype), side))
