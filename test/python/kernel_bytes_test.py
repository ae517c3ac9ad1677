"""What kernels move: a partial write copies no block, views and branches leave no copy, no zeros are written where a kernel writes
every element, one array in several operands is one memory, an alias costs one copy and none of an array that nobody else needs."""

import re

import kolam as ko
import numpy as np
import pytest
from kolam import pallas as pl

S, F32 = ko.ShapeDtypeStruct, ko.float32
ROWS, COLUMNS, POINTS = 1024, 256, 128
X = np.arange(ROWS * COLUMNS, dtype=np.float32).reshape(ROWS, COLUMNS) % 7
ARRAY = X.nbytes
BLOCK = pl.BlockSpec((8, COLUMNS), lambda i: (i, 0))
OUT = S((ROWS, COLUMNS), F32)
ALONG = dict(grid=POINTS, in_specs=[BLOCK], out_specs=BLOCK)


def moved(function, *args, **options):
    """(how many arrays a program moves, the lines of its steps that copy)."""
    jitted = ko.jit(function, **options)
    steps = [line for line in jitted.explain(*args).splitlines() if re.search(r"= copy b\d+$|, on a copy of", line)]
    return jitted.cost(*args)["bytes"] / ARRAY, steps


def expected_of(function, *args):
    np.testing.assert_array_equal(np.asarray(ko.jit(function)(*args)), np.asarray(ko.jit(function, backend="interpret")(*args)))


def one_row(x, o):
    o[...] = x[...]
    o[0] = x[1]


def row_by_data(x, o):
    o[pl.program_id(0) % 8] = x[0]


def views(x, o):
    o.reshape(4, 2, COLUMNS)[1] = x[:2]
    o.at[4:].at[0][...] = x[3]


def rows_in_a_loop(x, o):
    @pl.loop(0, 8)
    def _(i):
        o.at[i][...] = x[i] + 1


def branches(x, o):
    @pl.when(pl.program_id(0) % 2 == 0)
    def _():
        o[...] = x[...]

    @pl.when(pl.program_id(0) % 2 == 1)
    def _():
        o[...] = x[...] * 2


def branch_by_data(x, o):
    ko.cond(x[0, 0] > 0, lambda: o.set(x[...]), lambda: o.at[0].set(x[0]))


def masked(x, o):
    pl.store(o, ..., x[...], mask=ko.arange(COLUMNS) < 100)


def masked_branch(x, o):
    @pl.when(x[0, 0] > 2)
    def _():
        masked(x, o)


def swapped(x, o, s):
    o[...] = pl.swap(s, ..., x[...])


def rewritten(x, o):
    o[...] = x[...]
    o[...] = o[...] + 1
    o[...] = o[...] * 2


def copied(x, o):
    o[...] = x[...]


# By kernel: options of the call, and how many arrays it moves at most: each read and written element once, zeros where a kernel
# leaves elements as they are, and blocks that go through memory between two steps of a point.
KERNELS = {
    "a row of a block": (one_row, {}, 2 + 2 / 8),
    "a row that data choose": (row_by_data, {}, 1 + 2 / 8),
    "rows of views": (views, {}, 1 + 2 * 3 / 8),
    "rows in a loop": (rows_in_a_loop, {}, 1 + 4),
    "branches": (branches, {}, 1 + 2 * 3),
    "a branch that data decide": (branch_by_data, {}, 1 + 2),
    "a mask": (masked, {}, 2),
    "a mask in a branch": (masked_branch, {}, 1 + 5),
    "swap": (swapped, dict(scratch_shapes=[S((8, COLUMNS), F32)]), 4),
    "written again": (rewritten, {}, 2),
    "blocks from behind": (copied, dict(in_specs=[pl.BlockSpec((8, COLUMNS), lambda i: (POINTS - 1 - i, 0))]), 2),
    "blocks to behind": (copied, dict(out_specs=pl.BlockSpec((8, COLUMNS), lambda i: (POINTS - 1 - i, 0))), 2),
}  # fmt: skip


@pytest.mark.parametrize("name", KERNELS)
def test_nothing_else_is_moved(name):
    kernel, options, arrays = KERNELS[name]
    call = pl.pallas_call(kernel, OUT, **(ALONG | options))
    actual, copies = moved(call, X)
    assert actual <= arrays * 1.01 + 0.05, f"{actual} arrays"
    assert all("copy b" in line and name == "swap" for line in copies), copies  # a scratch array, once
    expected_of(call, X)


