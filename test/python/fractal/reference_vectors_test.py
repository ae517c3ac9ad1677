"""The front end's vectors of FractalTensor's own tests, F1 to F13, on both backends and at once.

F5 (types refused) and F9, F10 (types, memory) are in list_function_errors_test.py and lists_test.py.
"""

import math

import numpy as np
import pytest
from both import run

import kolam as ko
from kolam import fractal as ops
from kolam.fractal import FractalTensor

NUMBERS = [106, 187, 2, 76, 94, 49, 69, 144, 111, 41, 95, 31, 110, 66, 143, 160, 44]
RAGGED = [[0, 1, 2], [3, 4], [5, 6, 7, 8]]


def counting(count, start=0):
    return FractalTensor(list(range(start, start + count)))


def test_f1_scan_without_initial_value():
    sums = run(lambda xs: ops.scan(lambda s, x: s + x, xs), FractalTensor(NUMBERS))
    assert sums == np.cumsum(NUMBERS).tolist() and sums[-1] == 1528 and len(sums) == 17


def test_f1_scan_with_initial_value():
    sums = run(lambda xs: ops.scan(lambda s, x: s + x, xs, initializer=5), FractalTensor(NUMBERS))
    assert sums == (5 + np.cumsum(NUMBERS)).tolist() and sums[:3] == [111, 298, 300] and sums[-1] == 1533


def test_f2_a_state_of_two():
    assert run(lambda xs: ops.scan(lambda s, x: (x, x), xs, initializer=(5, 5)), FractalTensor(NUMBERS)) == (NUMBERS, NUMBERS)


def test_f3_nested_identity():
    assert run(lambda xs: ops.map(lambda row: ops.map(lambda x: x, row), xs), FractalTensor(RAGGED)) == RAGGED


def test_f3_nested_with_two_results():
    both = run(lambda xs: ops.map(lambda row: ops.map(lambda x: (x, x + 1), row), xs), FractalTensor(RAGGED))
    assert both == (RAGGED, [[x + 1 for x in row] for row in RAGGED])


def test_f3_a_zip_becomes_two_lists():
    def body(row):
        first, second = ops.map(lambda x: (x, -x), row)
        return ops.zip(first, second)

    assert run(lambda xs: ops.map(body, xs), FractalTensor(RAGGED)) == (RAGGED, [[-x for x in row] for row in RAGGED])


def test_f4_zip():
    xs, ys = counting(7), counting(7, 7)
    assert run(lambda xs, ys: ops.map(lambda both: both[1] - both[0], ops.zip(xs, ys)), xs, ys) == [7] * 7
    assert run(lambda xs, ys: ops.map(lambda both: both, ops.zip(xs, ys)), xs, ys) == (list(range(7)), list(range(7, 14)))


def test_f4_nested_zip():
    def body(element):
        (a, b), c = element
        return b - a, c

    xs, ys = counting(7), counting(7, 7)
    assert run(lambda xs, ys: ops.map(body, ops.zip(ops.zip(xs, ys), xs)), xs, ys) == ([7] * 7, list(range(7)))


def test_f6_product():
    columns, rows = run(lambda xs, ys: ops.product(xs, ys), counting(11), counting(7))
    assert columns == [[j for j in range(11)] for i in range(7)]
    assert rows == [[i for j in range(11)] for i in range(7)]


@pytest.mark.parametrize("values", [np.arange(11), np.arange(5, 7), np.arange(5, 24, 3)], ids=str)
def test_f7_slices(values):
    assert run(lambda x: ops.slices(x, axis=0), values) == [[value] for value in values.tolist()]
    assert run(lambda x: ops.unbind(x, axis=0), values) == values.tolist()


@pytest.mark.parametrize("shape", [(13,), (3, 7), (7, 11, 3), (3, 7, 2, 11, 5)], ids=str)
def test_f8_order_of_elements(shape, seed):
    place = np.random.default_rng(seed).integers(shape)
    strides = [math.prod(shape[dim + 1 :]) for dim in range(len(shape))]

    def element(x):
        for i in place.tolist():
            x = ops.index(ops.unbind(x), i)
        return x

    assert run(element, np.arange(math.prod(shape)).reshape(shape)) == int(place @ strides)


