"""DLPack: what is viewed, what is copied, and capsules that make no sense, made with ctypes."""

import copy
import ctypes

import numpy as np
import pytest

import kolam as ko


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]  # fmt: skip


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Managed(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("manager", ctypes.c_void_p), ("deleter", DELETER)]


class Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("manager", ctypes.c_void_p), ("deleter", DELETER),
        ("flags", ctypes.c_uint64), ("tensor", Tensor),
    ]  # fmt: skip


new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype, new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Exporter:
    """An exporter of six float32 numbers, 0 to 5, in shape [2, 3], but for the fields that are given."""

    def __init__(self, version=None, name=None, **fields):
        self.memory = (ctypes.c_float * 6)(*range(6))
        self.freed = 0
        self.struct = Managed() if version is None else Versioned(version, 0)
        self.arrays = [(ctypes.c_int64 * 2)(2, 3), (ctypes.c_int64 * 2)(3, 1)]
        tensor = self.struct.tensor
        tensor.data = ctypes.addressof(self.memory)
        tensor.device_type, tensor.ndim, tensor.code, tensor.bits, tensor.lanes = 1, 2, 2, 32, 1
        tensor.shape, tensor.strides = self.arrays
        for field, value in fields.items():
            if isinstance(value, list):
                self.arrays.append((ctypes.c_int64 * len(value))(*value))
                value = self.arrays[-1]
            setattr(tensor, field, value)
        self.struct.deleter = DELETER(self.free)
        self.name = name or (b"dltensor" if version is None else b"dltensor_versioned")
        self.capsule = new_capsule(ctypes.addressof(self.struct), self.name, None)

    def free(self, _):
        self.freed += 1

    def __dlpack__(self, **_):
        return self.capsule

    def __dlpack_device__(self):
        return 1, 0


NULL = ctypes.POINTER(ctypes.c_int64)()


@pytest.mark.parametrize("version", [None, 1])
def test_a_capsule_is_freed_once(version):
    exporter = Exporter(version)
    result = ko.from_dlpack(exporter)
    assert result.tolist() == [[0, 1, 2], [3, 4, 5]] and exporter.freed == 0
    with pytest.raises(ko.KolamError, match=r"from_dlpack: \[bad-dlpack\].* one that was used before"):
        ko.from_dlpack(exporter)
    del result
    assert exporter.freed == 1


@pytest.mark.parametrize("fields, words", [
    ({"shape": NULL}, "with a shape, but got a null pointer for 2 dims"),
    ({"data": None}, "with memory, but got a null pointer for 6 elements"),
    ({"ndim": -1}, "of 0 to 64 dims, but got ndim -1"), ({"ndim": 65}, "of 0 to 64 dims, but got ndim 65"),
    ({"version": 2}, r"of version 1, but got version 2\.0"), ({"version": 0}, r"of version 1, but got version 0\.0"),
    ({"name": b"tensor"}, "named 'dltensor' or 'dltensor_versioned', but got one named 'tensor'"),
    ({"device_type": 2}, "on the CPU, but got device 2"), ({"strides": [2**62, 1]}, "strides"),
    ({"byte_offset": 2**63}, "with an offset"),
])  # fmt: skip
def test_capsules_that_make_no_sense(fields, words):
    exporter = Exporter(**fields)
    with pytest.raises(ko.KolamError, match=words) as caught:
        ko.from_dlpack(exporter)
    assert caught.value.slug == "bad-dlpack" and exporter.freed == 0  # it is its maker's still


@pytest.mark.parametrize("fields, slug", [
    ({"lanes": 2}, "unsupported-dtype"), ({"code": 5, "bits": 64}, "unsupported-dtype"), ({"bits": 4}, "unsupported-dtype"),
    ({"shape": [-1, 3]}, "extent-negative"), ({"shape": [2**40, 2**40]}, "extent-overflow"),
    ({"shape": [2**60, 1], "strides": [0, 0]}, "out-of-memory"),
])  # fmt: skip
def test_tensors_that_are_none_of_ours(fields, slug):
    exporter = Exporter(**fields)
    with pytest.raises(ko.KolamError) as caught:
        ko.from_dlpack(exporter)
    assert caught.value.slug == slug


def test_what_dlpack_allows():
    assert ko.from_dlpack(Exporter(strides=NULL)).tolist() == [[0, 1, 2], [3, 4, 5]]
    assert ko.from_dlpack(Exporter(data=None, shape=[0, 3])).shape == (0, 3)
    assert ko.from_dlpack(Exporter(ndim=0, shape=NULL, strides=NULL)).tolist() == 0
    assert ko.from_dlpack(Exporter(shape=[3, 2], strides=[1, 3])).tolist() == [[0, 3], [1, 4], [2, 5]]
    assert ko.from_dlpack(Exporter(shape=[2, 2], byte_offset=8, strides=[2, 1])).tolist() == [[2, 3], [4, 5]]
    exporter = Exporter(strides=[0, 1])  # copied: freed at once
    assert ko.from_dlpack(exporter).tolist() == [[0, 1, 2], [0, 1, 2]] and exporter.freed == 1


