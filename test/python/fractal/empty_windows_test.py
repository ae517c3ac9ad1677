"""Windows of short and empty lists: there are as many as the formula gives, and none where that is below 0."""

import itertools

import model
import pytest
from both import run

import kolam as ko
from kolam import fractal as ops
from kolam.fractal import FractalTensor

ROWS = FractalTensor([[], [1, 2, 3], [], [4, 5, 6, 7]])


@pytest.mark.parametrize("window, stride, dilation, padding", list(itertools.product([1, 2, 3], [1, 2, 5], [1, 2], [0, 1, 2])))
def test_an_empty_list(window, stride, dilation, padding):
    windows = model.slide([], window, stride, dilation, padding, 0)
    assert run(lambda xs: ops.slide(xs, window, stride, dilation, padding), ROWS[0]) == windows
    if window > 2 * padding:
        assert windows == []


def test_empty_rows_among_others():
    assert run(lambda rows: ops.map(lambda row: ops.slide(row, 3), rows), ROWS) == [[], [[1, 2, 3]], [], [[4, 5, 6], [5, 6, 7]]]
    sums = lambda rows: ops.map(lambda row: ops.map(lambda window: ko.sum(ops.stack(window)), ops.slide(row, 3)), rows)
    assert run(sums, ROWS) == [[], [6], [], [15, 18]]


def test_shorter_rows():
    assert run(lambda rows: ops.map(lambda row: ops.slide(row, 4), rows), ROWS) == [[], [], [], [[4, 5, 6, 7]]]
    assert run(lambda xs: ops.slide(xs, 9, dilation=3), ROWS[1]) == []


@pytest.mark.parametrize("padding", [(3, 0), (0, 2), (1, 1), [2, 1], (0, 0)])
def test_padding_of_each_side(padding):
    before, behind = padding
    for row in ([], [1, 2, 3], [4, 5, 6, 7]):
        padded = [0] * before + row + [0] * behind
        windows = [padded[i : i + 3] for i in range(len(padded) - 2)]
        assert run(lambda xs: ops.slide(xs, 3, padding=padding), FractalTensor(row, dtype="int32", depth=1, leaf_shape=())) == windows


@pytest.mark.parametrize("padding", [(1,), (1, 2, 3), (-1, 0), (1.0, 0), "ab", -1])
def test_bad_padding(padding):
    with pytest.raises(ko.KolamError):
        ops.slide(ROWS[1], 3, padding=padding)


def test_an_empty_list_of_lists():
    assert run(lambda rows: ops.slide(rows, 2), ROWS[:0]) == []


@pytest.mark.parametrize("backend", ["cpu", "interpret"])
@pytest.mark.parametrize("call, words", [
    (lambda rows: ops.map(lambda row: ops.split(row, 2), rows), "of at least 2 elements, but got one of 0 (at [0])"),
], ids=["parts of none"])  # fmt: skip
def test_what_is_refused(call, words, backend):
    with pytest.raises(ValueError) as info:
        ko.jit(call, backend=backend)(ROWS)
    assert info.value.slug == "window-too-large" and words in str(info.value)
