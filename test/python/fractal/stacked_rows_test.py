"""Rows whose lengths follow from what makes them are tensors of known shapes: native code stacks them in maps."""

import numpy as np
import pytest

import kolam as ko
from kolam import fractal as ops

XS = ops.FractalTensor([float(i) for i in range(7)], dtype="float32")
ROWS = ops.FractalTensor([[1.0, 2.0, 3.0], [6.0], [4.0, 5.0]], dtype="float32")

PROGRAMS = {
    "slide": (lambda xs: ops.map(ops.stack, ops.slide(xs, 3)), (3,)),
    "shifted_slide": (lambda xs: ops.map(ops.stack, ops.shifted_slide(xs, 3)), (3,)),
    "reverse": (lambda xs: ops.map(lambda w: ops.stack(ops.reverse(w)), ops.slide(xs, 2)), (2,)),
    "map": (lambda xs: ops.map(lambda w: ops.stack(ops.map(lambda x: x * 2, w)), ops.slide(xs, 2)), (2,)),
    "scan": (lambda xs: ops.map(lambda w: ops.stack(ops.scan(ops.add, w)), ops.slide(xs, 3)), (3,)),
    "repeat": (lambda xs: ops.map(lambda x: ops.stack(ops.repeat(x, 3)), xs), (3,)),
    "gather": (lambda xs: ops.map(lambda w: ops.stack(ops.gather(w, [0, 2])), ops.slide(xs, 3)), (2,)),
    "windows of windows": (lambda xs: ops.map(lambda w: ops.map(ops.stack, ops.slide(w, 2)), ops.slide(xs, 4)), (2,)),
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("order", ["auto", "sequential"])
def test_stacks_in_maps(name, order):
    program, shape = PROGRAMS[name]
    native, interpreted = ko.jit(program, order=order), ko.jit(program, backend="interpret")
    for xs in (XS, XS[:5]):
        found, expected = native(xs), interpreted(xs)
        assert tuple(found.leaf_shape) == shape
        assert repr(found) == repr(expected) == repr(program(xs))


@pytest.mark.parametrize("name", PROGRAMS)
def test_equally_long_rows_stack_all_at_once(name):
    assert "one instance at a time" not in ko.jit(PROGRAMS[name][0]).explain(XS)


EQUAL_ROWS = {
    "windows of each row": lambda rows, n: ops.map(lambda row: ops.map(lambda w: ko.max(ops.stack(w)), ops.slide(row, 2, padding=1)), rows),
    "as long as data says": lambda rows, n: ops.map(lambda row: ko.sum(ops.stack(ops.repeat(row[0], n))), rows),
    "rows of products": lambda rows, n: ops.map(lambda row: ops.map(lambda r: ko.sum(ops.stack(r)), ops.product(row, row)[0]), rows),
    "one row for all": lambda rows, n: ops.map(lambda row: ko.sum(ops.stack(rows[0])) + row[0], rows),
}


@pytest.mark.parametrize("program", EQUAL_ROWS.values(), ids=EQUAL_ROWS.keys())
def test_sums_of_stacked_rows(program):
    native, meant = ko.jit(program), ko.jit(program, backend="interpret")
    for rows, n in ((ROWS, 3), (ROWS[:1], 1), (ROWS, 0), (ROWS[:1], 70)):
        assert native(rows, np.int32(n)) == meant(rows, np.int32(n)) == program(rows, n)


def total(x, n):
    """Half of n times x, by way of a stacked row of n."""
    return ko.sum(ops.stack(ops.repeat(x, n)) * 0.5)


ZERO = np.float32(0)
#: Rows of one length in bodies of every kind, as long as data says.
BODIES = {
    "reduce": lambda rows, n: ops.map(
        lambda row: ops.reduce(lambda a, b: ko.maximum(a, b) + total(b, n), row, initializer=ZERO), rows
    ),
    "scan": lambda rows, n: ops.map(lambda row: ops.scan(lambda s, x: s * 0.5 + total(s + x, n), row, initializer=ZERO), rows),
    "scanr": lambda rows, n: ops.map(lambda row: ops.scanr(lambda s, x: s * 0.5 + total(x, n), row, initializer=ZERO), rows),
    "associative": lambda rows, n: ops.map(lambda row: ops.scan(lambda s, x: s + total(x, n), row, associative=True), rows),
    "waves": lambda rows, n: ops.scan(
        lambda above, row: ops.scan(lambda s, p: s * 0.5 + total(p[0], n) + p[1], ops.zip(above, row), initializer=ZERO),
        ops.product(rows[0], rows[0])[0], initializer=rows[0],
    ),
    "filter": lambda rows, n: ops.map(lambda row: ops.filter(lambda x: total(x, n) > 1, row), rows),
    "cond": lambda rows, n: ops.map(lambda x: ko.cond(x > 1, lambda: total(x, n), lambda: total(-x, 3)), rows[0]),
    "while_loop": lambda rows, n: ops.map(lambda x: ko.while_loop(lambda v: v < 5, lambda v: v + total(x, n) + 1, x), rows[0]),
    "fold in fold": lambda rows, n: ops.fold(
        lambda s, row: s + ops.fold(lambda a, x: a * 0.5 + total(x, n) + total(a, 3), row, initializer=s), rows, initializer=ZERO
    ),
    "a list as state": lambda rows, n: ops.fold(
        lambda s, x: ops.map(lambda v: v + total(x, n), s), rows[0], initializer=ops.repeat(ZERO, 4)
    ),
    "a list of lists": lambda rows, n: ops.map(
        lambda row: ops.map(lambda x: ops.map(lambda y: y + total(x, n), ops.repeat(x, 3)), row), rows
    ),
}  # fmt: skip


@pytest.mark.parametrize("order", ["auto", "sequential", "waves"])
@pytest.mark.parametrize("program", BODIES.values(), ids=BODIES.keys())
def test_bodies_stack_equally_long_rows(program, order):
    native, meant = ko.jit(program, order=order), ko.jit(program, backend="interpret")
    for rows, n in ((ROWS, 2), (ROWS[:1], 70), (ROWS, 0)):
        ours, theirs = native(rows, np.int32(n)), meant(rows, np.int32(n))
        assert repr(ours) == repr(theirs) == repr(program(rows, n))


def test_of_empty_lists():
    for backend in ("cpu", "interpret"):
        none = ko.jit(PROGRAMS["repeat"][0], backend=backend)(XS[:0])
        assert len(none) == 0 and tuple(none.leaf_shape) == (3,)


def test_a_convolution_by_windows_in_ragged_rows():
    kernel = np.array([1.0, -2.0, 0.5], np.float32)
    program = ko.jit(lambda rows: ops.map(lambda row: ops.map(lambda w: ops.stack(w) @ kernel, ops.slide(row, 3, padding=1)), rows))
    expected = [np.correlate(np.pad(np.array(row, np.float32), 1), kernel) for row in ([1, 2, 3], [6], [4, 5])]
    for found, row in zip(program(ROWS), expected, strict=True):
        np.testing.assert_allclose(np.asarray(found), row)


def test_what_data_decides_is_still_refused():
    with pytest.raises(ValueError, match=r"\[interpret-only\]"):
        ko.jit(lambda rows: ops.map(ops.stack, rows))(ROWS)


def test_lists_joined_with_themselves():
    def program(xs):
        row = ops.slide(xs, 2)[0]
        for _ in range(6):
            row = ops.join(row, row)
        return ops.stack(row) @ ko.ones((128,), "float32")

    assert ko.jit(program)(XS).item() == 64.0

    def long(xs):
        for _ in range(60):
            xs = ops.join(xs, xs)
        return ops.stack(xs[:0])

    assert ko.jit(long).lower(XS) is not None  # traced in no time
