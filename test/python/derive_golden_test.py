"""Gradients and products with Hessians beside JAX's: test/golden/derivatives.npz, which scripts/make_derivative_goldens.py writes.

JAX and Kolam add up in other orders: they agree to a few units of float64, times what cancels.
"""

from pathlib import Path

import numpy as np
import pytest
from derivatives import cases
from derivatives.checks import assert_near, interpreted

import kolam as ko

GOLDENS = np.load(Path(__file__).parents[1] / "golden" / "derivatives.npz")
NEAR = 1e-11

F64 = {"dtype": ko.float64}
#: Functions that are no case of a rule.
OWN = {
    "scan": lambda x, w: ko.scan(lambda h, row: (ko.tanh(w @ h + row), h * row), ko.zeros(4, **F64), x)[1],
    "scan backwards": lambda x: ko.scan(lambda h, row: (ko.sin(h) + row, h), ko.ones(4, **F64), x, reverse=True)[1],
    "fori_loop": lambda x: ko.fori_loop(0, 5, lambda i, h: ko.sin(h) * x, x),
    "cond": lambda x: ko.cond(ko.sum(x) > 0, lambda: ko.sin(x) * x, lambda: x**3),
    "switch": lambda x: ko.switch(ko.asarray(1), [lambda: x, lambda: x**3, lambda: ko.exp(x)]),
    "associative_scan": lambda x: ko.associative_scan(lambda a, b: a * b, x),
}
NAMES = sorted({key.rsplit(".", 2)[0] for key in GOLDENS.files})


def of(name, what):
    return [GOLDENS[f"{name}.{what}.{number}"] for number in range(sum(key.startswith(f"{name}.{what}.") for key in GOLDENS.files))]


def gradient_of(name):
    function = OWN.get(name) or cases.CASES[name].function

    def total(*args):
        result = function(*args)
        return ko.sum(result * ko.cos(ko.astype(ko.arange(result.size), ko.float64)).reshape(result.shape))

    return total


@pytest.mark.parametrize("name", NAMES)
def test_agrees_with_jax(name):
    args = of(name, "argument")
    every = tuple(range(len(args)))
    gradient = ko.grad(gradient_of(name), argnums=every)
    second = ko.grad(lambda *given: sum((ko.sum(part) for part in gradient(*given)), ko.zeros((), **F64)), argnums=every)
    for what, function in (("gradient", gradient), ("second", second)):
        for number, (own, theirs) in enumerate(zip(interpreted(function)(*args), of(name, what), strict=True)):
            assert_near(own, theirs, f"{what} {number}", NEAR)
