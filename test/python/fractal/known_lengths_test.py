"""Lists whose lengths are known when a program is traced, none among them."""

import pytest
from both import run

from kolam import fractal as ops
from kolam.fractal import FractalTensor

RAGGED = FractalTensor([[0, 1, 2], [], [3, 4]])


def test_nothing_gathered():
    assert run(lambda xs: ops.map(lambda row: ops.gather(row, []), xs), RAGGED) == [[], [], []]
    assert run(lambda xs: ops.gather(xs, []), RAGGED) == []


@pytest.mark.parametrize("fold", [ops.fold, ops.foldr, ops.reduce])
def test_folds_of_nothing(fold):
    assert run(lambda xs: fold(lambda s, x: s + x, ops.gather(ops.reverse(xs), []), initializer=7), RAGGED[0]) == 7


@pytest.mark.parametrize("scan", [ops.scan, ops.scanr])
def test_scans_of_nothing(scan):
    def body(row):
        return scan(lambda s, x: s + x, ops.gather(row, []), initializer=1)

    assert run(lambda xs: ops.map(body, xs), RAGGED) == [[], [], []]
    assert run(lambda xs: body(xs[0]), RAGGED) == []
    lists = run(lambda xs: scan(lambda s, x: ops.map(lambda y: y + x, s), ops.gather(xs[0], []), initializer=xs[2]), RAGGED)
    assert lists == []


def test_repeated_so_many_times():
    assert run(lambda xs: ops.map(lambda row: ops.repeat(row, 0), xs), RAGGED) == [[], [], []]
    assert run(lambda xs: ops.repeat(xs[2], 2), RAGGED) == [[3, 4], [3, 4]]
    assert run(lambda xs: ops.scan(lambda s, row: ops.map(lambda y: y + row[0], s), ops.repeat(xs[2], 2), initializer=xs[0]), RAGGED) == [
        [3, 4, 5], [6, 7, 8]
    ]  # fmt: skip
