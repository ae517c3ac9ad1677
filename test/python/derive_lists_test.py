"""Derivatives over nested ragged lists: beside central differences, of lists and of what their bodies capture."""

import numpy as np
import pytest
from derivatives import twins

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


def total_of_row(row):
    return ops.fold(lambda sum, v: sum + v, row, zero(2))


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
    "filter": lambda xs, w: total(ops.map(lambda s: total(ops.map(lambda v: ko.sum(ko.sin(w @ v)), ops.filter(lambda v: ko.sum(v) > 0, s))), xs)),
    "join": lambda xs, w: total(ops.map(lambda s: ko.sum(rnn(ops.fold)(w)(ops.join(ops.reverse(s), s)) ** 2), xs)),
    "flatten": lambda xs, w: ko.sum(rnn(ops.fold)(w)(ops.unbind(ops.flatten(xs))) ** 2),
    "zip": lambda xs, w: total(ops.map(lambda s: total(ops.map(lambda p: ko.sum((w @ p[0]) * ko.sin(p[1])), ops.zip(s, ops.reverse(s)))), xs)),
    "zipped lists": lambda xs, w: total(
        ops.map(lambda p: ko.sum(total_of_row(p[0])) * ko.sum(w @ total_of_row(p[1])), ops.zip(xs, ops.reverse(xs)))
    ),
    "unbind": lambda xs, w: total(ops.map(lambda s: ko.sum(rnn(ops.fold)(w)(ops.unbind(ops.stack(s) @ w))), xs)),
    "windows": lambda xs, w: total(ops.map(lambda v: ko.sum(total_of_row(v) @ w * v[0]), ops.slide(xs[2], 2))),
    "associative scan": lambda xs, w: total(
        ops.map(lambda s: total(ops.map(ko.sum, ops.scan(lambda a, b: a * b, ops.map(lambda v: w @ v, s), zero(2) + 1, associative=True))), xs)
    ),
    "a captured list": lambda xs, w: total(ops.map(lambda s: ko.sum(ko.sin(total_of_row(s)) * rnn(ops.fold)(w)(xs[2])), xs)),
    "a scan of a captured list in a scan": lambda xs, w: ko.sum(
        ops.fold(lambda h, v: ko.tanh(h + v * total_of_row(ops.scan(lambda s, u: ko.sin(w @ u + s), xs[0], h))), xs[2], zero(2))
    ),
    "all at once": lambda xs, w: ko.sum(ko.sin(ko.reshape(ops.flatten(ops.forall(lambda v: v * v, xs)), (-1, 2)) @ w)),
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


@pytest.mark.parametrize("name", PROGRAMS)
def test_bits_of_backends_threads_and_memory_limits(name):
    arguments = as_list(ROWS), ko.asarray(WEIGHT)
    gradient = twins.agreed(ko.value_and_grad(PROGRAMS[name], argnums=(0, 1)), arguments, "the gradient")
    tangent = twins.agreed(lambda *given: ko.jvp(PROGRAMS[name], given, arguments), arguments, "the tangent")
    assert len(gradient) == 4 and len(tangent) == 2
    twins.check_limits(PROGRAMS[name], arguments, gradient)


def test_lists_three_levels_deep():
    rng = np.random.default_rng(3)
    parts = [[[rng.standard_normal(2) for _ in range(n)] for n in lengths] for lengths in ([2, 0, 3], [], [1])]
    deep = FractalTensor([[list(map(ko.asarray, row)) for row in part] for part in parts], dtype="float64", depth=3, leaf_shape=(2,))

    def loss(xs, w):
        of_row = lambda row: rnn(ops.fold)(w)(row)  # noqa: E731
        return total(ops.map(lambda part: total(ops.map(lambda row: ko.sum(of_row(row) ** 2), part)), xs))

    gradient, of_weight = ko.grad(loss, argnums=(0, 1))(deep, ko.asarray(WEIGHT))
    assert [[len(row) for row in part] for part in gradient] == [[2, 0, 3], [], [1]]
    step, tangents = 1e-6, np.random.default_rng(4).standard_normal((6, 2))

    def moved(by):
        rows = iter(tangents)
        nested = [[[ko.asarray(v + by * next(rows)) for v in row] for row in part] for part in parts]
        return loss(FractalTensor(nested, dtype="float64", depth=3, leaf_shape=(2,)), ko.asarray(WEIGHT)).item()

    leaves = np.asarray(ops.flatten(gradient)).reshape(-1, 2)
    np.testing.assert_allclose(np.sum(leaves * tangents), (moved(step) - moved(-step)) / (2 * step), rtol=1e-6)
    ko.check_grads(lambda w: loss(deep, w), (ko.asarray(WEIGHT),))


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


