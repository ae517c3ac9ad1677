"""Lists that the bodies of loops, branches and scans of arrays use."""

import numpy as np
import pytest

import kolam as ko
from kolam import fractal as ops

NUMBERS = ops.FractalTensor([10, 11, 12, 13])



def stacked(xs):
    return ops.reshape(ops.stack(xs), (4,))


PROGRAMS = {
    "cond": (lambda xs: ko.cond(ops.len(xs) > 2, lambda: ops.first(xs), lambda: ops.last(xs)), 10),
    "fori_loop": (lambda xs: ko.fori_loop(0, ops.len(xs), lambda i, total: total + ops.index(xs, i), 0), 46),
    "while_loop": (lambda xs: ko.while_loop(lambda n: n < ops.len(xs), lambda n: n + ops.len(xs[:2]), ko.asarray(1, ko.int64)), 5),
    "scan": (lambda xs: ko.scan(lambda s, i: (s + ops.index(xs, i), s), 0, ko.arange(4))[0], 46),
    "scan of folds": (lambda xs: ko.scan(lambda s, i: (s + ops.fold(ops.add, xs), s), 0, ko.arange(4))[0], 184),
    "switch": (lambda xs: ko.switch(ko.asarray(1), [lambda: 0, lambda: ops.fold(ops.add, xs), lambda: 1]), 46),
    "stack": (lambda xs: ko.sum(ko.cond(ko.asarray(True), lambda: stacked(ops.map(lambda x: -x, xs)), lambda: stacked(xs))), -46),
    "associative_scan": (lambda xs: ko.associative_scan(lambda a, b: a + b + ops.index(xs, 0), ko.arange(3))[2], 23),
}


@pytest.mark.parametrize("backend", ["cpu", "interpret"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_bodies_use_lists_from_outside(name, backend):
    program, expected = PROGRAMS[name]
    assert int(ko.jit(program, backend=backend)(NUMBERS)) == expected
    assert int(program(NUMBERS)) == expected


@pytest.mark.parametrize("call", [
    lambda xs: ko.cond(ko.asarray(True), lambda: ops.stack(ops.map(lambda x: -x, xs)), lambda: ops.stack(xs)),
    lambda xs: ops.map(lambda x: ops.stack(ops.filter(lambda y: y > 0, ops.repeat(x, 3))), xs[:0]),
])  # fmt: skip
def test_extents_that_only_a_body_knows(call):
    with pytest.raises(ValueError, match=r"jit: \[extent-unbound\] expected tensors whose extents are known outside of the body"):
        ko.jit(call, backend="interpret")(NUMBERS)


STATES = {
    "cond": (lambda xs: ko.cond(ops.len(xs) > 2, lambda: xs, lambda: xs), "result of a branch"),
    "switch": (lambda xs: ko.switch(0, [lambda: xs, lambda: xs]), "result of a branch"),
    "while_loop": (lambda xs: ko.while_loop(lambda n: n < 3, lambda n: xs, 1), "result of body"),
    "fori_loop": (lambda xs: ko.fori_loop(0, 3, lambda i, s: s, xs), "init"),
    "scan": (lambda xs: ko.scan(lambda s, x: (s, xs), 0, ko.ones(3)), "result of f"),
}


@pytest.mark.parametrize("backend", [None, "cpu", "interpret"])
@pytest.mark.parametrize("name", STATES)
def test_bodies_give_no_lists(name, backend):
    program, argument = STATES[name]
    run = ko.jit(program, backend=backend) if backend else program
    with pytest.raises(TypeError) as info:
        run(NUMBERS)
    words = f"{name}: [not-an-array] argument '{argument}': expected an array, a nested list or a number, but got a list<int32[]>"
    assert words in str(info.value)


def test_a_branch_for_each_row():
    rows = ops.FractalTensor([[1, 2], [3], [4, 5, 6]])
    pick = lambda row: ko.cond(ops.len(row) > 1, lambda: ops.index(row, 1), lambda: ops.last(row))
    for backend in ("cpu", "interpret"):
        assert list(ko.jit(lambda rows: ops.map(pick, rows), backend=backend)(rows)) == [2, 3, 5]


def test_functions_of_cells_use_no_lists():
    program = ko.jit(lambda xs: ko.zip_map_reduce(lambda x: x + ops.index(xs, 0), [ko.arange(3)]))
    with pytest.raises(TypeError, match=r"zip_map_reduce: \[not-an-array\] expected the function of cells to use arrays, but got list<int32\[\]>"):
        program(NUMBERS)


def test_associative_scans_without_an_initial_value_have_the_order_of_arrays():
    x = np.random.default_rng(0).standard_normal(9000).astype(np.float32)
    add = lambda a, b: a + b
    for backend in ("cpu", "interpret"):
        for scan, reverse in ((ops.scan, False), (ops.scanr, True)):
            ours = ko.jit(lambda xs: scan(add, xs, associative=True), backend=backend)(ops.FractalTensor.from_offsets(x))
            assert np.array_equal(np.asarray(ours), np.asarray(ko.associative_scan(add, ko.asarray(x), reverse=reverse)))
