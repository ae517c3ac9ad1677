"""The names, keywords, dtypes and special values of the array API 2024.12, but complex numbers, linalg and fft.

The standard's own suite asks for more where it is at hand (scripts/array_api_tests).
"""

import math

import numpy as np
import pytest

import kolam as ko

X, B, I = np.array([[3.0, -1.0, 2.0], [0.5, 4.0, -2.0]], np.float32), np.array([True, False, True]), np.array([3, 1, 2], np.int32)
V = X[0]

#: Every function with the arguments that the standard names, and what NumPy gives; None where dtypes or types differ.
CALLS = {
    "arange": ((2, 10, 3), dict(dtype=ko.int64, device=None), lambda: np.arange(2, 10, 3)),
    "asarray": (([1, 2],), dict(dtype=ko.float32, device="cpu", copy=True), lambda: np.array([1, 2], np.float32)),
    "empty": ((3,), dict(dtype=ko.int8, device=None), lambda: np.zeros(3, np.int8)),
    "empty_like": ((X,), dict(dtype=None, device=None), lambda: np.zeros_like(X)),
    "eye": ((2, 3), dict(k=1, dtype=ko.float64, device=None), lambda: np.eye(2, 3, 1)),
    "from_dlpack": ((V,), dict(device=None, copy=None), lambda: V),
    "full": ((2,), dict(fill_value=7, dtype=ko.int16, device=None), lambda: np.full(2, 7, np.int16)),
    "full_like": ((I,), dict(fill_value=5, dtype=None, device=None), lambda: np.full_like(I, 5)),
    "linspace": ((0, 1), dict(num=4, dtype=ko.float64, device=None, endpoint=False), lambda: np.linspace(0, 1, 4, False)),
    "meshgrid": ((I, I), dict(indexing="ij"), lambda: np.meshgrid(I, I, indexing="ij")),
    "ones": ((2,), dict(dtype=None, device=None), lambda: np.ones(2, np.float32)),
    "ones_like": ((I,), dict(dtype=None, device=None), lambda: np.ones_like(I)),
    "tril": ((X,), dict(k=-1), lambda: np.tril(X, -1)),
    "triu": ((X,), dict(k=1), lambda: np.triu(X, 1)),
    "zeros": ((2,), dict(dtype=None, device=None), lambda: np.zeros(2, np.float32)),
    "zeros_like": ((I,), dict(dtype=None, device=None), lambda: np.zeros_like(I)),
    "astype": ((X, ko.int32), dict(copy=True, device=None), lambda: X.astype(np.int32)),
    "broadcast_arrays": ((V, X), {}, lambda: np.broadcast_arrays(V, X)),
    "broadcast_to": ((V,), dict(shape=(2, 3)), lambda: np.broadcast_to(V, (2, 3))),
    "take": ((X, I - 1), dict(axis=1), lambda: np.take(X, I - 1, 1)),
    "take_along_axis": ((X, np.array([[2, 0], [1, 1]])), dict(axis=-1), lambda: np.take_along_axis(X, np.array([[2, 0], [1, 1]]), 1)),
    "matmul": ((X, V), {}, lambda: X @ V),
    "matrix_transpose": ((X,), {}, lambda: X.T),
    "tensordot": ((X, X), dict(axes=2), lambda: np.tensordot(X, X, 2)),
    "vecdot": ((X, X), dict(axis=-1), lambda: (X * X).sum(-1)),
    "concat": (([X, X],), dict(axis=None), lambda: np.concatenate([X, X], None)),
    "expand_dims": ((V,), dict(axis=-1), lambda: V[:, None]),
    "flip": ((X,), dict(axis=None), lambda: np.flip(X)),
    "moveaxis": ((X, 0, 1), {}, lambda: X.T),
    "permute_dims": ((X,), dict(axes=(1, 0)), lambda: X.T),
    "repeat": ((V, 2), dict(axis=0), lambda: np.repeat(V, 2)),
    "reshape": ((X,), dict(shape=(3, 2), copy=None), lambda: X.reshape(3, 2)),
    "roll": ((X,), dict(shift=1, axis=None), lambda: np.roll(X, 1)),
    "squeeze": ((X[:1],), dict(axis=0), lambda: X[0]),
    "stack": (([V, V],), dict(axis=1), lambda: np.stack([V, V], 1)),
    "tile": ((V, (2, 1)), {}, lambda: np.tile(V, (2, 1))),
    "unstack": ((X,), dict(axis=1), lambda: list(X.T)),
    "argmax": ((X,), dict(axis=1, keepdims=True), lambda: X.argmax(1, keepdims=True).astype(np.int32)),
    "argmin": ((X,), dict(axis=None, keepdims=False), lambda: X.argmin().astype(np.int32)),
    "count_nonzero": ((B,), dict(axis=None, keepdims=False), lambda: np.array(2, np.int32)),
    "nonzero": ((B,), {}, lambda: [np.array([0, 2], np.int32)]),
    "searchsorted": ((np.sort(V), X), dict(side="right", sorter=None), lambda: np.searchsorted(np.sort(V), X, "right").astype(np.int32)),
    "where": ((B, X, 0.0), {}, lambda: np.where(B, X, np.float32(0))),
    "unique_all": ((V,), {}, lambda: [np.sort(V), *(np.array(x, np.int32) for x in ([1, 2, 0], [2, 0, 1], [1, 1, 1]))]),
    "unique_counts": ((B,), {}, lambda: [np.array([False, True]), np.array([1, 2], np.int32)]),
    "unique_inverse": ((B,), {}, lambda: [np.array([False, True]), np.array([1, 0, 1], np.int32)]),
    "unique_values": ((I,), {}, lambda: np.sort(I)),
    "argsort": ((X,), dict(axis=-1, descending=False, stable=True), lambda: X.argsort(-1).astype(np.int32)),
    "sort": ((X,), dict(axis=0, descending=True, stable=False), lambda: -np.sort(-X, 0)),
    "cumulative_sum": ((X,), dict(axis=1, dtype=None, include_initial=True), lambda: np.pad(X.cumsum(1), ((0, 0), (1, 0)))),
    "cumulative_prod": ((V,), dict(axis=None, dtype=None, include_initial=False), lambda: V.cumprod()),
    "max": ((X,), dict(axis=0, keepdims=False), lambda: X.max(0)),
    "mean": ((X,), dict(axis=None, keepdims=True), lambda: X.mean(keepdims=True)),
    "min": ((X,), dict(axis=(0, 1), keepdims=False), lambda: X.min()),
    "prod": ((X,), dict(axis=1, dtype=ko.float64, keepdims=False), lambda: X.astype(np.float64).prod(1)),
    "std": ((X,), dict(axis=1, correction=1.0, keepdims=False), lambda: X.std(1, ddof=1)),
    "sum": ((I,), dict(axis=None, dtype=None, keepdims=False), lambda: np.array(6, np.int32)),
    "var": ((X,), dict(axis=1, correction=0, keepdims=False), lambda: X.var(1)),
    "all": ((B,), dict(axis=None, keepdims=False), lambda: B.all()),
    "any": ((B,), dict(axis=0, keepdims=True), lambda: B.any(0, keepdims=True)),
    "diff": ((V,), dict(axis=-1, n=1, prepend=X[1], append=None), lambda: np.diff(V, prepend=X[1])),
    "clip": ((X,), dict(min=0.0, max=None), lambda: np.clip(X, 0, None)),
}  # fmt: skip
ELEMENTWISE = """
abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_invert bitwise_left_shift bitwise_or bitwise_right_shift
bitwise_xor ceil copysign cos cosh divide equal exp expm1 floor floor_divide greater greater_equal hypot isfinite isinf isnan
less less_equal log log10 log1p log2 logaddexp logical_and logical_not logical_or logical_xor maximum minimum multiply negative
nextafter not_equal positive pow reciprocal remainder round sign signbit sin sinh sqrt square subtract tan tanh trunc
""".split()
OTHERS = "can_cast finfo iinfo isdtype result_type e inf nan newaxis pi __array_namespace_info__ __array_api_version__".split()


