"""What a scatter alone changes is computed where its result is to lie: in a result, in a part of one, in memory of an argument."""

import numpy as np
import pytest
from same_bits import different_bits, require_same_bits

import kolam as ko

N = 700


def arguments():
    rng = np.random.default_rng(0)
    x, y = (rng.standard_normal((N, 3)).astype(np.float32) for _ in range(2))
    x[::5], y[::7], x[3] = np.nan, -0.0, np.inf
    return x, y, rng.integers(-3, N + 3, 200).astype(np.int32), rng.standard_normal((200, 3)).astype(np.float32)


PROGRAMS = {
    "as a result": lambda x, y, at, v: (x * 2).at[at].add(v, mode="drop"),
    "in a part": lambda x, y, at, v: ko.concat([(x * 2).at[at].set(v, mode="drop"), y - 1, (x + y).at[at].max(v, mode="drop")]),
    "stacked": lambda x, y, at, v: ko.stack([(x * y).at[at].add(v, mode="clip"), (x - y).at[at].add(v, mode="drop")]),
    "a scatter of a scatter": lambda x, y, at, v: (x + y).at[at].add(v, mode="drop").at[at + 1].set(-v, mode="drop"),
    "updates read what is changed": lambda x, y, at, v: (lambda z: z.at[at].add(z[ko.clip(at, 0, N - 1)], mode="drop"))(x * 3),
    "updates read the argument": lambda x, y, at, v: (x * 3).at[at].set(ko.flip(x)[:200] - v, mode="drop"),
    "what is changed is a result too": lambda x, y, at, v: (lambda z: (z, z.at[at].add(v, mode="drop")))(x * 3),
    "read by another": lambda x, y, at, v: (lambda z: (z.at[at].add(v, mode="drop"), ko.sum(z)))(x * 3),
    "of a flipped row": lambda x, y, at, v: ko.flip(x, axis=0).at[at].set(v, mode="drop"),
    "both results": lambda x, y, at, v: ((x * 2).at[at].add(v, mode="drop"), (x * 2).at[at].set(v, mode="clip")),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_where_results_lie(name):
    f, (x, y, at, v) = PROGRAMS[name], arguments()
    expected = require_same_bits(f, x, y, at, v)
    for given in ((0,), (1,), (0, 1)):
        taken = ko.jit(f, donate_argnums=given)(ko.asarray(x.copy()), ko.asarray(y.copy()), at, v)
        for ours, theirs in zip(taken if isinstance(taken, tuple) else (taken,), expected, strict=True):
            assert not different_bits(np.asarray(ours), theirs).any()


@pytest.mark.parametrize("name", ["as a result", "in a part", "stacked"])
def test_no_copy(name):
    text = ko.jit(PROGRAMS[name]).lower(*arguments()).as_text("nests")
    assert "in place of" in text and "arena: 0 bytes" in text and "copy" not in text
