"""Kernels that sum products of blocks along the last axis: the same bits as the interpreter, whatever blocks and tails."""

import itertools
import re

import numpy as np
import pytest

import kolam as ko
from kolam import pallas as pl

S = ko.ShapeDtypeStruct


def in_scratch(x, y, o, a):
    @pl.when(pl.program_id(2) == 0)
    def _():
        a[...] = ko.zeros(a.shape, dtype=a.dtype)

    a[...] += ko.matmul(x[...], y[...], dtype=a.dtype)

    @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
    def _():
        o[...] = ko.maximum(a[...], 0).astype(o.dtype)


def in_result(x, y, o):
    @pl.when(pl.program_id(2) == 0)
    def _():
        o[...] = ko.zeros_like(o)

    o[...] += ko.matmul(x[...], y[...], dtype=o.dtype)


def in_result_from_zero(x, y, o):
    o[...] += ko.matmul(x[...], y[...], dtype=o.dtype)


def with_more_work(x, y, o, a):
    @pl.when(pl.program_id(2) == 0)
    def _():
        a[...] = ko.zeros_like(a)

    a[...] = ko.matmul(ko.relu(x[...]) * 2, y[...].T.T, dtype=a.dtype) + a[...]

    @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
    def _():
        o[...] = (a[...] + pl.program_id(0)).astype(o.dtype)


def two_sums(x, y, o, a, s):
    @pl.when(pl.program_id(2) == 0)
    def _():
        a[...] = ko.zeros_like(a)
        s[...] = ko.zeros_like(s)

    a[...] += ko.matmul(x[...], y[...], dtype=a.dtype)
    s[...] += ko.matmul(x[...], y[...] * y[...], dtype=a.dtype)

    @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
    def _():
        o[...] = (a[...] - s[...]).astype(o.dtype)


def other_first_term(x, y, o, a):
    @pl.when(pl.program_id(2) == 0)
    def _():
        a[...] = ko.ones_like(a)

    a[...] += ko.matmul(x[...], y[...], dtype=a.dtype)
    o[...] = a[...].astype(o.dtype)


KERNELS = {f.__name__: (f, scratch) for f, scratch in [(in_scratch, 1), (in_result, 0), (in_result_from_zero, 0), (with_more_work, 1), (two_sums, 2), (other_first_term, 1)]}
DTYPES = [("float32", "float32"), ("bfloat16", "bfloat16"), ("float64", "float64"), ("int32", "int32"), ("float16", "float32")]
SIZES = [(64, 64, 64), (40, 50, 70), (33, 17, 129)]
BLOCKS = [(16, 16, 16), (8, 32, 24), (16, 64, 5), (64, 64, 64)]


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("dtypes", DTYPES, ids=lambda pair: pair[0])
def test_bits(name, dtypes):
    kernel, count = KERNELS[name]
    dtype, out = (getattr(ko, own) for own in dtypes)
    rng = np.random.default_rng(len(name))
    sums = dtype if dtypes[0] in ("float64", "int32") else ko.float32
    for (m, n, k), (bm, bn, bk) in itertools.product(SIZES, BLOCKS):
        x, y = (ko.asarray(np.round(rng.standard_normal(shape) * 8)).astype(dtype) / (1 if dtype == ko.int32 else 3) for shape in ((m, k), (k, n)))
        x, y = x.astype(dtype), y.astype(dtype)
        call = pl.pallas_call(
            kernel, S((m, n), out), grid=(pl.cdiv(m, bm), pl.cdiv(n, bn), pl.cdiv(k, bk)),
            in_specs=[pl.BlockSpec((bm, bk), lambda i, j, k: (i, k)), pl.BlockSpec((bk, bn), lambda i, j, k: (k, j))],
            out_specs=pl.BlockSpec((bm, bn), lambda i, j, k: (i, j)), scratch_shapes=[S((bm, bn), sums)] * count,
        )  # fmt: skip
        native, interpreted = ko.jit(call)(x, y), ko.jit(call, backend="interpret")(x, y)
        assert np.asarray(native).tobytes() == np.asarray(interpreted).tobytes(), (m, n, k, bm, bn, bk)


def test_large_products_are_one():
    x = ko.ones((256, 512))
    kernel, _ = KERNELS["in_scratch"]
    call = pl.pallas_call(
        kernel, S((256, 256), ko.float32), grid=(4, 4, 8), scratch_shapes=[S((64, 64), ko.float32)],
        in_specs=[pl.BlockSpec((64, 64), lambda i, j, k: (i, k)), pl.BlockSpec((64, 64), lambda i, j, k: (k, j))],
        out_specs=pl.BlockSpec((64, 64), lambda i, j, k: (i, j)),
    )  # fmt: skip
    text = ko.jit(call).explain(x, ko.ones((512, 256)))
    assert "1 nest" in text and "contract" in text and "reshape" not in text, text


