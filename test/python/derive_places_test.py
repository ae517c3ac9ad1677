"""Gradients of reads at places that are affine in the index: they accumulate by the adjoint of the projection, without a scatter."""

import numpy as np
import pytest
from derivatives.checks import assert_near, assert_same_bits, interpreted

import kolam as ko

ROW, TABLE = (40,), (6, 9)

#: (shape, reading, by a scatter)
READS = {
    "windows": (ROW, lambda x, n: x[n(30)[:, None] + n(8)], False),
    "dilated windows by steps": (ROW, lambda x, n: x[2 * n(10)[:, None] + 3 * n(4)], False),
    "windows backwards": (ROW, lambda x, n: x[39 - 2 * n(9)[:, None] - n(3)], False),
    "reversed": (ROW, lambda x, n: x[39 - n(40)], False),
    "tiles": (ROW, lambda x, n: x[4 * n(10)[:, None] + n(4)], False),
    "tiles with gaps": (ROW, lambda x, n: x[7 * n(5)[:, None] + 2 * n(3)], False),
    "rows": (TABLE, lambda x, n: x[2 * n(3)], False),
    "rows and columns": (TABLE, lambda x, n: x[n(3)[:, None] + 1, 2 * n(4)], False),
    "columns across": (TABLE, lambda x, n: x[n(3), 2 * n(4)[:, None] + 1], False),
    "one row many times": (TABLE, lambda x, n: x[0 * n(4) + 2], False),
    "a short diagonal": (TABLE, lambda x, n: x[n(6), n(6)], False),
    "many long windows": (ROW, lambda x, n: x[n(4)[:, None] + n(36)], False),
    "a long sum of places": ((2000,), lambda x, n: x[n(900)[:, None] + n(900)], True),
    "a long diagonal": ((80, 80), lambda x, n: x[n(80), n(80)], True),
}


@pytest.mark.parametrize("name", READS)
def test_what_is_read_receives(name):
    shape, read, by_scatter = READS[name]
    rng = np.random.default_rng(0)
    x = rng.standard_normal(shape)
    places = read(np.arange(x.size).reshape(shape), np.arange)
    weights = rng.standard_normal(places.shape)
    expected = np.zeros(x.size)
    np.add.at(expected, places.ravel(), weights.ravel())
    gradient = lambda x: ko.grad(lambda x: ko.sum(read(x, ko.arange) * weights))(x)  # noqa: E731
    found = ko.jit(gradient)
    assert_near(found(x), expected.reshape(shape), name, 1e-13)
    assert_same_bits(found(x), interpreted(gradient)(x), name)
    assert ("scatter" in found.lower(x).as_text("program")) == by_scatter


def test_narrow_floats_round_once():
    x = ko.asarray(np.ones(40), dtype=ko.bfloat16)
    found = ko.grad(lambda x: ko.sum(ko.astype(x[ko.arange(30)[:, None] + ko.arange(8)], ko.float32) * 0.01))(x)
    assert found.dtype == ko.bfloat16
    assert_near(found[10].item(), 0.08, "eight times", 4e-3)