def flat(result):
    return [flat(part) for part in result] if isinstance(result, list | tuple) else np.asarray(result)


def assert_equal(ours, theirs):
    if isinstance(theirs, list):
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            assert_equal(one, other)
    elif theirs.dtype.kind == "f":
        assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)
    else:
        np.testing.assert_array_equal(ours, theirs, strict=True)


@pytest.mark.parametrize("name", CALLS)
def test_keywords(name):
    positional, named, expected = CALLS[name]
    assert_equal(flat(getattr(ko, name)(*positional, **named)), flat(expected()))


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_elementwise(name):
    function, numpy_function = getattr(ko, name), getattr(np, name)
    is_bitwise, inputs = name.startswith("bitwise"), getattr(numpy_function, "nin", 1)
    operands = (np.array([1, 2, 3], np.int32), np.array([2, 1, 3], np.int32)) if is_bitwise else (np.abs(V) + 1.5, np.abs(X[1]))
    if name.startswith("logical"):
        operands = (B, B[::-1])
    arguments = operands[:inputs]
    if name in ("acos", "asin", "atanh"):
        arguments = (V / 5,)
    assert_equal(np.asarray(function(*arguments)), numpy_function(*arguments))
    if inputs == 2:
        scalar = 2 if is_bitwise else True if name.startswith("logical") else 2.0
        assert_equal(np.asarray(function(operands[0], scalar)), numpy_function(operands[0], operands[0].dtype.type(scalar)))
        assert_equal(np.asarray(function(scalar, operands[0])), numpy_function(operands[0].dtype.type(scalar), operands[0]))


