"""Derivatives over nested ragged lists: beside central differences, of lists and of what their bodies capture."""

import numpy as np
import pytest

import kolam as ko
from kolam import fractal as ops
from kolam.fractal import FractalTensor

RNG = np.random.default_rng(7)
ROWS = [RNG.standard_normal((length, 2)) for length in (3, 1, 4)]
WEIGHT = RNG.standard_normal((2, 2))


def as_list(rows):
    return FractalTensor([FractalTensor([ko.asarray(row) for row in part]) for part in rows])


def zero(*shape):
    return ko.zeros(shape, dtype=ko.float64)


def total(values):
    return ops.fold(lambda sum, value: sum + value, values, zero())


def rnn(step):
    return lambda w: lambda piece: step(lambda h, row: ko.tanh(w @ h + row), piece, zero(2))


def stacked(piece, w):
    below = ops.scan(lambda h, row: ko.tanh(w @ h + row), piece, zero(2))
    above = ops.scan(lambda h, row: ko.tanh(w @ row - h), below, zero(2))
    return ko.sum(ops.fold(lambda sum, row: sum + row * row, above, zero(2)))


PROGRAMS = {
    "map": lambda xs, w: total(ops.map(lambda s: total(ops.map(lambda v: ko.sum(ko.tanh(w @ v) ** 2), s)), xs)),
    "fold": lambda xs, w: total(ops.map(lambda s: ko.sum(rnn(ops.fold)(w)(s) ** 2), xs)),
    "scan": lambda xs, w: total(ops.map(lambda s: total(ops.map(lambda h: ko.sum(h**3), rnn(ops.scan)(w)(s))), xs)),
    "scan from the right": lambda xs, w: total(ops.map(lambda s: total(ops.map(lambda h: ko.sum(h**3), rnn(ops.scanr)(w)(s))), xs)),
    "stacked": lambda xs, w: total(ops.map(lambda s: stacked(s, w), xs)),
    "all pairs": lambda xs, w: total(
        ops.map(lambda s: total(ops.map(lambda q: total(ops.map(lambda k: ko.tanh(ko.sum((w @ q) * k)), s)), s)), xs)
    ),
    "reduce": lambda xs, w: total(ops.map(lambda s: ko.sum(ops.reduce(lambda a, b: a * b, ops.map(lambda v: w @ v, s), zero(2) + 1)), xs)),
    "index": lambda xs, w: ko.sum((w @ xs[2][1]) ** 2) + ko.sum(xs[0][-1] ** 3),
    "slice": lambda xs, w: total(ops.map(lambda s: total(ops.map(lambda v: ko.sum(ko.sin(w @ v)), s[1:])), xs)),
    "gather": lambda xs, w: ko.sum(ko.sin(w @ ops.stack(ops.gather(xs[2], [3, 0, 0])).T)),
    "stack": lambda xs, w: ko.sum(ko.sin(ops.stack(xs[2]) @ w)),
    "sums of stacked rows": lambda xs, w: total(ops.map(lambda s: ko.sum(ops.stack(rnn(ops.scan)(w)(s))), xs)),
    "tensors of other extents in each instance": lambda xs, w: total(ops.map(lambda s: ko.sum(ko.softmax(ops.stack(s) @ w @ ops.stack(s).T) ** 2), xs)),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_beside_differences(name):
    program = PROGRAMS[name]
    value = lambda rows, w: np.asarray(program(as_list(rows), ko.asarray(w))).item()  # noqa: E731
    gradient, of_weight = ko.grad(program, argnums=(0, 1))(as_list(ROWS), ko.asarray(WEIGHT))
    along = [RNG.standard_normal(part.shape) for part in ROWS]
    along_weight, step = RNG.standard_normal((2, 2)), 1e-6

    def moved(by):
        return value([part + by * direction for part, direction in zip(ROWS, along, strict=True)], WEIGHT + by * along_weight)

    expected = (moved(step) - moved(-step)) / (2 * step)
    assert [len(part) for part in gradient] == [len(part) for part in ROWS], "a list's gradient has its lengths"
    reverse = sum((np.stack([np.asarray(row) for row in part]) * direction).sum() for part, direction in zip(gradient, along, strict=True))
    reverse += (np.asarray(of_weight) * along_weight).sum()
    _, forward = ko.jvp(program, (as_list(ROWS), ko.asarray(WEIGHT)), (as_list(along), ko.asarray(along_weight)))
    assert reverse == pytest.approx(expected, rel=1e-6, abs=1e-7)
    assert np.asarray(forward).item() == pytest.approx(expected, rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("name", ["fold", "stacked", "all pairs"])
def test_native_code_has_the_bits_of_the_interpreter(name):
    gradients = [
        ko.jit(ko.grad(PROGRAMS[name], argnums=(0, 1)), backend=backend)(as_list(ROWS), ko.asarray(WEIGHT)) for backend in ("cpu", "interpret")
    ]
    (native, native_weight), (oracle, oracle_weight) = gradients
    assert np.array_equal(np.asarray(native_weight), np.asarray(oracle_weight))
    for part, other in zip(native, oracle, strict=True):
        for row, wanted in zip(part, other, strict=True):
            assert np.array_equal(np.asarray(row), np.asarray(wanted))


def test_lists_of_integers_choose_rows():
    words = FractalTensor([FractalTensor([np.int32(number) for number in part]) for part in ([0, 2], [1])])

    def loss(table, words):
        return total(ops.map(lambda part: total(ops.map(lambda word: ko.sum(ko.take(table, word, axis=0) ** 2), part)), words))

    gradient = ko.grad(loss)(ko.asarray(ROWS[0]), words)
    assert np.allclose(np.asarray(gradient), 2 * ROWS[0])


def test_a_pullback_in_a_trace_is_called_twice_where_instances_bind_extents():
    program = PROGRAMS["tensors of other extents in each instance"]

    def pulled(xs, w):
        _, pullback = ko.vjp(lambda w: program(xs, w), w)
        one, two = (pullback(ko.asarray(np.float64(factor)))[0] for factor in (1, 2))
        return one, two

    one, two = ko.jit(pulled)(as_list(ROWS), ko.asarray(WEIGHT))
    assert np.array_equal(np.asarray(one) * 2, np.asarray(two))


def test_a_reversed_nest_runs_in_waves_and_its_weights_receive_one_product():
    def loss(xs, w, u):
        h = ops.map(lambda row: ops.scan(lambda h, x: ko.tanh(x @ w + h @ u), row, initializer=ko.zeros((1, 2), dtype=ko.float64)), xs)
        return ko.sum(ops.flatten(h) ** 2)

    rows = FractalTensor([FractalTensor([ko.asarray(row[None]) for row in part]) for part in ROWS])
    gradient = ko.jit(ko.grad(loss, argnums=(1, 2)))
    said = gradient.explain(rows, WEIGHT, WEIGHT)
    orders = [line for line in said.split("\n") if line.startswith(("list_scan", "list_map"))]
    assert all("waves" in line for line in orders), orders
    assert "from the end" in "".join(orders), orders
    text = gradient.lower(rows, WEIGHT, WEIGHT).as_text("program")
    assert sum(line.startswith("    %") and "contract" in line for line in text.split("\n")) == 2, text
    value = lambda w: np.asarray(loss(rows, ko.asarray(w), ko.asarray(WEIGHT))).item()  # noqa: E731
    along, step = RNG.standard_normal((2, 2)), 1e-6
    expected = (value(WEIGHT + step * along) - value(WEIGHT - step * along)) / (2 * step)
    np.testing.assert_allclose(np.sum(np.asarray(gradient(rows, WEIGHT, WEIGHT)[0]) * along), expected, rtol=1e-6)


@pytest.mark.parametrize("name", ["map", "scan", "stacked", "reduce", "index", "stack", "sums of stacked rows", "tensors of other extents in each instance"])
def test_a_pullback_of_lists_outlives_its_trace(name):
    program, xs, w = PROGRAMS[name], as_list(ROWS), ko.asarray(WEIGHT)
    value, pullback = ko.vjp(program, xs, w)
    expected = ko.grad(program, argnums=(0, 1))(xs, w)
    for _ in range(2):
        of_list, of_weight = pullback(ko.ones_like(value))
        np.testing.assert_allclose(np.asarray(ops.flatten(of_list)), np.asarray(ops.flatten(expected[0])), rtol=1e-12)
        np.testing.assert_allclose(np.asarray(of_weight), np.asarray(expected[1]), rtol=1e-12)
    _, push = ko.linearize(program, xs, w)
    along = np.asarray(push(expected[0], expected[1])).item()
    np.testing.assert_allclose(along, np.sum(np.asarray(ops.flatten(expected[0])) ** 2) + np.sum(np.asarray(expected[1]) ** 2), rtol=1e-12)


def test_linear_parts_that_outlive_their_call_keep_lists_as_leaves_and_offsets():
    xs = FractalTensor([[1.0, 2.0], [3.0], [-4.0, 5.0]])
    products = lambda xs: ops.map(lambda row: ops.reduce(lambda a, b: a * b, row), xs)
    y, pullback = ko.vjp(products, xs)
    inside = ko.jit(lambda xs: (lambda y, pullback: pullback(y)[0])(*ko.vjp(products, xs)))(xs)
    for own in (pullback(y)[0], inside):
        assert str(own) == str(FractalTensor([[4.0, 2.0], [3.0], [-100.0, 80.0]]))
    _, push = ko.linearize(products, xs)
    assert str(push(xs)) == str(ko.jvp(products, (xs,), (xs,))[1])
    value, pullback = ko.vjp(lambda xs: ops.reduce(lambda a, b: a + b, products(xs)), xs)
    assert value.item() == -15 and str(pullback(1.0)[0]) == str(FractalTensor([[2.0, 1.0], [1.0], [5.0, -4.0]]))


def test_lists_of_integers_among_arguments_have_none():
    tree = {"xs": as_list(ROWS), "numbers": FractalTensor([[1, 2], [3]]), "w": ko.asarray(WEIGHT)}
    gradient = ko.grad(lambda tree: PROGRAMS["map"](tree["xs"], tree["w"]))(tree)
    assert gradient["numbers"] is None
    assert str(gradient["xs"]) == str(ko.grad(PROGRAMS["map"])(tree["xs"], tree["w"]))
