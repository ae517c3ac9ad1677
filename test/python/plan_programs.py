"""Programs that tests of plans share, and what they expect of plans."""

import numpy as np

import kolam as ko
from kolam._plan import _random_plan

RANDOM = np.random.default_rng(7)


def floats(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def small_integers(*shape):
    """Floats of which sums are exact in any order."""
    return (np.arange(np.prod(shape), dtype=np.float32).reshape(shape) % 11) - 4


def layer(x, w, b):
    return ko.relu(x @ w + b)


def block(x, g, w, v):
    h = (x - ko.mean(x, axis=-1, keepdims=True)) / ko.sqrt(ko.var(x, axis=-1, keepdims=True) + 1e-5) * g
    return x + ko.gelu(h @ w) @ v


LAYER = (floats(24, 16), floats(16, 20), floats(20))
BLOCK = (floats(12, 32), floats(32), floats(32, 1200), floats(1200, 32))


def leaves(result):
    found = []
    _append(result, found)
    return found


def _append(result, found):
    if isinstance(result, dict):
        for name in sorted(result):
            _append(result[name], found)
    elif isinstance(result, tuple | list):
        for part in result:
            _append(part, found)
    else:
        found.append(np.asarray(result))


def expect_same(actual, expected):
    actual, expected = leaves(actual), leaves(expected)
    assert len(actual) == len(expected)
    for one, other in zip(actual, expected, strict=True):
        assert one.dtype == other.dtype and one.shape == other.shape
        assert one.tobytes() == other.tobytes()


def expect_plans(f, *args, **options):
    """The plan that is found, and those cut at random, are sound and give the program's bits; gives all, that one first."""
    expected = ko.jit(f)(*args)
    plan = ko.plan(f, *args, workers=4, steps=0, **options)
    plans = [plan, *(_random_plan(f, *args, workers=3, seed=seed) for seed in range(6))]
    for each in plans:
        assert each.check() == []
        expect_same(each.run(*args), expected)
    return plans
