"""The vectors of the rules of the data dimension, and rows of every op."""

import numpy as np
import pytest
from layout_found import A, B, C, N, S, check, infer, refused, shape

import kolam as ko
import kolam.fractal as ft
from kolam import pallas as pl

# The vectors of the reference, by number.


def test_pointwise_1():
    check(lambda x, y: x * y, (A, B, C), (A, B, C), inputs={"x": "a b! c", "y": 1}, result=1, cost="compute")


def test_slices_2_3():
    check(lambda x: x[:, :, :N], (A, B, C), inputs={"x": 2}, result=2, cost="compute")
    check(lambda x: x[:, :, :N], (A, B, C), inputs={"x": 1}, result=1, cost="free")


def test_new_axes_4():
    check(lambda x: ko.expand_dims(x, 0), (A, B), inputs={"x": 0}, result=1, cost="free")


def test_broadcasts_5_6():
    check(lambda x: ko.broadcast_to(x, (N, B)), (1, B), inputs={"x": 1}, result=1, cost="free")
    check(lambda x: ko.broadcast_to(x, (A, N)), (A, 1), inputs={"x": 1}, result=1, cost="close to free")


def test_repeats_7_8():
    check(lambda x: ko.concat([x] * N, axis=0), (A, B, C), inputs={"x": 0}, result=0, cost="compute")
    check(lambda x: ko.concat([x] * N, axis=1), (A, B, C), inputs={"x": 0}, result=0, cost="free")


def test_reductions_9_10_11():
    check(lambda x: ko.sum(x, axis=0, keepdims=True), (A, B), inputs={"x": 0}, result=0, cost="compute")
    error = refused(lambda x: ko.sum(x, axis=0), (A, B), inputs={"x": 0})
    assert "keepdims=True (total" in str(error)
    check(lambda x: ko.sum(x, axis=1), (A, B), inputs={"x": 0}, result=0, cost="slower")
    check(lambda x: ko.sum(x, axis=1, keepdims=True), (A, B), inputs={"x": 0}, result=0, cost="slower")


def test_keepdims_is_one_op_and_the_pair_of_a_user_two():
    refused(lambda x: ko.expand_dims(ko.sum(x, axis=0), 0), (A, B), inputs={"x": 0})
    check(lambda x: ko.mean(x, axis=0, keepdims=True), (A, B), inputs={"x": 0}, result=0, cost="compute")
    check(lambda x: ko.var(x, axis=(1, 2), keepdims=True), (A, B, C), inputs={"x": 2}, result=2, cost="compute", profiles=["seed"])


def test_products_with_a_constant_12_13():
    w, x = (2, A, B), (2, B, C)
    check(ko.matmul, w, x, constants=["0"], inputs={"1": 1}, result=1, cost="compute")
    check(ko.matmul, w, x, constants=["1"], inputs={"0": 2}, result=2, cost="compute")
    refused(ko.matmul, w, x, constants=["0"], inputs={"1": 2})
    r = check(ko.matmul, w, x, constants=["0"], inputs={"1": 2}, allow_dynamic_weights=True, result=2, cost="slower")
    assert r.ops[0].variant == "axpy"


def test_products_of_runtime_sides_14_to_18():
    i, j, k = A, B, C
    dynamic = {"allow_dynamic_weights": True}
    refused(ko.matmul, (i, j), (j, k), inputs={0: 0, 1: 0})
    check(ko.matmul, (i, j), (j, k), inputs={0: 0, 1: 0}, result=0, cost="slower", **dynamic)
    batched = {"inputs": {0: 0, 1: 1}, **dynamic}
    check(ko.matmul, (2, i, j), (2, j, k), result=0, cost="slower", profiles=["seed", "relaxed"], **batched)
    refused(ko.matmul, (2, i, j), (2, j, k), profiles=["vollo27"], **batched)
    check(ko.matmul, (2, i, j), (2, j, k), inputs={0: 2, 1: 2}, result=2, cost="slower", **dynamic)
    refused(ko.matmul, (i, j), (j, k), inputs={0: 0, 1: 1}, **dynamic)
    both = {"inputs": {0: 1, 1: 0}, **dynamic}
    refused(ko.matmul, (i, j), (j, k), profiles=["seed", "vollo27"], **both)
    for out in (0, 1):
        check(ko.matmul, (i, j), (j, k), outputs={0: out}, result=out, cost="slower", profiles=["relaxed"], **both)


