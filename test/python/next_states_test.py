"""Loops whose next state reads rows and elements of the state beside its own element: beside NumPy, with the interpreter's bits."""

import numpy as np
import pytest
from same_bits import require_same_bits

import kolam as ko

N, STEPS = 520, 3  # two arrays do not fit into the second cache


def shortest(d):
    return ko.fori_loop(0, STEPS, lambda k, d: ko.minimum(d, d[:, k][:, None] + d[k][None, :]), d)


def eliminated(d):
    """Rank-one updates, then a column of the new state and one of the old."""

    def step(k, d):
        below = ko.where(ko.arange(N) > k, d[:, k] / (d[k, k] + 3), 0)
        return (d - ko.outer(below, d[k])).at[:, k].set(ko.where(ko.arange(N) > k, below, d[:, k]))

    return ko.fori_loop(0, STEPS, step, d)


def with_a_norm(d):
    """The old state is read behind the new one."""

    def step(k, state):
        d, change = state
        new = d * 0.5 + d[k][None, :]
        return new, change + ko.sum(ko.abs(new - d)[0])

    return ko.fori_loop(0, STEPS, step, (d, np.float32(0)))


def exchanged(d):
    return ko.fori_loop(0, STEPS, lambda k, state: (state[1] + state[0][k][None, :], state[0] - state[1][:, k][:, None]), (d, d.T))


def while_small(d):
    grow = lambda state: (state[0] + state[0][state[1]][:, None] * 0.25, state[1] + 1)
    return ko.while_loop(lambda state: state[1] < STEPS, grow, (d, np.int32(0)))


@pytest.mark.parametrize("f", [shortest, eliminated, with_a_norm, exchanged, while_small])
def test_same_bits(f, seed):
    require_same_bits(f, np.random.default_rng(seed).uniform(0, 1, (N, N)).astype(np.float32))


def test_beside_numpy(seed):
    d = np.random.default_rng(seed).uniform(0, 1, (N, N)).astype(np.float32)
    expected = d.copy()
    for k in range(STEPS):
        expected = np.minimum(expected, expected[:, k, None] + expected[None, k])
    np.testing.assert_array_equal(np.asarray(ko.jit(shortest)(d)), expected)


def test_the_next_state_takes_over_the_memory():
    x = np.zeros((N, N), np.float32)
    for f in (shortest, eliminated):
        text = ko.jit(f).lower(x).as_text("nests")
        assert "swap" not in text and "changes in place what it is a part of" in ko.jit(f).explain(x)
