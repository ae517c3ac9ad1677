"""Errors that only the run of a program on lists sees name the elements whose functions ran, on both backends alike."""

import inspect

import numpy as np
import pytest

import kolam as ko
from kolam import fractal as ops
from kolam.fractal import FractalTensor

ROWS = FractalTensor([[1, 2, 3], [], [4, 5]])
OTHERS = FractalTensor([[1, 2, 3], [7], [4, 5]])
NESTED = FractalTensor([[[1, 2], [3]], [], [[4, 5], [6, 7, 8], [9]]])
SINGLE = np.float32(2)


def add(a, b):
    return a + b


def second_of_each(nested):
    return ops.map(lambda rows: ops.map(lambda row: row[1], rows), nested)


def steps_by_places(rows, values):
    """Each element of a row is a place among the values."""
    return ops.map(lambda row: ops.scan(lambda s, i: s + values[i], row, initializer=0), rows)


# (function, arguments, what the message says behind its slug)
PATHS = {
    "an index": (second_of_each, (NESTED,), "[list-index] index: expected an index into a list of length 1, but got 1 (at [0][1])"),
    "gathered places": (lambda rows: ops.map(lambda row: ops.gather(row, [0]), rows), (ROWS,), "of length 0, but got 0 (at [1][0])"),
    "unequal lists": (lambda xs, ys: ops.map(lambda p: ops.map(lambda q: q[0] + q[1], ops.zip(*p)), ops.zip(xs, ys)), (ROWS, OTHERS),
                      "[list-lengths] map: expected lists of one length, but got 0 for xs[0] and 1 for xs[1] (at [1])"),
    "unequal lists of a scan": (lambda xs, ys: ops.map(lambda p: ops.scan(lambda s, q: s + q[0], ops.zip(*p), initializer=0), ops.zip(xs, ys)),
                                (ROWS, OTHERS), "[list-lengths] scan: expected lists of one length, but got 0 for xs[0] and 1 for xs[1] (at [1])"),
    "an unequal mask": (lambda xs, ys: ops.map(lambda p: ops.filter(lambda q: q[0] > 0, ops.zip(*p)), ops.zip(xs, ys)), (ROWS, OTHERS),
                        "filter: expected lists of one length, but got 0 for xs[0] and 1 for xs[1] (at [1])"),
    "parts of parts": (lambda nested: ops.map(lambda rows: ops.map(lambda row: ops.split(row, 2), rows), nested), (NESTED,),
                       "[window-too-large] split: expected a list of at least 2 elements, but got one of 1 (at [0][1])"),
    "parts": (lambda rows: ops.map(lambda row: ops.split(row, 3), rows), (ROWS[::2],), "[window-too-large] split: "),
    "a reduction of none": (lambda rows: ops.map(lambda row: ops.reduce(add, row), rows), (ROWS,),
                            "[list-empty] reduce: expected an element or an initial value, but got an empty list (at [1])"),
    "a fold of none": (lambda rows: ops.map(lambda row: ops.fold(add, row), rows), (ROWS,),
                       "[list-empty] fold: expected an element or an initial value, but got an empty list (at [1])"),
    "a step of a scan": (steps_by_places, (ROWS, OTHERS[0]), "[list-index] index: expected an index into a list of length 3, but got 3 (at [0][2])"),
    "from the right": (lambda row, xs: ops.foldr(lambda s, i: s + xs[i], row, initializer=0), (OTHERS[0], ROWS[2]), "but got 3 (at [2])"),
    "behind the first": (lambda row, xs: ops.fold(lambda s, i: s + xs[i], row), (OTHERS[0], ROWS[2]), "but got 2 (at [1])"),
    "a merge": (lambda row, xs: ops.reduce(lambda a, b: a + xs[b], row), (OTHERS[0], ROWS[2]), "but got 2 (at [1])"),
    "no function runs": (lambda xs, i: xs[i], (OTHERS[0], -4), "[list-index] index: expected an index into a list of length 3, but got -4"),
}  # fmt: skip


