"""Derivatives of folds and scans whose state is a list, to the second and third order, beside central differences."""

import numpy as np
import pytest
from derivatives import twins

import kolam as ko
from kolam import fractal as ops
from kolam.fractal import FractalTensor

XS = FractalTensor([0.1, 0.2, 0.3, 0.4], dtype="float64")
ROWS = FractalTensor([np.array([0.1, 0.2]), np.array([0.3, 0.4]), np.array([0.5, 0.6])])
NESTED = FractalTensor([[0.1, 0.2], [], [0.3, 0.5, 0.7]], dtype="float64")
PARTS = FractalTensor.from_offsets(np.arange(8.0).reshape(4, 2) * 0.3, [0, 3, 3, 4])
TABLE, WORDS = ko.asarray(np.arange(8.0).reshape(4, 2) * 0.1), FractalTensor([[1, 2, 1], [], [0]], dtype="int32")
P = np.float64(0.3)


def zero():
    return ko.zeros((), dtype=ko.float64)


def total(xs):
    return ops.fold(lambda sum, x: sum + x, xs, zero())


def totals(xs):
    return total(ops.map(total, xs))


def waves(p):
    """map of lambda u: sin(u p) + x."""
    return lambda x: lambda u: ko.sin(u * p) + x


def fold(row, start, over=XS):
    return lambda p: total(ops.fold(lambda prev, x: row(prev, x, p), over, initializer=start(p)))


def table_of(cell, scans):
    """Rows of cells, each of the one above and the element of a list of vectors; those of all parts, summed."""

    def of_part(part, p):
        def row(prev, x):
            along = lambda left, t: cell(left, t, x, p)  # noqa: E731
            if scans:
                return ops.scan(along, ops.zip(prev, part), initializer=zero())
            return ops.map(lambda t: along(zero(), t), ops.zip(prev, part))

        return total(ops.fold(row, part, initializer=ops.map(lambda y: ko.sum(y * y) * ko.cos(p), part)))

    return lambda p: total(ops.map(lambda part: of_part(part, p), PARTS))


def sentences(p):
    rows = ops.slices(TABLE * p, axis=0)
    last = lambda s: ops.fold(lambda h, e: ko.tanh(ko.reshape(e, (2,)) + h * p), ops.map(lambda i: ops.index(rows, i), s), ko.zeros(2, dtype=ko.float64))  # noqa: E731
    return total(ops.map(lambda s: ko.sum(last(s) ** 2), WORDS))


