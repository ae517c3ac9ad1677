"""Errors of list programs that only the run, or native code, finds; on both backends."""

import pytest

import kolam as ko
from kolam import fractal as ops

ROWS = ops.FractalTensor([[1, 2, 3], [], [4, 5]])
BACKENDS = ("cpu", "interpret")


@pytest.mark.parametrize("backend", BACKENDS)
def test_zip_of_unequal_lengths(backend):
    f = ko.jit(lambda xs, ys: ops.map(lambda pair: pair[0] + pair[1], ops.zip(xs, ys)), backend=backend)
    with pytest.raises(ko.KolamError, match=r"\[list-lengths\] map: expected lists of one length, but"):
        f(ROWS[0], ROWS[2])


@pytest.mark.parametrize("backend", BACKENDS)
def test_empty_list_without_initial_value(backend):
    f = ko.jit(lambda xs: ops.map(lambda row: ops.reduce(lambda a, b: a + b, row), xs), backend=backend)
    with pytest.raises(ko.KolamError, match=r"\[list-empty\] reduce: expected an element or an initial value, but got an empty"):
        f(ROWS)
    assert f(ROWS[::2]).to_list() == [6, 9]


@pytest.mark.parametrize("backend", BACKENDS)
def test_index_outside(backend):
    f = ko.jit(lambda xs, i: ops.map(lambda row: ops.index(row, i), xs), backend=backend)
    assert f(ROWS[::2], 1).to_list() == [2, 5]
    with pytest.raises(IndexError, match=r"\[list-index\] index: expected an index into"):
        f(ROWS[::2], 2)


def test_bad_window():
    with pytest.raises(ko.KolamError, match=r"\[list-argument\] argument 'dilation': expected"):
        ops.slide(ROWS[0], 2, dilation=0)


def test_no_list():
    with pytest.raises(ko.KolamError, match=r"map: \[not-a-list\] argument 'xs': expected a FractalTensor, but got an int"):
        ops.map(lambda x: x, 3)
