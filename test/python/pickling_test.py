"""Pickles and copies of what Kolam makes, bytes that are damaged or foreign, and weak references."""

import copy
import gc
import pickle
import pickletools
import random
import weakref

import ml_dtypes
import numpy as np
import pytest

import kolam as ko
from kolam import _kolam
from kolam import fractal as ops

ARRAYS = [
    np.arange(6, dtype=np.float32).reshape(2, 3), np.zeros((2, 0), np.int8), np.array(True), np.array([2**63], np.uint64),
    np.arange(4).astype(ml_dtypes.bfloat16), np.array([np.nan, -0.0, np.inf], np.float16),
]  # fmt: skip


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("given", ARRAYS, ids=lambda array: f"{array.dtype}{list(array.shape)}")
def test_arrays(given, protocol):
    x = ko.asarray(given)
    y = pickle.loads(pickle.dumps(x, protocol))
    assert isinstance(y, ko.Array) and y.dtype == x.dtype and y.shape == x.shape
    assert np.asarray(y).tobytes() == given.tobytes()


def test_elements_may_travel_beside_the_pickle():
    x, buffers = ko.arange(1000), []
    stream = pickle.dumps(x, 5, buffer_callback=buffers.append)
    assert len(stream) < 300 and len(buffers) == 1
    assert pickle.loads(stream, buffers=[bytearray(buffers[0])]).tolist() == list(range(1000))
    for other in (b"", bytes(4), np.zeros(1000)):
        with pytest.raises(ko.KolamError, match=r"unpickle: \[bad-pickle\] expected"):
            pickle.loads(stream, buffers=[other])


def test_dtypes_functions_and_arrays_in_containers():
    both = pickle.loads(pickle.dumps({"x": ko.ones(2), "dtype": ko.bfloat16, "f": [ko.sum, ko.random.uniform, ko.softmax]}))
    assert both["dtype"] is ko.bfloat16 and both["x"].tolist() == [1, 1]
    assert both["f"][0] is ko.sum and both["f"][1] is ko.random.uniform and both["f"][2] is ko.softmax
    assert copy.deepcopy(ko.sin) is ko.sin and copy.copy(ko.float32) is ko.float32 is copy.deepcopy(ko.float32)


LISTS = [
    ops.FractalTensor([[1, 2], [], [3]]), ops.FractalTensor([(1, 2.0), (3, 4.0)]), ops.FractalTensor([[(1, 2.0)], []]),
    ops.FractalTensor([], depth=2, dtype=ko.int8, leaf_shape=(2,)),
]  # fmt: skip


@pytest.mark.parametrize("given", LISTS, ids=repr)
def test_lists(given):
    for other in (pickle.loads(pickle.dumps(given)), copy.deepcopy(given), copy.copy(given)):
        assert type(other) is type(given) and str(other) == str(given) and other.to_list() == given.to_list()


def test_deep_copies_own_their_memory():
    values = np.arange(5)
    given = ops.FractalTensor.from_offsets(values, [0, 3, 5])
    other = copy.deepcopy(given)
    x = ko.ones(3)
    y, z = copy.deepcopy([x, x])
    values[:] = 9
    assert given[0].to_list() == [9, 9, 9] and other.to_list() == [[0, 1, 2], [3, 4]]
    assert y is z and y is not x and y.tolist() == x.tolist()
    assert np.asarray(y).ctypes.data != np.asarray(x).ctypes.data


def test_traced_values_are_not_pickled():
    def f(x):
        assert copy.deepcopy(x) is x and copy.copy(x) is x
        pickle.dumps(x)

    with pytest.raises(ko.KolamError, match=r"pickle: \[traced-value\]"):
        ko.jit(f)(ko.ones(2))


