"""Branches that pass an array on in one part and change it in another: all parts and both backends agree."""

import itertools

import numpy as np
import pytest

import kolam as ko

PARTS = {
    "passed on": lambda y: y,
    "first set": lambda y: y.at[0].set(9.0),
    "second set": lambda y: y.at[1].set(7.0),
    "set twice": lambda y: y.at[0].set(9.0).at[2].set(4.0),
    "added": lambda y: y + 1,
    "reversed": lambda y: y[::-1],
}
BASES = {"an argument": lambda x: x, "computed": lambda x: -x, "changed": lambda x: x.at[1].set(5.0)}
X = np.arange(1, 5, dtype=np.float32)


def expected(base, part):
    y = np.array(BASES[base](ko.asarray(X)))
    return np.asarray(PARTS[part](ko.asarray(y)))


@pytest.mark.parametrize("base", BASES)
def test_branches(base):
    for parts in itertools.chain(itertools.product(PARTS, repeat=2), itertools.product(list(PARTS)[:4], repeat=3)):

        @ko.jit
        def one(i, x):
            y = BASES[base](x)
            return ko.switch(i, [lambda part=part: PARTS[part](y) for part in parts])

        @ko.jit
        def two(i, x):
            y = BASES[base](x)
            pairs = zip(parts, parts[1:] + parts[:1], strict=True)
            return ko.switch(i, [lambda a=a, b=b: (PARTS[a](y), PARTS[b](y)) for a, b in pairs])

        for i, part in enumerate(parts):
            wanted, other = expected(base, part), expected(base, parts[(i + 1) % len(parts)])
            assert np.array_equal(one(np.int32(i), X), wanted), (parts, i)
            both = two(np.int32(i), X)
            assert np.array_equal(both[0], wanted) and np.array_equal(both[1], other), (parts, i)


WEIGHT = np.arange(8, dtype=np.float32).reshape(4, 2) - 3
PAIRS = {
    "zeros, state": lambda s: (ko.zeros_like(s), s),
    "state, zeros": lambda s: (s, ko.zeros_like(s)),
    "state, state": lambda s: (s, s),
    "changed, state": lambda s: (s.at[1].set(7.0), s),
    "state, changed": lambda s: (s, s.at[1].set(7.0)),
    "zeros, changed": lambda s: (ko.zeros_like(s), s.at[1].set(7.0)),
}


@pytest.mark.parametrize("first", PAIRS)
@pytest.mark.parametrize("second", PAIRS)
def test_states_of_loops(first, second):
    """One of a branch's results is the next state, the other is multiplied: no part writes what another result still needs."""

    def program(x, turns):
        def step(state, turn):
            state, other = ko.cond(turn == 1, PAIRS[first], PAIRS[second], state)
            return state, ko.tile(other, (3, 1)) @ ko.asarray(WEIGHT)

        return ko.scan(step, x, turns)

    turns, states, expected = [0, 1, 0], X, []
    for turn in turns:
        pair = PAIRS[first if turn == 1 else second](ko.asarray(states))
        states, other = map(np.asarray, pair)
        expected.append(np.tile(other, (3, 1)) @ WEIGHT)
    for backend in ("cpu", "interpret"):
        state, products = ko.jit(program, backend=backend)(X, np.asarray(turns, np.int32))
        assert np.array_equal(state, states) and np.array_equal(products, np.stack(expected)), backend
