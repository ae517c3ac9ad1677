"""Arrays of NumPy and DLPack come in, however they lie in memory, and go out without a copy."""

import array as python_array
import copy
import ctypes
import pickle
import sys
import types

import ml_dtypes
import numpy as np
import pytest

import kolam as ko

DTYPES = [dtype.name for dtype in ko.dtypes.DTYPES]


def same(result, expected):
    result = np.asarray(result)
    assert result.dtype == expected.dtype and result.shape == expected.shape
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("name", DTYPES)
def test_every_dtype_comes_in_and_goes_out(name):
    dtype = getattr(ko, name)
    given = np.array([[0, 1, 1], [1, 0, 1]], dtype.dtype)
    result = ko.asarray(given)
    assert result.dtype is dtype and result.shape == (2, 3) and result.ndim == 2 and result.size == 6
    same(result, given)
    assert ko.asarray(result) is not given and ko.asarray(result).tolist() == given.tolist()


def misaligned():
    raw = np.frombuffer(b"x" + np.arange(6, dtype=np.float32).tobytes(), np.uint8)
    return raw[1:].view(np.float32)


def read_only():
    given = np.arange(4.0)
    given.flags.writeable = False
    return given


LAYOUTS = {
    "big-endian": np.arange(6, dtype=">f4").reshape(2, 3),
    "big-endian integers": np.arange(6, dtype=">i8"),
    "column-major": np.asfortranarray(np.arange(6, dtype=np.int32).reshape(2, 3)),
    "transposed": np.arange(6, dtype=np.int16).reshape(2, 3).T,
    "strided": np.arange(20, dtype=np.float64)[3:18:4],
    "negative strides": np.arange(12, dtype=np.uint8).reshape(3, 4)[::-1, ::-2],
    "zero strides": np.broadcast_to(np.float32(3), (2, 3)),
    "misaligned": misaligned(),
    "read-only": read_only(),
    "rank 0": np.array(3, np.int64),
    "empty": np.zeros((2, 0, 3), np.float16),
    "bfloat16": np.arange(6).astype(ml_dtypes.bfloat16).reshape(2, 3).T,
    "part of a record": np.zeros(3, [("a", np.int8), ("b", np.float32)])["b"],
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_any_memory_layout(layout):
    given = LAYOUTS[layout]
    native = given.astype(given.dtype.newbyteorder("="))
    same(ko.asarray(given), native)
    same(ko.jit(lambda x: ko.permute_dims(x, tuple(reversed(range(x.ndim)))))(given), native.T)


def test_booleans_of_other_bytes():
    same(ko.asarray(np.array([2, 0, 1], np.uint8).view(bool)), np.array([True, False, True]))


def test_asarray_copies_and_results_own_their_memory():
    given = np.zeros(3, np.float32)
    taken, passed = ko.asarray(given), ko.jit(lambda x: x)(given)
    given[:] = 7
    assert taken.tolist() == passed.tolist() == [0, 0, 0]


def test_numpy_views_results_read_only():
    result = ko.asarray([[1.0, 2.0]])
    first, second = np.asarray(result), np.asarray(result)
    assert first.ctypes.data == second.ctypes.data and not first.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        first[0, 0] = 1
    with pytest.raises(TypeError, match="read-only|not writable"):
        ctypes.c_float.from_buffer(first)
    kept = np.asarray(ko.asarray([1, 2, 3]))  # keeps the array alive
    assert kept.tolist() == [1, 2, 3] and np.array(result).flags.writeable
    assert np.asarray(result, dtype=np.float64).dtype == np.float64


def test_dlpack_both_ways():
    given = np.arange(6, dtype=np.float32).reshape(2, 3)
    same(ko.from_dlpack(given), given)
    same(ko.from_dlpack(given[:, ::2]), given[:, ::2])
    result = ko.asarray(given)
    assert result.__dlpack_device__() == (1, 0)
    same(np.from_dlpack(result), given)


def test_other_exporters():
    assert ko.asarray(python_array.array("d", [1, 2])).dtype == ko.float64
    assert ko.asarray(memoryview(b"ab")).tolist() == [97, 98]

    class Holder:
        def __array__(self, dtype=None, copy=None):
            return np.arange(3)

    assert ko.asarray(Holder()).tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    "nest, dtype, shape",
    [
        ([1, 2], ko.int32, (2,)), ([1, 2.5], ko.float32, (2,)), ([True, False], ko.bool, (2,)), ([True, 2], ko.int32, (2,)),
        ([], ko.float32, (0,)), ([[], []], ko.float32, (2, 0)), (((1, 2), (3, 4)), ko.int32, (2, 2)), (3, ko.int32, ()),
        (np.float64(2), ko.float64, ()), (np.bool_(True), ko.bool, ()),
    ],
)  # fmt: skip
def test_nested_lists(nest, dtype, shape):
    result = ko.asarray(nest)
    assert result.dtype == dtype and result.shape == shape


