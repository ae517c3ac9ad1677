"""Diagonals, norms and statistics beside NumPy."""

import numpy as np
import pytest

import kolam as ko

BACKENDS = ["cpu", "interpret"]


@pytest.fixture
def rng(seed):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("k", [0, 1, -1, 3, -2, 9, -9, 2**62])
def test_diagonals(k, backend, rng):
    for shape, axes in (((4, 5), (0, 1)), ((5, 3), (1, 0)), ((2, 4, 3), (0, 2)), ((2, 4, 3), (-1, 1)), ((0, 3), (0, 1)), ((3, 3, 0), (0, 1))):
        x = rng.integers(0, 9, shape).astype(np.int32)
        f = ko.jit(lambda x: (ko.diagonal(x, k, *axes), ko.trace(x, k, *axes)), backend=backend)
        near = max(min(k, 99), -99)
        line, total = f(x)
        np.testing.assert_array_equal(line, np.diagonal(x, near, *axes))
        np.testing.assert_array_equal(total, np.trace(x, near, *axes))


def test_diagonal_matrices():
    for k in (0, 2, -3):
        for x in (np.arange(1, 4), np.zeros(0, np.float32), np.array([True, False])):
            np.testing.assert_array_equal(ko.diag(x, k), np.diag(x, k))
    assert ko.diag(ko.asarray([[1, 2], [3, 4]]), 1).tolist() == [2]
    assert ko.trace(ko.asarray([[1.0, np.nan], [0, 2.0]])).item() == 3
    for wrong in (lambda: ko.diag(ko.zeros((2, 2, 2))), lambda: ko.diag(ko.asarray(1)), lambda: ko.diagonal(ko.zeros(3)),
                  lambda: ko.diagonal(ko.zeros((3, 3)), 0, 1, 1), lambda: ko.diag(ko.zeros(2), 2**62)):  # fmt: skip
        with pytest.raises(ValueError):
            wrong()
    f = ko.jit(lambda x: ko.diagonal(x, 1), dynamic={"x": [0, 1]})
    for shape in ((3, 4), (4, 2), (1, 1), (2, 7)):
        x = np.arange(np.prod(shape)).reshape(shape)
        np.testing.assert_array_equal(f(x), np.diagonal(x, 1))


@pytest.mark.parametrize("backend", BACKENDS)
def test_norms(backend, rng):
    x = rng.standard_normal((4, 5)).astype(np.float32)
    x[1, 2] = 0
    cases = [(None, None), (None, 0), (2, 1), (1, -1), (0, 0), (np.inf, 1), (-np.inf, 0), (3, 1), (-2, 0), ("fro", (0, 1)), ("fro", None),
             (1, None), (-1, (0, 1)), (np.inf, (1, 0)), (-np.inf, (0, 1)), (1, (1, 0))]  # fmt: skip
    for order, axis in cases:
        for keepdims in (False, True):
            f = ko.jit(lambda x: ko.norm(x, order, axis, keepdims), backend=backend)
            with np.errstate(divide="ignore"):
                expected = np.linalg.norm(x.astype(np.float64), order, axis, keepdims)
            np.testing.assert_allclose(np.asarray(f(x)), expected, rtol=1e-5, err_msg=f"{order} {axis}")
    assert ko.norm(ko.asarray([3, 4])).dtype == ko.float32
    assert ko.norm(ko.zeros((2, 3, 4))).item() == 0
    for wrong in ({"ord": "nuc"}, {"ord": 2, "axis": (0, 1)}, {"axis": (0, 1, 2)}, {"ord": 1}, {"ord": "fro", "axis": 0}):
        with pytest.raises(ValueError):
            ko.norm(ko.zeros((2, 3, 4)), **wrong)


@pytest.mark.parametrize("backend", BACKENDS)
def test_statistics(backend, rng):
    x, w = rng.standard_normal((3, 8)).astype(np.float32), rng.random((3, 8)).astype(np.float32)
    f = ko.jit(lambda x, w: (ko.average(x), ko.average(x, 0, w), ko.average(x, 1, w[0]), ko.ptp(x, 1, keepdims=True),
                             ko.cov(x), ko.cov(x, rowvar=False, correction=0), ko.corrcoef(x), ko.cov(x[0])), backend=backend)  # fmt: skip
    expected = (np.average(x), np.average(x, 0, w), np.average(x, 1, w[0]), np.ptp(x, 1, keepdims=True),
                np.cov(x), np.cov(x, rowvar=False, ddof=0), np.corrcoef(x), np.cov(x[0]))  # fmt: skip
    for ours, theirs in zip(f(x, w), expected, strict=True):
        np.testing.assert_allclose(np.asarray(ours), theirs, rtol=1e-4, atol=1e-5)


def test_wrong_statistics():
    for wrong in (lambda: ko.average(ko.zeros((2, 3)), 0, ko.zeros((4,))), lambda: ko.cov(ko.zeros((2, 2, 2))),
                  lambda: ko.ptp(ko.zeros(0)), lambda: ko.average(ko.zeros((2, 3)), 5)):  # fmt: skip
        with pytest.raises(ko.KolamError):
            wrong()
    with pytest.raises(TypeError):
        ko.ptp(ko.asarray([True]))
    assert np.isnan(ko.average(ko.zeros(0)).item())


def test_embedding_and_swapped_axes():
    table = np.arange(6, dtype=np.float32).reshape(3, 2)
    np.testing.assert_array_equal(ko.embedding(np.array([[0, 2], [-1, 1]]), table), table[[[0, 2], [2, 1]]])
    with pytest.raises(TypeError):
        ko.embedding(np.array([0.5]), table)
    assert ko.swapaxes(ko.zeros((2, 3, 4)), -1, 0).shape == (4, 3, 2)
    with pytest.raises(IndexError, match="axis2"):
        ko.swapaxes(ko.zeros((2, 3)), 0, 2)
