"""Gathers whose places are mostly neighbours are read as runs where the places of a run's ends say so: beside NumPy, bit by bit."""

import numpy as np
import pytest
from random_edges.values import specials
from same_bits import require_same_bits

import kolam as ko

# Lengths around those of vectors, and moves that begin, end and cross inside of a vector.
LENGTHS = [1, 15, 16, 17, 33, 100]
MOVES = [-101, -17, -16, -3, -1, 0, 1, 2, 15, 16, 40, 99, 100, 2**31 - 5, -(2**31)]


def indices_of(k, n, np):
    """Index arrays of n elements, by name; `k` is known to the run only."""
    i = np.arange(n, dtype=np.int32)
    k = np.asarray(k, dtype=np.int32)
    return {
        "forwards": i + k, "backwards": k - 1 - i, "modulo": (i + k) % n, "modulo a number of the run": (i + 1) % np.maximum(k, 1),
        "clipped": np.clip(i + k, 0, n - 1), "clipped below": np.maximum(k - i, 3), "rests": np.minimum(i, k),
        "jumps": np.where(i - 9 < 0, i + 2, i - 9), "jumps of the run": np.where(i + k < 0, i + k + n, i + k),
        "to and fro": np.where(i < k, i, k - i), "every second": 2 * i + k, "twice": np.maximum(i, 2) % 5, "wide": i.astype(np.int64) + k,
        "unsigned": i.astype(np.uint32) + np.uint32(3), "narrow": (i + k).astype(np.int8),
    }  # fmt: skip


NAMES = list(indices_of(0, 1, np))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("mode", ["clip", "fill"])
def test_moves(name, mode):
    for n in LENGTHS:
        x = np.resize(specials(np.float32), n)
        taken = lambda x, k: x.at[indices_of(k, n, ko)[name]].get(mode=mode)
        f, slow = ko.jit(taken), ko.jit(taken, backend="interpret")
        for k in MOVES:
            k = np.int32(k)
            ours, theirs = np.asarray(f(x, k)), np.asarray(slow(x, k))
            np.testing.assert_array_equal(ours.view(np.uint32), theirs.view(np.uint32), err_msg=f"{n} elements, {k}")


@pytest.mark.parametrize("name", NAMES)
def test_beside_numpy(name):
    for n in LENGTHS:
        x = np.arange(n, dtype=np.float64) ** 2
        f = ko.jit(lambda x, k: x[indices_of(k, n, ko)[name]])
        for k in MOVES:
            with np.errstate(over="ignore"):
                at = indices_of(np.int32(k), n, np)[name].astype(np.int64)
            at = np.clip(np.where(at < 0, at + n, at), 0, n - 1)
            np.testing.assert_array_equal(np.asarray(f(x, np.int32(k))), x[at], err_msg=f"{n} elements, {k}")


def test_rows_and_dtypes():
    rng = np.random.default_rng(0)
    for dtype in (np.uint8, np.int16, np.float32, np.float64):
        x = (rng.random((5, 3, 70)) * 100).astype(dtype)
        for k in (-80, -7, 0, 3, 66, 90):
            f = lambda x, k: (x[:, :, (ko.arange(70) + k) % 70], x[2, 1, k - ko.arange(50)], x[ko.arange(70) % 5, 1, ko.arange(70) + k])
            require_same_bits(f, x, np.int32(k))


def test_runs_in_a_loop():
    """Durbin's recursion reads what it has backwards."""
    n = 70
    r = 0.5 ** np.arange(1, n + 1)

    def ours(r):
        i = ko.arange(n)

        def step(k, y):
            return ko.where(i < k, y + r[k] * y[k - 1 - i], y).at[k].set(r[k])

        return ko.fori_loop(1, n, step, ko.zeros_like(r).at[0].set(-r[0]))

    (found,) = require_same_bits(ours, r)
    y = np.zeros(n)
    y[0] = -r[0]
    for k in range(1, n):
        y[:k] += r[k] * y[:k][::-1]
        y[k] = r[k]
    np.testing.assert_allclose(found, y, rtol=1e-12)
