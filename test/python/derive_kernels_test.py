"""Derivatives of kernels over blocks, and derivatives inside kernels."""

import numpy as np
import pytest

import kolam as ko
from kolam import kernels
from kolam import pallas as pl

RNG = np.random.default_rng(3)


def drawn(*shape):
    return ko.asarray(RNG.standard_normal(shape))


def like(*shape):
    return ko.ShapeDtypeStruct(shape, ko.float64)


def blocks_of_their_own(x, y):
    def kernel(x_ref, y_ref, o_ref):
        o_ref[...] = ko.sin(x_ref[...]) * y_ref[...]

    spec = pl.BlockSpec((2, 4), lambda i, j: (i, j))
    return ko.sum(pl.pallas_call(kernel, like(8, 12), grid=(4, 3), in_specs=[spec] * 2, out_specs=spec)(x, y) ** 2)


def product_with_scratch(x, y):
    def kernel(x_ref, y_ref, o_ref, sum_ref):
        @pl.when(pl.program_id(2) == 0)
        def _():
            sum_ref[...] = ko.zeros(sum_ref.shape, dtype=ko.float64)

        sum_ref[...] += x_ref[...] @ y_ref[...]

        @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
        def _():
            o_ref[...] = ko.tanh(sum_ref[...])

    call = pl.pallas_call(
        kernel, like(8, 6), grid=(2, 2, 3), scratch_shapes=[like(4, 3)],
        in_specs=[pl.BlockSpec((4, 4), lambda i, j, k: (i, k)), pl.BlockSpec((4, 3), lambda i, j, k: (k, j))],
        out_specs=pl.BlockSpec((4, 3), lambda i, j, k: (i, j)),
    )  # fmt: skip
    return ko.sum(call(x, y) ** 2)


def overlapping_reads(x):
    def kernel(x_ref, o_ref):
        first = pl.program_id(0) * 4
        o_ref[...] = x_ref[pl.ds(first, 4)] + 2 * x_ref[pl.ds(first + 1, 4)] * x_ref[pl.ds(first + 2, 4)]

    specs = {"in_specs": [pl.BlockSpec((10,), lambda i: (0,))], "out_specs": pl.BlockSpec((4,), lambda i: (i,))}
    return ko.sum(pl.pallas_call(kernel, like(8), grid=(2,), **specs)(x) ** 2)


def loop_inside(x):
    def kernel(x_ref, o_ref):
        def row(i, carried):
            carried = ko.tanh(carried + x_ref[i])
            o_ref[i] = carried
            return carried

        ko.fori_loop(0, x_ref.shape[0], row, ko.zeros((4,), dtype=ko.float64))

    spec = pl.BlockSpec((8, 4), lambda i: (0, i))
    return ko.sum(pl.pallas_call(kernel, like(8, 12), grid=(3,), in_specs=[spec], out_specs=spec)(x) ** 2)


def revisited_output(x):
    def kernel(x_ref, o_ref):
        o_ref[...] += ko.sum(x_ref[...] ** 2, axis=0)

    specs = {"in_specs": [pl.BlockSpec((2, 12), lambda i: (i, 0))], "out_specs": pl.BlockSpec((12,), lambda i: (0,))}
    return ko.sum(pl.pallas_call(kernel, like(12), grid=(4,), **specs)(x) ** 2)


CASES = {
    "blocks of their own": (blocks_of_their_own, (drawn(8, 12), drawn(8, 12)), 2),
    "product with scratch": (product_with_scratch, (drawn(8, 12), drawn(12, 6)), 1),
    "overlapping reads": (overlapping_reads, (drawn(10),), 2),
    "loop inside": (loop_inside, (drawn(8, 12),), 1),
    "revisited output": (revisited_output, (drawn(8, 12),), 1),
    "kernels.softmax": (lambda x: ko.sum(kernels.softmax(x) ** 3), (drawn(4, 8),), 1),
    "kernels.layer_norm": (lambda x, w, b: ko.sum(kernels.layer_norm(x, w, b) ** 3), (drawn(4, 8), drawn(8), drawn(8)), 1),
    "kernels.matmul": (lambda x, y: ko.sum(kernels.matmul(x, y) ** 2), (drawn(8, 12), drawn(12, 6)), 1),
}


@pytest.mark.parametrize("name", CASES)
def test_beside_differences(name):
    function, arguments, order = CASES[name]
    ko.check_grads(function, arguments, order=order)


@pytest.mark.parametrize("name", ["product with scratch", "revisited output"])
def test_native_code_has_the_bits_of_the_interpreter(name):
    function, arguments, _ = CASES[name]
    native, oracle = (np.asarray(ko.jit(ko.grad(function), backend=backend)(*arguments)) for backend in ("cpu", "interpret"))
    assert np.array_equal(native, oracle)


def test_a_derivative_inside_a_kernel():
    def kernel(x_ref, o_ref):
        o_ref[...] = ko.vmap(ko.grad(lambda v: ko.sin(v) * v))(x_ref[...])

    x = RNG.standard_normal(8)
    found = np.asarray(pl.pallas_call(kernel, like(8))(ko.asarray(x)))
    assert np.allclose(found, np.sin(x) + x * np.cos(x))


ATOMICS = {
    "max": lambda o, x: pl.atomic_max(o, ..., x),
    "min": lambda o, x: pl.atomic_min(o, ..., x),
    "xchg": lambda o, x: pl.atomic_xchg(o, ..., x),
    "cas": lambda o, x: pl.atomic_cas(o, 0.0, ko.sum(x)),
}


@pytest.mark.parametrize("kind", ATOMICS)
@pytest.mark.parametrize("transform", [ko.grad, lambda f: lambda x: ko.jvp(f, (x,), (x,))], ids=["grad", "jvp"])
def test_other_atomics_than_sums_have_no_derivative(kind, transform):
    def kernel(x_ref, o_ref):
        ATOMICS[kind](o_ref, 2 * x_ref[...])

    spec = pl.BlockSpec((4,), lambda i: (0,))
    loss = lambda x: ko.sum(pl.pallas_call(kernel, like(4), grid=(2,), in_specs=[pl.BlockSpec((4,), lambda i: (i,))], out_specs=spec)(x))  # noqa: E731
    with pytest.raises(ko.KolamError, match=rf"atomic_{kind}: expected atomic_add.*outputs\[0\] 'o_ref'") as raised:
        transform(loss)(drawn(8))
    assert raised.value.slug == "not-differentiable"
    assert "derive_kernels_test.py:" in str(raised.value)


def test_atomics_of_what_is_constant_are_no_obstacle():
    def kernel(x_ref, y_ref, o_ref, most_ref):
        pl.atomic_max(most_ref, ..., y_ref[...])
        pl.atomic_add(o_ref, ..., x_ref[...] ** 2)

    def loss(x, y):
        row, whole = pl.BlockSpec((4,), lambda i: (i,)), pl.BlockSpec((4,), lambda i: (0,))
        total, most = pl.pallas_call(kernel, (like(4), like(4)), grid=(2,), in_specs=[row, row], out_specs=(whole, whole))(x, y)
        return ko.sum(total * most)

    x, y = np.asarray(drawn(8)), np.asarray(drawn(8)) + 5
    most = np.maximum(y[:4], y[4:])
    np.testing.assert_allclose(np.asarray(ko.grad(loss)(x, y)), 2 * x * np.concatenate([most, most]))
