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


def picked(i):
    """A row of a list that the body makes, at a place that data gives."""
    return ops.index(ops.unbind(ko.reshape(ko.arange(6, dtype=ko.float32), (2, 3))), i)


#: Ways to ask for it in the body of a map, where instances differ in what they run.
BODIES = {
    "cond": lambda x, i: ko.cond(x > 0, lambda: picked(i), lambda: ko.zeros(3)),
    "both branches": lambda x, i: ko.cond(x > 0, lambda: picked(i) + 1, lambda: picked(1 - i)),
    "switch": lambda x, i: ko.switch(ko.astype(x, ko.int32), [lambda: picked(0), lambda: picked(i), lambda: ko.zeros(3)]),
    "while_loop": lambda x, i: ko.while_loop(lambda s: s[0] < x, lambda s: (s[0] + 1, s[1] + picked(i)), (x - 2, ko.zeros(3)))[1],
    "fori_loop": lambda x, i: ko.fori_loop(0, ko.astype(x, ko.int32), lambda turn, s: s + picked(i), ko.zeros(3)),
    "scan": lambda x, i: ko.scan(lambda s, row: (s + picked(i), s), ko.zeros(3), ko.arange(2))[0] * x,
    "a fold in a branch": lambda x, i: ko.cond(
        x > 0, lambda a: ops.fold(lambda s, y: s + picked(i) * y, ops.repeat(x, 2), initializer=a), lambda a: a, ko.ones(3)
    ),
}


@pytest.mark.parametrize("order", ["auto", "sequential"])
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
def test_bodies_in_maps_ask_their_own_lists_by_data(body, order):
    program = lambda xs, i: ops.map(lambda x: body(x, i), xs)
    xs = ops.FractalTensor([1.0, -1.0, 2.0])
    native, meant = ko.jit(program, backend="cpu", order=order), ko.jit(program, backend="interpret")
    for i in (np.int32(1), np.int32(0)):
        assert native(xs, i) == meant(xs, i) == program(xs, i)
    assert len(native(xs[:0], np.int32(1))) == 0


@pytest.mark.parametrize("call", [
    lambda xs: ko.cond(ko.asarray(True), lambda: ops.stack(ops.map(lambda x: -x, xs)), lambda: ops.stack(xs)),
])  # fmt: skip
def test_extents_that_only_a_body_knows(call):
    with pytest.raises(ValueError, match=r"jit: \[extent-unbound\] expected tensors whose extents are known outside of the body"):
        ko.jit(call, backend="interpret")(NUMBERS)


@pytest.mark.parametrize("backend", [None, "cpu", "interpret"])
def test_scans_of_arrays_give_no_lists(backend):
    program = lambda xs: ko.scan(lambda s, x: (s, xs), 0, ko.ones(3))
    run = ko.jit(program, backend=backend) if backend else program
    with pytest.raises(TypeError) as info:
        run(NUMBERS)
    words = "scan: [not-an-array] argument 'result of f': expected an array, a nested list or a number, but got a list<int32[]>"
    assert words in str(info.value)


def test_a_branch_for_each_row():
    rows = ops.FractalTensor([[1, 2], [3], [4, 5, 6]])
    pick = lambda row: ko.cond(ops.len(row) > 1, lambda: ops.index(row, 1), lambda: ops.last(row))
    for backend in ("cpu", "interpret"):
        assert list(ko.jit(lambda rows: ops.map(pick, rows), backend=backend)(rows)) == [2, 3, 5]


def test_functions_of_cells_use_no_lists():
    program = ko.jit(lambda xs: ko.zip_map_reduce(lambda x: x + ops.index(xs, 0), [ko.arange(3)]))
    with pytest.raises(TypeError, match=r"zip_map_reduce: \[not-an-array\] expected the function of elements to use arrays, but got list<int32\[\]>"):
        program(NUMBERS)


def test_associative_scans_without_an_initial_value_have_the_order_of_arrays():
    x = np.random.default_rng(0).standard_normal(9000).astype(np.float32)
    add = lambda a, b: a + b
    for backend in ("cpu", "interpret"):
        for scan, reverse in ((ops.scan, False), (ops.scanr, True)):
            ours = ko.jit(lambda xs: scan(add, xs, associative=True), backend=backend)(ops.FractalTensor.from_offsets(x))
            assert np.array_equal(np.asarray(ours), np.asarray(ko.associative_scan(add, ko.asarray(x), reverse=reverse)))