def test_copies_are_made_where_they_are_asked_for():
    given = np.arange(6, dtype=np.float32).reshape(2, 3)
    view, own, only_view = ko.from_dlpack(given), ko.from_dlpack(given, copy=True), ko.from_dlpack(given, copy=False)
    given[0, 0] = 9
    assert view.tolist()[0][0] == only_view.tolist()[0][0] == 9 and own.tolist()[0][0] == 0
    assert ko.from_dlpack(given.T).tolist() == given.T.tolist() and ko.from_dlpack(given, device="cpu").shape == (2, 3)
    for strided in (given.T, given[:, ::2], np.array([2], np.uint8).view(bool)):
        with pytest.raises(ko.KolamError, match=r"\[needs-copy\].*copy=False"):
            ko.from_dlpack(strided, copy=False)
    with pytest.raises(ko.KolamError, match=r"\[unknown-device\]"):
        ko.from_dlpack(given, device="cuda")
    with pytest.raises(ko.KolamError, match=r"\[argument-type\] argument 'copy'"):
        ko.from_dlpack(given, copy=1)


def test_copies_of_views_own_their_memory():
    given = np.zeros(3, np.float32)
    view = ko.from_dlpack(given)
    deep, shallow = copy.deepcopy(view), copy.copy(view)
    given[:] = 7
    assert view.tolist() == [7, 7, 7] and deep.tolist() == shallow.tolist() == [0, 0, 0]


class Raises:
    def __init__(self, error):
        self.error = error

    def __dlpack__(self, **_):
        raise self.error

    def __dlpack_device__(self):
        return 1, 0


class RaisesAsArray(Raises):
    __dlpack__ = None

    def __array__(self, dtype=None, copy=None):
        raise self.error


class RaisesAsJax(Raises):
    def __jax_array__(self):
        raise self.error


RaisesAsArray.__dlpack__ = property(lambda self: (_ for _ in ()).throw(AttributeError()))


@pytest.mark.parametrize("kind", [Raises, RaisesAsArray, RaisesAsJax])
def test_what_protocols_raise(kind):
    calls = [ko.asarray, lambda x: ko.add(x, 1), ko.jit(lambda x: x), lambda x: ko.ones(3) + x, lambda x: ko.stack([x, x])]
    for call in calls + ([ko.from_dlpack] if kind is Raises else []):
        with pytest.raises(KeyboardInterrupt):
            call(kind(KeyboardInterrupt()))
        with pytest.raises(SystemExit):
            call(kind(SystemExit()))
        with pytest.raises(ko.KolamError, match=r"\[not-an-array\].*raised RuntimeError: no") as caught:
            call(kind(RuntimeError("no")))
        assert isinstance(caught.value, TypeError)


def test_an_exporter_whose_buffer_is_none_of_ours():
    class Both(ctypes.Structure):  # as JAX's arrays of bfloat16 are
        _fields_ = [("x", ctypes.c_int16)]

        def __dlpack__(self, **options):
            return np.arange(3, dtype=np.int16).__dlpack__(**options)

    assert memoryview(Both()).format and ko.asarray(Both()).tolist() == [0, 1, 2]


class Number(Raises):
    __dlpack__ = property(lambda self: (_ for _ in ()).throw(AttributeError()))

    def __index__(self):
        raise self.error

    def __float__(self):
        raise self.error

    def __fspath__(self):
        raise self.error


@pytest.mark.parametrize("call", [
    ko.zeros, lambda x: ko.sum(ko.ones(2), axis=x), lambda x: ko.ones(3)[x], lambda x: ko.ones(3)[:x], ko.load,
    lambda x: ko.random.dropout(ko.random.key(0), ko.ones(3), x),
])  # fmt: skip
def test_what_numbers_and_paths_raise(call):
    with pytest.raises(KeyboardInterrupt):
        call(Number(KeyboardInterrupt()))
    with pytest.raises(ko.KolamError):
        call(Number(RuntimeError()))


def test_what_goes_out():
    x = ko.asarray([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    for options in ({}, {"max_version": (1, 0)}, {"max_version": None, "stream": None, "dl_device": (1, 0), "copy": False}):
        x.__dlpack__(**options)  # nobody takes it
    kept = np.from_dlpack(x)
    np.testing.assert_array_equal(kept, np.asarray(x))
    assert np.from_dlpack(ko.zeros((0, 2))).shape == (0, 2) and np.from_dlpack(ko.asarray(3)).shape == ()
    with pytest.raises(BufferError):
        x.__dlpack__(dl_device=(2, 0))
    with pytest.raises(TypeError):
        x.__dlpack__(max_version=1)
    with pytest.raises(TypeError, match="keyword"):
        x.__dlpack__(other=1)
    del x
    assert kept.sum() == 21


def test_memory_outlives_a_donated_array():
    f = ko.jit(lambda x: x + 1, donate_argnames="x")
    x = ko.ones(1000) * 3
    viewed = [np.asarray(x), np.from_dlpack(x), np.array(x, copy=False), np.lib.stride_tricks.as_strided(np.asarray(x))]
    f(x)
    others = [ko.ones(1000) for _ in range(20)]
    assert all((view == 3).all() for view in viewed) and len(others) == 20
