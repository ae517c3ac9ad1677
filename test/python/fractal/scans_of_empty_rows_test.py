"""Scans without an initial value: of an empty list there are no states."""

import numpy as np
import pytest
from both import run

import kolam as ko
from kolam import fractal as ops
from kolam.fractal import FractalTensor

ROWS = FractalTensor([[1, 2, 3], [], [4], []])


@pytest.mark.parametrize("associative", [False, True])
@pytest.mark.parametrize("scan, expected", [(ops.scan, [[1, 3, 6], [], [4], []]), (ops.scanr, [[6, 5, 3], [], [4], []])])
def test_rows(scan, expected, associative):
    program = lambda rows: ops.map(lambda row: scan(lambda s, x: s + x, row, associative=associative), rows)
    assert run(program, ROWS) == expected
    for i in range(4):
        assert run(lambda xs: scan(lambda s, x: s + x, xs, associative=associative), ROWS[i]) == expected[i]


def test_only_empty_rows():
    assert run(lambda rows: ops.map(lambda row: ops.scan(ops.add, row), rows), ROWS[1::2]) == [[], []]
    assert run(lambda rows: ops.map(lambda row: ops.scan(ops.add, row), rows), ROWS[:0]) == []


def test_elements_that_are_lists():
    program = lambda rows: ops.scan(lambda s, row: ops.map(lambda p: p[0] + p[1], ops.zip(s, row)), rows)
    same = FractalTensor([[1, 2], [3, 4], [5, 6]])
    assert run(program, same) == [[1, 2], [4, 6], [9, 12]]
    assert run(program, same[:0]) == []


def test_tuples_and_vectors():
    pairs = lambda rows: ops.map(lambda row: ops.scan(lambda s, p: (s[0] + p[0], s[1] * p[1]), ops.zip(row, row)), rows)
    assert run(pairs, ROWS) == ([[1, 3, 6], [], [4], []], [[1, 2, 6], [], [4], []])
    vectors = FractalTensor([[np.ones(2, np.float32), np.ones(2, np.float32)], []])
    sums = lambda rows: ops.map(lambda row: ops.scan(ops.add, row), rows)
    assert run(sums, vectors) == [[[1.0, 1.0], [2.0, 2.0]], []]


@pytest.mark.parametrize("fold", [ops.fold, ops.foldr])
def test_folds_still_need_an_element(fold):
    for backend in ("cpu", "interpret"):
        with pytest.raises(ValueError, match=r"\[list-empty\]"):
            ko.jit(lambda rows: ops.map(lambda row: fold(ops.add, row), rows), backend=backend)(ROWS)