@pytest.mark.parametrize(
    "before, after, given, result, cost",
    [
        ((A, B * C), (A, B, C), 0, 0, "free"),
        ((A, B, C), (B, A, C), 2, 2, "free"),
        ((A, B, C), (A * B, C), 1, 0, "compute"),
        ((1, B, C), (B, C), 1, 0, "free"),
        ((A, N * B, C), (A, N, B, C), 1, 2, "compute"),
        ((A, B), (A, 1, B), 0, 0, "free"),
        ((A, 1), (A, 1), 1, 1, "free"),
        ((A, 1), (A,), 1, 0, "compute"),
        ((32,), (4, 8), 0, 1, "compute"),
        ((4, 8), (32,), 1, 0, "compute"),
        ((2, 4, 8), (2, 32), 2, 1, "compute"),
    ],
)
def test_reshapes_19_to_24_28_29_32(before, after, given, result, cost):
    if before == after:
        r = ko.layout.infer(lambda x: ko.reshape(x, after), shape(*before), inputs={"x": given})
        assert r.outputs == [result]
        return
    check(lambda x: ko.reshape(x, after), before, inputs={"x": given}, result=result, cost=cost)


def test_reshapes_refused_23_32():
    error = refused(lambda x: ko.reshape(x, (A, B * C)), (A, B, C), inputs={"x": 1})
    assert "needs a dim of stride 5" in str(error) and "strides [40 1]" in str(error)
    assert [call.kind for call in error.core] == ["input", "op"] and error.core[1].where[0] == __file__
    refused(lambda x: ko.reshape(x, (2, 32)), (2, 4, 8), inputs={"x": 1})


def test_transposes_25_30():
    check(lambda x: ko.permute_dims(x, (2, 1, 0, 3)), (A, B, C, N), inputs={"x": 0}, result=2, cost="free")
    check(lambda x: ko.permute_dims(x, (0, 2, 1)), (A, B, C), inputs={"x": 2}, result=1, cost="free")


def test_slices_stacked_on_a_new_axis_26_27():
    check(lambda x: ko.stack([x[i : i + 1] for i in range(N)], axis=0), (N,), inputs={"x": 0}, result=1, cost="compute")
    outer = lambda b, y: ko.stack([b[i : i + 1] for i in range(N)], axis=1) + 0 * y
    check(outer, (N,), (1, N), inputs={"b": 0, "y": 0}, result=0, cost="compute")


def test_broadcast_along_d_27a():
    r = check(lambda h, x: h[:, :, None] * x, (A, 1), (A, B, C), inputs={"h": 1, "x": 1}, result=1, cost="compute")
    assert "close to free" in [op.cost for op in r.ops]


def test_matrix_vector_31():
    check(ko.matmul, (A, B, C), (C,), inputs={0: 1, 1: 0}, allow_dynamic_weights=True, result=1, cost="slower")


def test_linear_over_another_axis_33():
    w = ko.ones((C, N))
    check(lambda x: ko.matmul(x, w), (A, B, C), inputs={"x": 1}, allow_dynamic_weights=True, result=1, cost="slower")
    refused(lambda x: ko.matmul(x, w), (A, B, C), inputs={"x": 1})


def test_squeeze_34():
    check(lambda x: ko.squeeze(x, axis=0), (1, B), inputs={"x": 1}, result=0, cost="free")
    check(lambda x: ko.squeeze(x, axis=1), (A, 1), inputs={"x": 1}, result=0, cost="compute")
    refused(lambda x: ko.squeeze(x, axis=0), (1, B), inputs={"x": 0})


def test_rank_zero():
    refused(lambda x: ko.sum(x), (A,), profiles=["seed", "vollo27"])
    r = infer(lambda x: ko.sum(x), (A,), profiles=["relaxed"])
    assert r.outputs == [None]
    assert infer(lambda x: ko.sum(x, keepdims=True), (A, B), profiles=["seed", "vollo27"], inputs={"x": 0}).outputs == [0]


# Every op, control flow, lists.