def test_no_zeros_where_all_is_written():
    def zeros_of(kernel, **options):
        text = ko.jit(pl.pallas_call(kernel, OUT, **(ALONG | options))).explain(X)
        return "broadcast() over [0:1024]" in text

    backwards = pl.BlockSpec((8, COLUMNS), lambda i: (POINTS - 1 - i, 0))
    assert not zeros_of(one_row)
    assert not zeros_of(copied, out_specs=backwards)
    assert zeros_of(row_by_data)  # leaves rows
    assert zeros_of(copied, grid=POINTS // 2, out_specs=backwards, in_specs=[backwards])  # leaves blocks
    assert zeros_of(lambda x, o: o.set(o[...] + x[...]), out_specs=backwards)  # reads first


def test_zeros_stay_where_somebody_sees_them():
    diagonal = pl.BlockSpec((8, 8), lambda i: (i, i))
    call = pl.pallas_call(lambda o: o.set(ko.ones(o.shape)), S((16, 16), F32), grid=2, out_specs=diagonal)
    assert np.array_equal(call(), np.kron(np.eye(2), np.ones((8, 8))))
    gaps = pl.BlockSpec((pl.Element(2),), lambda i: (3 * i,))
    call = pl.pallas_call(lambda o: o.set(ko.ones(2)), S((8,), F32), grid=3, out_specs=gaps)
    assert np.asarray(call()).tolist() == [1, 1, 0, 1, 1, 0, 1, 1]
    call = pl.pallas_call(lambda o: o.set(ko.ones(4)), S((8,), F32), grid=0, out_specs=pl.BlockSpec((4,), lambda i: (i,)))
    assert not np.asarray(call()).any()


# Aliases.


def changes_some(x, o):
    @pl.when(pl.program_id(0) % 2 == 0)
    def _():
        o[0] = x[1]


ALIAS = pl.pallas_call(changes_some, OUT, **ALONG, input_output_aliases={0: 0})


def test_an_alias_is_one_copy():
    actual, copies = moved(lambda x: ALIAS(x), X)
    assert len(copies) == 1 and actual <= 2.6, (actual, copies)
    expected_of(lambda x: ALIAS(x), X)
    assert X[0, 0] == 0 and X[0, 1] == 1  # the caller's array stays


def test_an_alias_of_what_nobody_needs_is_no_copy():
    _, copies = moved(lambda x: ALIAS(x + 1), X)
    assert copies == []
    expected_of(lambda x: ALIAS(x + 1), X)
    _, copies = moved(lambda x: ko.fori_loop(0, 4, lambda i, x: ALIAS(x), x), X)
    assert len(copies) == 1, copies  # in front of the loop


def test_a_donated_alias_is_no_copy():
    donating = ko.jit(lambda x: ALIAS(x), donate_argnames="x")
    array = ko.asarray(X.copy())
    place = np.asarray(array).ctypes.data
    expected = np.asarray(ko.jit(lambda x: ALIAS(x))(X))
    result = donating(array)
    np.testing.assert_array_equal(np.asarray(result), expected)
    assert np.asarray(result).ctypes.data == place


def test_one_array_in_two_operands_is_one_memory():
    def kernel(x, y, o):
        o[...] = x[...] + y[...]

    first = pl.BlockSpec((8, COLUMNS), lambda i: (0, 0))
    call = pl.pallas_call(kernel, OUT, grid=POINTS, in_specs=[BLOCK, first], out_specs=BLOCK, input_output_aliases={0: 0})
    _, copies = moved(lambda x: call(x, x), X)
    assert copies == []  # all points at once make an array of their own
    # The second operand stays as it was, whatever the first becomes.
    np.testing.assert_array_equal(np.asarray(ko.jit(lambda x: call(x, x))(X)), X + np.tile(X[:8], (POINTS, 1)))
    expected_of(lambda x: call(x, x), X)


# What explain says of copies.


def copies_of(function, *args):
    lines = [line for line in ko.jit(function).explain(*args).splitlines() if line.startswith("b") and " of kernel " in line]
    return [line.partition(": ")[2] for line in lines]


def running(x, o, s):
    @pl.when(pl.program_id(0) == 0)
    def _():
        s[...] = ko.zeros_like(s)

    s[...] = s[...] * 0.5 + x[...]
    o[...] = s[...]


def test_explain_names_copies_of_refs():
    place = r"kernel changes_some (kernel_bytes_test.py:"
    alias = f"args[0] 'x', whose memory is outputs[0] 'o', of {place}"
    (line,) = copies_of(lambda x: ALIAS(x), X)
    assert line.startswith(alias) and line.endswith("), as the array that is passed keeps its elements unless it is donated")
    (line,) = copies_of(lambda x: (lambda y: (ALIAS(y), y))(x + 1), X)
    assert line.startswith(alias) and line.endswith("), as its first elements are used again")
    assert copies_of(lambda x: ALIAS(x + 1), X) == []
    assert copies_of(pl.pallas_call(rows_in_a_loop, OUT, **ALONG), X) == []


def running_onto(x, o, s):
    running(x, o, s)
    o[...] = o[...] + 1  # a result that is read is carried from point to point


def running_beside(x, o, s):
    before = s[...]
    running_onto(x, o, s)
    o[...] = o[...] + before


def test_branches_leave_memory_where_it_is():
    call = pl.pallas_call(running_onto, OUT, **ALONG, scratch_shapes=[S((8, COLUMNS), F32)])
    assert copies_of(call, X) == []


def test_explain_names_copies_of_branches():
    call = pl.pallas_call(running_beside, OUT, **ALONG, scratch_shapes=[S((8, COLUMNS), F32)])
    first, turn = copies_of(call, X)
    assert first.startswith("scratch[0] 's' of kernel running_beside (kernel_bytes_test.py:")
    assert turn.startswith("scratch[0] 's' of kernel running_beside") and turn.endswith("as a branch leaves it as it is, and another one makes all of it")