def error_of(call, arguments, **options):
    with pytest.raises(ko.KolamError) as info:
        ko.jit(call, **options)(*arguments)
    return info.value


@pytest.mark.parametrize("name", PATHS)
def test_paths(name):
    call, arguments, words = PATHS[name]
    native, meant = error_of(call, arguments), error_of(call, arguments, backend="interpret")
    assert words in str(meant), meant
    assert "at [" in words or "(" not in str(meant).splitlines()[0] or name == "parts", meant
    assert str(native) == str(meant) and native.where == meant.where and type(native) is type(meant)
    assert native.where[0] == __file__


def test_the_line_stays_the_users():
    line = inspect.getsourcelines(second_of_each)[1] + 1
    assert error_of(second_of_each, (NESTED,)).where == (__file__, line)


# Runs that cannot be repeated name the number of the failing instance among all, and say why there is no path.
def test_a_run_too_long_to_repeat():
    def long(nested, x):
        return x @ x @ x, second_of_each(nested)

    error = error_of(long, (NESTED, np.ones((400, 400), np.float32)))
    words = "jit: [list-index] index: expected an index into the list, but got one outside"
    assert str(error).startswith(f"{words} (first at row-major index 1; no path: the run is too long to repeat)"), error
    assert isinstance(error, IndexError) and error.where[0] == __file__


def test_functions_of_the_host_run_once():
    calls = []

    @ko.jit
    def called(rows, x):
        y = ko.opaque_call(lambda x: calls.append(1) or x, [x], ((), ko.float32))
        return y, ops.map(lambda row: row[1], rows)

    y, seconds = called(ROWS[::2], SINGLE)
    assert (y.item(), seconds.to_list(), len(calls)) == (2, [2, 5], 1)
    with pytest.raises(IndexError) as info:
        called(ROWS, SINGLE)
    assert "(first at row-major index 1; no path: the program calls functions of the host)" in str(info.value), info.value
    assert len(calls) <= 2


def test_arguments_that_results_took_over():
    def doubled(rows, x):
        return ops.map(lambda row: row[1], rows), x + x

    kept = ko.asarray(np.ones(1000, np.float32))
    assert "(at [1])" in str(error_of(doubled, (ROWS, kept)))
    given = ko.asarray(np.ones(1000, np.float32)) + 0
    error = error_of(doubled, (ROWS, given), donate_argnames=["x"])
    assert "(first at row-major index 1; no path: the run has written over its arguments)" in str(error), error


@pytest.mark.parametrize("backend", ["cpu", "interpret"])
def test_bodies_without_elements_ask_for_nothing(backend):
    run = ko.jit(lambda values, xs: ops.map(lambda x: values[7] + x, xs), backend=backend)
    values, none = FractalTensor([1.0, 2.0]), FractalTensor.from_offsets(np.zeros(0))
    assert run(values, none).to_list() == []
    with pytest.raises(ko.KolamError, match=r"length 2, but got 7 \(at \[0\]\)"):
        run(values, values)


@pytest.mark.parametrize("backend", ["cpu", "interpret"])
def test_sizes_are_numbers(backend):
    """Those that only the run knows, too."""
    add = ko.jit(lambda xs, ys: ops.stack(xs) + ops.stack(ys), backend=backend)
    rows = ko.jit(lambda xss: ops.map(lambda xs: ops.reshape(ops.stack(xs), (3,)), xss), backend=backend)
    for call, words in (
        (lambda: add(FractalTensor([1, 2]), FractalTensor([1, 2, 3])), "expected equal extents, but got 2 and 3"),
        (lambda: rows(FractalTensor([[3, 1, 2], [4, 2]])), "expected a shape of 2 elements, but got [3] (at [1])"),
    ):
        with pytest.raises(ko.KolamError) as info:
            call()
        assert words in str(info.value), info.value
