"""What `explain` says of the functions on lists: which reduce is a fold, and which states are allocated at each step."""

import inspect

import numpy as np

import kolam as ko
from kolam import fractal as ops

XS = ops.FractalTensor([1, 2, 3])
FOLD = "a reduce that is a fold, left to right, as its state "


def notes_of(call, *arguments):
    return ko.jit(call).explain(*arguments)


def test_a_reduce_of_another_state_is_a_fold():
    line = inspect.currentframe().f_lineno + 1
    text = notes_of(lambda xs: ops.reduce(lambda s, x: s + x, xs, initializer=0.5), XS)
    assert f"list_scan (explain_test.py:{line}): {FOLD}float32[] is not of its elements' type int32[]\n" in text


def test_a_reduce_with_more_states():
    def extremes(xs):
        return ops.reduce(lambda s, x: (ko.minimum(s[0], x), ko.maximum(s[1], x)), xs, initializer=(np.int32(9), np.int32(0)))

    assert f"{FOLD}(int32[], int32[]) is not of its elements' type int32[]\n" in notes_of(extremes, XS)


def test_a_reduce_in_a_body():
    rows = ops.FractalTensor([[1, 2], [3]])
    text = notes_of(lambda rows: ops.map(lambda row: ops.reduce(lambda s, x: s + x, row, initializer=0.5), rows), rows)
    assert text.count(FOLD) == 1


def test_others_are_no_such_folds():
    add = lambda a, b: a + b
    assert FOLD not in notes_of(lambda xs: ops.reduce(add, xs), XS)
    assert FOLD not in notes_of(lambda xs: ops.reduce(add, xs, initializer=0), XS)
    assert FOLD not in notes_of(lambda xs: ops.fold(add, xs, initializer=0.5), XS)


def test_states_of_changing_lengths():
    def grow(xs):
        return ops.fold(lambda s, x: ops.join(s, s), xs, initializer=xs)

    text = notes_of(grow, XS)
    line = inspect.getsourcelines(grow)[1] + 1
    assert f"(explain_test.py:{line}): its state is allocated at each step, as its lengths may change\n" in text
    states = notes_of(lambda xs: ops.scan(lambda s, x: ops.join(s, s), xs, initializer=xs), XS)
    behind = "; what it leaves goes behind that of the steps before, in memory that doubles\n"
    assert f"its state is allocated at each step, as its lengths may change{behind}" in states
    kept = notes_of(lambda xs: ops.fold(lambda s, x: ops.map(lambda y: y + x, s), xs, initializer=xs), XS)
    assert "allocated at each step" not in kept


def test_accesses_alone_are_one_map():
    text = ko.jit(lambda xs: ops.slide(ops.reverse(xs), 3)).explain(ops.FractalTensor([1.0, 2.0, 3.0, 4.0]))
    assert text.startswith("result0 shows xs[L0 - k0 - k1 - 1]\n  L0: length of xs\n")


def test_says_how_it_counts_sizes_that_lengths_decide():
    words = "of sizes that only a call knows as 1000"
    assert words in ko.jit(lambda xs: ops.map(ops.tanh, xs)).explain(ops.FractalTensor([np.float32(1)]))
    assert words not in ko.jit(lambda x: ko.tanh(x)).explain(np.ones(3, np.float32))


def test_waves_have_the_dims_of_their_block():
    step = lambda state, x: ko.roll(state, 1) + x
    text = ko.jit(lambda xs: ops.map(lambda row: ops.scan(step, row, initializer=np.zeros(2, np.float32)), xs)).explain(
        ops.FractalTensor([[np.ones(2, np.float32)]])
    )
    assert "block b0: map i0 < L0, scan i1 < L1" in text
    assert "waves i1 of the nest scan i1" in text


def test_associative_scans_say_their_order():
    text = ko.jit(lambda xs: ops.scan(ops.add, xs, associative=True)).explain(ops.FractalTensor([1.0, 2.0]))
    assert "associative: each chunk of 4096 elements anew, and then with what came before it" in text


def test_places_by_data_are_not_read_again():
    rows = ops.FractalTensor([1.0, 2.0, 3.0])
    text = ko.jit(lambda xs, i: ops.map(lambda x: x + 1, xs[i])).picture("blocks", rows, np.array([2, 0]))
    assert "xs[data0(i0)]" in text and "again along" not in text