def sum_in_loop(size, factor=lambda x: x):
    def kernel(x, y, o):
        def step(k, total):
            part = pl.ds(k * size, size)
            return total + ko.matmul(factor(x[:, part]), y[part, :], dtype=total.dtype)

        total = pl.fori_loop(0, pl.cdiv(x.shape[1], size), step, ko.zeros(o.shape, dtype=ko.float32))
        o[...] = ko.relu(total).astype(o.dtype)

    return kernel


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("factor", [lambda x: x, lambda x: ko.tanh(x) * 2], ids=["plain", "computed"])
@pytest.mark.parametrize("m, n, k, block, size", [(32, 48, 64, 16, 16), (30, 33, 96, 16, 8), (64, 64, 128, 64, 32), (8, 8, 12, 8, 6), (30, 33, 50, 16, 8), (200, 96, 90, 96, 40)])
def test_sums_in_loops_of_bodies(dtype, factor, m, n, k, block, size):
    rng = np.random.default_rng(k)
    x, y = (ko.asarray(rng.standard_normal(shape).astype(np.float32)).astype(getattr(ko, dtype)) for shape in ((m, k), (k, n)))
    call = pl.pallas_call(
        sum_in_loop(size, factor), S((m, n), ko.float32), grid=(pl.cdiv(m, block), pl.cdiv(n, block)),
        in_specs=[pl.BlockSpec((block, k), lambda i, j: (i, 0)), pl.BlockSpec((k, block), lambda i, j: (0, j))],
        out_specs=pl.BlockSpec((block, block), lambda i, j: (i, j)),
    )  # fmt: skip
    native = ko.jit(call)
    assert np.asarray(native(x, y)).tobytes() == np.asarray(ko.jit(call, backend="interpret")(x, y)).tobytes()
    assert "for [" not in native.lower(x, y).as_text("nests")


def test_sums_in_loops_that_are_others():
    """Loops whose blocks overlap, that begin with something, or whose sum is read meanwhile stay loops."""
    x, y = ko.ones((16, 40)), ko.ones((40, 16))

    def total(step, first):
        return lambda x, y, o: o.__setitem__(..., pl.fori_loop(0, 4, lambda k, a: step(x, y, k, a), first()))

    def product(x, y, start, size):
        return ko.matmul(x[:, pl.ds(start, size)], y[pl.ds(start, size), :])

    zeros, ones = lambda: ko.zeros((16, 16)), lambda: ko.ones((16, 16))
    for kernel in (
        total(lambda x, y, k, a: a + product(x, y, k * 8, 10), zeros),
        total(lambda x, y, k, a: a + product(x, y, k * 10, 10), ones),
        total(lambda x, y, k, a: a * 2 + product(x, y, k * 10, 10), zeros),
        total(lambda x, y, k, a: a + product(x, y, k * 10, 10) * k, zeros),
        total(lambda x, y, k, a: a + product(x, y, 30 - k * 10, 10), zeros),
    ):
        call = pl.pallas_call(kernel, S((16, 16), ko.float32))
        native, interpreted = ko.jit(call)(x, y), ko.jit(call, backend="interpret")(x, y)
        assert np.asarray(native).tobytes() == np.asarray(interpreted).tobytes()


def test_columns_that_each_point_packs():
    """Points that threads share, each with a loop over products of the same columns: what is packed in front is a thread's own."""
    rng = np.random.default_rng(11)
    x, y = (rng.integers(-3, 4, shape).astype(np.float32) for shape in ((4, 256, 1024), (4, 1024, 256)))

    def kernel(x, y, o):
        columns = y[:256, :] + y[256:512, :]

        def step(k, state):
            most, total = state
            return ko.maximum(most, ko.matmul(x[:, pl.ds(k * 256, 256)] * (1.0 + k), columns)), total + ko.max(most)

        o[...], _ = pl.fori_loop(0, 4, step, (ko.zeros((256, 128)), ko.zeros((8,))))

    call = ko.jit(pl.pallas_call(
        kernel, S((4, 256, 256), ko.float32), grid=(4, 2),
        in_specs=[pl.BlockSpec((None, 256, 1024), lambda b, j: (b, 0, 0)), pl.BlockSpec((None, 1024, 128), lambda b, j: (b, 0, j))],
        out_specs=pl.BlockSpec((None, 256, 128), lambda b, j: (b, 0, j)),
    ))  # fmt: skip
    columns = y[:, :256] + y[:, 256:512]
    expected = np.maximum(0, np.max([x[:, :, k * 256 : (k + 1) * 256] * (1.0 + k) @ columns for k in range(4)], axis=0))
    before = ko.get_num_threads()
    try:
        ko.set_num_threads(4)
        for _ in range(5):
            np.testing.assert_array_equal(np.asarray(call(x, y)), expected)
    finally:
        ko.set_num_threads(before)
    assert re.search(r"shared by threads, each with its own .*\b(b\d+)\b[^$]*contract\(\1, ", call.explain(x, y))
