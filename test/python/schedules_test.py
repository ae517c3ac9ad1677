"""Loops of nests given by hand: the same bits, shown in `explain`, refused where they do not compute the nest."""

import re
from pathlib import Path

import numpy as np
import pytest

import kolam as ko

DAMAGES = [
    (" rest peeled", "", "loop ij1: what is behind its last whole step of"),
    ("y with exp1", "y", "stage y: reads exp1, which is computed nowhere before"),
    ("ops y exp1", "ops y", "expected an op of the first line, but got"),
    ("ops y exp1", "ops y exp2", "expected an op of the first line, but got"),
    ("dims ij 40000", "dims ij 400", "dims: 'ij' has 40000 elements, not 400"),
    ("by 1000 parallel", "by 2000 parallel", "loop ij0: threads share units of 1000 elements, not 2000"),
    ("by elements", "by heart", "expected one of elements, reduction, columns"),
]


@pytest.fixture
def x():
    return np.random.default_rng(0).random((40, 1000), dtype=np.float32)


def function(x):
    return ko.exp(x) + x


def schedule_of(x):
    """The text that the rules choose: what stands under the last nest0."""
    return ko.jit(function).lower(x).as_text("nests").split("\nnest0\n")[1]


def test_a_schedule_by_hand_gives_the_same_bits(x):
    text = schedule_of(x)
    step = int(re.search(r"by (\d+) rest peeled", text)[1])
    wider = text.replace(f"by {step} rest", f"by {2 * step} rest")
    f = ko.jit(function, schedules={"nest0": wider})
    np.testing.assert_array_equal(np.asarray(f(x)), np.asarray(ko.jit(function)(x)))
    assert wider in f.explain(x)
    assert "nest0 is scheduled by hand" in f.explain(x)


def test_a_tile_by_hand_holds_for_columns_that_are_packed_before():
    weights = np.random.default_rng(1).random((700, 200), dtype=np.float32)
    x = np.random.default_rng(0).random((100, 700), dtype=np.float32)

    def product(x):
        return x @ weights

    by_rule = ko.jit(product, dynamic={"x": {0: "n"}})
    text = by_rule.lower(x).as_text("nests").split("\nnest0\n")[1].split("\nnest1\n")[0]
    lower = re.sub(r"for i1 in i0 by (\d+) ", lambda found: f"for i1 in i0 by {int(found[1]) * 3 // 4} ", text)
    by_hand = ko.jit(product, dynamic={"x": {0: "n"}}, schedules={"nest0": lower})
    for rows in (1, 2, 3, 100):
        np.testing.assert_array_equal(np.asarray(by_hand(x[:rows])), np.asarray(by_rule(x[:rows])))
    # The rules' wider tiles for one and two rows are not there.
    assert len(by_hand.lower(x).as_text("lowered")) < 0.8 * len(by_rule.lower(x).as_text("lowered"))


@pytest.mark.parametrize("part, replacement, words", DAMAGES)
def test_what_does_not_compute_the_nest_is_refused(x, part, replacement, words):
    text = schedule_of(x)
    assert part in text
    with pytest.raises(ko.errors.KolamValueError, match="bad-schedule") as raised:
        ko.jit(function, schedules={"nest0": text.replace(part, replacement)})(x)
    assert words in str(raised.value)
    assert Path(__file__).name in str(raised.value)


def test_nests_that_are_not_there_are_named(x):
    with pytest.raises(ko.errors.KolamValueError, match=r"\[bad-schedule\] the program has 1 nest, nest0, but none called 'nest7'"):
        ko.jit(function, schedules={"nest7": schedule_of(x)})(x)


@pytest.mark.parametrize("wrong", [3, "text", {"nest0": 3}, {0: "text"}, ["nest0"]])
def test_other_values_are_refused(wrong):
    with pytest.raises(ko.errors.KolamTypeError, match="argument 'schedules': expected a dict of texts by the names of nests"):
        ko.jit(function, schedules=wrong)
