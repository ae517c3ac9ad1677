"""The orders of scans: what each runs as, and that an unknown one is refused."""

import importlib
import re
from pathlib import Path

import numpy as np
import pytest

import kolam as ko
from kolam import fractal as ops


def layer(rows, weights):
    cell = lambda state, x: ko.tanh(x @ weights + state)
    return ops.map(lambda row: ops.scan(cell, row, initializer=ops.zeros(1, 2)), rows)


def orders_of(order):
    """What explain says of the scan over layers, whose elements are weights, and of the scan inside."""
    program = ko.jit(lambda batch, layers: ops.fold(layer, layers, initializer=batch), order=order)
    row = ops.FractalTensor([np.ones((1, 2), np.float32)])
    text = program.explain(ops.FractalTensor([row]), ops.FractalTensor([np.ones((2, 2), np.float32)]))
    return [line.split("): ")[1] for line in text.splitlines() if line.startswith("list_scan (")]


def test_layers_with_weights_of_their_own_go_one_after_the_other():
    layers, steps = orders_of("auto")
    assert layers.startswith("step by step: each element brings weights of its own")
    assert steps.startswith("one pass over the elements of all lists")


def test_waves_cross_layers_on_request():
    assert [order.split(":")[0] for order in orders_of("waves")] == ["waves i0 + i2 of the nest scan i0, map i1, scan i2, sorted by an inspector"]


def test_the_plain_order_has_no_waves():
    assert orders_of("sequential") == ["step by step: the order is sequential"] * 2


def test_unknown_orders_are_refused():
    with pytest.raises(ValueError, match=r"jit: \[bad-option\] argument 'order': expected 'auto', 'sequential' or 'waves'"):
        ko.jit(lambda x: x, order="fast")


def test_a_state_that_no_cell_is_given_takes_the_lengths_of_its_last_step():
    running = lambda state, element: state + element
    program = lambda rows, first: ops.fold(lambda state, row: ops.scan(running, row), rows, initializer=first)
    rows = ops.FractalTensor([[np.float32(1), np.float32(2)], [np.float32(3), np.float32(4), np.float32(5)]])
    for order in ("auto", "waves", "sequential"):
        compiled = ko.jit(program, order=order)
        assert list(compiled(rows, ops.FractalTensor([np.float32(9)]))) == [3, 7, 12]


def test_waves_change_states_in_place_where_only_cells_read_them():
    def cell(state, element):
        above, weight = element
        return ko.minimum(state[0], above) + weight * state[1], above

    def row(above, weights):
        lowest, _ = ops.scan(cell, ops.zip(above, weights), initializer=(np.float32(0), np.float32(1)))
        return lowest

    program = ko.jit(lambda first, weights: ops.fold(row, weights, initializer=first), order="waves")
    numbers = [np.float32(1), np.float32(2)]
    lines = program.explain(ops.FractalTensor(numbers), ops.FractalTensor([numbers])).splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("for ["))
    turn = [line for line in lines[start + 1 :] if line.startswith("  ")]
    changes = [line for line in turn if "= scatter(" in line]  # the two that write to the same places are one
    given = [buffer for line in changes for buffer in re.findall(r"b\d+(?=.* = )", line)]
    changed = [buffer for line in changes for buffer in re.findall(r"in place of (b\d+)", line)]
    assert len(given) == len(changed) == 3
    assert all(buffer in re.search(r"scatter\((.*?)\)", line).group(1) for line in changes for buffer in re.findall(r"in place of (b\d+)", line))
    assert not any("copy" in line or "swap" in line for line in turn)


def test_waves_cross_the_layers_of_a_grid(monkeypatch):
    """Three scans: the state's elements are only counted (`len(state[0][0])`), or passed on."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[3] / "examples" / "fractal"))
    direction_x = importlib.import_module("grid_rnn").direction_x
    rng = np.random.default_rng(0)
    tensor = lambda *shape: rng.standard_normal(shape).astype(np.float32)
    params = lambda: (tensor(8, 4), tensor(4, 4), tensor(1, 4))
    layers = ops.FractalTensor([(params(), params()) for _ in range(3)])
    xs, ys = (ops.FractalTensor.from_offsets(tensor(9, 1, 4), offsets) for offsets in ([0, 2, 6, 9], [0, 4, 5, 9]))

    def grid(pair):
        return ops.fold(direction_x, layers, initializer=ops.zip(*ops.product(*pair)))

    results = []
    for order in ("waves", "auto", "sequential"):
        program = ko.jit(lambda xs, ys: ops.map(lambda pair: ops.zip(*grid(pair)), ops.zip(xs, ys)), order=order)
        results.append(program(xs, ys))
        if order != "sequential":  # the waves of a layer give lists as long as they take
            assert "allocated" not in program.explain(xs, ys)
        is_skewed = "waves i1 + i2 + i3 of the nest scan i1, scan i2, scan i3" in program.explain(xs, ys)
        assert is_skewed == (order == "waves")
    assert results[0] == results[1] == results[2]


def running(state, parts):
    return state * 0.5 + parts[0] + parts[1]


#: What a row does with the states of the row above, st, and its own elements, x.
ROWS = {
    "a zip of both": lambda st, x: ops.scan(running, ops.zip(st, x), initializer=np.float32(0)),
    "a map in front": lambda st, x: ops.scan(
        lambda state, y: state * 0.5 + y, ops.map(lambda parts: parts[0] + parts[1], ops.zip(st, x)), initializer=np.float32(0)
    ),
    "the map's element beside its own": lambda st, x: ops.scan(
        lambda state, parts: state * parts[1] + parts[0],
        ops.zip(ops.map(lambda parts: parts[0] * parts[1], ops.zip(st, x)), x), initializer=np.float32(0),
    ),
    "places": lambda st, x: ops.scan(
        lambda state, found: running(state, found[1]) * ko.astype(found[0] + 1, ko.float32),
        ops.enumerate(ops.zip(st, x)), initializer=np.float32(0),
    ),
}  # fmt: skip


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS.keys())
def test_states_may_be_mapped_and_counted_on_their_way(row):
    program = lambda rows: ops.scan(row, rows, initializer=rows[0])
    rows = ops.FractalTensor([list(numbers) for numbers in np.random.default_rng(3).standard_normal((4, 5)).astype(np.float32)])
    text = ko.jit(program, order="waves").explain(rows)
    assert "waves i0 + i1 of the nest scan i0, scan i1, in closed form" in text
    assert "one cell after the other" in ko.jit(program).explain(rows)
    meant = ko.jit(program, backend="interpret")(rows)
    for order in ("auto", "waves", "sequential"):
        assert ko.jit(program, order=order)(rows) == meant


def test_products_of_a_layer_with_all_its_elements_stay_in_front_of_it():
    def layer(rows, weights):
        return ops.scan(lambda state, x: ko.tanh(x + state), ops.map(lambda x: x @ weights, rows), initializer=ops.zeros(1, 2))

    program = lambda rows, layers: ops.fold(layer, layers, initializer=rows)
    rows, layers = (ops.FractalTensor([np.ones(shape, np.float32)] * 2) for shape in ((1, 2), (2, 2)))
    assert "in the steps of the scan that takes its elements" not in ko.jit(program).explain(rows, layers)
    assert "waves i0 + i1 of the nest" in ko.jit(program, order="waves").explain(rows, layers)
    assert ko.jit(program, order="waves")(rows, layers) == ko.jit(program)(rows, layers)