@pytest.mark.parametrize(
    "f, shapes",
    [
        (lambda x: ko.softmax(x, axis=0), [(A, B)]),
        (lambda x: ko.layer_norm(x), [(A, B)]),
        (lambda x: ko.pad(x, ((1, 2), (0, 1))), [(A, B)]),
        (lambda x: ko.flip(x, axis=1), [(A, B)]),
        (lambda x: ko.roll(x, 2, axis=0), [(A, B)]),
        (lambda x: ko.repeat(x, 3, axis=1), [(A, B)]),
        (lambda x: ko.take(x, ko.asarray([2, 0]), axis=0), [(A, B)]),
        (lambda x: x.at[1].set(0), [(A, B)]),
        (lambda x: ko.sort(x, axis=0), [(A, B)]),
        (lambda x: ko.sort(x), [(B,)]),
        (lambda x: ko.top_k(x, 2)[0], [(A, B)]),
        (lambda x: ko.argmax(x, axis=1), [(A, B)]),
        (lambda x: ko.cumulative_sum(x, axis=1), [(A, B)]),
        (lambda x, y: ko.einsum("bij,jb->i", x, y), [(A, B, C), (C, A)]),
        (lambda x, w: ko.conv(x, w), [(1, 4, 8, 8), (6, 4, 3, 3)]),
        (lambda x, w: ko.conv(x, w, groups=4), [(1, 4, 8, 8), (4, 1, 3, 3)]),
        (lambda q, k, v: ko.attention(q, k, v), [(2, A, B), (2, C, B), (2, C, B)]),
        (lambda x: ko.random.uniform(ko.random.key(3), (A, B)) + x, [(A, B)]),
        (lambda x: ko.scan(lambda s, e: (ko.tanh(s + e), s * 2), ko.zeros((B,)), x)[1], [(A, B)]),
        (lambda x: ko.fori_loop(0, 5, lambda i, s: s * 2, x), [(A, B)]),
        (lambda x: ko.while_loop(lambda s: ko.max(s) < 9, lambda s: s + 1, x), [(A, B)]),
        (lambda x: ko.cond(ko.max(x) > 0, lambda y: y + 1, lambda y: y * 2, x), [(A, B)]),
    ],
)
def test_every_op_has_rows(f, shapes):
    for mode, options in (("strict", {"profile": "relaxed"}), ("repair", {"profile": "seed"})):
        r = ko.layout.infer(f, *(shape(*s) for s in shapes), mode=mode, allow_dynamic_weights=True, **options)
        assert r.exact and r.outputs[0] is not None


def test_states_are_fixpoints():
    turn = lambda x: ko.fori_loop(0, 5, lambda i, s: s.T, x)
    error = refused(turn, (B, B))
    assert "a relayout of" in str(error)
    r = ko.layout.infer(turn, shape(B, B), mode="repair")
    assert len(r.relayouts) == 1 and r.total == sum(op.time for op in r.ops) + r.relayouts[0].time


def test_branches_agree():
    f = lambda c, x: ko.cond(c, lambda y: y, lambda y: y.T, x)
    args = S((), "bool"), shape(B, B)
    with pytest.raises(ko.KolamError, match=r"\[data-dimension\]"):
        ko.layout.infer(f, *args)
    assert len(ko.layout.infer(f, *args, mode="repair").relayouts) == 1


def test_lists():
    xs = ft.FractalTensor([np.ones((3, 4), np.float32) for _ in range(5)])
    for f in (lambda xs: ft.map(ko.tanh, xs), lambda xs: ft.reduce(lambda a, b: a + b, xs), lambda xs: ft.map(lambda x: x.T, xs)):
        r = ko.layout.infer(f, xs)
        assert r.exact and r.outputs[0] is not None


def test_kernels():
    def kernel(x_ref, y_ref, o_ref):
        o_ref[...] = x_ref[...] + y_ref[...] * 2

    spec = pl.BlockSpec((4, 16), lambda i: (i, 0))
    f = pl.pallas_call(kernel, out_shape=shape(8, 16), grid=(2,), in_specs=[spec, spec], out_specs=spec)
    r = infer(lambda x, y: f(x, y), (8, 16), (8, 16), inputs={"x": 0})
    assert (r.inputs, r.outputs) == ([0, 0], [0])


def sliding_window_step(h, wq, wk, wv, keys, values):
    """One token's attention to a window of 128, with 8 heads of 64."""
    q = ko.reshape(ko.matmul(wq, h), (8, 1, 64))
    k = ko.reshape(ko.matmul(wk, h), (8, 1, 64))
    v = ko.reshape(ko.matmul(wv, h), (8, 1, 64))
    keys = ko.concat([keys[:, 1:], k], axis=1)
    values = ko.concat([values[:, 1:], v], axis=1)
    turned = ko.permute_dims(keys, (0, 2, 1))
    scores = ko.matmul(q, turned)
    weights = ko.softmax(scores, axis=-1)
    out = ko.matmul(weights, values)
    return ko.reshape(out, (512,))