def test_f11_slide():
    x = -1
    windows = [[x, 0, 2], [1, 3, 5], [4, 6, 8], [7, 9, 11], [10, 12, x]]
    assert run(lambda xs: ops.slide(xs, 3, stride=3, dilation=2, padding=2, value=x), counting(13)) == windows


DILATED = {
    2: [[0, 2, 4, 6, 8], [1, 3, 5, 7]],
    3: [[0, 3, 6], [1, 4, 7], [2, 5, 8]],
    5: [[0, 5], [1, 6], [2, 7], [3, 8], [4]],
}


@pytest.mark.parametrize("dilation", DILATED)
def test_f12_dilate(dilation):
    assert run(lambda xs: ops.dilate(xs, dilation), counting(9)) == DILATED[dilation]


def test_f12_shifted_windows():
    xs = counting(7)
    rows = [[6, 0, 1], [0, 1, 2], [1, 2, 3], [2, 3, 4], [3, 4, 5], [4, 5, 6], [5, 6, 0]]
    assert run(lambda xs: ops.shifted_slide(xs, 3), xs) == rows
    for i in range(7):
        assert run(lambda xs, i: ops.shifted_window(i, xs, 3), xs, i) == rows[i]


@pytest.mark.parametrize("i", [-15, -8, -1, 7, 20])
def test_f12_circular_places_are_modulo(i):
    assert run(lambda xs, i: ops.shifted_window(i, xs, 3), counting(7), i) == [(i - 1) % 7, i % 7, (i + 1) % 7]


@pytest.mark.parametrize("dilation, sums", [(2, [0, 1, 2, 4, 6, 9, 12, 16, 20]), (3, [0, 1, 2, 3, 5, 7, 9, 12, 15])])
def test_f13_dilated_scan(dilation, sums):
    def body(row):
        return ops.scan(lambda s, x: s + x, row)

    assert run(lambda xs: ops.dilated_map(body, xs, dilation), counting(9)) == sums
    assert run(lambda xs: ops.dilated_map(lambda row: (body(row),), xs, dilation), counting(9)) == (sums,)


def test_worked_folds():
    xs = counting(4, 1)
    assert run(lambda xs: ops.fold(lambda s, x: s + x, xs, initializer=5), xs) == 15
    assert run(lambda xs: ops.fold(lambda s, x: s + x, xs), xs) == 10
    assert run(lambda xs: ops.fold(lambda s, x: (s[0] + x, s[1] + s[0]), xs, initializer=(5, 5)), xs) == (15, 35)


def test_worked_accesses():
    xs = counting(7)
    assert run(lambda xs: xs[[6, 0, 3]], xs) == [6, 0, 3]
    assert run(lambda xs: ops.split(xs, 3), xs) == [[0, 1], [2, 3], [4, 5, 6]]
    assert run(lambda xs: (xs[-1], ops.first(xs), ops.last(xs)), xs) == (6, 0, 6)
    assert run(lambda xs: (xs[-3:], xs[2:-2]), xs) == ([4, 5, 6], [2, 3, 4])


def test_repeat_of_a_tensor():
    assert run(lambda x: ops.repeat(x, 3), ko.asarray([7, 8])) == [[7, 8]] * 3


def test_f3_program_with_slices():
    """map, the first three, map over a zip, reduce."""

    def program(xs):
        ys = ops.map(lambda x: ko.tanh(x) + ko.sigmoid(x), xs)
        pairs = ops.zip(ys[:3], xs[:3])
        return ops.reduce(lambda a, b: a + b, ops.map(lambda both: both[0] + both[1], pairs))

    values = np.random.default_rng(0).normal(size=(5, 2)).astype(np.float32)
    x = values[:3].astype(np.float64)
    expected = (np.tanh(x) + 1 / (1 + np.exp(-x)) + x).sum(0)
    assert np.allclose(run(program, FractalTensor(list(values))), expected, rtol=1e-6)


def test_f6_program_of_map_and_scan():
    xs = FractalTensor.from_offsets(np.ones((5, 2), np.float32), [0, 2, 2, 5])
    sums = run(lambda xs: ops.map(lambda row: ops.scan(lambda s, x: s + x, row, initializer=ops.zeros(2)), xs), xs)
    assert sums == [[[1, 1], [2, 2]], [], [[1, 1], [2, 2], [3, 3]]]
