"""Long chains of functions, whose code is called where a nest would have many copies: the bits stay."""

import numpy as np
import pytest
from same_bits import require_same_bits, ways_to_read

import kolam as ko

SPECIAL = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-40, -1e-42, 1e5, 3e5, -1e10, 1e38, 1.5] * 11, np.float32)
OPS = 40


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("name", ["sin", "cos", "tanh", "exp", "log", "pow", "expm1"])
@pytest.mark.parametrize("count", [0, 1, 7, 33, 132])
def test_chains(dtype, name, count):
    def chain(x, y):
        for i in range(OPS):
            x = (ko.pow(x, y) if name == "pow" else getattr(ko, name)(x)) * 1.25 + (y if i % 2 else x)
        return x

    with np.errstate(over="ignore"):
        x = SPECIAL[:count].astype(dtype)
        y = np.resize(np.array([0.5, 3e6, -2.0, 1e9], np.float32).astype(dtype), count)
    require_same_bits(chain, x, y)


@pytest.mark.parametrize("name", ["tanh", "pow"])
def test_chains_over_views(name):
    def chain(x):
        for _ in range(OPS):
            x = (ko.pow(x, 1.5) if name == "pow" else ko.tanh(x)) * 1.25 + x
        return x

    for read, array in ways_to_read(SPECIAL.reshape(4, 33)):
        require_same_bits(lambda y: chain(read(y)), array)


def test_vectors_side_by_side():
    def chain(x, y):
        for i in range(14):
            x = ko.tanh(x * y + float(i)) + ko.exp(-x) * y
        return x

    x, y = (np.random.default_rng(i).uniform(-2, 2, 5000).astype(np.float32) for i in range(2))
    x[::7] = np.resize(SPECIAL, x[::7].shape)
    require_same_bits(chain, x, y)
    assert "_by" in ko.jit(chain).lower(x, y).as_text("lowered")


def test_copies_in_all_loops_of_a_nest_count():
    def chain(x, steps):
        y = x
        for _ in range(steps):
            y = ko.tanh(y * 1.1 + x) * 0.5 + ko.sin(y)
        return ko.sum(y)

    few, many = (ko.jit(lambda x, steps=steps: chain(x, steps)).lower(np.ones(1000, np.float32)).as_text("lowered") for steps in (10, 40))
    assert 0 < many.count("math.fma") < 1.5 * few.count("math.fma")  # further ones are calls