PROGRAMS = {
    "a map": fold(lambda prev, x, p: ops.map(waves(p)(x), prev), lambda p: XS),
    "a map that reads vectors": fold(lambda prev, x, p: ops.map(lambda t: t[0] * p * ko.sum(x * t[1]), ops.zip(prev, ROWS)), lambda p: ops.map(lambda y: ko.sum(y) * p, ROWS), ROWS),
    "a map that reads vectors alone": fold(lambda prev, x, p: ops.map(lambda t: p**3 * ko.sum(t[1]), ops.zip(prev, ROWS)), lambda p: ops.map(lambda y: ko.sum(y) * p, ROWS), ROWS),
    "a scan": fold(lambda prev, x, p: ops.scan(lambda left, u: left * p + u * x, prev, initializer=zero()), lambda p: XS),
    "a scan from its first": fold(lambda prev, x, p: ops.scan(lambda left, u: ko.sin(left * p + u * x), prev), lambda p: XS),
    "a fold in a fold": fold(lambda prev, x, p: ops.fold(lambda q, y: ops.map(waves(p)(y), q), prev, initializer=prev), lambda p: XS, XS[1:]),
    "no steps": fold(lambda prev, x, p: ops.map(waves(p)(x), prev), lambda p: ops.map(lambda u: u * p**3, XS), XS[4:]),
    "shorter each step": fold(lambda prev, x, p: ops.map(waves(p)(x), prev[1:]), lambda p: XS, XS[1:]),
    "longer each step": fold(lambda prev, x, p: ops.join(prev, ops.map(waves(p)(x), prev)), lambda p: XS, XS[1:]),
    "a state that no step reads": fold(lambda prev, x, p: ops.map(waves(p)(x), XS[1:]), lambda p: ops.map(lambda u: u * p, XS)),
    "a state that is no more differentiated": fold(lambda prev, x, p: ops.map(lambda u: u * x, XS[1:]), lambda p: ops.map(lambda u: u * p**3, XS), XS[4:]),
    "lists of lists": lambda p: totals(ops.fold(lambda prev, x: ops.map(lambda row: ops.map(waves(p)(x), row), prev), XS, initializer=NESTED)),
    "of each list": lambda p: total(ops.map(lambda r: total(ops.fold(lambda prev, x: ops.map(waves(p)(x), prev), r, initializer=r)), NESTED)),
    "of each list, read by no step": lambda p: total(
        ops.map(lambda r: total(ops.fold(lambda prev, x: ops.map(waves(p)(x), r), r[1:], initializer=ops.map(lambda u: u * p, r[1:]))), NESTED)
    ),
    "all states": lambda p: totals(ops.scan(lambda prev, x: ops.map(waves(p)(x), prev[1:]), XS, initializer=XS)),
    "all states from the right": lambda p: totals(ops.scanr(lambda prev, x: ops.map(waves(p)(x), prev[1:]), XS, initializer=XS)),
    "some of all states": lambda p: total(ops.map(lambda r: r[0], ops.scan(lambda prev, x: ops.map(waves(p)(x), ops.join(prev, XS)), XS, initializer=XS))),
    "two states": lambda p: (lambda s: total(s[0]) * total(s[1]))(
        ops.fold(lambda s, x: (ops.map(waves(p)(x), s[0]), ops.map(lambda t: t[0] * ko.cos(t[1] * x * p), ops.zip(s[0], s[1]))), XS, initializer=(XS, XS))
    ),
    "an array beside it": lambda p: (lambda s: total(s[0]) * s[1])(
        ops.fold(lambda s, x: (ops.map(waves(p)(s[1]), s[0]), total(s[0]) * x * p), XS, initializer=(XS, zero() + 1))
    ),
    "a table of maps": table_of(lambda left, t, x, p: left * p + t[0] * ko.sum(x * t[1]) * p, False),
    "a table of scans": table_of(lambda left, t, x, p: ko.sin(left * p + ko.sum((x - t[1]) ** 2)) + t[0] * p, True),
    "rows that data chooses": sentences,
}  # fmt: skip


def difference(f, step=1e-5):
    return (f(P + step).item() - f(P - step).item()) / (2 * step)


@pytest.mark.parametrize("name", PROGRAMS)
def test_orders_beside_differences(name):
    program, one = PROGRAMS[name], np.float64(1)
    gradient = ko.grad(program)
    assert gradient(P).item() == pytest.approx(difference(program), rel=1e-6, abs=1e-7)
    expected = difference(gradient)
    assert ko.grad(gradient)(P).item() == pytest.approx(expected, rel=1e-6, abs=1e-7)
    assert ko.jvp(gradient, (P,), (one,))[1].item() == pytest.approx(expected, rel=1e-6, abs=1e-7)
    assert ko.grad(lambda p: ko.jvp(program, (p,), (one,))[1])(P).item() == pytest.approx(expected, rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("name", PROGRAMS)
def test_bits_of_second_derivatives(name):
    twins.agreed(ko.grad(ko.grad(PROGRAMS[name])), (P,), "the second derivative")


@pytest.mark.parametrize("name", ["a map", "shorter each step", "all states from the right"])
def test_the_third_order(name):
    second = ko.grad(ko.grad(PROGRAMS[name]))
    assert ko.grad(second)(P).item() == pytest.approx(difference(second), rel=1e-6, abs=1e-7)
