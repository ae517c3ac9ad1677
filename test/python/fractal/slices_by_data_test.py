"""Slices of lists and of rows whose bounds only the run knows."""

import itertools

import numpy as np
import pytest
from both import run

import kolam as ko
from kolam import fractal as ops
from kolam.fractal import FractalTensor

BOUNDS = [None, -7, -4, -3, -1, 0, 1, 2, 4, 5, 9]
ROWS = [[1, 2, 3, 4], [], [5], [6, 7]]


def list_of(xs, depth=1):
    return FractalTensor(xs, dtype="int32", depth=depth, leaf_shape=())


@pytest.mark.parametrize("step", [None, 1, 2, 3, -1, -2])
def test_all_bounds(step):
    """Which bounds are given is part of the program; what they are is not."""
    programs = {}
    for start, stop in itertools.product(BOUNDS, BOUNDS):
        key = start is None, stop is None
        if key not in programs:
            cut = lambda xs, a, b, key=key: xs[None if key[0] else a : None if key[1] else b : step]
            programs[key] = [ko.jit(cut, backend=backend) for backend in ("cpu", "interpret")]
        for xs in ([1, 2, 3, 4], [], [1]):
            for f in programs[key]:
                assert f(list_of(xs), np.int64(start or 0), np.int64(stop or 0)).to_list() == xs[start:stop:step], (start, stop, xs)


@pytest.mark.parametrize("step", [1, 2, -1])
def test_bounds_of_each_row(step):
    starts, stops = [1, 0, -1, 5], [-1, 2, 3, -9]
    program = lambda rows, starts, stops: ops.map(lambda p: p[0][p[1] : p[2] : step], ops.zip(rows, starts, stops))
    found = run(program, list_of(ROWS, 2), list_of(starts), list_of(stops))
    assert found == [row[a:b:step] for row, a, b in zip(ROWS, starts, stops, strict=True)]


def test_bounds_of_any_integer_dtype():
    for dtype in (np.int8, np.int32, np.int64, np.uint8, np.uint32):
        assert run(lambda xs, i: xs[:i], list_of([1, 2, 3]), dtype(2)) == [1, 2]


def test_causal_rows():
    """Each place sees itself and those before."""
    program = lambda kv: ops.map(lambda p: ops.fold(ops.add, kv[: p[0] + 1], initializer=np.int32(0)), ops.enumerate(kv))
    assert run(program, list_of([1, 2, 3, 4])) == [1, 3, 6, 10]


def test_rows_of_lists_and_zips():
    rows = list_of(ROWS, 2)
    assert run(lambda rows, i: rows[i:], rows, np.int32(2)) == ROWS[2:]
    assert run(lambda rows, i: ops.map(lambda p: p[0] + p[1], ops.zip(rows[0], rows[0])[:i]), rows, np.int32(2)) == [2, 4]


def test_it_is_one_access():
    text = ko.jit(lambda kv, i: kv[: i + 1]).lower(list_of([1, 2]), np.int64(0)).as_text("program")
    assert text.count("kolam.access") == 1 and "gather" not in text and "list_filter" not in text


@pytest.mark.parametrize("call, slug", [
    (lambda xs, i: xs[: i * 1.0], "dtype-mismatch"),
    (lambda xs, i: xs[ko.reshape(i, (1,)) :], "shape-mismatch"),
    (lambda xs, i: xs[:: i], "traced-value"),
    (lambda xs, i: xs[i::0], "bad-step"),
])  # fmt: skip
def test_what_is_refused(call, slug):
    with pytest.raises(ko.KolamError) as info:
        ko.jit(call)(list_of([1, 2]), np.int32(1))
    assert info.value.slug == slug
