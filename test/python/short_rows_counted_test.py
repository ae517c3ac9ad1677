"""What counts through rows of few elements (interleaved arrays, channels) has them in memory: beside NumPy, with the interpreter's bits."""

import numpy as np
import pytest
from same_bits import require_same_bits

import kolam as ko

N = 700


def stacked(x, y):
    return ko.ravel(ko.stack([x + y, x - y], axis=1))


PROGRAMS = {
    "ravel of two": stacked,
    "and more": lambda x, y: stacked(x, y) * 2 + 1,
    "three in other rows": lambda x, y: ko.reshape(ko.stack([x, 2 * x, y + 1], -1), (30, 70)),
    "twice": lambda x, y: stacked(stacked(x, y)[::2], stacked(y, x)[1::2]),
    "in front of a short dim": lambda x, y: ko.reshape(ko.stack([ko.stack([x, y], 1), ko.stack([y, x * 3], 1)], axis=1), (-1, 2)),
    "with a dim of one": lambda x, y: ko.ravel(ko.stack([x, y * y], 1)[:, :, None]),
    "sum of rows less the first": lambda x, y: ko.sum(ko.stack([x, y, x * y], 1) - ko.stack([x, y, x], 1)[0]),
    "greatest of rows": lambda x, y: ko.max(ko.reshape(ko.concat([x, y[:200]]), (300, 3)) * x[:300, None]),
    "of a list of bits": lambda x, y: ko.ravel((ko.astype(x > 0, "int32")[:, None] * 21 >> ko.arange(5)) & 1),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_same_bits(name, seed):
    rng = np.random.default_rng(seed)
    require_same_bits(PROGRAMS[name], rng.uniform(-1, 1, N).astype(np.float32), rng.uniform(-1, 1, N).astype(np.float32))


def test_beside_numpy(seed):
    x, y = np.random.default_rng(seed).uniform(-1, 1, (2, N)).astype(np.float32)
    np.testing.assert_array_equal(np.asarray(ko.jit(stacked)(x, y)), np.stack([x + y, x - y], 1).ravel())


def test_rows_are_written_side_by_side():
    x = np.zeros(N, np.float32)
    text = ko.jit(stacked).lower(x, x).as_text("nests")
    assert "interleaved" in text and text.count("= concat(") == 1
