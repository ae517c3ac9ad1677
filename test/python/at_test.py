"""x.at[...] beside NumPy's assignment, ufunc.at and JAX's rules for places outside."""

import numpy as np
import pytest

import kolam as ko

INDICES = [
    2, -1, slice(None), slice(1, 3), slice(None, None, 2), slice(None, None, -1), slice(5, 0, -2), Ellipsis, None,
    (0, 1), (slice(None), 1), (Ellipsis, -1), (slice(1, 4), slice(None, None, 2)), (None, 1), (1, None, 2),
    (slice(None, None, -2), None, slice(1, None)), np.array([0, 3, 1]), np.array([[0, 2], [4, 1]]),
    (np.array([0, 4]), np.array([1, 2])), (np.array([0, 4]), 1), (slice(None), np.array([3, 0])),
    (slice(1, 4), np.array([3, 0])), (slice(None, None, -2), np.array([3, 0])), (np.array([1, 2]), slice(None, None, 2)),
    (np.array([[0], [1]]), np.array([2, 3])), (Ellipsis, np.array([2, 0]), None), (), slice(3, 3), np.zeros(0, int),
    [0, 2], (np.array([True, False, True, False, True]),), np.array([False] * 5), np.arange(20).reshape(5, 4) % 3 == 0,
    (slice(None), np.array([True, False, False, True])), (Ellipsis, np.array([True, False, False, True])),
]  # fmt: skip
THREE = [
    (0, slice(None), np.array([0, 1])), (np.array([0, 1]), slice(None), np.array([1, 2])),
    (slice(None), np.array([0, 2]), np.array([1, 1])), (slice(0, 1), np.array([[0, 2]]), slice(None, None, -1)),
    (np.array([1]), None, np.array([2, 0])), (Ellipsis, 1), (1, Ellipsis, np.array([0, 2, 3])),
    (np.array([True, False]), slice(1, 2)), (slice(None), np.array([[True, False, True, False]] * 3)),
]  # fmt: skip
UPDATES = {
    "set": lambda x, i, v: x.__setitem__(i, v), "add": np.add.at, "subtract": np.subtract.at, "multiply": np.multiply.at,
    "min": np.minimum.at, "max": np.maximum.at, "divide": np.divide.at, "power": np.power.at,
}  # fmt: skip


@pytest.fixture
def rng(seed):
    return np.random.default_rng(seed)


def run(x, index, update, value, backend):
    """At once, or compiled, where index arrays and masks stay what they are."""
    if backend is None:
        return np.asarray(getattr(ko.asarray(x).at[index], update)(value))
    return np.asarray(ko.jit(lambda x, v: getattr(x.at[index], update)(v), backend=backend)(x, value))


@pytest.mark.parametrize("backend", [None, "cpu", "interpret"])
@pytest.mark.parametrize("update", UPDATES)
@pytest.mark.parametrize("shape, indices", [((5, 4), INDICES), ((2, 3, 4), THREE)])
def test_every_form_of_index(shape, indices, update, backend, rng):
    for index in indices:
        x = rng.integers(1, 9, shape).astype(np.float32)
        value = rng.integers(1, 5, x[index].shape).astype(np.float32)
        for given in (value, np.float32(3)) if value.size < 40 else (value,):
            expected = x.copy()
            UPDATES[update](expected, index, given)
            result = run(x, index, update, given, backend)
            np.testing.assert_allclose(result, expected, rtol=1e-5, err_msg=f"{index} {update}")


