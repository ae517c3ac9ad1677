"""Numbers of Python: the dtype they take, beside arrays and as arguments of jit, and those that do not fit."""

import numpy as np
import pytest

import kolam as ko

DTYPES = ["bool", "int8", "int32", "int64", "uint8", "uint64", "float16", "bfloat16", "float32", "float64"]


def of(dtype, *values):
    return ko.asarray(np.array(values, ko.dtypes.as_dtype(dtype).dtype))


def same(result, expected):
    assert result.dtype == expected.dtype and result.tolist() == expected.tolist()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("scalar", [True, 2, 2.5])
def test_an_argument_of_jit_takes_the_dtype_it_takes_outside(dtype, scalar):
    x = of(dtype, 1, 0)
    for f in (lambda x, s: ko.equal(x, s), lambda x, s: ko.where(x == x, x, s), lambda x, s: x * s, lambda x, s: s - x):
        if f.__code__.co_names == () and dtype == "bool":
            continue  # no arithmetic of booleans
        same(ko.jit(f)(x, scalar), f(x, scalar))


def test_a_number_alone_has_its_default_dtype():
    assert [ko.jit(lambda s: s)(number).dtype for number in (True, 2, 2.5)] == [ko.bool, ko.int32, ko.float32]
    assert ko.jit(lambda s: s + 1)(2).dtype == ko.int32 and ko.jit(lambda s: ko.full(2, s))(2.5).tolist() == [2.5, 2.5]
    assert ko.jit(lambda s: s.dtype is ko.int32 and s)(3).item() == 3


def test_a_number_keeps_its_precision():
    x = of("float64", 1)
    assert ko.jit(lambda x, s: x * s)(x, 0.1).item() == 0.1
    assert ko.jit(lambda x, s: x + s)(of("int64", 1), 2**40).item() == 2**40 + 1
    assert ko.jit(lambda x, s: x + s)(of("uint64", 1), 2**64 - 2).item() == 2**64 - 1


def test_numbers_share_a_trace_while_the_same_dtypes_hold_them():
    function = ko.jit(lambda x, s: x + s)
    for number in (1, 2, 100):
        assert function(of("uint8", 1), number).item() == number + 1
    assert function.cache_size == 1
    for bad in (-1, 300):
        with pytest.raises(ko.KolamError, match=r"\[scalar-does-not-fit\] expected a scalar in the range of uint8, but got"):
            function(of("uint8", 1), bad)
    with pytest.raises(ko.KolamError, match="scalar-does-not-fit"):
        ko.jit(lambda s: s)(2**40)


def test_numbers_inside_of_bodies_and_structures():
    function = ko.jit(lambda x, p: ko.fori_loop(0, p["n"], lambda i, y: y * p["s"], x))
    same(function(of("float16", 1, 2), {"n": 3, "s": 2.0}), of("float16", 8, 16))
    same(ko.jit(lambda x, s: ko.zip_map_reduce(lambda c: c * s, [x]))(of("float16", 3), 2.0), of("float16", 6))


def test_numbers_beside_dynamic_dims():
    function = ko.jit(lambda x, s: x + s, dynamic={"x": [0]})
    same(function(of("int8", 1, 2), 3), of("int8", 4, 5))
    assert function(of("int8", 1), 4).tolist() == [5] and function.cache_size == 1
    with pytest.raises(ko.KolamError, match="scalar-does-not-fit"):
        function(of("int8", 1), 200)


def test_programs_take_numbers():
    program = ko.jit(lambda x, s: x * s).lower(of("float16", 2), 1.5)
    same(program.run([of("float16", 2), 2.5])[0], of("float16", 5))


def test_large_unsigned_integers():
    x = of("uint64", 1, 2)
    assert (x + 2**63).tolist() == [2**63 + 1, 2**63 + 2] and (x == 2**63).tolist() == [False, False]
    assert ko.full(2, 2**64 - 1, "uint64").tolist() == [2**64 - 1] * 2 and ko.full_like(x, 2**63).dtype == ko.uint64
    assert ko.clip(x, 2**63, 2**64 - 1).tolist() == [2**63] * 2
    assert ko.random.key(2**64 - 1).tolist() == [2**32 - 1] * 2
    assert (of("float32", 1) * 2**63).item() == 2.0**63
    for refused in (lambda: of("uint8", 1) + 2**63, lambda: of("int64", 1) + 2**63, lambda: ko.asarray(2**63), lambda: ko.exp(2**63)):
        with pytest.raises(ko.KolamError, match="scalar-does-not-fit"):
            refused()


