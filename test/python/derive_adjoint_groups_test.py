"""Adjoints of kernels that run as loops over their grids: which share a loop, and at what prices."""

import re

import numpy as np
import pytest
from derivatives.checks import assert_same_bits, interpreted

import kolam as ko
from kolam import pallas as pl
from kolam.kernels import _attention

RNG = np.random.default_rng(5)


def drawn(*shape, dtype=np.float32):
    return ko.asarray((RNG.standard_normal(shape) / 4).astype(dtype))


def rows_by_columns(size, depth, count=(4, 3)):
    """x @ w by blocks: x has those of the first axis, w those of the second. Large steps keep it a loop over the grid."""

    def kernel(x_ref, w_ref, o_ref):
        def part(k, sums):
            at = pl.ds(k * 16, 16)
            return ko.flip(sums, axis=0) + x_ref[:, at] @ w_ref[at, :]

        o_ref[...] = ko.fori_loop(0, depth // 16, part, ko.zeros((size, size)))

    return lambda x, w: pl.pallas_call(
        kernel, ko.ShapeDtypeStruct((count[0] * size, count[1] * size), ko.float32), grid=count,
        in_specs=[pl.BlockSpec((size, depth), lambda i, j: (i, 0)), pl.BlockSpec((depth, size), lambda i, j: (0, j))],
        out_specs=pl.BlockSpec((size, size), lambda i, j: (i, j)),
    )(x, w)  # fmt: skip


MIX = drawn(64, 64)


def one_chain(x, y):
    """What both adjoints need is all but a little of what each needs: the steps of a chain, computed again."""

    def kernel(x_ref, y_ref, o_ref):
        def step(_, s):
            return ko.sin((s + x_ref[...] * y_ref[...]) @ MIX)

        o_ref[...] = ko.fori_loop(0, 3, step, ko.zeros((64, 64)))

    return pl.pallas_call(
        kernel, ko.ShapeDtypeStruct((128, 192), ko.float32), grid=(2, 3), out_specs=pl.BlockSpec((64, 64), lambda i, j: (i, j)),
        in_specs=[pl.BlockSpec((64, 64), lambda i, j: (i, 0)), pl.BlockSpec((64, 64), lambda i, j: (0, j))],
    )(x, y)  # fmt: skip


def scaled(x, w):
    """A broadcast: w has blocks of the second axis alone."""

    def kernel(x_ref, w_ref, o_ref):
        o_ref[...] = ko.fori_loop(0, pl.program_id(0) % 2 + 1, lambda k, s: s + x_ref[pl.ds(k, 64)] * w_ref[...], ko.zeros((64, 64)))

    return pl.pallas_call(
        kernel, ko.ShapeDtypeStruct((512, 512), ko.float32), grid=(8, 8), out_specs=pl.BlockSpec((64, 64), lambda i, j: (i, j)),
        in_specs=[pl.BlockSpec((72, 64), lambda i, j: (i, j)), pl.BlockSpec((1, 64), lambda i, j: (0, j))],
    )(x, w)  # fmt: skip


def attention_of_one_head(q, k, v):
    given = {"causal": False, "window": None, "segment_ids": None, "scale": None, "block_q": None, "interpret": False}
    return _attention._attention(q, k, v, **given)


CASES = {
    "a product": (rows_by_columns(64, 128), (drawn(256, 128), drawn(128, 192))),
    "a small product": (rows_by_columns(46, 32, (2, 2)), (drawn(92, 32), drawn(32, 92))),
    "one chain": (one_chain, (drawn(128, 64), drawn(64, 192))),
    "a broadcast": (scaled, (drawn(576, 512), drawn(1, 512))),
}


def gradient_of(name):
    function, arguments = CASES[name]
    return ko.value_and_grad(lambda *given: ko.sum(function(*given) ** 2), argnums=tuple(range(len(arguments)))), arguments


@pytest.fixture
def threads():
    before = ko.get_num_threads()
    yield ko.set_num_threads
    ko.set_num_threads(before)


@pytest.mark.parametrize("name", CASES)
def test_native_code_has_the_bits_of_the_interpreter_on_one_thread_and_two(name, threads):
    gradient, arguments = gradient_of(name)
    value, gradients = interpreted(gradient)(*arguments)
    native = ko.jit(gradient)
    for count in (1, 2):
        threads(count)
        found, own = native(*arguments)
        assert_same_bits([found, *own], [value, *gradients], f"{count} threads")


def explained(name):
    gradient, arguments = gradient_of(name)
    return ko.jit(gradient).explain(*arguments)


def test_adjoints_of_a_product_have_a_loop_each():
    """They share the cotangent of the product alone; both loops are shared by threads, each along its own axis."""
    text = explained("a product")
    assert re.search(
        r"adjoints of kernel kernel \(.*\) have two loops over an axis of 4 points, along which those of args\[1\] 'w_ref' are summed, "
        r"those of args\[0\] 'x_ref' are not: \d+ operations are computed twice, \d+ are saved where two threads run",
        text,
    )
    assert "the axis of 3 points stands outside of that of 4, along which those of args[1] 'w_ref' are summed" in text
    assert text.count("turns shared by threads") >= 3, "the values' loop, and those of both adjoints"


def test_adjoints_of_a_chain_have_one_loop():
    text = explained("one chain")
    found = re.search(
        r"adjoints of kernel kernel \(.*\) have one loop over an axis of 2 points, along which those of args\[1\] 'y_ref' are summed: "
        r"one for those of args\[0\] 'x_ref' would compute (\d+) operations twice and save (\d+) where two threads run",
        text,
    )
    assert found and int(found[1]) > int(found[2])


@pytest.mark.parametrize("heads", [1, 3])
def test_attention_has_one_loop(heads):
    q, k, v = (drawn(1, heads, 256, 32) for _ in range(3))
    gradient = ko.jit(ko.grad(lambda *given: ko.sum(attention_of_one_head(*given) ** 2), argnums=(0, 1, 2)))
    text = gradient.explain(q, k, v)
    assert "two loops over an axis" not in text
    assert heads > 1 or "have one loop over an axis of" in text
