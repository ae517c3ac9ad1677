"""Loops carry lists, and branches give them, whose lengths may change from turn to turn: at once, native and interpreted."""

import control_model
import model
import numpy as np
import pytest
from both import run

import kolam as ko
from kolam import fractal as ops
from kolam.fractal import FractalTensor

END = 1


def length(lists, xs):
    return ops.len(xs) if lists is ops else len(xs)


def one(lists, x):
    return lists.repeat(x, 1)


def decoded(lists, ko, word):
    """Collatz's words from one on, until the end word; a list grows by one a turn."""
    def step(state):
        words, word = state
        word = ko.cond(word % 2 == 0, lambda: word // 2, lambda: 3 * word + 1)
        return lists.join(words, one(lists, word)), word

    return ko.while_loop(lambda state: state[1] != END, step, (one(lists, word), word))[0]


def halved(lists, ko, xs):
    return ko.while_loop(lambda xs: length(lists, xs) > 1, lambda xs: xs[: length(lists, xs) // 2], xs)


def picked(lists, ko, xs):
    return ko.cond(length(lists, xs) % 2 == 0, lambda: lists.join(xs, xs), lambda: xs[1:])


def picked_of_operands(lists, ko, xs):
    return ko.cond(length(lists, xs) > 2, lambda a, b: (a, b), lambda a, b: (lists.join(b, a), a), xs, lists.reverse(xs))


def switched(lists, ko, xs):
    return ko.switch(length(lists, xs), [lambda: xs, lambda: lists.join(xs, xs), lambda: lists.reverse(xs)])


def triangle(lists, ko, xs):
    """Rows 0, 0 1, 0 1 2, ...: a list of lists grows in both levels."""
    def step(i, state):
        rows, row = state
        row = lists.join(row, one(lists, np.int32(1)))
        return lists.join(rows, one(lists, row)), row

    return ko.fori_loop(0, length(lists, xs), step, (one(lists, xs), xs[:0]))


def pairs(lists, ko, xs):
    """A list of tuples shrinks from both ends."""
    ys = lists.zip(xs, lists.reverse(xs))
    def step(ys):
        return ys[1:-1]
    out = ko.while_loop(lambda ys: length(lists, ys) > 2, step, ys)
    return lists.map(lambda p: p[0] * 10 + p[1], out)


def pairs_changed(lists, ko, xs):
    """A body that gives a tuple of lists for a list of tuples."""
    step = lambda ys: lists.map(lambda p: (p[0] + 1, p[1]), ys[1:])
    out = ko.while_loop(lambda ys: length(lists, ys) > 2, step, lists.zip(xs, lists.reverse(xs)))
    return lists.map(lambda p: p[0] * 10 + p[1], out)


def loops_in_loops(lists, ko, xs):
    """Each turn drops elements in a loop of its own, and a branch says what comes in their place."""
    def step(i, rows):
        row = ko.while_loop(lambda row: length(lists, row) > i, lambda row: row[1:], xs)
        return ko.cond(length(lists, row) % 2 == 0, lambda: lists.join(rows, one(lists, row)), lambda: rows)

    return ko.fori_loop(0, 5, step, one(lists, xs))


def captured(lists, ko, xs):
    """The body reads a list from outside at places that change."""
    def step(state):
        words, i = state
        return lists.join(words, xs[i : i + 2]), i + 1

    return ko.while_loop(lambda state: state[1] < length(lists, xs), step, (xs[:0], 0))[0]


def scanned(lists, ko, xs):
    """A scan's step has a loop in it that carries its list."""
    def step(s, x):
        return ko.while_loop(lambda s: length(lists, s) > x, lambda s: s[:-1], lists.join(s, s, one(lists, x)))

    return lists.scan(step, xs, initializer=one(lists, np.int32(7)))


def never(lists, ko, xs):
    return ko.while_loop(lambda xs: length(lists, xs) > 100, lambda xs: lists.join(xs, xs), xs)


def emptied(lists, ko, xs):
    return ko.while_loop(lambda s: length(lists, s) > 0, lambda s: s[1:], xs)


PROGRAMS = [halved, picked, picked_of_operands, switched, triangle, pairs, pairs_changed, loops_in_loops, captured, scanned, never, emptied]
LISTS = [[], [3], [3, 1, 4], [2, 7, 1, 8, 2, 8]]


def numbers(value):
    if isinstance(value, (list, tuple)):
        return type(value)(map(numbers, value))
    return np.asarray(value).tolist()


def meant(program, xs):
    return numbers(program(model, control_model, [np.int32(x) for x in xs]))


def list_of(xs, depth=1):
    return FractalTensor(xs, dtype="int32", depth=depth, leaf_shape=())


@pytest.mark.parametrize("xs", LISTS, ids=map(len, LISTS))
@pytest.mark.parametrize("program", PROGRAMS)
def test_one_list(program, xs):
    assert run(lambda xs: program(ops, ko, xs), list_of(xs)) == meant(program, xs)


@pytest.mark.parametrize("program", PROGRAMS)
def test_each_row(program):
    """In the body of a map each row has its own lengths and its own number of turns."""
    ours = run(lambda rows: ops.map(lambda row: program(ops, ko, row), rows), list_of(LISTS, 2))
    theirs = [meant(program, row) for row in LISTS]
    if isinstance(theirs[0], tuple):
        theirs = tuple(map(list, zip(*theirs, strict=True)))
    assert ours == theirs


@pytest.mark.parametrize("program", PROGRAMS)
def test_no_rows(program):
    rows = list_of([], 2)
    native, interpreted = (ko.jit(lambda rows: ops.map(lambda row: program(ops, ko, row), rows), backend=b) for b in ("cpu", "interpret"))
    for found in (native(rows), interpreted(rows)):
        assert all(len(part) == 0 for part in (found if isinstance(found, tuple) else (found,)))


@pytest.mark.parametrize("word", [1, 2, 7])
def test_decoding_until_the_end_word(word):
    assert run(lambda word: decoded(ops, ko, word), np.int32(word)) == numbers(decoded(model, control_model, np.int32(word)))


def test_decoding_a_batch():
    words = [6, 1, 27, 3]
    ours = run(lambda words: ops.map(lambda word: decoded(ops, ko, word), words), list_of(words))
    assert ours == [numbers(decoded(model, control_model, np.int32(word))) for word in words]


def test_leaves_that_are_vectors():
    """Greedy decoding with a matrix: the state is a list of vectors and the last of them."""
    table = np.random.default_rng(0).standard_normal((4, 4)).astype(np.float32)

    def program(x):
        def step(state):
            seen, x = state
            x = ko.tanh(x @ table)
            return ops.join(seen, ops.repeat(x, 1)), x
        return ko.while_loop(lambda s: ops.len(s[0]) < 6, step, (ops.repeat(x, 1), x))[0]

    x = np.ones(4, np.float32)
    found = np.asarray(ko.jit(program)(x))
    expected = [x]
    for _ in range(5):
        expected.append(np.tanh(expected[-1] @ table))
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    assert (np.asarray(ko.jit(program, backend="interpret")(x)) == found).all()


def test_a_list_of_lists_as_state():
    """Rows lose their last elements until none has more than two."""
    def program(rows):
        longest = lambda rows: ops.fold(ops.maximum, ops.map(ops.len, rows), initializer=ko.asarray(0, ko.int64))
        return ko.while_loop(lambda rows: longest(rows) > 2, lambda rows: ops.map(lambda row: row[:-1], rows), rows)

    assert run(program, list_of([[1, 2, 3], [], [4], [5, 6, 7, 8]], 2)) == [[1], [], [], [5, 6]]


def test_one_program_for_all_lengths():
    f = ko.jit(lambda xs: halved(ops, ko, xs))
    assert f(list_of([1, 2, 3, 4])).to_list() == [1] and f(list_of([5, 6])).to_list() == [5]
    assert f.cache_size == 1


def test_named_tuples_and_dicts_of_states():
    def program(xs):
        return ko.while_loop(lambda s: ops.len(s["rest"]) > 0,
                             lambda s: {"sum": s["sum"] + ops.first(s["rest"]), "rest": s["rest"][1:]},
                             {"sum": np.int32(0), "rest": xs})["sum"]

    assert run(program, list_of([1, 2, 3])) == 6


# What is refused.

XS = list_of([1, 2, 3])
FLOATS = FractalTensor([1.0, 2.0])
REFUSED = {
    "an array for a list": (lambda: ko.while_loop(lambda s: True, lambda s: 1, XS), "while_loop: [carry-mismatch] state: expected structure"),
    "a list for an array": (lambda: ko.while_loop(lambda s: s < 3, lambda s: XS, 1), "while_loop: [carry-mismatch] state: expected structure"),
    "another dtype": (lambda: ko.while_loop(lambda s: True, lambda s: FLOATS, XS),
                      "while_loop: [carry-mismatch] state 0: expected list<int32[]>, but got list<float32[]>"),
    "another depth": (lambda: ko.fori_loop(0, 3, lambda i, s: ops.repeat(s, 2), XS),
                      "fori_loop: [carry-mismatch] state 0: expected list<int32[]>, but got list<list<int32[]>>"),
    "tuples for numbers": (lambda: ko.while_loop(lambda s: True, lambda s: ops.zip(s, s), XS), "while_loop: [carry-mismatch] state: expected structure"),
    "branches": (lambda: ko.cond(True, lambda: XS, lambda: FLOATS),
                 "cond: [branch-mismatch] the true branch, result 0: expected list<float32[]>, but got list<int32[]>"),
    "a list and an array": (lambda: ko.cond(True, lambda: XS, lambda: 1), "cond: [branch-mismatch] the true branch: expected structure"),
    "a condition that is a list": (lambda: ko.while_loop(lambda s: s, lambda s: s, XS), "while_loop: [not-an-array] argument 'result of condition'"),
    "a scan of arrays": (lambda: ko.scan(lambda s, x: (s, x), XS, ko.ones(3)), "scan: [not-an-array] argument 'init'"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name):
    call, words = REFUSED[name]
    for f in (call, ko.jit(call)):
        with pytest.raises(TypeError) as info:
            f()
        assert words in str(info.value)


@pytest.mark.parametrize("backend", ["cpu", "interpret"])
def test_errors_in_bodies_name_the_line(backend):
    f = ko.jit(lambda xs: ko.while_loop(lambda s: ops.len(s) >= 0, lambda s: ops.join(s[1:], ops.repeat(ops.first(s), 0)), xs), backend=backend)
    with pytest.raises(IndexError) as info:
        f(XS)
    assert info.value.slug == "list-index" and info.value.where[0] == __file__
