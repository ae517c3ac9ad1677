"""What functions cost, beside what jax.experimental.pallas.estimate_cost of JAX 0.10.2 gave for the same functions of jax.numpy."""

import kolam as ko
import numpy as np
import pytest
from kolam import pallas as pl

S = ko.ShapeDtypeStruct
X, I, Y = S((8, 16), ko.float32), S((8, 16), ko.int32), S((16, 4), ko.float32)

#: (flops, transcendentals, bytes)
OF_JAX = {
    "x + 1": (lambda x: x + 1.0, [X], (128, 0, 1024)),
    "x / 2": (lambda x: x / 2, [X], (128, 0, 1024)),
    "1 / x": (lambda x: 1 / x, [X], (128, 0, 1024)),
    "-x": (lambda x: -x, [X], (128, 0, 1024)),
    "x * x + x": (lambda x: x * x + x, [X], (256, 0, 1024)),
    "x ** 2": (lambda x: x**2, [X], (256, 0, 1024)),
    "x ** 3": (lambda x: x**3, [X], (384, 0, 1024)),
    "x ** 4": (lambda x: x**4, [X], (384, 0, 1024)),
    "x ** 5": (lambda x: x**5, [X], (512, 0, 1024)),
    "x ** 7": (lambda x: x**7, [X], (640, 0, 1024)),
    "x ** 8": (lambda x: x**8, [X], (512, 0, 1024)),
    "i ** 3": (lambda i: i**3, [I], (384, 0, 1024)),
    "x ** 2.5": (lambda x: x**2.5, [X], (0, 0, 1024)),
    "exp": (ko.exp, [X], (0, 128, 1024)),
    "log": (ko.log, [X], (0, 128, 1024)),
    "log10": (ko.log10, [X], (128, 128, 1024)),
    "sqrt": (ko.sqrt, [X], (0, 128, 1024)),
    "tanh": (ko.tanh, [X], (0, 128, 1024)),
    "sin": (ko.sin, [X], (0, 128, 1024)),
    "asin": (ko.asin, [X], (0, 128, 1024)),
    "asinh": (ko.asinh, [X], (0, 0, 1024)),
    "log1p": (ko.log1p, [X], (0, 0, 1024)),
    "erf": (ko.erf, [X], (0, 0, 1024)),
    "abs": (ko.abs, [X], (0, 0, 1024)),
    "floor": (ko.floor, [X], (128, 0, 1024)),
    "trunc": (ko.trunc, [X], (256, 0, 1024)),
    "maximum": (lambda x: ko.maximum(x, 0), [X], (128, 0, 1024)),
    "clip": (lambda x: ko.clip(x, 0, 1), [X], (256, 0, 1024)),
    "x > 0": (lambda x: x > 0, [X], (0, 0, 640)),
    "where": (lambda x: ko.where(x > 0, x, 1.0), [X], (0, 0, 1024)),
    "isnan": (ko.isnan, [X], (0, 0, 640)),
    "logical_and": (lambda x: ko.logical_and(x > 0, x < 1), [X], (128, 0, 640)),
    "i // 3": (lambda i: i // 3, [I], (384, 0, 1024)),
    "i % 3": (lambda i: i % 3, [I], (256, 0, 1024)),
    "i & 3": (lambda i: i & 3, [I], (128, 0, 1024)),
    "i << 3": (lambda i: i << 3, [I], (0, 0, 1024)),
    "bfloat16": (lambda x: x * 2, [S((8, 16), ko.bfloat16)], (128, 0, 512)),
    "sum": (ko.sum, [X], (0, 0, 516)),
    "twice": (lambda x: (x, x), [X], (0, 0, 1536)),
    "matmul": (lambda x, y: x @ y, [X, Y], (1024, 0, 896)),
    "batched": (ko.matmul, [S((3, 8, 16), ko.float32), S((3, 16, 4), ko.float32)], (3072, 0, 2688)),
    "jit in jit": (lambda x: ko.jit(lambda x: ko.exp(x) + 1)(x), [X], (128, 128, 1024)),
    "cond": (lambda x: ko.cond(x[0, 0] > 0, lambda x: x + 1, lambda x: x * 2, x), [X], (0, 0, 1024)),
    "fori_loop": (lambda x: ko.fori_loop(0, 10, lambda i, x: x + 1, x), [X], (0, 0, 1024)),
}


@pytest.mark.parametrize("what", OF_JAX)
def test_numbers_of_jax(what):
    function, arguments, numbers = OF_JAX[what]
    assert pl.estimate_cost(function, *arguments) == pl.CostEstimate(*numbers)


def test_arguments_are_arrays_in_pytrees_and_keywords():
    x = np.ones((8, 16), np.float32)
    assert pl.estimate_cost(lambda pair, scale: pair["a"] * scale + pair["b"], {"a": x, "b": X}, scale=3.0) == pl.CostEstimate(256, 0, 1536)


def exponential(x_ref, o_ref):
    o_ref[...] = ko.exp(x_ref[...]) + 1


def test_kernels_count_what_they_say_or_their_body_at_each_point():
    block = pl.BlockSpec((2, 16), lambda i: (i, 0))
    options = {"grid": 4, "in_specs": [block], "out_specs": block}
    assert pl.estimate_cost(pl.pallas_call(exponential, X, **options), X) == pl.CostEstimate(128, 128, 1024)
    said = pl.pallas_call(exponential, X, cost_estimate=pl.CostEstimate(7, 8, 9), **options)
    assert pl.estimate_cost(said, X) == pl.CostEstimate(7, 8, 1033)
    assert np.asarray(said(np.zeros((8, 16), np.float32))).tolist() == np.full((8, 16), 2.0).tolist()


def test_wrong_costs():
    with pytest.raises(TypeError, match=r"argument 'cost_estimate': expected a CostEstimate, but got 3"):
        pl.pallas_call(exponential, X, cost_estimate=3)
    with pytest.raises(ValueError, match=r"\[bad-kernel\] argument 'cost_estimate': expected counts of at least 0, but got -1"):
        pl.pallas_call(exponential, X, cost_estimate=pl.CostEstimate(-1, 0, 0))(np.zeros((8, 16), np.float32))
    with pytest.raises(TypeError, match="argument 'fun': expected a function, but got 3"):
        pl.estimate_cost(3)
