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