def test_names():
    missing = [name for name in (*CALLS, *ELEMENTWISE, *OTHERS) if not hasattr(ko, name)]
    assert missing == [] and ko.__array_api_version__ == "2024.12"
    members = "T mT device dtype ndim shape size __array_namespace__ __dlpack__ __dlpack_device__ to_device".split()
    for x in (ko.asarray(X), ko.asarray(X > 1)):
        assert [name for name in members if not hasattr(x, name)] == []


def test_the_namespace_of_an_array():
    x = ko.asarray(X)
    assert x.__array_namespace__() is ko is x.__array_namespace__(api_version="2022.12")
    assert x.device == "cpu" and x.to_device("cpu") is x
    with pytest.raises(ValueError, match=r"\[bad-option\] argument 'api_version': expected one of 2021.12"):
        x.__array_namespace__(api_version="1.0")
    with pytest.raises(ValueError, match=r"to_device: \[unknown-device\] argument 'device': expected None or 'cpu'"):
        x.to_device("cuda")
    with pytest.raises(ValueError, match=r"zeros: \[unknown-device\] argument 'device': expected None or 'cpu', the only device, but got"):
        ko.zeros(3, device="cuda")


def test_info():
    info = ko.__array_namespace_info__()
    assert info.devices() == ["cpu"] and info.default_device() == "cpu"
    assert info.capabilities() == {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": None}
    assert info.default_dtypes() == {"real floating": ko.float32, "integral": ko.int32, "indexing": ko.int32}
    assert list(info.dtypes(kind="unsigned integer")) == ["uint8", "uint16", "uint32", "uint64"]
    assert list(info.dtypes(kind=("bool", "real floating"))) == ["bool", "float32", "float64"]
    assert info.dtypes(kind="complex floating") == {} and len(info.dtypes()) == 11
    with pytest.raises(ValueError, match=r"\[bad-option\] argument 'kind'"):
        info.dtypes(kind="floats")


DTYPES = [ko.bool, ko.int8, ko.int16, ko.int32, ko.int64, ko.uint8, ko.uint16, ko.uint32, ko.uint64, ko.float32, ko.float64]


@pytest.mark.parametrize("one", DTYPES, ids=lambda dtype: dtype.name)
def test_promotion(one):
    for other in DTYPES:
        kinds = {one.kind, other.kind}
        if kinds == {"integer", "unsigned"} and ko.uint64 in (one, other):
            assert not ko.can_cast(one, other)
            with pytest.raises(TypeError, match=r"\[no-promotion\]"):
                ko.result_type(one, other)
            continue
        if "float" in kinds and len(kinds) == 2 and "bool" not in kinds:
            expected = one if one.kind == "float" else other  # beside the standard
        else:
            expected = ko.zeros(1, np.promote_types(one.dtype, other.dtype)).dtype
        assert ko.result_type(one, other) is expected
        assert ko.can_cast(one, other) == (expected is other)
        assert (ko.zeros(1, one) == ko.zeros(1, other)).dtype is ko.bool
        assert ko.where(B, ko.zeros(3, one), ko.ones(3, other)).dtype is expected


def test_kinds_and_limits():
    kinds = {
        "bool": 1, "signed integer": 4, "unsigned integer": 4, "integral": 8, "real floating": 2, "complex floating": 0, "numeric": 10,
    }  # fmt: skip
    for kind, count in kinds.items():
        assert sum(ko.isdtype(dtype, kind) for dtype in DTYPES) == count
    assert ko.isdtype(ko.int8, (ko.int8, "bool")) and not ko.isdtype(ko.int8, ko.uint8)
    with pytest.raises(ValueError, match=r"isdtype: \[bad-option\] argument 'kind'"):
        ko.isdtype(ko.int8, "signed integers")
    for dtype in DTYPES[1:9]:
        assert (ko.iinfo(dtype).min, ko.iinfo(dtype).max) == (np.iinfo(dtype.dtype).min, np.iinfo(dtype.dtype).max)
    for dtype in DTYPES[9:]:
        ours, theirs = ko.finfo(ko.zeros(2, dtype)), np.finfo(dtype.dtype)
        assert (ours.eps, ours.max, ours.min, ours.smallest_normal) == tuple(
            map(float, (theirs.eps, theirs.max, theirs.min, theirs.smallest_normal))
        )
        assert ours.dtype is dtype and ours.bits == theirs.bits
    with pytest.raises(TypeError, match=r"finfo: \[dtype-mismatch\] argument 'type': expected a float dtype, but got int8"):
        ko.finfo(ko.int8)


def test_constants():
    assert (ko.pi, ko.e, ko.inf, ko.newaxis) == (math.pi, math.e, math.inf, None) and math.isnan(ko.nan)


INF, NAN = np.inf, np.nan
SPECIAL = {
    "pow": [(1, NAN), (NAN, 0), (-2, INF), (0.5, INF), (-0.0, -3), (INF, -0.5), (-8, 1 / 3)],
    "atan2": [(0.0, -0.0), (-0.0, -0.0), (INF, -INF), (1, 0), (NAN, 1)],
    "remainder": [(-7, 3), (7, -3), (0.0, -5), (5, INF), (-5, INF), (INF, 2)],
    "copysign": [(1, -0.0), (NAN, -1), (-INF, 0.0)],
    "hypot": [(INF, NAN), (NAN, 3), (3, 4)],
    "logaddexp": [(INF, NAN), (-INF, -INF), (INF, -INF)],
    "maximum": [(NAN, 1), (0.0, 1.0)],
    "nextafter": [(0, 1), (INF, 0), (1, NAN)],
}


@pytest.mark.parametrize("name", SPECIAL)
def test_special_values(name):
    left, right = np.array(SPECIAL[name], np.float64).T
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(left, right)
    ours = np.asarray(getattr(ko, name)(left, right))
    np.testing.assert_allclose(ours, expected, rtol=1e-14)
    numbers = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(ours[numbers]), np.signbit(expected[numbers]))


