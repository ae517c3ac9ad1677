"""`checks=` looks into the functions on lists, on both backends alike."""

import numpy as np
import pytest

import kolam as ko
from kolam import fractal as ops

PLACES = ops.FractalTensor([[1, 2, 3], [7], [4, 5]])
VALUES = ops.FractalTensor([[1.0, 2.0], [], [-1.0, 3.0]])
NAN = "[nan-created] log: expected a number from operands without NaN, but got NaN "


def log_of_each(rows):
    return ops.map(lambda row: ops.map(ko.log, row), rows)


# (function, arguments, checks, words)
FAILURES = {
    "a place": (lambda rows, x: ops.map(lambda row: ko.sum(x[ops.stack(row)]), rows), (PLACES, np.arange(5.0)), "bounds",
                "expected places from -5 to 4 along axis 0, but got one outside (at [1], first at row-major index 0)"),
    "all checks": (log_of_each, (VALUES,), True, NAN + "(at [2][0])"),
    "a map": (log_of_each, (VALUES,), "nan", NAN + "(at [2][0])"),
    "a scan": (lambda rows: ops.map(lambda row: ops.scan(lambda s, v: ko.log(s - v), row, initializer=5.0), rows), (VALUES,), "nan",
               NAN + "(at [0][1])"),
    "a state of lists": (lambda row, xs: ops.fold(lambda s, v: ops.map(lambda e: ko.log(e - v), s), xs, initializer=row),
                         (VALUES[0], VALUES[2]), "nan", NAN + "(at [1][0])"),
    "a predicate": (lambda rows: ops.map(lambda row: ops.filter(lambda v: ko.log(v) > 0, row), rows), (VALUES,), "nan", NAN + "(at [2][0])"),
    "a reduction": (lambda rows: ops.map(lambda row: ops.reduce(lambda a, b: a * b, row), rows),
                    (ops.FractalTensor([[1, 2], [1 << 20, 1 << 20]]),), "overflow",
                    "[integer-overflow] multiply: expected a result in the range of int32, but got one outside (at [1][1])"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAILURES)
def test_checks_in_functions_on_lists(name):
    call, arguments, checks, words = FAILURES[name]
    ko.jit(call)(*arguments)  # without them it runs
    errors = []
    for backend in ("cpu", "interpret"):
        with pytest.raises(ko.KolamError) as info:
            ko.jit(call, backend=backend, checks=checks)(*arguments)
        errors.append(info.value)
        assert info.value.where[0] == __file__
    assert words in str(errors[0]) and str(errors[0]) == str(errors[1])


@pytest.mark.parametrize("backend", ["cpu", "interpret"])
def test_checks_that_hold(backend):
    f = ko.jit(log_of_each, backend=backend, checks=("nan", "bounds", "overflow"))
    assert f(VALUES[:2]).to_list() == [[0, pytest.approx(np.log(2))], []]
