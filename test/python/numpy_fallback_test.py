"""What our functions refuse of arrays NumPy's compute; of traced values the error says the way out."""

import numpy as np
import pytest

import kolam as ko

A = np.arange(6, dtype=np.int32).reshape(2, 3) - 2
B = A > 0
CALLS = [
    lambda a, b: np.pad(a, 1, constant_values=(1, 2)), lambda a, b: np.cross(a[:, :2], a[:, 1:]), lambda a, b: np.logical_and(a, 2),
    lambda a, b: np.logical_not(a), lambda a, b: np.logical_xor(a, b), lambda a, b: np.isfinite(b), lambda a, b: np.isnan(b), lambda a, b: np.abs(b),
    lambda a, b: np.square(b), lambda a, b: np.trunc(b), lambda a, b: np.add(b, b), lambda a, b: np.multiply(b, True), lambda a, b: np.minimum(b, b),
    lambda a, b: np.maximum.reduce(b), lambda a, b: np.matmul(b, b.T), lambda a, b: np.vecdot(b, b), lambda a, b: np.take(a, [4, 1]),
    lambda a, b: np.interp(a[0], [0.0, 1.0], [2.0, 3.0], period=3), lambda a, b: np.nancumsum(a), lambda a, b: np.unique(a, axis=1), lambda a, b: np.max(b),
    lambda a, b: np.isin(np.asarray(a).astype(np.uint64), a), lambda a, b: np.bitwise_count(a), lambda a, b: np.linalg.norm(a, "nuc"),
    lambda a, b: np.quantile(a, 0.2, method="weibull"), lambda a, b: np.rot90(a, axes=(1, 0)), lambda a, b: np.sum(a, where=b),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore:Arrays of 2-dimensional vectors")
@pytest.mark.parametrize("place", range(len(CALLS)))
def test_arrays(place):
    result, expected = CALLS[place](ko.asarray(A), ko.asarray(B)), CALLS[place](A, B)
    assert np.asarray(result).dtype == np.asarray(expected).dtype
    np.testing.assert_allclose(np.asarray(result), expected, rtol=1e-12)


def test_writing_places_of_ours_into_an_array_of_numpy():
    array = np.zeros((2, 3))
    np.put_along_axis(array, ko.asarray([0, 4]), 7.0, axis=None)
    assert array.tolist() == [[7, 0, 0], [0, 7, 0]]


@pytest.mark.parametrize("call, error", [
    (lambda a: np.reshape(a, (4, 4)), ValueError), (lambda a: np.sum(a, dim=0), TypeError), (lambda a: np.sum(a, axis=7), np.exceptions.AxisError),
    (lambda a: np.bincount(a), ValueError), (lambda a: np.pad(a, 1, mode="mirror"), ValueError),
])  # fmt: skip
def test_what_is_wrong_numpy_refuses(call, error):
    with pytest.raises(error) as info:
        call(ko.asarray(A))
    assert not isinstance(info.value, ko.KolamError) and info.value.__cause__ is None


@pytest.mark.parametrize("call, words", [
    (lambda a: np.isfinite(a > 0), r"\[dtype-mismatch\].*cast with kolam.astype, or let kolam.opaque_call call numpy.isfinite"),
    (lambda a: np.linalg.norm(a, 2), r"\[bad-option\].*let kolam.opaque_call call numpy.linalg.norm while"),
    (lambda a: np.unique(a, axis=0), r"\[traced-value\].*only NumPy has these options.*kolam.opaque_call calls numpy.unique"),
])  # fmt: skip
def test_traced_values_are_told_the_way_out(call, words):
    with pytest.raises(ko.KolamError, match=words) as info:
        ko.jit(call)(A)
    assert info.value.where[0] == __file__


@pytest.mark.parametrize("call", [
    lambda a: np.linalg.norm(a), lambda a: np.linalg.norm(a, 1, axis=0, keepdims=True), lambda a: np.linalg.vector_norm(a),
    lambda a: np.linalg.matrix_norm(a), lambda a: np.linalg.trace(a), lambda a: np.linalg.diagonal(a), lambda a: np.linalg.outer(a[0], a[1]),
    lambda a: np.matrix_transpose(a), lambda a: np.unstack(a)[1], lambda a: np.astype(a, np.int8), lambda a: np.vander(a[0]), lambda a: np.sort(np.unique_values(a)),
    lambda a: np.linalg.matmul(a, a.T), lambda a: np.linalg.cross(a, a[::-1]), lambda a: np.inner(a, a), lambda a: np.vdot(a[0], a[1]),
    lambda a: np.logical_or(a, 0), lambda a: np.add(a > 0, a > 1), lambda a: np.minimum(a > 0, a > 1),
])  # fmt: skip
def test_traced_values_that_have_our_function(call):
    result, expected = ko.jit(call)(A), call(A)
    assert isinstance(result, ko.Array) and result.dtype == expected.dtype
    np.testing.assert_allclose(np.asarray(result), expected, rtol=1e-12)


def test_operators_promote_by_our_rules():
    with pytest.raises(ko.KolamError, match="no-promotion"):
        np.ones(2, np.uint64) + ko.asarray([1, 2])
    with pytest.raises(ko.KolamError, match="scalar-does-not-fit"):
        np.add(ko.asarray([1], ko.int8), 300)