def test_a_dtype_for_lists():
    assert ko.asarray([2**40, -1], ko.int64).tolist() == [2**40, -1]
    assert ko.asarray([0.5], "bf16").dtype == ko.bfloat16
    with pytest.raises(ko.KolamError, match=r"\[scalar-does-not-fit\]"):
        ko.asarray([300], ko.int8)


def test_dtypes_are_numpys():
    assert ko.float32 == np.float32 == ko.f32 and ko.bool == np.bool_ and ko.bfloat16 == ml_dtypes.bfloat16
    assert np.dtype("int8") == ko.int8 and np.zeros(2, ko.uint16).dtype == ko.uint16
    assert {np.dtype(np.int32): 1}[ko.int32] == 1 and ko.float32 != ko.float64 and ko.float32 != "nonsense"
    assert pickle.loads(pickle.dumps(ko.bfloat16)) is ko.bfloat16


def test_python_numbers_of_arrays():
    assert float(ko.asarray(1.5)) == 1.5 and int(ko.asarray(2.7)) == 2 and bool(ko.asarray([1])) is True
    assert [10, 20][ko.asarray(1)] == 20 and ko.asarray([[7]]).item() == 7 and len(ko.asarray([[1], [2]])) == 2
    assert [row.tolist() for row in ko.asarray([[1, 2], [3, 4]])] == [[1, 2], [3, 4]]
    assert f"{ko.asarray(1.5):.3f}" == "1.500" and ko.asarray(np.arange(2, dtype=np.float16)).tolist() == [0.0, 1.0]
    for refused in (lambda: bool(ko.asarray([1, 2])), lambda: len(ko.asarray(1)), lambda: [1][ko.asarray(0.0)]):
        with pytest.raises(TypeError):
            refused()


def test_copies_and_pickles():
    given = ko.asarray([[1.0, 2.0]])
    same(pickle.loads(pickle.dumps(given)), np.array([[1, 2]], np.float32))
    assert copy.copy(given) is given and copy.deepcopy(given).tolist() == given.tolist()
    with pytest.raises(TypeError, match="unhashable"):
        hash(given)


def test_numpy_functions_work_on_arrays_and_traced_values():
    given = np.array([[0.5, 1.0], [2.0, 3.0]], np.float32)

    def function(x):
        return np.exp(x), np.add(given, x), x @ given, given - x, np.sum(x, axis=0), np.where(x > 1, x, 0), np.concatenate([x, x])

    for results in (function(ko.asarray(given)), ko.jit(function)(given)):
        for result, expected in zip(results, function(given), strict=True):
            assert isinstance(result, ko.Array)
            np.testing.assert_allclose(np.asarray(result), expected, rtol=1e-6)


def test_operators_with_numbers_and_arrays_on_both_sides():
    x, a = np.array([1, 2], np.int8), ko.asarray(np.array([1, 2], np.int8))
    for result in (1 + a, a + 1, x + a, a + x, np.int8(1) + a):
        assert isinstance(result, ko.Array) and result.dtype == ko.int8
    assert (a + 1.5).dtype == ko.float32 and (2 ** a).tolist() == [2, 4] and (5 // a).tolist() == [5, 2]
    assert (-a).tolist() == [-1, -2] and (~a).tolist() == [-2, -3] and abs(-a).tolist() == [1, 2] and (+a) is a
    assert (a == x).tolist() == [True, True] and (a < 2).tolist() == [True, False]
    with pytest.raises(TypeError, match="unsupported operand"):
        a + "x"


def test_methods_are_functions():
    x = ko.asarray([[3, 1], [2, 4]])
    assert x.sum().item() == 10 and x.max(axis=0).tolist() == [3, 4] and x.T.tolist() == [[3, 2], [1, 4]]
    assert x.reshape(4).tolist() == x.reshape((-1,)).tolist() == [3, 1, 2, 4] and x.astype(ko.float32).dtype == ko.float32
    assert x.mT.shape == (2, 2) and x.transpose(1, 0).tolist() == x.T.tolist() and x.cumsum(axis=0).tolist() == [[3, 1], [5, 5]]


def test_torch_functions_where_torch_is_there(monkeypatch):
    torch = types.ModuleType("torch")

    def exp(x):
        return type(x).__torch_function__(exp, (type(x),), (x,))

    torch.exp = exp
    monkeypatch.setitem(sys.modules, "torch", torch)
    assert torch.exp(ko.asarray([0.0])).tolist() == [1]
    assert ko.jit(lambda x: torch.exp(x))(np.zeros(1, np.float32)).tolist() == [1]


def test_files_of_numpy(tmp_path):
    given = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.save(tmp_path / "x.npy", given)
    same(ko.load(tmp_path / "x.npy"), given)
    ko.save_npz(str(tmp_path / "x.npz"), {"a": given, "b": [1, 2]})
    assert sorted(np.load(tmp_path / "x.npz")) == ["a", "b"] == sorted(ko.load_npz(tmp_path / "x.npz"))
    with pytest.raises(OSError, match=r"\[io-read\]"):
        ko.load(tmp_path / "none.npy")


def test_none_alone_adds_an_axis():
    assert ko.asarray([1.0, 2.0])[None].shape == (1, 2)
