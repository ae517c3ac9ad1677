"""Numbers of Python in what loops carry and branches give take the dtype that the body gives."""

import numpy as np
import pytest

import kolam as ko

DTYPES = ["int8", "uint16", "int32", "int64", "float16", "float32", "float64"]


@pytest.mark.parametrize("around", [lambda f: f, ko.jit])
@pytest.mark.parametrize("dtype", DTYPES)
def test_scans(around, dtype):
    xs = np.arange(1, 5).astype(dtype)
    total, sums = around(lambda xs: ko.scan(lambda s, x: (s + x, s), 0, xs))(xs)
    assert total.dtype.name == dtype and sums.dtype.name == dtype
    assert total.item() == 10 and np.asarray(sums).tolist() == [0, 1, 3, 6]
    if "float" in dtype:
        assert around(lambda xs: ko.scan(lambda s, x: (s + x, None), 0.5, xs))(xs)[0].dtype.name == dtype


@pytest.mark.parametrize("around", [lambda f: f, ko.jit])
def test_loops_and_trees(around):
    xs = np.arange(4, dtype=np.float16)
    assert around(lambda xs: ko.fori_loop(0, 4, lambda i, s: s + xs[0], 1))(xs).dtype == ko.float16
    assert around(lambda xs: ko.fori_loop(0, 4, lambda i, s: s + i, 0))(xs).dtype == ko.int32
    assert around(lambda xs: ko.fori_loop(0, 4, lambda i, s: s + 1, 0))(xs).item() == 4
    assert around(lambda xs: ko.fori_loop(0, 4, lambda i, s: s, 1 << 40))(xs).item() == 1 << 40
    state = around(lambda xs: ko.while_loop(lambda s: s["n"] < 3, lambda s: {"n": s["n"] + 1, "x": s["x"] * xs[1] + 1}, {"n": 0, "x": 2}))(xs)
    assert (state["n"].dtype, state["x"].dtype, state["x"].item()) == (ko.int32, ko.float16, 5)
    assert around(lambda xs: ko.fori_loop(0, 3, lambda i, s: s * 0.5, 8))(xs).item() == 1.0
    # one that depends on another
    a, b = around(lambda xs: ko.fori_loop(0, 3, lambda i, s: (s[0] + s[1], s[1] + xs[1]), (0, 0)))(xs)
    assert (a.dtype, b.dtype, a.item()) == (ko.float16, ko.float16, 3)


def test_numbers_that_bodies_give():
    xs = np.arange(3, dtype=np.float16)
    assert ko.scan(lambda s, x: (0, None), xs[0], xs)[0].dtype == ko.float16
    assert ko.cond(True, lambda x: x, lambda x: 0.0, xs[1]).dtype == ko.float16
    assert ko.cond(False, lambda: 1, lambda: 2.5).item() == 2.5 and ko.cond(True, lambda: 1, lambda: 2.5).dtype == ko.float32
    assert ko.switch(2, [lambda: 1, lambda: xs[0], lambda: 7]).dtype == ko.float16
    assert ko.cond(True, lambda x, n: x + n, lambda x, n: x - n, xs, 1).dtype == ko.float16


def test_numbers_that_are_arguments_of_jit():
    f = ko.jit(lambda s, xs: ko.scan(lambda s, x: (s + x, None), s, xs)[0])
    assert f(0, np.arange(3, dtype=np.int8)).dtype == ko.int8 and f(0.5, np.arange(3, dtype=np.float16)).dtype == ko.float16
    assert f.cache_size == 2 and f(1.5, np.arange(3, dtype=np.float16)).item() == 4.5 and f.cache_size == 2


def test_it_is_traced_again_until_the_dtype_holds():
    seen = []

    def body(s, x):
        seen.append(s.dtype.name)
        return s + x * 2, None

    assert ko.scan(body, 1, np.ones(2, np.int16))[0].dtype == ko.int16
    assert seen == ["int32", "int16"]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ko.scan(lambda s, x: (s.astype(ko.float16 if s.dtype == ko.float32 else ko.float32), None), 1.0, np.ones(2)), "and so on"),
        (lambda: ko.scan(lambda s, x: (s > x, None), 0, np.ones(2)), "but it gives bool"),
        (lambda: ko.fori_loop(0, 2, lambda i, s: i, 0.5), "a dtype for the number 0.5 that the body gives back, but it gives int32"),
        (lambda: ko.scan(lambda s, x: (s + x, None), 0, np.ones((2, 3), np.float32)), r"expected float32\[\], but got float32\[3\]"),
        (lambda: ko.scan(lambda s, x: (s + x, None), np.int32(0), np.ones(2, np.float32)), r"expected int32\[\], but got float32\[\]"),
    ],
)
def test_what_has_no_dtype(call, words):
    with pytest.raises(ko.KolamError, match=rf"\[carry-mismatch\].*{words}") as info:
        call()
    assert info.value.where[0] == __file__


def test_a_number_that_does_not_fit():
    with pytest.raises(ko.KolamError, match=r"\[scalar-does-not-fit\]"):
        ko.scan(lambda s, x: (s + x, None), 300, np.ones(2, np.int8))


def test_what_people_from_jax_pass():
    xs = np.arange(4, dtype=np.float32)
    assert ko.scan(lambda s, _: (s + 1.0, s), 0.0, None, length=3, unroll=2)[1].tolist() == [0, 1, 2]
    assert ko.scan(lambda s, x: (s + x, s), 0.0, xs, reverse=True)[1].tolist() == [6, 5, 3, 0]
    assert ko.fori_loop(0, 3, lambda i, s: s + i, 0, unroll=True).item() == 3
    assert ko.cond(xs[1] > 0, lambda x: x, lambda x: -x, operand=xs[1]).item() == 1
    assert ko.cond(True, lambda a, b: a["x"] + b, lambda a, b: b, {"x": xs}, xs).tolist() == [0, 2, 4, 6]
    assert ko.switch(1, (lambda x: x, lambda x: x * 2), xs).tolist() == [0, 2, 4, 6]
    assert ko.map(lambda row: (row["a"] * 2, None), {"a": xs})[0].tolist() == [0, 2, 4, 6]
    for size in (1, 2, 3, 4, 9):
        assert ko.map(lambda x: x + 1, xs, batch_size=size).tolist() == [1, 2, 3, 4]
    with pytest.raises(ko.KolamError, match="expected a list of functions"):
        ko.switch(0, lambda x: x, xs)
    with pytest.raises(ko.KolamError, match=r"a pair \(state, y\), but got a Tensor"):
        ko.scan(lambda s, x: s + x, 0.0, xs)
