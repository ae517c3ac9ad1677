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
    few, many = text.split("when i over")
    lower = few + "when i over" + re.sub(r"(for i\d in i\d) by (\d+) rest", lambda found: f"{found[1]} by {int(found[2]) * 3 // 4} rest", many)
    assert lower != text
    by_hand = ko.jit(product, dynamic={"x": {0: "n"}}, schedules={"nest0": lower})
    assert by_hand.lower(x).as_text("nests").count(lower.strip()) == 1
    for rows in (1, 2, 3, 100):
        np.testing.assert_array_equal(np.asarray(by_hand(x[:rows])), np.asarray(by_rule(x[:rows])))


def test_parts_of_sums_by_hand():
    weights = np.random.default_rng(1).random((1300, 1000), dtype=np.float32)
    x = np.random.default_rng(0).random((3, 1300), dtype=np.float32)

    def product(x, w):
        return ko.maximum(x @ w, 0)

    text = ko.jit(product).lower(x, weights).as_text("nests").split("\nnest0\n")[1]
    assert " in tile" in text
    by_hand = re.sub(r"by 32 rest peeled", "by 100 rest peeled", text)
    assert by_hand != text
    results = [np.asarray(ko.jit(product, schedules=given)(x, weights)) for given in ({}, {"nest0": by_hand})]
    np.testing.assert_array_equal(*results)
    with pytest.raises(ko.errors.KolamValueError, match="splits sums at 500 products; they are added in chunks of 512"):
        ko.jit(product, schedules={"nest0": text.replace("by 512", "by 500")})(x, weights)


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