@pytest.mark.parametrize("arguments", [
    ("float32", (2,), bytes(7)), ("float32", (2,), bytes(9)), ("float33", (2,), bytes(8)), (None, (2,), bytes(8)),
    ("float32", [2], bytes(8)), ("float32", (-2,), bytes(8)), ("float32", (2**62, 2**62), b""), ("float32", ("a",), b""),
    ("float32", (2**70,), b""), ("bool", (2,), b"\1\2"), ("float32", (2,), "text"), ("float32", None, b""),
    ("\ud800", (2,), b""), ("float32", (1.5,), bytes(4)),
])  # fmt: skip
def test_what_is_no_array(arguments):
    with pytest.raises(ko.KolamError):
        _kolam._unpickled_array(*arguments)


@pytest.mark.parametrize("stream", [
    (b"ckolam._pickling\nfunction\n(Vos.system\ntR.", "bad-pickle"), (b"ckolam._pickling\nfunction\n(Vnothing\ntR.", "bad-pickle"),
    (b"ckolam._pickling\nfunction\n(V__import__\ntR.", "bad-pickle"), (b"ckolam._pickling\nlist_of_leaves\n(I1\nI2\ntR.", "bad-pickle"),
    (b"ckolam._pickling\nlist_of_parts\n(cbuiltins\nint\nI2\ntR.", "bad-pickle"),
    (b"ckolam._pickling\nlist_of_parts\n(ckolam.fractal\nFractalTensor\nI2\ntR.", "bad-pickle"),
])  # fmt: skip
def test_foreign_bytes(stream):
    text, slug = stream
    with pytest.raises(ko.KolamError) as caught:
        pickle.loads(text)
    assert caught.value.slug == slug


def test_classes_without_a_value():
    for cls in (ko.Array, ko.Tensor, _kolam.List, _kolam.TracedList, _kolam._Memory):
        for make in (cls, lambda: cls.__new__(cls), lambda: object.__new__(cls), lambda: pickle.loads(
            b"\x80\x02c" + cls.__module__.encode() + b"\n" + cls.__name__.encode() + b"\n)\x81."
        )):  # fmt: skip
            with pytest.raises(TypeError):
                make()
    for make in (lambda: ko.zeros(ko.Extent.__new__(ko.Extent)), lambda: object.__new__(ko.Extent) + 1):
        with pytest.raises(TypeError):
            make()


def test_damaged_bytes_never_crash(seed):
    draw = random.Random(seed)
    streams = [pickle.dumps(value, protocol) for value in (ko.arange(10), LISTS[0], LISTS[1], [ko.sum, ko.int8]) for protocol in (0, 2, 5)]
    for _ in range(3000):
        stream = bytearray(draw.choice(streams))
        for _ in range(draw.randint(1, 3)):
            stream[draw.randrange(len(stream))] = draw.randrange(256)
        if draw.random() < 0.3:
            del stream[draw.randrange(len(stream)) :]
        if any(name in stream for name in (b"os", b"sys", b"builtins")) or not _is_harmless(bytes(stream)):
            continue
        try:
            value = pickle.loads(bytes(stream))
        except Exception:
            continue
        repr(value)


def _is_harmless(stream):
    """Calls nothing but what Kolam and copyreg gave."""
    try:
        names = [str(value) for op, value, _ in pickletools.genops(stream) if op.name in ("GLOBAL", "STACK_GLOBAL", "INST")]
    except Exception:
        return True
    return all(name == "None" or name.startswith(("kolam", "copyreg")) for name in names)


def test_weak_references():
    f = ko.jit(lambda x: x + 1)
    lists = ops.FractalTensor([1])
    things = [ko.ones(2), f, f.lower(ko.ones(2)), ko.Extent("n"), lists.parts, lists, ko.ShapeDtypeStruct((2,), "f32")]
    ends = []
    for thing in things:
        weakref.finalize(thing, ends.append, type(thing).__name__)
    assert all(weakref.ref(thing)() is thing for thing in things)
    count = len(things)
    del things, thing, f, lists
    gc.collect()
    assert len(ends) == count and weakref.ref(ko.float32)() is ko.float32

    def traced(x):
        assert weakref.ref(x)() is x
        return x

    ko.jit(traced)(ko.ones(2))
