"""Long chains of functions, whose code is called where a nest would have many copies: the bits stay."""

import numpy as np
import pytest

import kolam as ko

SPECIAL = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-40, -1e-42, 1e5, 3e5, -1e10, 1e38, 1.5] * 11, np.float32)
OPS = 40


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("name", ["sin", "cos", "tanh", "exp", "log", "pow", "expm1"])
@pytest.mark.parametrize("count", [1, 7, 33, 132])
def test_chains(dtype, name, count):
    def chain(x, y):
        for i in range(OPS):
            x = (ko.pow(x, y) if name == "pow" else getattr(ko, name)(x)) * 1.25 + (y if i % 2 else x)
        return x

    with np.errstate(over="ignore"):
        x = SPECIAL[:count].astype(dtype)
        y = np.resize(np.array([0.5, 3e6, -2.0, 1e9], np.float32).astype(dtype), count)
    expected, found = (np.asarray(ko.jit(chain, backend=backend)(x, y)) for backend in ("interpret", "cpu"))
    np.testing.assert_array_equal(found, expected)


def test_vectors_side_by_side():
    def chain(x, y):
        for i in range(14):
            x = ko.tanh(x * y + float(i)) + ko.exp(-x) * y
        return x

    x, y = (np.random.default_rng(i).uniform(-2, 2, 5000).astype(np.float32) for i in range(2))
    x[::7] = np.resize(SPECIAL, x[::7].shape)
    expected, found = (np.asarray(ko.jit(chain, backend=backend)(x, y)) for backend in ("interpret", "cpu"))
    np.testing.assert_array_equal(found, expected)
    assert "_by" in ko.jit(chain).lower(x, y).as_text("lowered")