@pytest.mark.parametrize("backend", ["cpu", "interpret"])
def test_places_of_the_program(backend, rng):
    f = ko.jit(lambda x, i, v: x.at[i].add(v), backend=backend)
    x, v = rng.standard_normal((7, 3)).astype(np.float32), rng.standard_normal((20, 3)).astype(np.float32)
    i = rng.integers(-7, 7, 20)
    expected = x.copy()
    np.add.at(expected, i, v)
    np.testing.assert_allclose(np.asarray(f(x, i, v)), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("mode, expected", [
    (None, [1, 0, 3]), ("drop", [1, 0, 3]), ("fill", [1, 0, 3]), ("clip", [6, 0, 8]), ("promise_in_bounds", None),
])  # fmt: skip
def test_places_outside(mode, expected):
    x = ko.zeros(3, "int32")
    places = ko.asarray([-3, 5, -1, -9]) if expected else ko.asarray([-3, 1, -1])
    values = ko.asarray([1, 5, 3, 5]) if expected else ko.asarray([1, 0, 3])
    assert x.at[places].add(values, mode=mode).tolist() == (expected or [1, 0, 3])


def test_plain_integers_outside():
    x = ko.arange(3)
    with pytest.raises(IndexError, match="from -3 to 2"):
        x.at[3].set(1)
    assert x.at[3].set(9, mode="drop").tolist() == [0, 1, 2]
    assert x.at[-4].set(9, mode="clip").tolist() == [9, 1, 2]
    assert x.at[3].get(mode="fill", fill_value=-1).item() == -1
    assert x.at[3].get(mode="clip").item() == 2


def test_reading_with_fill():
    x = ko.asarray([[1.0, 2.0], [3.0, 4.0]])
    i = ko.asarray([0, 7, -1, -5])
    np.testing.assert_array_equal(np.asarray(x.at[i].get(mode="fill")), [[1, 2], [np.nan] * 2, [3, 4], [np.nan] * 2])
    np.testing.assert_array_equal(np.asarray(x.at[:, i].get(mode="fill", fill_value=0)), [[1, 0, 2, 0], [3, 0, 4, 0]])
    np.testing.assert_array_equal(np.asarray(x.at[::-1, i].get(mode="fill", fill_value=0)), [[3, 0, 4, 0], [1, 0, 2, 0]])
    assert x.at[i, 1].get(fill_value=9).tolist() == [2, 9, 4, 9]
    for dtype, fill in (("int8", -128), ("uint16", 65535), ("bool", True)):
        assert ko.ones(2, dtype).at[i].get(mode="fill").tolist()[1] == fill
    assert np.asarray(ko.zeros((0, 2)).at[i].get(mode="fill", fill_value=1)).tolist() == [[1, 1]] * 4
    assert x.at[5:, i].get(mode="fill").shape == (0, 4)


@pytest.mark.parametrize("backend", ["cpu", "interpret"])
def test_masks_of_the_program(backend):
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    f = ko.jit(lambda x: x.at[x > 2].set(0), backend=backend)
    np.testing.assert_array_equal(f(x), np.where(x > 2, 0, x))
    f = ko.jit(lambda x, m: x.at[m].add(ko.asarray([1, 2, 3])), backend=backend)
    np.testing.assert_array_equal(f(x, np.array([False, True])), [[0, 1, 2], [4, 6, 8]])
    f = ko.jit(lambda x, m: x.at[:, m].multiply(2), backend=backend)
    np.testing.assert_array_equal(f(x, np.array([True, False, True])), [[0, 1, 4], [6, 4, 10]])
    f = ko.jit(lambda x, m: x.at[..., m].max(4), backend=backend)
    np.testing.assert_array_equal(f(x, np.array([True, False, True])), [[4, 1, 4], [4, 4, 5]])
    with pytest.raises(ValueError, match="kolam.where"):
        ko.jit(lambda x: x.at[x > 2].set(ko.arange(3, dtype="float32")), backend=backend)(x)


def test_nan_and_minimum():
    x = ko.asarray([np.nan, 1.0, 2.0])
    np.testing.assert_array_equal(np.asarray(x.at[ko.asarray([0, 1, 2])].min(ko.asarray([0.0, np.nan, 5.0]))), [np.nan, np.nan, 2])


def test_booleans():
    x = ko.asarray([False, True, False])
    assert x.at[ko.asarray([0, 1])].set(ko.asarray([True, False])).tolist() == [True, False, False]
    assert x.at[0].add(True).tolist() == [True, True, False]
    assert x.at[1].multiply(False).tolist() == [False, False, False]


def test_apply_runs_for_every_hit():
    x = ko.asarray([1.0, 2.0, 3.0])
    assert x.at[ko.asarray([0, 2, 2])].apply(lambda v: v * 2).tolist() == [2.0, 2.0, 12.0]
    assert x.at[1].apply(ko.exp2).tolist() == [1.0, 4.0, 3.0]
    with pytest.raises(TypeError, match="scalar of dtype float32"):
        x.at[0].apply(lambda v: v > 0)


def test_rank_zero():
    x = ko.asarray(3.0)
    assert x.at[()].set(5).item() == 5 and x.at[...].add(1).item() == 4
    with pytest.raises(IndexError):
        x.at[0].set(1)


def test_wrong_values():
    x = ko.arange(4)
    with pytest.raises(TypeError, match="int32.*astype"):
        x.at[0].set(1.5)
    with pytest.raises(ValueError, match="broadcasts to the elements"):
        x.at[:2].set(ko.arange(3))
    with pytest.raises(ValueError, match="one of 'drop'"):
        x.at[0].set(1, mode="wrap")
    with pytest.raises(TypeError, match="floats for 'divide'"):
        x.at[0].divide(2)
    with pytest.raises((TypeError, IndexError)):
        x.at[1.5].set(1)
    with pytest.raises(ko.KolamError):
        ko.zeros(3, "uint8").at[0].set(300)


def test_dynamic_extents():
    f = ko.jit(lambda x, i: x.at[1:].add(1).at[i].set(0).at[::2].multiply(2).at[-1].set(9), dynamic={"x": [0], "i": [0]})
    for n, places in ((4, [1]), (7, [0, 5]), (2, [])):
        x = np.arange(n, dtype=np.int32)
        expected = x.copy()
        expected[1:] += 1
        expected[np.array(places, int)] = 0
        expected[::2] *= 2
        expected[-1] = 9
        np.testing.assert_array_equal(f(x, np.array(places, np.int32)), expected)


def test_update_in_loops():
    f = ko.jit(lambda x: ko.fori_loop(0, 5, lambda i, x: x.at[i].set(i * i), x))
    assert f(np.zeros(5, np.int32)).tolist() == [0, 1, 4, 9, 16]


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_put_along_axis(axis, rng):
    x = rng.standard_normal((3, 4)).astype(np.float32)
    i = np.argmax(x, axis, keepdims=True)
    expected = x.copy()
    np.put_along_axis(expected, i, 99, axis)
    np.testing.assert_array_equal(ko.put_along_axis(x, i, 99, axis), expected)


@pytest.mark.parametrize("name", ["set", "add", "subtract", "multiply", "divide", "power", "min", "max"])
def test_promises_of_jax_change_nothing(name):
    x, i = ko.asarray([1.0, 2.0, 3.0]), ko.asarray([0, 2])
    plain, promised = getattr(x.at[i], name)(2.0), getattr(x.at[i], name)(2.0, indices_are_sorted=True, unique_indices=True)
    assert plain.tolist() == promised.tolist()
    assert x.at[i].get(indices_are_sorted=True, mode="fill", fill_value=0).tolist() == [1.0, 3.0]


@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_steps_over_arrays_without_elements(dtype):
    for index in (slice(None, None, 2), slice(None, None, -1), slice(1, None, 2), slice(3, 1, -1)):
        update = ko.jit(lambda x, index=index: x.at[index].set(3), dynamic={"x": [0]})
        for count in (0, 1, 5):
            wanted = np.zeros(count, dtype)
            wanted[index] = 3
            assert update(np.zeros(count, dtype)).tolist() == wanted.tolist()


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int8])
def test_windows_of_short_rows_change_nothing_beside_them(dtype, rng):
    """Rows of all lengths up to two registers, whose masks end anywhere."""
    for columns in range(3, 20):
        x = (rng.standard_normal((6, columns)) * 50).astype(dtype)
        update = (rng.standard_normal((4, columns - 2)) * 50).astype(dtype)
        expected = x.copy()
        expected[1:-1, 1:-1] = update
        np.testing.assert_array_equal(ko.jit(lambda x, update: x.at[1:-1, 1:-1].set(update) * 2)(x, update), expected * 2)