@pytest.mark.parametrize("dtype, number", [("float16", 1e6), ("float16", 70000), ("float32", 1e300), ("bfloat16", -1e39)])
def test_floats_that_do_not_fit(dtype, number):
    x = of(dtype, 1)
    for refused in (lambda: x + number, lambda: ko.full(2, number, dtype), lambda: ko.jit(lambda x, s: x * s)(x, number)):
        with pytest.raises(ko.KolamError, match=r"\[scalar-does-not-fit\] expected a scalar in the range of " + dtype):
            refused()
    assert (x * float("inf")).item() == float("inf") and np.isnan((x * float("nan")).item())


def test_items_by_place():
    x = ko.asarray([[1, 2], [3, 4]])
    assert (x.item(2), x.item(-1), x.item(1, 0), x.item((0, 1)), x[0, 0].item()) == (3, 4, 3, 2, 1)
    for call, slug in [(lambda: x.item(4), "index-out-of-range"), (lambda: x.item(), "item-size")]:
        with pytest.raises(ko.KolamError, match=slug) as info:
            call()
        assert info.value.where[0] == __file__


@pytest.mark.parametrize("dtype", [dtype for dtype in ko.dtypes.DTYPES])
def test_dtypes_make_arrays(dtype):
    x = dtype(1)
    assert x.dtype == dtype and x.shape == () and x.item() == 1
    assert dtype(np.ones((2, 3))).shape == (2, 3) and ko.jit(lambda x: dtype(x))(1).dtype == dtype


def test_numbers_that_do_not_fit_a_dtype():
    for call in (lambda: ko.int8(300), lambda: ko.uint8(-1), lambda: ko.int32([2**40])):
        with pytest.raises(ko.KolamError, match="scalar-does-not-fit"):
            call()
    with pytest.raises(ko.KolamError, match=r"float32: \[call-mismatch\] expected float32\(x\), but got 2 arguments"):
        ko.float32(1, 2)


def test_extents_are_compared_by_the_run():
    f = ko.jit(lambda x: ko.cond(ko.extent(x.shape[0]) > 3, lambda: 1, lambda: 0), dynamic={"x": [0]})
    assert f(ko.ones(2)).item() == 0 and f(ko.ones(4)).item() == 1
    for compare in (lambda n: n > 3, lambda n: 3 <= n, lambda n: n < n, lambda n: n >= 1):
        with pytest.raises(ko.KolamError, match=r"\[traced-value\].*kolam.extent\(n\) .*let kolam.cond choose") as info:
            ko.jit(lambda x: compare(x.shape[0]), dynamic={"x": [0]})(ko.ones(2))
        assert info.value.where[0] == __file__


@pytest.mark.parametrize("call, name", [
    (lambda: ko.cond(None, lambda: 1, lambda: 2), "pred"), (lambda: ko.switch(None, [lambda: 1]), "index"), (lambda: ko.switch(0, None), "branches"),
    (lambda: ko.fori_loop(None, 1, lambda i, x: x, 1), "lower"), (lambda: ko.fori_loop(0, None, lambda i, x: x, 1), "upper"),
    (lambda: ko.zip_map_reduce(lambda x: x, None), "inputs"), (lambda: ko.opaque_call(None, [1], ((), "f32")), "f"),
    (lambda: ko.opaque_call(abs, None, ((), "f32")), "inputs"), (lambda: ko.opaque_call(abs, [1], None), "results"),
])  # fmt: skip
def test_none_is_no_value(call, name):
    with pytest.raises(ko.errors.KolamTypeError, match=f"argument '{name}': expected .*, but got None") as info:
        call()
    assert info.value.where[0] == __file__
