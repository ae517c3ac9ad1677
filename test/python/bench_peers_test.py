"""How the Python side of the benchmark takes turns and checks, without a clock."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

PEERS = Path(__file__).resolve().parents[2] / "bench/peers"


@pytest.fixture
def load(monkeypatch):
    """Loads a module of bench/peers."""
    monkeypatch.syspath_prepend(str(PEERS))
    before = set(sys.modules)
    yield importlib.import_module
    for name in set(sys.modules) - before:
        if PEERS in Path(getattr(sys.modules[name], "__file__", None) or "/").parents:
            del sys.modules[name]


class Clock:
    """A clock that only work moves on."""

    def __init__(self, monkeypatch, turns):
        self.now = 0.0
        monkeypatch.setattr(turns, "clock", lambda: self.now)
        monkeypatch.setattr(turns.time, "sleep", lambda seconds: None)

    def work(self, *seconds):
        """A call that takes these seconds, one after the other, then the last of them."""
        times = list(seconds)

        def call():
            self.now += times.pop(0) if len(times) > 1 else times[0]

        return call


def test_measure_takes_the_least_of_each_turn(load, monkeypatch):
    turns = load("turns")
    clock = Clock(monkeypatch, turns)
    # Two calls prepare, one of each turn is not counted.
    ours = clock.work(9, 0.01, 0.001, 0.03, 0.02, 0.001, 0.05, 0.04)
    assert turns.measure([ours, None, clock.work(0.02)], 2, 0) == [
        [pytest.approx(0.02), pytest.approx(0.04)], [], [pytest.approx(0.02)] * 2,
    ]


def test_a_turn_lasts_as_long_as_it_should(load, monkeypatch):
    turns = load("turns")
    clock = Clock(monkeypatch, turns)
    turns.take_turn(clock.work(0.01), 1, False, 0.05)
    assert clock.now == pytest.approx(0.06)  # one is not counted


@pytest.mark.parametrize("seconds, calls", [(1, 1), (1e-4, 1), (3e-5, 4), (0, 100_000)])
def test_short_calls_share_a_sample(load, seconds, calls):
    assert load("turns").calls_a_sample(seconds) == calls


EXPECTED = np.array([[1.0, 2], [3, -4]])


@pytest.mark.parametrize("found, words", [
    (EXPECTED, None),
    (EXPECTED + 0.39, None),
    (EXPECTED + [[0, 0.41], [0, 0]], r"who gives 2.41 at \(0, 1\), but expected 2.0"),
    (np.where(EXPECTED == 3, np.nan, EXPECTED), r"who gives nan at \(1, 0\)"),
    (EXPECTED[:1], r"who gives shape \(1, 2\), but expected \(2, 2\)"),
])
def test_results_are_compared_with_f64(load, found, words):
    check = load("case").require_close
    if words is None:
        check("who", found, EXPECTED, 0.1)
    else:
        with pytest.raises(ValueError, match=words):
            check("who", found, EXPECTED, 0.1)


def test_references_of_convolutions(load):
    x = np.arange(9.0).reshape(1, 1, 3, 3)
    corners = np.zeros((1, 1, 3, 3))
    corners[0, 0, 0, 0] = corners[0, 0, 2, 2] = 1
    expected = [[0 + 4, 0 + 5, 0], [0 + 7, 0 + 8, 1], [0, 3, 4]]
    products = load("products")
    assert np.array_equal(products.correlate(x, corners, 1, 1)[0, 0], expected)
    assert np.array_equal(products.correlate(x, corners, 2, 1)[0, 0], [[4, 0], [0, 4]])
