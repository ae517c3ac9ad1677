"""Functions that plans cut as their users say."""

import numpy as np
import pytest
from plan_programs import expect_plans
from plan_programs import small_integers as floats

import kolam as ko
from kolam._plan import _random_plan

ROWS = """
    dim i: map n
    in x [n, m]: [1 | 0 | 1; 0 | 0 | m]
    out y [n, m]: [1 | 0 | 1; 0 | 0 | m]
"""


def order(x):
    return ko.opaque_call(lambda a: np.argsort(np.asarray(a), axis=1, kind="stable"), [x], (x.shape, ko.int64))


def test_a_function_of_the_host_is_cut_by_its_signature():
    plan, *_ = expect_plans(ko.custom_partitioning(order, signature=ROWS), floats(8, 5))
    assert "cut order at" in plan.explain() and "grid 4 along i" in plan.explain()


def test_it_fuses_with_what_stands_around_it():
    rows = ko.custom_partitioning(order, signature=ROWS)
    expect_plans(lambda x: rows(ko.tanh(x)) * 2 + 1, floats(8, 5))
    expect_plans(lambda x: ko.fori_loop(0, 2, lambda i, s: ko.astype(rows(s), ko.float32), x), floats(8, 5))


def test_windows():
    f = ko.custom_partitioning(lambda x: x[1:-1] + x[:-2] + x[2:], boxes=lambda box: [((box[0][0], box[0][1] + 2), box[1])])
    expect_plans(lambda x: f(x * 2) - 1, floats(9, 4))
    f = ko.custom_partitioning(
        lambda x: x[1:-1] + x[:-2] + x[2:],
        signature="""
            dim i: map n
            dim j: map m
            in x [n + 2, m]: [1 0 | 0 | 3; 0 1 | 0 | 1]
            out y [n, m]: [1 0 | 0 | 1; 0 1 | 0 | 1]
        """,
    )
    expect_plans(lambda x: f(x * 2) - 1, floats(9, 4))


def test_parts_of_sums_are_merged():
    f = ko.custom_partitioning(
        lambda x, w: ko.sum(x * w, axis=0),
        signature="""
            dim k: reduce n add
            dim j: map m
            in x [n, m]: [1 0 | 0 | 1; 0 1 | 0 | 1]
            in w [n, m]: [1 0 | 0 | 1; 0 1 | 0 | 1]
            out y [m]: [0 1 | 0 | 1]
        """,
    )
    x, w = np.arange(10).reshape(10, 1), np.arange(10).reshape(10, 1) % 7
    expect_plans(f, x, w)
    assert any("merge" in str(_random_plan(f, x, w, workers=3, seed=seed)) for seed in range(6))  # integers: in any order


def test_choices_merge_parts_of_sums_by_the_signatures_function():
    f = ko.custom_partitioning(
        lambda x: ko.max(x, axis=0),
        signature="""
            dim k: reduce n maximum
            dim j: map m
            in x [n, m]: [1 0 | 0 | 1; 0 1 | 0 | 1]
            out y [m]: [0 1 | 0 | 1]
        """,
    )
    x = np.arange(20, dtype=np.int32).reshape(10, 2)
    expect_plans(f, x, choices=["sum_in_parts"])
    program = ko.rewritten(f, x, choices=["sum_in_parts"])
    assert np.asarray(program.run([x])[0]).tolist() == [18, 19]


def test_outside_of_plans_it_is_the_function():
    f = ko.custom_partitioning(lambda x: (x + 1, x * 2), boxes=lambda box: [box])
    one, two = f(floats(3, 2))
    assert (np.asarray(one) == floats(3, 2) + 1).all() and (np.asarray(two) == floats(3, 2) * 2).all()
    assert "composite" in ko.jit(f).lower(floats(3, 2)).as_text("program")
    assert "composite" not in ko.jit(f).lower(floats(3, 2)).as_text("rewritten")


WRONG = {
    r"expected \[.*\] of result 0 to need \[.*\] of operand 0 \('operand0'\), but it changes with other elements": (
        lambda x: x - ko.mean(x, axis=1, keepdims=True), {"boxes": lambda box: [box]},
    ),
    r"needs them: expected these elements of the whole result, but got others": (
        lambda x: x + ko.reshape(ko.arange(x.shape[0], dtype=ko.float32), (-1, 1)), {"boxes": lambda box: [box]},
    ),
    r"needs them: expected \[.*\], but got \[.*\]": (lambda x: x[1:-1], {"boxes": lambda box: [((0, 8), box[1])]}),
    r"a box of operand 0 inside \[8, 5\], but got": (lambda x: x, {"boxes": lambda box: [((0, 9), box[1])]}),
    r"boxes of \[.*\]: expected 1, one for each operand, but got 2": (lambda x: x, {"boxes": lambda box: [box, box]}),
    r"operand 'y': expected \[\d, \d\] as its signature says, but got \[\d, \d\]": (lambda x: x.T, {"signature": ROWS}),
    r"expected 2 operands and results as its signature says, but got 3": (lambda x: (x, x), {"signature": ROWS}),
    r"expected a function of its operands alone, but it uses an array from around it": (
        lambda x: x + ko.sum(LARGE * ko.sum(x)), {"signature": ROWS},
    ),
}  # fmt: skip
LARGE = ko.asarray(np.ones(1000, np.float32))  # a hidden argument of programs


@pytest.mark.parametrize("words", WRONG)
def test_what_is_said_is_tried(words):
    f, how = WRONG[words]
    with pytest.raises(ko.KolamError, match=rf"\[bad-partitioning\] function '<lambda>': .*{words}"):
        ko.plan(ko.custom_partitioning(f, **how), floats(8, 5), workers=2, steps=0)


TEXTS = {
    "rows [n]: [1 | 0 | 1]": "a line of 'dim', 'in' or 'out'",
    "dim i": "`dim i: map n`",
    "dim i: map n\nin x [n]: [1 1 | 0 | 1]": "1 coefficients in each row",
    "dim i: map n\nin x [n]: [1 | 0]": "rows as `1 0 | 0 | 1`",
    "dim i: map n\nin x [n, m]: [1 | 0 | 1]": r"a row of \[A \| b \| S\] for each dim",
    "dim i: map n +": "an extent",
    "dim i: reduce n": "`map n` or `reduce n add`",
    "dim i: map n\nout y [n]: [1 | 0 | 1]\nin x [n]: [1 | 0 | 1]": "operands in front of results",
    "in x []: []\ndim i: map n": "dims in front of operands",
    "dim i: reduce n median\nin x [n]: [1 | 0 | 1]\nout y []: []": "an elementwise function that merges",
    "dim i: map n\nin x [n]: [1 | 0 | 1]": "expected a result",
}


@pytest.mark.parametrize("text", TEXTS)
def test_signatures_that_are_none(text):
    with pytest.raises(ko.KolamError, match=rf"\[bad-partitioning\].*{TEXTS[text]}"):
        ko.custom_partitioning(lambda x: x, signature=text)


def test_arguments():
    for how, words in [({}, "neither"), ({"signature": ROWS, "boxes": lambda box: [box]}, "both")]:
        with pytest.raises(ko.KolamError, match=rf"\[bad-partitioning\] .*got {words}"):
            ko.custom_partitioning(lambda x: x, **how)
    with pytest.raises(TypeError, match="argument 'f': expected a function"):
        ko.custom_partitioning(3, signature=ROWS)
    with pytest.raises(TypeError, match="argument 'signature': expected a text"):
        ko.custom_partitioning(lambda x: x, signature=3)
