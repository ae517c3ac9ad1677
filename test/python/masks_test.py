"""Masks, empty lists and new axes in an index, against NumPy."""

import numpy as np
import pytest

import kolam as ko

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
ROWS, CELLS = np.array([False, True]), X[0] % 2 == 0
INDICES = {
    "one dim": ROWS, "all dims": X > 5, "leading dims": X[:, :, 0] > 3, "list": [True, False], "nothing": X < 0,
    "in a tuple": (ROWS,), "behind a slice": (slice(None), CELLS), "behind an ellipsis": (..., X[0, 0] > 1),
    "before a slice": (ROWS, slice(1, 3)), "beside an array": (ROWS, np.array([0, 2])), "beside an integer": (1, CELLS),
    "around a new axis": (None, ROWS, None), "two masks": (ROWS, np.array([True, False, False])),
    "after an ellipsis, before a slice": (..., X[0, :, 0] > 3, slice(None)),
    "empty list": [], "empty lists": (slice(None), []), "empty nest": [[]],
}  # fmt: skip


@pytest.mark.parametrize("case", INDICES)
@pytest.mark.parametrize("wrap", [lambda x: x, ko.asarray])
def test_like_numpy(case, wrap):
    def ours(item):
        return wrap(item) if isinstance(item, np.ndarray) else item

    given = INDICES[case]
    index = tuple(map(ours, given)) if isinstance(given, tuple) else ours(given)
    for result in (ko.asarray(X)[index], ko.jit(lambda x: x[index])(X)):
        np.testing.assert_array_equal(np.asarray(result), X[given], strict=True)


def test_masks_of_other_extents_are_refused():
    for index in (np.array([True]), (slice(None), np.ones((3, 5), bool)), np.ones((2, 3, 5), bool)):
        with pytest.raises(IndexError, match=r"\[shape-mismatch\] argument 'index': expected a mask of extent"):
            ko.asarray(X)[index]
    with pytest.raises(IndexError):
        ko.asarray(X)[np.ones((2, 3, 4, 1), bool)]


def test_traced_masks():
    for index, expected in ((lambda x: x[x > 1], X[X > 1]), (lambda x: x[0, x[0] > 1], X[0, X[0] > 1]), (lambda x: x[True, x > 9], X[True, X > 9])):
        np.testing.assert_array_equal(np.asarray(ko.jit(index)(X)), expected, strict=True)


@pytest.mark.parametrize("mask", [True, False])
def test_masks_of_rank_0(mask):
    for index in (mask, (mask,), (mask, 0), (slice(None), mask), (..., mask)):
        np.testing.assert_array_equal(np.asarray(ko.asarray(X)[index]), X[index], strict=True)
        np.testing.assert_array_equal(np.asarray(ko.jit(lambda x, index=index: x[index])(X)), X[index], strict=True)


def test_newaxis():
    assert ko.newaxis is None and ko.asarray(X)[:, ko.newaxis].shape == (2, 1, 3, 4)
