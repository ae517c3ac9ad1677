"""The expressions of bench/drawn at small sizes, without peers and without a clock."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import kolam as ko

DRAWN = Path(__file__).resolve().parents[2] / "bench/drawn"


def load(name):
    spec = importlib.util.spec_from_file_location(f"drawn_{name}", DRAWN / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


EXPRESSIONS, LOOPS = load("expressions"), load("loops")


def value(drawn, library, jit=lambda function: function):
    return np.asarray(jit(drawn.function(library.__name__, library))(*drawn.arrays.values()))


@pytest.mark.parametrize("seed", range(40))
def test_an_expression_agrees_with_numpy(seed):
    drawn = EXPRESSIONS.drawn(seed, 2000, 1 + seed % 3)
    np.testing.assert_allclose(value(drawn, ko, ko.jit), value(drawn, np), rtol=2e-4, atol=2e-4)


@pytest.mark.parametrize("seed", range(40))
def test_a_loop_agrees_with_numpy(seed):
    drawn = LOOPS.drawn(seed, 300, 1 + seed % 3)
    np.testing.assert_allclose(value(drawn, ko, ko.jit), value(drawn, np), rtol=1e-3, atol=1e-3)


def test_loops_of_all_kinds_are_drawn():
    drawn = [LOOPS.drawn(seed, 1000, 2) for seed in range(200)]
    assert {np.ndim(each.arrays["s"]) for each in drawn} == {0, 1, 2} and {each.given for each in drawn} >= {"", "s", "np.sum(s)"}
    assert any("w @" in each.state for each in drawn) and any("roll" in each.state for each in drawn)


def test_a_seed_gives_one_expression():
    first, second = (EXPRESSIONS.drawn(7, 1000, 3) for _ in range(2))
    assert first.text == second.text and all((first.arrays[name] == second.arrays[name]).all() for name in first.arrays)


def test_each_op_is_drawn():
    texts = " ".join(EXPRESSIONS.drawn(seed, 1000, 3).text for seed in range(300))
    for name in ("sum", "argmax", "permute_dims", "reshape", "diff", "pad", "take", "cumulative_sum", "sort", "einsum", "@", "where"):
        assert name in texts
