"""Streams of attention with masks beside its window, of loops and branches over whole sequences, of kernels."""

import numpy as np
import pytest
from stream_steps import T, array, check

import kolam as ko
from kolam import layout
from kolam import pallas as pl


# Attention's masks beside its window.


SEGMENTS = ko.asarray(np.repeat([3, 1, 2], 100)[:T].astype(np.int32))
MASK = np.random.default_rng(9).standard_normal((T, T)).astype(np.float32)
MASK[MASK > 1] = -np.inf


@pytest.mark.parametrize(
    "options",
    [
        lambda x: {"mask": ko.asarray(MASK > 0)},
        lambda x: {"mask": ko.asarray(MASK)},
        lambda x: {"mask": ko.asarray(MASK[:1] > -1)},
        lambda x: {"mask": ko.asarray(MASK[:, :1])},
        lambda x: {"mask": (ko.arange(T) % 3 > 0)[None, :]},
        lambda x: {"mask": (x[:, 0] > -1)[None, :]},
        lambda x: {"mask": (x[:, 0] > -1)[:, None]},
        lambda x: {"mask": ko.broadcast_to(x[:, :1], (T, T))},
        lambda x: {"segment_ids": SEGMENTS},
        lambda x: {"segment_ids": ko.cumulative_sum(ko.astype(x[:, 0] > 1, ko.int32))},
        lambda x: {"segment_ids": SEGMENTS, "mask": ko.asarray(MASK), "causal": True},
    ],
)
def test_masks_and_segments_beside_a_window(options):
    check(lambda x: ko.attention(x[None], x[None] * 2, ko.tanh(x)[None], window=(5, 0), **options(x))[0], array(T, 4))


def test_masks_of_several_blocks():
    ids = ko.asarray(np.arange(300) // 70)
    bias = ko.asarray(np.random.default_rng(3).standard_normal((300, 300)).astype(np.float32))
    check(lambda x: ko.attention(x[None], x[None], x[None], bias, window=(140, 0), segment_ids=ids)[0], array(300, 4))


# Loops and branches over whole sequences.


def delayed(x):
    return ko.concat([ko.zeros((1, *x.shape[1:])), x[:-1]])


W = ko.asarray(np.random.default_rng(5).standard_normal((3, 4, 4)).astype(np.float32) / 2)


@pytest.mark.parametrize("backend", ["cpu", "interpret"])
@pytest.mark.parametrize(
    "f",
    [
        lambda x: ko.fori_loop(0, 5, lambda i, v: ko.tanh(v) * 0.5 + i, x),
        lambda x: ko.fori_loop(0, 100, lambda i, v: v * 0.99 + x, x),
        lambda x: ko.fori_loop(0, 3, lambda i, v: ko.tanh(ko.matmul(v, W[i])) + v, x),
        lambda x: ko.fori_loop(0, 3, lambda i, v: ko.tanh(v) + delayed(v), x),
        lambda x: ko.fori_loop(0, 3, lambda i, v: (v[1], v[0] + v[1]), (ko.zeros((T, 4)), x))[1],
        lambda x: ko.scan(lambda v, w: (ko.tanh(ko.matmul(v, w)), v), x, W)[0],
        lambda x: ko.scan(lambda v, w: (ko.tanh(ko.matmul(v, w)), v + 1), x, W)[1],
        lambda x: ko.scan(lambda v, w: (ko.cumulative_sum(ko.matmul(v, w), axis=0), v), x, W, reverse=True)[1],
        lambda x: ko.scan(lambda s, v: (s + v, s * v), ko.zeros(T), ko.matrix_transpose(x))[1],
        lambda x: ko.cond(ko.sum(W) > 0, lambda v: ko.tanh(v), lambda v: v + 1, x),
        lambda x: ko.cond(ko.sum(W) > 0, lambda v: delayed(v), lambda v: ko.cumulative_sum(v, axis=0), x),
        lambda x: ko.switch(1, [lambda v: v, lambda v: delayed(v) * 2, lambda v: -v], x),
        lambda x: ko.cond(True, lambda v: ko.zeros((T, 4)), lambda v: v, x) + x,
        lambda x: ko.while_loop(lambda s: s[0] < 9, lambda s: (s[0] + 2, s[1] * 0.5 + s[0]), (0, x))[1],
        lambda x: ko.fori_loop(0, 2, lambda i, v: ko.fori_loop(0, i + 2, lambda j, w: ko.sin(w) + j, v), x),
        lambda x: ko.fori_loop(0, 2, lambda i, v: ko.fori_loop(0, 2, lambda j, w: delayed(w) + j, v), x),
        lambda x: ko.fori_loop(0, 2, lambda i, v: ko.sin(v), delayed(x)),
    ],
)
def test_loops_and_branches(f, backend):
    check(f, array(T, 4), backend=backend)


def test_a_long_loop_stays_one():
    s = layout.stream(lambda x: ko.fori_loop(0, 100, lambda i, v: v * 0.99 + i, x), array(T, 4))
    assert "kolam.for" in s.lower().as_text("program")


def test_checks_in_loops():
    f = ko.jit(lambda x: ko.fori_loop(0, 3, lambda i, v: ko.sqrt(v), x), checks=["nan"])
    s = layout.stream(f, array(T, 4))
    s(ko.ones(4))
    with pytest.raises(Exception, match="nan"):
        s(-ko.ones(4))


def test_what_nobody_reads_is_left_out():
    def f(x):
        x[::-1]
        return x + 1

    check(f, array(T, 4))


# Kernels over blocks.


def kernel(body, block, index, *more):
    """`body` on blocks of x [T, 4], and on whole other arrays."""
    whole = [pl.BlockSpec(w.shape, lambda *_, rank=w.ndim: (0,) * rank) for w in more]
    grid = tuple(-(-n // b) for n, b in zip((T, 4), block, strict=True))
    spec = pl.BlockSpec(block, index)
    call = pl.pallas_call(body, out_shape=ko.ShapeDtypeStruct((T, 4), "float32"), grid=grid, in_specs=[spec, *whole], out_specs=spec)
    return lambda x: call(x, *more)


def soften(x, y):
    y[...] = ko.softmax(x[...], axis=-1)


def project(x, w, y):
    y[...] = ko.tanh(ko.matmul(x[...], w[...]))


def running(x, y):
    def add(i, s):
        y[i, :] = s + x[i, :]
        return s + x[i, :]

    ko.fori_loop(0, T, add, ko.zeros(4))


@pytest.mark.parametrize("block", [(1, 4), (4, 4), (5, 4), (T, 4), (4, 2)])
def test_kernels_over_blocks(block):
    check(kernel(soften, block, lambda i, j: (i, j)), array(T, 4))


@pytest.mark.parametrize("rows", [1, 4, T])
def test_kernels_with_products(rows):
    f = kernel(project, (rows, 4), lambda i, j: (i, j), array(4, 4))
    check(lambda x: f(delayed(x)), array(T, 4))


def test_kernels_that_go_along_the_axis_by_themselves():
    with pytest.raises(ValueError, match=r"\[not-streamable\].*dynamic_slice at stream_control_test.py") as error:
        layout.stream(kernel(running, (T, 4), lambda i, j: (i, j)), array(T, 4))
    assert "x[i + arange(n)] behind a pad is a window" in str(error.value)