GROWING = {
    "fori_loop": lambda xs: ko.fori_loop(0, 2, lambda i, s: ops.join(s, xs), xs),
    "fori_loop of one length": lambda xs: ko.fori_loop(0, 2, lambda i, s: ops.map(lambda x: x * 2, s), xs),
    "while_loop": lambda xs: ko.while_loop(lambda s: ops.len(s) < 9, lambda s: ops.join(s, xs), xs),
    "cond": lambda xs: ko.cond(ops.len(xs) < 9, lambda s: ops.join(s, xs), lambda s: s, xs),
    "in a map": lambda xs: ops.map(lambda x: total(ko.fori_loop(0, 2, lambda i, s: ops.join(s, ops.repeat(x, 1)), ops.repeat(x, 0))), xs),
}


@pytest.mark.parametrize("name", GROWING)
def test_loops_and_branches_that_give_lists_are_refused(name):
    xs = FractalTensor([1.0, 2.0, 3.0])
    for transformed in (ko.grad, lambda f: lambda xs: ko.jvp(f, (xs,), (xs,))):
        with pytest.raises(ko.KolamError, match=r"\[not-differentiable\] (for|while|cond): expected (arrays as states and results, but got a list|branches whose results have one shape)"):
            transformed(lambda xs: total(GROWING[name](xs)))(xs)


def test_lists_of_integers_among_arguments_have_none():
    tree = {"xs": as_list(ROWS), "numbers": FractalTensor([[1, 2], [3]]), "w": ko.asarray(WEIGHT)}
    gradient = ko.grad(lambda tree: PROGRAMS["map"](tree["xs"], tree["w"]))(tree)
    assert gradient["numbers"] is None
    assert str(gradient["xs"]) == str(ko.grad(PROGRAMS["map"])(tree["xs"], tree["w"]))


@pytest.mark.parametrize("backend", ["cpu", "interpret"])
@pytest.mark.parametrize("rows", [[[[[1.0, 2.0]]]], [[[[1.0, 2.0], [0.5]], [[3.0]]], [[[0.1], [0.2, 0.3, 0.4]]]]])
def test_tangents_of_deep_lists_for_each_instance(rows, backend):
    xs = FractalTensor(rows, dtype="float64")

    def total(depth, xs):
        return ops.fold(lambda s, x: s + total(depth - 1, x), xs, ko.zeros((), dtype=ko.float64)) if depth else ko.sin(xs)

    f = lambda a: total(4, ops.map(lambda row: ops.join(row, row), ops.forall(lambda leaf: leaf * a, xs)))  # noqa: E731
    push = lambda a: ko.jvp(f, (a,), (a,))  # noqa: E731
    factors = np.array([1.0, 2.0])
    leaves = np.array([leaf for a in rows for b in a for c in b for leaf in c])
    values, tangents = ko.jit(ko.vmap(push), backend=backend)(factors)
    np.testing.assert_allclose(np.asarray(values), [2 * np.sin(a * leaves).sum() for a in factors], rtol=1e-12)
    np.testing.assert_allclose(np.asarray(tangents), [2 * (a * leaves * np.cos(a * leaves)).sum() for a in factors], rtol=1e-12)
