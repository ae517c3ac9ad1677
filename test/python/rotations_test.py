"""Loops whose states become other states (time steps of waves, delay lines, rings): with the interpreter's bits, and without copies."""

import re

import numpy as np
import pytest
from same_bits import require_same_bits

import kolam as ko

STEPS = (0, 1, 2, 3, 5)
SHAPES = ((5, 7), (37, 53), (130, 64))


def laplace(x):
    return x[2:, 1:-1] + x[:-2, 1:-1] + x[1:-1, 2:] + x[1:-1, :-2] - 4 * x[1:-1, 1:-1]


def waves(steps, x, before, *_):
    def step(_, state):
        x, before = state
        return x.at[1:-1, 1:-1].set(2 * x[1:-1, 1:-1] - before[1:-1, 1:-1] + 0.25 * laplace(x)), x

    return ko.fori_loop(0, steps, step, (x, before))


def delays(steps, a, b, c):
    """The last state is read at its own index: the next one lies in its memory."""
    return ko.fori_loop(0, steps, lambda _, s: (ko.roll(s[0], 1, 0) * 0.5 + s[2], s[0], s[1]), (a, b, c))


def read_elsewhere(steps, a, b, c):
    return ko.fori_loop(0, steps, lambda _, s: (ko.roll(s[0], 1, 0) * 0.5 + ko.roll(s[2], 1, 1), s[0], s[1]), (a, b, c))


def taken_twice(steps, a, b, c):
    return ko.fori_loop(0, steps, lambda _, s: (ko.roll(s[0], 1, 0) + s[1], s[0], s[0]), (a, b, c))


def rings(steps, a, b, c):
    return ko.fori_loop(0, steps, lambda _, s: (s[1], s[0], ko.roll(s[2], 1, 0) + s[1]), (a, b, c))


def stacked(steps, a, b, c):
    return ko.scan(lambda s, t: ((ko.roll(s[0], 1, 0) + s[2] * t, s[0], s[1]), s[2][0]), (a, b, c), ko.arange(steps, dtype="float32"))


def while_small(steps, a, b, c):
    step = lambda s: (s[0] + 1, ko.roll(s[1], 1, 0) - s[3], s[1], s[2])
    return ko.while_loop(lambda s: (s[0] < steps) & (s[3][0, 0] < 100), step, (np.int32(0), a, b, c))


def nested(steps, a, b, c):
    inner = lambda _, s: (ko.roll(s[0], 1, 0) * 0.5 + s[1], s[0])
    return ko.fori_loop(0, steps, lambda _, s: (*ko.fori_loop(0, 3, inner, (s[1], s[0])), s[0]), (a, b, c))


def branched(steps, a, b, c):
    new = lambda a, b, c: (ko.roll(a, 1, 0) + c, a, b)
    step = lambda i, s: ko.cond(i % 2 == 0, new, lambda a, b, c: (a, b, c + 1), *s)
    return ko.fori_loop(0, steps, step, (a, b, c))


def updated(steps, a, b, c):
    """A row of one state is set in the other's memory."""
    return ko.fori_loop(0, steps, lambda i, s: (s[1].at[i].set(ko.sum(s[0], axis=0)), s[0], s[2] + s[1]), (a, b, c))


@pytest.mark.parametrize("f", [waves, delays, read_elsewhere, taken_twice, rings, stacked, while_small, nested, branched, updated])
def test_same_bits(f, seed):
    rng = np.random.default_rng(seed)
    for shape in SHAPES:
        arrays = [rng.uniform(-1, 1, shape).astype(np.float32) for _ in range(3)]
        for steps in STEPS:
            require_same_bits(lambda *arrays, steps=steps: f(steps, *arrays), *arrays)


def test_an_inside_of_a_larger_array(seed):
    whole = np.random.default_rng(seed).uniform(-1, 1, (2, 40, 50)).astype(np.float32)
    require_same_bits(lambda whole: waves(3, whole[0, 1:-2, 3:], whole[1, 2:-1, :-3]), whole)


@pytest.mark.parametrize("f, copies", [(waves, 0), (delays, 0), (read_elsewhere, 0), (rings, 0), (taken_twice, 1)])
def test_states_move_by_exchanges(f, copies):
    arrays = [np.zeros((64, 64), np.float32)] * 3
    text = ko.jit(lambda *arrays: f(3, *arrays)).lower(*arrays).as_text("nests")
    turn = re.search(r"^for \[.*\]\n((?:  .*\n)+)", text, re.MULTILINE)[1]
    assert turn.count("= copy") == copies
    assert "swap" in turn


def test_the_last_state_is_where_the_next_is_computed():
    x = np.zeros((64, 64), np.float32)
    text = ko.jit(lambda x, y: waves(3, x, y)).lower(x, x).as_text("nests")
    assert text.count("float32[64, 64] arena at") - text.count("arena at 0") <= 3
    assert re.search(r"(b\d+) = where\(b\d+, \1\)", text)
