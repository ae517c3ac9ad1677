"""Outputs of scans of numbers that are computed behind them: the interpreter's bits, and NumPy's numbers."""

import numpy as np
import pytest
from same_bits import require_same_bits

import kolam as ko


def compressed(x, a):
    def step(level, v):
        level = level + ko.where(ko.abs(v) > level, 0.1, 0.002) * (ko.abs(v) - level)
        return level, v * ko.where(level > 0.3, ko.pow(level / 0.3, -0.75), 1.0)

    return ko.scan(step, ko.float32(0), x)


def of_both_states(x, a):
    """Of a state as it was and as it becomes, with a capture, beside the state."""
    return ko.scan(lambda s, v: (s * 0.5 + v, (ko.exp(s * a) - ko.tanh(s * 0.5 + v), s, ko.sin(v))), a, x)


def of_two(x, a):
    return ko.scan(lambda s, v: ((s[0] + v, s[1] * 0.9 + s[0]), (ko.log(ko.abs(s[0]) + 1), ko.exp(s[1] - s[0] + v))), (a, a), x)


def backwards(x, a):
    return ko.scan(lambda s, v: (s * a + v, ko.exp(s) * v), a, x, reverse=True)


def in_a_loop(x, a):
    return ko.fori_loop(0, 3, lambda k, x: ko.scan(lambda s, v: (s + v * 0.1, ko.tanh(s * k + a)), a, x)[1], x)


def integers(x, a):
    return ko.scan(lambda s, v: (s * 3 + 1, ko.exp(ko.astype(s % 7, "float32")) + v), np.int32(2), x)


PROGRAMS = {f.__name__: f for f in (compressed, of_both_states, of_two, backwards, in_a_loop, integers)}


@pytest.mark.parametrize("count", [0, 1, 7, 100])
@pytest.mark.parametrize("name", PROGRAMS)
def test_same_bits(name, count, seed):
    x = np.random.default_rng(seed).uniform(-1, 1, count).astype(np.float32)
    require_same_bits(PROGRAMS[name], x, np.float32(0.3))


def test_derivatives(seed):
    x = np.random.default_rng(seed).uniform(-1, 1, 50).astype(np.float32)
    loss = lambda x, a: ko.sum(of_both_states(x, a)[1][0])
    require_same_bits(ko.grad(loss, argnums=(0, 1)), x, np.float32(0.3))


def test_the_scan_computes_no_power():
    x = np.zeros(1000, np.float32)
    text = ko.jit(compressed).lower(x, np.float32(0)).as_text("nests")
    nests = [line for line in text.splitlines() if line.startswith("nest") and "pow" in line]
    assert len(nests) == 1 and "= scan(" not in nests[0]
    found, expected, level = np.asarray(ko.jit(compressed)(x + 0.5, np.float32(0))[1]), [], 0.0
    for v in x + 0.5:
        level += (0.1 if abs(v) > level else 0.002) * (abs(v) - level)
        expected.append(v * ((level / 0.3) ** -0.75 if level > 0.3 else 1.0))
    np.testing.assert_allclose(found, expected, rtol=1e-4)
