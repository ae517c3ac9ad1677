"""Numbers of Python, alone and in lists, take the dtype of the arrays beside them, whatever the function."""

import numpy as np
import pytest

import kolam as ko

X = np.array([0.1, 0.2, 0.3, 0.7])
BINS = [0.1, 0.2, 0.7]

# Functions of the module and of x, a float64 array, with lists and numbers beside it.
CALLS = [
    lambda m, x: m.isin(x, [0.1, 0.7]),
    lambda m, x: m.digitize(x, [0.1, 0.2]),
    lambda m, x: m.searchsorted(x, [0.1, 0.2]),
    lambda m, x: m.searchsorted(x, 0.7, side="right"),
    lambda m, x: m.histogram(x, BINS)[0],
    lambda m, x: m.histogram(x, BINS)[1],
    lambda m, x: m.histogram(x, 2, (0.1, 0.7))[0],
    lambda m, x: m.histogram(x, 2, range=(0.1, 0.7))[1],
    lambda m, x: m.interp(0.15, x, x),
    lambda m, x: m.interp(x - 1, x, x, left=0.1),
    lambda m, x: m.interp(x, [0.1, 0.7], [0.2, 0.3]),
    lambda m, x: m.where(x > 0.2, [0.1, 0.2, 0.3, 0.4], x),
    lambda m, x: m.minimum(x, [0.1, 0.15, 0.35, 0.9]),
    lambda m, x: m.allclose(x, [0.1, 0.2, 0.3, 0.7], rtol=1e-12, atol=0),
    lambda m, x: m.array_equal(x, [0.1, 0.2, 0.3, 0.7]),
    lambda m, x: m.vecdot(x, [0.1, 0.2, 0.3, 0.4]),
    lambda m, x: m.concat([x, [0.1]]),
    lambda m, x: m.outer(x, [0.1, 0.3]),
    lambda m, x: m.stack([x, [0.1, 0.2, 0.3, 0.4]]),
    lambda m, x: m.full_like(x, 0.1),
    lambda m, x: x + [0.1, 0.2, 0.3, 0.4],
    lambda m, x: [0.1, 0.2, 0.3, 0.4] - x,
    lambda m, x: x == [0.1, 0.2, 0.3, 0.7],
]


@pytest.mark.parametrize("number", range(len(CALLS)))
@pytest.mark.parametrize("way", ["at once", "jit"])
def test_keep_the_digits_of_float64(number, way):
    call = CALLS[number]
    run = ko.jit(lambda x: call(ko, x)) if way == "jit" else lambda x: call(ko, x)
    wanted = np.asarray(call(np, X))
    got = np.asarray(run(ko.asarray(X)))
    assert got.dtype == wanted.dtype or wanted.dtype.kind == "i"
    np.testing.assert_allclose(got, wanted, rtol=1e-15, atol=0)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "uint64", "float16", "bfloat16", "float32", "float64"])
def test_lists_take_the_dtype_beside(dtype):
    x = ko.ones(2, dtype)
    for result in (x + [1, 2], [1, 2] * x, ko.where(x > 0, [1, 2], x), ko.stack([x, [1, 2]])[1], ko.minimum([1, 2], x)):
        assert result.dtype == x.dtype


def test_functions_of_numpy_keep_the_digits_too():
    x = ko.asarray(X)
    for call in (
        lambda x: np.append(x, 0.3),
        lambda x: np.append(x, [0.3]),
        lambda x: np.hstack([x, 0.1]),
        lambda x: np.vstack([[0.1, 0.2, 0.3, 0.4], x]),
        lambda x: np.column_stack([x, [0.1, 0.2, 0.3, 0.4]]),
        lambda x: np.dot(x, [0.1, 0.2, 0.3, 0.4]),
        lambda x: np.isin(x, [0.1, 0.7]),
        lambda x: np.array_equal(x, [0.1, 0.2, 0.3, 0.7]),
        lambda x: np.kron(x, [0.1, 0.2]),
        lambda x: np.average(x, weights=[0.1, 0.2, 0.3, 0.4]),
        lambda x: np.clip(x, [0.1, 0.15, 0.2, 0.3], [0.1, 0.15, 0.25, 0.6]),
        lambda x: np.polyval([0.1, 0.2], x),
    ):
        np.testing.assert_allclose(np.asarray(call(x)), call(X), rtol=1e-15, atol=0)


def test_lists_of_large_integers():
    x = ko.asarray(np.array([1, 2**40]))
    assert (x + [1, 2**40]).tolist() == [2, 2**41]
    assert ko.isin(x, [2**40]).tolist() == [False, True]
    assert (ko.asarray(np.array([1, 2], np.uint64)) == [1, 2]).tolist() == [True, True]


@pytest.mark.parametrize(
    "call",
    [
        lambda: ko.ones(1, "int8") + [300],
        lambda: ko.ones(1, "uint8") * [-1],
        lambda: ko.ones(2, "float16") + [0.0, 1e6],
        lambda: ko.ones(1, "int32") + [2**40],
        lambda: ko.asarray([1e40]),
        lambda: ko.asarray([2**40]),
        lambda: ko.asarray([70000], "float16"),
        lambda: ko.asarray([float("nan")], ko.int32),
        lambda: ko.arange(300.0, 302.0, dtype="uint8"),
        lambda: ko.arange(-1.5, 2, dtype="uint8"),
        lambda: ko.arange(70000.0, 70001.0, dtype="float16"),
        lambda: ko.imm(2**63, ko.int64),
        lambda: ko.imm(-1, ko.uint64),
        lambda: ko.imm(2**64 - 1, ko.int8),
        lambda: ko.imm(1e39, ko.float32),
        lambda: ko.imm(70000, ko.float16),
        lambda: ko.associative_scan(ko.add, ko.ones(2, "int8"), identity=300),
        lambda: ko.associative_scan(ko.add, ko.ones(2, "int32"), identity=2.5),
    ],
)
def test_what_does_not_fit_is_refused(call):
    with pytest.raises(ValueError, match="scalar-does-not-fit"):
        call()


def test_infinities_fit_floats():
    assert ko.asarray([float("inf"), 1.0]).tolist() == [float("inf"), 1.0]
    assert np.isnan((ko.ones(1, "float16") + [float("nan")]).tolist()[0])


def test_an_identity_takes_the_dtype_of_its_array():
    x = ko.asarray(np.array([1.0, 2.0]))
    assert ko.associative_scan(ko.add, x, identity=0.1).tolist() == [0.1, 1.0]


def test_numbers_that_are_traced_keep_their_digits():
    assert ko.jit(lambda n: ko.asarray(n, ko.float64))(0.1).item() == 0.1
    assert ko.jit(lambda n: ko.asarray(n, ko.int64))(2**40).item() == 2**40


def test_take_without_axis_counts_through_all_elements():
    x = np.arange(6).reshape(2, 3)
    assert ko.take(ko.asarray(x), ko.asarray([0, 5])).tolist() == np.take(x, [0, 5]).tolist()
    assert ko.take(ko.asarray(x), ko.asarray([1]), axis=0).tolist() == [[3, 4, 5]]
