"""Derivatives of the kernels that come with Kolam: beside differences, in many instances, on both backends. Those of attention have
a page of their own, derive_attention_test.py."""

import numpy as np
import pytest
from derivatives.checks import assert_near, assert_same_bits, check_instances, interpreted

import kolam as ko
from kolam import kernels

RNG = np.random.default_rng(5)


def drawn(*shape):
    return ko.asarray(RNG.standard_normal(shape))


LENGTHS = ko.asarray([7, 4])
TABLES = ko.asarray(np.array([[5, 0, 99], [2, 99, 99]], np.int32))  # the last ones are not read
BLOCKS = ko.asarray(np.array([[0, 1], [2, 0], [0, 1]], np.int32))
CASES = {
    "matmul": (lambda x, y: kernels.matmul(x, y, block_m=4, block_n=4, block_k=5), (drawn(7, 12), drawn(12, 6))),
    "matmul activation": (lambda x, y: kernels.matmul(x, y, activation=ko.silu), (drawn(7, 12), drawn(12, 6))),
    "mlp": (
        lambda x, w1, w2, b1, b2: kernels.mlp(x, w1, w2, b1=b1, b2=b2, activation=ko.silu, block_m=4, block_hidden=4),
        (drawn(6, 3), drawn(3, 10), drawn(10, 2), drawn(10), drawn(2)),
    ),
    "softmax": (lambda x: kernels.softmax(x, block_rows=4), (drawn(6, 8),)),
    "layer_norm": (lambda x, w, b: kernels.layer_norm(x, w, b, block_rows=4), (drawn(6, 8), drawn(8), drawn(8))),
    "rms_norm": (lambda x, w: kernels.rms_norm(x, w), (drawn(2, 3, 8), drawn(8))),
    "decode_attention": (
        lambda q, k, v: kernels.decode_attention(q, k, v, lengths=LENGTHS, splits=3), (drawn(2, 4, 3), drawn(2, 9, 2, 3), drawn(2, 9, 2, 5)),
    ),
    "paged_attention": (
        lambda q, k, v: kernels.paged_attention(q, k, v, TABLES, ko.asarray([6, 3])), (drawn(2, 4, 3), drawn(2, 6, 4, 3), drawn(2, 6, 4, 5)),
    ),
    "grouped_matmul": (
        lambda x, w: kernels.grouped_matmul(x, w, ko.asarray([4, 0, 5]), block_m=4, block_n=4, block_k=4), (drawn(11, 6), drawn(3, 6, 5)),
    ),
    "block_sparse_matmul": (lambda values, y: kernels.block_sparse_matmul(values, BLOCKS, y, rows=5), (drawn(3, 2, 4), drawn(7, 3))),
    "conv2d": (
        lambda x, w: kernels.conv2d(x, w, stride=(2, 1), padding=((1, 2), 1), dilation=(1, 2), block_h=2), (drawn(2, 7, 6, 2), drawn(3, 2, 2, 3)),
    ),
    "selective_scan": (
        lambda u, delta, a, b, c, d: kernels.selective_scan(u, ko.softplus(delta), -ko.exp(a), b, c, d, block_channels=4),
        (drawn(2, 5, 6), drawn(2, 5, 6), drawn(6, 3), drawn(2, 5, 3), drawn(2, 5, 3), drawn(6)),
    ),
}  # fmt: skip
EVERY = pytest.mark.parametrize("name", CASES)


def total(function):
    return lambda *given: ko.sum(ko.tanh(function(*given)) ** 2)


def gradient_of(name):
    function, arguments = CASES[name]
    return ko.grad(total(function), argnums=tuple(range(len(arguments)))), arguments


@EVERY
def test_beside_differences(name):
    function, arguments = CASES[name]
    ko.check_grads(total(function), arguments)


@EVERY
def test_native_code_has_the_bits_of_the_interpreter(name):
    gradient, arguments = gradient_of(name)
    push = lambda *given: ko.jvp(total(CASES[name][0]), given, arguments)  # noqa: E731
    for own in (gradient, push):
        assert_same_bits(ko.jit(own)(*arguments), interpreted(own)(*arguments), "native")


@EVERY
@pytest.mark.parametrize("run", [interpreted, ko.jit], ids=["interpreted", "native"])
def test_instances_have_the_bits_of_single_calls(name, run):
    gradient, arguments = gradient_of(name)
    check_instances(gradient, [arguments, [a * 0.5 + 0.25 for a in arguments]], run)


@EVERY
def test_the_gradient_of_many_instances(name):
    """Beside those of each, where all share the last argument and where none is shared."""
    function, arguments = CASES[name]
    calls = [arguments, [a * 0.5 + 0.25 for a in arguments]]
    stacked = [ko.stack(each) for each in zip(*calls, strict=True)]
    numbers = tuple(range(len(arguments)))
    for shares in (False, True) if len(arguments) > 1 else (False,):
        axes = (*[0] * (len(arguments) - 1), None if shares else 0)
        given = [*stacked[:-1], arguments[-1] if shares else stacked[-1]]
        every = ko.vmap(total(function), in_axes=axes)
        own = ko.grad(lambda *given: ko.sum(every(*given)), argnums=numbers)(*given)  # noqa: B023
        expected = list(ko.vmap(gradient_of(name)[0], in_axes=axes)(*given))
        if shares:
            expected[-1] = ko.sum(expected[-1], axis=0)
        for one, other in zip(own, expected, strict=True):
            assert_near(one, other, name, 1e-12)


#: The same by functions of arrays, whose derivatives other tests compare.
PLAIN = {
    "matmul": ko.matmul,
    "mlp": lambda x, w1, w2, b1, b2: ko.silu(x @ w1 + b1) @ w2 + b2,
    "softmax": ko.softmax,
    "layer_norm": ko.layer_norm,
    "rms_norm": ko.rms_norm,
    "conv2d": lambda x, w: ko.permute_dims(
        ko.conv2d(ko.permute_dims(x, (0, 3, 1, 2)), ko.permute_dims(w, (3, 2, 0, 1)), strides=(2, 1), padding=((1, 2), (1, 1)), dilation=(1, 2)),
        (0, 2, 3, 1),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PLAIN)
def test_beside_functions_of_arrays(name):
    gradient, arguments = gradient_of(name)
    plain = ko.grad(total(PLAIN[name]), argnums=tuple(range(len(arguments))))
    for own, other in zip(gradient(*arguments), plain(*arguments), strict=True):
        assert_near(own, other, name, 1e-12)
