"""What the steps of a loop add to a table that they read at places: one scatter over all steps, the last step first."""

import ml_dtypes
import numpy as np
import pytest
from derivatives.checks import assert_same_bits

import kolam as ko
from kolam import fractal as ops
from kolam.fractal import FractalTensor

F64 = {"dtype": ko.float64}
SMALL, DOWN, UP = 1.0, -1e17, 1e17  # in one order alone the small one is left
RNG = np.random.default_rng(0)


def both(f, *args):
    """The gradient, the same bits natively and in the interpreter."""
    native, interpreted = (ko.jit(ko.grad(f), backend=backend)(*args) for backend in ("cpu", "interpret"))
    assert_same_bits(native, interpreted, "native")
    return np.asarray(native)


def over_array(places, factors, reverse=False):
    """The sum of table[place] factor over all steps."""

    def loss(table):
        step = lambda s, x: (s + ko.sum(ko.take(table, x[0], axis=0) * x[1]), None)  # noqa: E731
        return ko.scan(step, ko.zeros((), **F64), (ko.asarray(places), ko.asarray(factors)), reverse=reverse)[0]

    return loss


def over_list(read):
    def make(places, factors):
        steps = FractalTensor([ko.asarray(np.array([place, factor])) for place, factor in zip(places, factors, strict=True)])

        def loss(table):
            turn = lambda s, row: s + ko.sum(read(table, row[0].astype(ko.int32)) * row[1])  # noqa: E731
            return ops.fold(turn, steps, ko.zeros((), **F64))

        return loss

    return make


def taken(table, place):
    return ko.take(table, place, axis=0)


def sliced(table, place):
    return ko.dynamic_slice(table, (place, 0), (1, table.shape[1]))


@pytest.mark.parametrize("make", [over_array, over_list(taken), over_list(sliced)], ids=["array", "list", "list of slices"])
def test_the_last_step_comes_first(make):
    table = np.full((4, 3), 0.5)
    places = [2, 2, 2, 0]
    assert both(make(places, [SMALL, DOWN, UP, 3.0]), table).tolist() == [[3.0] * 3, [0.0] * 3, [1.0] * 3, [0.0] * 3]
    assert both(make(places, [UP, DOWN, SMALL, 3.0]), table).tolist() == [[3.0] * 3, [0.0] * 3, [0.0] * 3, [0.0] * 3]


def test_of_a_reversed_scan_the_first_row_comes_first():
    table = np.full((1, 2), 0.5)
    assert both(over_array([0, 0, 0], [UP, DOWN, SMALL], reverse=True), table).tolist() == [[1.0, 1.0]]


def test_narrow_tables_round_once():
    table = np.zeros((1, 1), ml_dtypes.bfloat16)
    loss = lambda t: ko.scan(lambda s, _: (s + ko.sum(ko.take(t, ko.asarray([0]), axis=0)), None), ko.zeros((), dtype=ko.bfloat16), None, length=260)[0]  # noqa: E731
    assert both(loss, table).astype(np.float64).tolist() == [[260.0]]


def several_rows(table, places, weights):
    step = lambda s, x: (ko.tanh(s + ko.sum(ko.take(table, x[0], axis=0) * x[1], axis=0)), None)  # noqa: E731
    return ko.sum(ko.scan(step, ko.zeros(weights.shape[-1:], **F64), (places, weights))[0])


def test_scans_of_scans():
    """Steps of both loops are those of one scatter."""
    table, weights = RNG.standard_normal((5, 3)), RNG.standard_normal((4, 6, 2, 3))
    places = RNG.integers(0, 5, (4, 6, 2)).astype(np.int32)

    def loss(table):
        outer = lambda s, x: (s + several_rows(table, *x), None)  # noqa: E731
        return ko.scan(outer, ko.zeros((), **F64), (ko.asarray(places), ko.asarray(weights)))[0]

    found = both(loss, table)
    expected = sum(np.asarray(ko.grad(several_rows)(table, ko.asarray(p), ko.asarray(w))) for p, w in zip(places, weights, strict=True))
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
    text = ko.jit(ko.grad(loss)).lower(table).as_text()
    assert text.count("kolam.scatter") == 1, text


def test_lists_of_lists_beside_sums():
    lengths, table = (3, 0, 4, 1), RNG.standard_normal((6, 2))
    pieces = [RNG.integers(0, 6, length).astype(np.int32) for length in lengths]
    nested = FractalTensor.from_offsets(np.concatenate(pieces), np.cumsum([0, *lengths]))

    def loss(table, nested):
        turn = lambda s, place: ko.tanh(s * 0.5 + ko.take(table, place, axis=0))  # noqa: E731
        each = ops.map(lambda piece: ko.sum(ops.fold(turn, piece, ko.zeros(2, **F64))), nested)
        return ops.fold(lambda s, x: s + x, each, ko.zeros((), **F64))

    found = both(loss, table, nested)
    expected = np.zeros_like(table)
    for piece in pieces:  # by hand, from the end
        states = [np.zeros(2)]
        for place in piece:
            states.append(np.tanh(states[-1] * 0.5 + table[place]))
        adjoint = np.ones(2)
        for place, state in zip(piece[::-1], states[:0:-1], strict=True):
            adjoint = adjoint * (1 - state**2)
            expected[place] += adjoint
            adjoint = adjoint * 0.5
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


def test_instances_and_segments_change_no_bit():
    table, weights = RNG.standard_normal((3, 5, 4)), RNG.standard_normal((3, 37, 2, 4))
    places = RNG.integers(0, 5, (3, 37, 2)).astype(np.int32)
    single = ko.grad(several_rows)
    expected = np.stack([np.asarray(single(*map(ko.asarray, call))) for call in zip(table, places, weights, strict=True)])
    assert_same_bits(ko.vmap(single)(table, places, weights), expected, "instances")
    plan = lambda **options: ko.jit(ko.grad(several_rows, **options)).lower(table[0], places[0], weights[0])  # noqa: E731
    whole = plan().cost()["arena_bytes"]
    limited = ko.grad(several_rows, memory_limit=int(whole * 3 / 4))
    assert_same_bits(limited(table[0], places[0], weights[0]), expected[0], "memory_limit")


def test_memory_holds_rows_but_no_tables():
    """Of each of 400 steps the row that it adds, 64 bytes, and some more; a table has 640 kB."""
    table = np.zeros((10000, 16), np.float32)
    places = np.arange(400, dtype=np.int32)
    turn = lambda table: lambda s, place: ko.tanh(s + ko.take(table, place, axis=0))  # noqa: E731
    scanned = lambda table, places: ko.sum(ko.scan(lambda s, p: (turn(table)(s, p), None), ko.zeros(16), places)[0])  # noqa: E731
    folded = lambda table, places: ko.sum(ops.fold(turn(table), places, ko.zeros(16)))  # noqa: E731
    for loss, xs in ((scanned, places), (folded, FractalTensor([np.int32(place) for place in places]))):
        assert ko.jit(ko.grad(loss)).lower(table, xs).cost()["arena_bytes"] < 400_000
