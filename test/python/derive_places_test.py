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


SUMS = {
    "a sum": lambda s, u: s + u,
    "a function of the update": lambda s, u: s + ko.sin(u) * 2,
    "the update first": lambda s, u: ko.exp(u) + s,
}
NO_SUMS = {"a factor": lambda s, u: s * 0.5 + u, "the state in the term": lambda s, u: s + u * s, "of the update": lambda s, u: u + u}


@pytest.mark.parametrize("name", [*SUMS, *NO_SUMS])
@pytest.mark.parametrize("mode", ["promise", "drop", "clip", "element"])
def test_functions_that_add_to_what_is_there(name, mode):
    """Their derivative is a sum at the places, without a loop over the updates."""
    combine = (SUMS | NO_SUMS)[name]
    rng = np.random.default_rng(1)
    x, updates = rng.standard_normal((6, 3)), rng.standard_normal((9, 3))
    places = rng.integers(0, 6, (9, 1)) if mode == "promise" else rng.integers(-2, 8, (9, 1))
    loss = lambda x, u: ko.sum(ko.sin(ko.scatter(x, u[:, None], places, (0,), combine, mode=mode)))  # noqa: E731
    ko.check_grads(loss, (x, updates), order=2)
    gradient = lambda x, u: ko.grad(loss, argnums=(0, 1))(x, u)  # noqa: E731
    found = ko.jit(gradient)
    for own, same in zip(found(x, updates), interpreted(gradient)(x, updates), strict=True):
        assert_same_bits(own, same, name)
    program = found.lower(x, updates).as_text("program")
    assert ("scan" in program or "kolam.for" in program) == (name in NO_SUMS), program


def test_added_captures():
    x, updates, weight = np.arange(4.0), np.array([1.0, 2.0, 3.0]), np.array(0.5)
    loss = lambda x, u, w: ko.sum(ko.scatter(x, u[:, None], np.array([[1], [1], [3]]), (0,), lambda s, u: s + u * u * w) ** 2)  # noqa: E731
    ko.check_grads(loss, (x, updates, weight), order=2)
