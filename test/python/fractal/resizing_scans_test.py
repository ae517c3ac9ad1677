"""Scans whose states are lists that change their lengths, at any depth: what both backends keep of all steps."""

import model
import numpy as np
import pytest
from both import run

from kolam import fractal as ops
from kolam.fractal import FractalTensor


def grown(lists, state, x):
    """A list of lists with x behind each of its rows, and a row of them behind all."""
    rows = lists.map(lambda row: lists.join(row, lists.repeat(x, 1)), state)
    return lists.join(rows, lists.repeat(lists.repeat(x, 2), 1))


def deeper(lists, state, x):
    """One level more: the list of lists grows in each element, and there is one element more."""
    return lists.join(lists.map(lambda rows: grown(lists, rows, x), state), state[:1])


def both_models(program, *arguments):
    """What Kolam gives everywhere, and what the model gives."""
    ours = run(lambda *xs: program(ops, *xs), *[FractalTensor(x, dtype="int32", depth=_depth(x), leaf_shape=()) for x in arguments])
    return ours, _numbers(program(model, *[_scalars(x) for x in arguments]))


def _depth(x):
    return 2 if x and isinstance(x[0], list) else 1


def _scalars(x):
    return [_scalars(y) for y in x] if isinstance(x, list) else np.int32(x)


def _numbers(x):
    if isinstance(x, list | tuple):
        return type(x)(_numbers(y) for y in x)
    return np.asarray(x).tolist()


@pytest.mark.parametrize("scan", ["scan", "scanr"])
@pytest.mark.parametrize("length", [0, 1, 5])
def test_lists_of_lists_that_grow(scan, length):
    def program(lists, xs):
        return getattr(lists, scan)(lambda s, x: grown(lists, s, x), xs, initializer=lists.repeat(lists.repeat(np.int32(9), 1), 1))

    ours, theirs = both_models(program, list(range(length)))
    assert ours == theirs


@pytest.mark.parametrize("rows", [[], [[]], [[1, 2, 3], [], [4], [5, 6, 7, 8, 9]]])
def test_each_of_a_batch_grows_as_long_as_it_has_elements(rows):
    def program(lists, rows):
        start = lists.repeat(lists.repeat(np.int32(9), 2), 1)
        return lists.map(lambda row: lists.scan(lambda s, x: grown(lists, s, x), row, initializer=start), rows)

    if not rows or not rows[0]:
        empty = FractalTensor(rows, dtype="int32", depth=2, leaf_shape=())
        assert run(lambda rows: program(ops, rows), empty) == rows
        return
    ours, theirs = both_models(program, rows)
    assert ours == theirs


def test_three_levels():
    def program(lists, xs):
        start = lists.repeat(lists.repeat(lists.repeat(np.int32(9), 1), 2), 1)
        return lists.scan(lambda s, x: deeper(lists, s, x), xs, initializer=start)

    ours, theirs = both_models(program, [1, 2, 3, 4])
    assert ours == theirs


def test_states_of_several_kinds():
    """A tensor, a list and a list of lists; all states of each, and the last ones."""

    def step(lists):
        def cell(state, x):
            total, row, rows = state
            return total + x, lists.join(row, lists.repeat(x, 1)), grown(lists, rows, total)

        return cell

    start = (np.int32(0), FractalTensor([7], dtype="int32"), FractalTensor([[7]], dtype="int32"))
    xs = FractalTensor([1, 2, 3], dtype="int32")
    ours = run(lambda xs: ops.scan(step(ops), xs, initializer=start), xs)
    theirs = model.scan(step(model), _scalars([1, 2, 3]), initializer=(np.int32(0), _scalars([7]), _scalars([[7]])))
    assert ours == tuple(_numbers(model.component(theirs, which)) for which in range(3))
    last = run(lambda xs: ops.fold(step(ops), xs, initializer=start), xs)
    assert last == _numbers(theirs[-1])


def test_rows_that_become_fewer():
    def program(lists, xs, state):
        return lists.scan(lambda s, x: lists.map(lambda row: row[1:], s), xs, initializer=state)

    ours, theirs = both_models(program, [0, 0, 0, 0], [[1, 2, 3], [4], []])
    assert ours == theirs == [[[2, 3], [], []], [[3], [], []], [[], [], []], [[], [], []]]


def test_many_steps():
    xs = FractalTensor.from_offsets(np.arange(300, dtype=np.int32))
    states = run(lambda xs: ops.scan(lambda s, x: ops.join(s, ops.repeat(x, 1)), xs, initializer=xs[:0]), xs)
    assert states == [list(range(n + 1)) for n in range(300)]


def test_states_that_change_places():
    """Each next state lies in the memory of another, which may move where that grows."""
    xs, short, long = ops.FractalTensor([0, 0, 0]), FractalTensor([1, 2]), FractalTensor([3, 4, 5, 6, 7])
    swapped = run(lambda *args: ops.scan(lambda s, x: (s[1], s[0]), args[0], initializer=args[1:]), xs, short, long)
    assert swapped == ([[3, 4, 5, 6, 7], [1, 2], [3, 4, 5, 6, 7]], [[1, 2], [3, 4, 5, 6, 7], [1, 2]])
    step = lambda s, x: (ops.join(s[0], s[0]), ops.map(lambda y: y + 1, s[0]))
    last = run(lambda *args: ops.fold(step, args[0], initializer=args[1:]), xs, short, long)
    assert last == ([1, 2] * 8, [2, 3] * 4)
