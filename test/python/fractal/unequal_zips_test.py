"""A zip of lists that turn out to be of unequal lengths is refused wherever it is read."""

import re

import pytest

import kolam as ko
from kolam import fractal as ops

READERS = {
    "first": ops.first,
    "last": ops.last,
    "len": ops.len,
    "index": lambda pairs: ops.index(pairs, ko.asarray(0)),
    "slice": lambda pairs: pairs[-2:],
    "gather": lambda pairs: pairs[[0, -1]],
    "reverse": ops.reverse,
    "window": lambda pairs: ops.window(1, pairs, 3),
    "shifted_window": lambda pairs: ops.shifted_window(1, pairs, 3),
    "slide": lambda pairs: ops.slide(pairs, 2),
    "shifted_slide": lambda pairs: ops.shifted_slide(pairs, 3),
    "split": lambda pairs: ops.split(pairs, 2),
    "dilate": lambda pairs: ops.dilate(pairs, 2),
    "join": lambda pairs: ops.join(pairs, pairs),
    "repeat": lambda pairs: ops.repeat(pairs, 2),
    "product": lambda pairs: ops.product(pairs, pairs),
    "returned": lambda pairs: pairs,
    "map": lambda pairs: ops.map(lambda pair: pair[0], pairs),
    "fold": lambda pairs: ops.fold(lambda s, pair: s + pair[0], pairs, initializer=0),
}


@pytest.mark.parametrize("backend", ["cpu", "interpret"])
@pytest.mark.parametrize("name", READERS)
def test_unequal_zips_are_refused(name, backend):
    program = ko.jit(lambda xs: READERS[name](ops.zip(xs, xs[1:])), backend=backend)
    with pytest.raises(ValueError, match=r"\[list-lengths\]"):
        program(ops.FractalTensor([1, 2, 3, 4, 5, 6, 7]))


@pytest.mark.parametrize("backend", ["cpu", "interpret"])
@pytest.mark.parametrize("name", READERS)
def test_both_lengths_are_said(name, backend):
    program = ko.jit(lambda xs: READERS[name](ops.zip(xs, xs[1:])), backend=backend)
    with pytest.raises(ko.KolamError, match=": expected lists of one length, but got 7 for xs.0. and 6 for xs.1."):
        program(ops.FractalTensor([1, 2, 3, 4, 5, 6, 7]))


def test_both_lengths_are_said_with_the_place():
    rows = ops.FractalTensor([[1, 2], [], [3, 4, 5]])
    program = ko.jit(lambda rows: ops.map(lambda row: ops.dilate(ops.zip(row, rows[0]), 2), rows))
    with pytest.raises(ko.KolamError, match=r"zip: expected lists of one length, but got 0 for xs\[0\] and 2 for xs\[1\] \(at \[1\]\)"):
        program(rows)


@pytest.mark.parametrize("backend", ["cpu", "interpret"])
@pytest.mark.parametrize("is_first", [False, True])
@pytest.mark.parametrize("name", READERS)
def test_a_list_of_the_run_and_one_of_the_trace(name, is_first, backend):
    """One of them is made outside of the function."""
    known, given = ops.FractalTensor([1, 2, 3, 4, 5]), ops.FractalTensor([1, 2, 3, 4, 5, 6, 7])
    program = ko.jit(lambda xs: READERS[name](ops.zip(known, xs) if is_first else ops.zip(xs, known)), backend=backend)
    lengths = "5 for xs[0] and 7 for xs[1]" if is_first else "7 for xs[0] and 5 for xs[1]"
    with pytest.raises(ko.KolamError, match=re.escape(f"expected lists of one length, but got {lengths}")):
        program(given)
    program(known)


@pytest.mark.parametrize("name", READERS)
def test_equal_zips_are_read(name):
    xs = ops.FractalTensor([1, 2, 3, 4, 5, 6, 7])
    traced = ko.jit(lambda xs: READERS[name](ops.zip(xs, ops.reverse(xs))))(xs)
    assert str(traced) == str(READERS[name](ops.zip(xs, ops.reverse(xs))))


def total(xs, ys):
    return ops.fold(lambda s, x: s + x, ops.map(lambda pair: pair[0] + pair[1], ops.zip(xs, ys)), initializer=0)


MAY_NOT_RUN = {
    "fold": lambda n, xs, ys: ops.fold(lambda s, x: s + total(xs, ys), n, initializer=0),
    "scan with lists": lambda n, xs, ys: ops.fold(lambda s, x: ops.join(s, ops.repeat(total(xs, ys), 1)), n, initializer=xs),
    "for": lambda n, xs, ys: ko.fori_loop(0, ops.len(n), lambda i, s: s + total(xs, ys), 0),
    "branch": lambda n, xs, ys: ko.cond(ops.len(n) > 0, lambda: total(xs, ys), lambda: ko.asarray(0)),
}


@pytest.mark.parametrize("backend", ["cpu", "interpret"])
@pytest.mark.parametrize("name", MAY_NOT_RUN)
def test_a_check_that_does_not_run_says_nothing(name, backend):
    """Lists that are zipped in a body that never runs and behind it: only there they are read."""
    nothing, xs = ops.FractalTensor([0])[:0], ops.FractalTensor([1, 2, 3])
    alone = ko.jit(MAY_NOT_RUN[name], backend=backend)
    alone(nothing, xs, xs[1:])
    both = ko.jit(lambda n, xs, ys: (MAY_NOT_RUN[name](n, xs, ys), total(xs, ys)), backend=backend)
    with pytest.raises(ko.KolamError, match="expected lists of one length, but got 3 for xs.0. and 2 for xs.1."):
        both(nothing, xs, xs[1:])


def test_what_reads_one_zip_often_is_checked_once():
    program = ko.jit(lambda xs, ys: [ops.index(ops.zip(xs, ys), i) for i in range(4)])
    text = program.lower(ops.FractalTensor([1, 2, 3, 4]), ops.FractalTensor([1, 2, 3, 4])).as_text()
    assert text.count("list-lengths") == 1
