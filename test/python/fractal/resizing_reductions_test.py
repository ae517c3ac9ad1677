"""Reductions whose functions give lists of other lengths than they take: chunks of 64, merged pairwise, on both backends."""

import model
import numpy as np
import pytest
from both import plain, run

import kolam as ko
from kolam import fractal as ops
from kolam.fractal import FractalTensor

#: What is neither associative nor of a length that either operand has: the order of the merges shows.
MERGES = {
    "join": lambda lists, a, b: lists.join(a, b),
    "alternate": lambda lists, a, b: lists.join(b[::2], a),
    "drop": lambda lists, a, b: lists.join(a[1:], lists.map(lambda y: y + 1, b)),
}
#: Of rows that chunks make: none, one, a whole chunk and parts of them, an odd number of chunks.
COUNTS = [1, 2, 63, 64, 65, 129, 200, 320]


def rows_of(count, seed=0):
    rng = np.random.default_rng([seed, count])
    return [[np.float32(x) for x in rng.normal(size=rng.integers(0, 5))] for _ in range(count)]


def kolam_list(rows, depth=2):
    return FractalTensor(rows, dtype="float32", depth=depth, leaf_shape=())


@pytest.mark.parametrize("merge", MERGES)
@pytest.mark.parametrize("count", COUNTS)
def test_rows(merge, count):
    rows, f = rows_of(count), MERGES[merge]
    ours = run(lambda rows: ops.reduce(lambda a, b: f(ops, a, b), rows), kolam_list(rows))
    assert ours == plain_model(model.reduce(lambda a, b: f(model, a, b), rows))


@pytest.mark.parametrize("count", [0, 1, 64, 193])
def test_the_initial_value_comes_first(count):
    rows, f = rows_of(count), MERGES["alternate"]
    first = [np.float32(x) for x in (7, 8, 9)]
    ours = run(lambda rows, first: ops.reduce(lambda a, b: f(ops, a, b), rows, initializer=first), kolam_list(rows), kolam_list(first, 1))
    assert ours == plain_model(model.reduce(lambda a, b: f(model, a, b), rows, initializer=first))


@pytest.mark.parametrize("has_initial", [False, True])
def test_many_instances(has_initial):
    """Of other numbers of rows each, in maps of maps; one reduction has chunks where others have none."""
    batches = [[rows_of(n, seed=1) for n in counts] for counts in ([1, 130, 64], [], [65, 3, 1, 200])]
    if has_initial:
        batches[1] = [[], rows_of(2)]

    def program(lists, batches, first):
        initial = {"initializer": first} if has_initial else {}
        one = lambda rows: lists.reduce(lambda a, b: MERGES["drop"](lists, a, b), rows, **initial)
        return lists.map(lambda batch: lists.map(one, batch), batches)

    first = [np.float32(5)]
    ours = run(lambda *xs: program(ops, *xs), kolam_list(batches, 4), kolam_list(first, 1))
    assert ours == plain_model(program(model, batches, first))


def test_no_instances():
    assert run(lambda batches: ops.map(lambda rows: ops.reduce(ops.join, rows), batches), kolam_list([], 3)) == []


def test_tuple_states():
    """A tensor, a row whose length changes, and one whose length stays."""
    rows = rows_of(150)
    even = [[np.float32(n), np.float32(2)] for n in range(150)]
    totals = [np.float32(n % 7) for n in range(150)]

    def program(lists, rows, even, totals):
        def merge(a, b):
            return a[0] + b[0], lists.join(a[1], b[1][:2]), lists.map(lambda pair: pair[0] * 0.5 + pair[1], lists.zip(a[2], b[2]))

        return lists.reduce(merge, lists.zip(totals, rows, even))

    ours = run(lambda *xs: program(ops, *xs), kolam_list(rows), kolam_list(even), kolam_list(totals, 1))
    assert ours == tuple(plain_model(part) for part in program(model, rows, even, totals))


def test_lists_of_lists():
    """Rows of rows: the outer ones are joined, the inner ones become shorter."""
    batches = [rows_of(n % 4, seed=n) for n in range(140)]

    def program(lists, batches):
        return lists.reduce(lambda a, b: lists.join(lists.map(lambda row: row[1:], a), b), batches)

    assert run(lambda xs: program(ops, xs), kolam_list(batches, 3)) == plain_model(program(model, batches))


def test_rows_of_tensors():
    rng = np.random.default_rng(3)
    rows = [[rng.normal(size=(2, 3)).astype("float32") for _ in range(n % 3)] for n in range(100)]
    given = FractalTensor(rows, dtype="float32", depth=2, leaf_shape=(2, 3))
    assert run(lambda rows: ops.reduce(lambda a, b: ops.join(b, a), rows), given) == plain_model(model.reduce(lambda a, b: b + a, rows))


def test_a_body_that_runs_for_one_instance_at_a_time():
    """`stack` gives a tensor of other extents for each pair."""
    rows = [row or [np.float32(1)] for row in rows_of(130)]

    def merge(lists, stacked, a, b):
        return lists.join(a, lists.map(lambda y: y + stacked(b), b[:2]))

    ours = run(lambda rows: ops.reduce(lambda a, b: merge(ops, lambda row: ko.max(ops.stack(row)), a, b), rows), kolam_list(rows))
    assert ours == plain_model(model.reduce(lambda a, b: merge(model, max, a, b), rows))


def test_without_elements_or_an_initial_value():
    for backend in ("cpu", "interpret"):
        f = ko.jit(lambda rows: ops.reduce(ops.join, rows), backend=backend)
        with pytest.raises(ko.KolamError, match=r"\[list-empty\] reduce: expected an element or an initial value, but got an empty"):
            f(kolam_list([]))


def test_explain_says_so():
    text = ko.jit(lambda rows: ops.reduce(ops.join, rows)).explain(kolam_list(rows_of(3)))
    assert "reduce" in text and "its state is allocated at each step, as its lengths may change" in text


def plain_model(value):
    return plain(value) if not isinstance(value, list) else [plain_model(x) for x in value]
