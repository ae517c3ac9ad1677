"""What stands beside a derivative over lists is the value of the function, bit by bit, in the order of its own ops."""

import numpy as np
import pytest

import kolam as ko
from kolam import fractal
from kolam.fractal import FractalTensor

RNG = np.random.default_rng(3)
#: lengths around the chunks of 64 of a reduction and of 4096 of an associative scan
NUMBERS = FractalTensor(list(RNG.standard_normal(5000).astype(np.float32)))
ROWS = FractalTensor([FractalTensor(list(RNG.standard_normal(length).astype(np.float32))) for length in (1, 63, 200, 130)])
PAIRS = FractalTensor(list((RNG.standard_normal((150, 2)) / 8 + 1).astype(np.float32)))


def start(xs):
    return ko.asarray(np.float32(0.1), dtype=xs.dtype)


def smooth(a, b):
    """Associative but for rounding, and not linear."""
    return ko.log(ko.exp(a) + ko.exp(b))


def sums(xs):
    return fractal.reduce(lambda a, b: a + b, xs)


#: name: (function of a list to a scalar, list)
PROGRAMS = {
    "a sum": (sums, NUMBERS),
    "a sum from a start": (lambda xs: fractal.reduce(lambda a, b: a + b, xs, start(xs)), NUMBERS),
    "no sum": (lambda xs: fractal.reduce(smooth, xs), NUMBERS),
    "sums of rows": (lambda xs: sums(fractal.map(lambda row: ko.sin(sums(row)), xs)), ROWS),
    "products of pairs": (lambda xs: ko.sum(fractal.reduce(lambda a, b: a * b, xs)), PAIRS),
    "an associative scan": (lambda xs: fractal.scan(lambda a, b: a + b, xs, start(xs), associative=True)[-1], NUMBERS),
    "an associative scan from its first": (lambda xs: fractal.scan(lambda a, b: a + b, xs, associative=True)[-1], NUMBERS),
    "an associative scan from the right": (lambda xs: sums(fractal.scanr(smooth, xs, start(xs), associative=True)), NUMBERS),
    "a fold": (lambda xs: fractal.fold(lambda total, x: total + ko.sin(x), xs, start(xs)), NUMBERS),
}  # fmt: skip


def values_of(f, xs):
    """The value by each transformation that gives it too."""
    return {
        "value_and_grad": ko.value_and_grad(f)(xs)[0],
        "jvp": ko.jvp(f, (xs,), (xs,))[0],
        "vjp": ko.vjp(f, xs)[0],
        "linearize": ko.linearize(f, xs)[0],
        "in jit": ko.jit(ko.value_and_grad(f))(xs)[0],
        "by the interpreter": ko.jit(ko.value_and_grad(f), backend="interpret")(xs)[0],
    }


@pytest.mark.parametrize("name", PROGRAMS)
def test_values(name):
    f, xs = PROGRAMS[name]
    expected = ko.jit(f)(xs).item()
    assert {how: value.item() for how, value in values_of(f, xs).items()} == dict.fromkeys(values_of(f, xs), expected)


@pytest.mark.parametrize("name", ["a sum from a start", "no sum", "sums of rows", "an associative scan from its first", "an associative scan from the right"])
def test_gradients_beside_differences(name):
    f, xs = PROGRAMS[name]
    flat = lambda xs: np.asarray(fractal.flatten(xs) if xs.depth > 1 else fractal.stack(xs), np.float64)  # noqa: E731
    wide = fractal.map(lambda x: ko.astype(x, ko.float64), xs) if xs.depth == 1 else fractal.map(lambda row: fractal.map(lambda x: ko.astype(x, ko.float64), row), xs)
    along = fractal.map(lambda x: ko.cos(3 * x), wide) if xs.depth == 1 else fractal.map(lambda row: fractal.map(lambda x: ko.cos(3 * x), row), wide)
    tangent = ko.jvp(f, (wide,), (along,))[1].item()
    gradient = ko.grad(f)(wide)
    assert float(np.sum(flat(gradient) * flat(along))) == pytest.approx(tangent, rel=1e-9)