def test_python_values_that_do_not_fit():
    for call in (
        lambda: ko.full(2, 300.0, "u8"), lambda: ko.full_like(ko.zeros(2, "i8"), -129.5), lambda: ko.asarray([1e39], "f32"),
        lambda: ko.asarray([[1.0], [300.0]], ko.uint8), lambda: ko.full(2, NAN, int), lambda: ko.asarray(INF, ko.int64),
        lambda: ko.full((), 2.0**63, "i64"), lambda: ko.asarray(70000.0, "f16"), lambda: ko.asarray(-1, "u8"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r"\[scalar-does-not-fit\]"):
            call()
    assert ko.full(2, 2.5, "u8").tolist() == [2, 2] and ko.asarray([-1.9], int).tolist() == [-1]
    assert ko.full((), 2.0**63, "u64").item() == 2**63 and ko.asarray(INF, "f16").item() == INF
    with pytest.raises(ValueError, match=r"\[scalar-does-not-fit\]"):
        ko.jit(lambda x: ko.full(2, x, "u8"))(300.0)


def test_one_rule_for_dtypes():
    for given, dtype in ((float, ko.float32), ("float", ko.float32), (int, ko.int32), ("int", ko.int32), (bool, ko.bool), ("bool", ko.bool)):
        assert ko.zeros(1, given).dtype is ko.ones(1, 2).dtype if given is None else ko.zeros(1, given).dtype is dtype
        assert ko.asarray([1], given).dtype is ko.asarray([1]).astype(given).dtype is dtype and dtype == given
    assert ko.zeros(1, None).dtype is ko.float32 and ko.full(1, 2, None).dtype is ko.int32 and ko.asarray(2.5, None).dtype is ko.float32


class Raises:
    def __getattr__(self, name):
        raise RuntimeError(name)

    def __eq__(self, other):
        return NotImplemented


def test_comparing_dtypes_never_raises():
    for other in ({"a": "b"}, None, [], (), "no dtype", "f4,f4", object(), Raises(), 3, np.zeros(2, np.float32), [("a", "f4")], complex):
        assert (ko.float32 == other) is False and (ko.float32 != other) is True
    assert ko.float32 == np.float32 == ko.float32 and ko.float32 == "float32" and ko.int64 == np.dtype("int64")


def test_clip():
    u8 = np.array([1, 200], np.uint8)
    cases = [
        (([1, 2, 3], 1.5, 2.5), np.array([1.5, 2, 2.5], np.float32)), ((u8, -5, 300), u8), ((u8, 2, None), np.array([2, 200], np.uint8)),
        ((u8, None, 2**40), u8), ((np.array([-5, 5], np.int8), np.array([0, 9], np.int8)), np.array([0, 9], np.int8)),
        ((np.array([1.0, NAN], np.float16), None, 1e9), np.array([1.0, NAN], np.float16)),
        ((u8, np.array([[0], [250]], np.int32)), np.array([[1, 200], [250, 250]], np.int32)),
        ((np.array([2**63], np.uint64), 5, 2**64 - 1), np.array([2**63], np.uint64)),
    ]  # fmt: skip
    for arguments, expected in cases:
        np.testing.assert_array_equal(np.asarray(ko.clip(*arguments)), expected, strict=True)
    np.testing.assert_array_equal(np.asarray(ko.jit(ko.clip)(u8, -5, 300)), u8, strict=True)


def test_repr():
    assert repr(ko.asarray([1, 2])) == "Array([1, 2], dtype=int32)" and repr(ko.asarray(1.5)) == "Array(1.5, dtype=float32)"
    assert repr(ko.zeros((0, 3), "bf16")) == "Array([], shape=(0, 3), dtype=bfloat16)"
    assert repr(ko.asarray([[True], [False]])) == "Array([[ True],\n       [False]], dtype=bool)"


def test_copies():
    memory = np.arange(3)
    copied = ko.from_dlpack(memory, copy=True)
    memory[0] = 9
    assert copied.tolist() == [0, 1, 2]
    x = ko.asarray(V)
    assert ko.asarray(x, copy=False).tolist() == V.tolist()
    for call in (lambda: ko.asarray(memory, copy=False), lambda: ko.asarray(x, ko.int8, copy=False)):
        with pytest.raises(ValueError, match=r"asarray: \[needs-copy\] argument 'copy'"):
            call()
    with pytest.raises(TypeError, match=r"sort: \[argument-type\] argument 'stable': expected True or False"):
        ko.sort(x, stable="yes")
    with pytest.raises(TypeError, match=r"reshape: \[argument-type\] argument 'copy': expected True, False or None"):
        ko.reshape(x, (3,), copy=1)
