"""What loops make of captures alone leaves them: views of weights, residuals that no step changes."""

import numpy as np
import pytest

import kolam as ko
from kolam import fractal as ops

RNG = np.random.default_rng(5)
F64 = {"dtype": ko.float64}
W = RNG.standard_normal((3, 4, 4)) * 0.3
X = RNG.standard_normal((6, 2, 4))


def last(step):
    return lambda x, w: ko.sum(ko.scan(lambda h, row: (step(h, row, w), None), ko.zeros((2, 4), **F64), x)[0] ** 2)


STEPS = {
    "a layer": lambda h, x, w: ko.tanh(h @ w[1] + x),
    "two layers": lambda h, x, w: ko.tanh(h @ w[0] + x @ w[2]),
    "one layer twice": lambda h, x, w: ko.tanh(h @ w[1] + x @ w[1]),
    "rows and columns": lambda h, x, w: ko.tanh(h @ w[1][:, :4] + x[:, :2] @ w[2, 1:3]),
    "a transposed layer": lambda h, x, w: ko.tanh(h @ w[1].T + x),
    "a reversed layer": lambda h, x, w: ko.tanh(h @ ko.flip(w[1], axis=0) + x),
    "elements": lambda h, x, w: ko.tanh(h * w[0, 1] + x * w[0, 1, 2]),
    "a function of a layer": lambda h, x, w: ko.tanh(h @ ko.sin(w[1]) + x * 0.5),
    "a product of layers": lambda h, x, w: ko.tanh(h @ (w[1] @ w[2]) + x),
    "a branch": lambda h, x, w: ko.cond(x[0, 0] > 0, lambda h, w: ko.tanh(h @ w[1]), lambda h, w: h * w[0, 0], h, w),
    "a loop inside": lambda h, x, w: ko.fori_loop(0, 2, lambda i, h: ko.tanh(h @ w[1] + x @ w[i]), h),
}


def differences(f, w, direction, step=1e-6):
    return (f(w + step * direction) - f(w - step * direction)) / (2 * step)


@pytest.mark.parametrize("name", STEPS)
def test_beside_differences(name):
    loss = last(STEPS[name])
    value = lambda w: np.asarray(loss(ko.asarray(X), ko.asarray(w))).item()  # noqa: E731
    direction = RNG.standard_normal(W.shape)
    native, interpreted = (ko.jit(ko.grad(loss, argnums=(0, 1)), backend=backend) for backend in ("cpu", "interpret"))
    found, same = native(X, W), interpreted(X, W)
    for one, other in zip(found, same, strict=True):
        assert np.array_equal(np.asarray(one).view(np.int64), np.asarray(other).view(np.int64))
    np.testing.assert_allclose(np.sum(np.asarray(found[1]) * direction), differences(value, W, direction), rtol=1e-6)
    _, tangent = ko.jvp(lambda w: loss(ko.asarray(X), w), (ko.asarray(W),), (ko.asarray(direction),))
    np.testing.assert_allclose(tangent.item(), np.sum(np.asarray(found[1]) * direction), rtol=1e-9)


def scans(text):
    return [line for line in text.split("\n") if "kolam.scan" in line]


@pytest.mark.parametrize("name", ["a layer", "two layers", "a transposed layer", "a function of a layer"])
def test_no_step_keeps_a_weight(name):
    """No loop stacks six of a weight or carries its gradient."""
    text = ko.jit(ko.grad(last(STEPS[name]), argnums=1)).lower(X, W).as_text("program")
    assert len(scans(text)) == 2
    for line in scans(text):
        assert "6x4x4" not in line, line
    reverse = next(line for line in scans(text) if "reverse true" in line)
    assert "3x4x4" not in reverse or name == "a function of a layer", reverse


def test_layers_of_a_weight_receive_one_product_each():
    text = ko.jit(ko.grad(last(STEPS["two layers"]), argnums=1)).lower(X, W).as_text("program")
    outside = [line for line in text.split("\n") if line.startswith("    %") and "contract" in line]
    assert len(outside) == 2, text


def test_a_list_of_lists_captures_a_layer():
    rows = ops.FractalTensor([[ko.asarray(row) for row in X[:4, 0]], [ko.asarray(row) for row in X[4:, 0]]])

    def loss(w):
        state = lambda row: ops.fold(lambda h, x: ko.tanh(w[1] @ h + x), row, initializer=ko.zeros(4, **F64))  # noqa: E731
        return ko.sum(ops.stack(ops.map(state, rows)) ** 2)

    direction = RNG.standard_normal(W.shape)
    found = np.asarray(ko.grad(loss)(ko.asarray(W)))
    assert not found[0].any() and not found[2].any()
    value = lambda w: np.asarray(loss(ko.asarray(w))).item()  # noqa: E731
    np.testing.assert_allclose(np.sum(found * direction), differences(value, W, direction), rtol=1e-6)


def test_a_pullback_knows_the_turns_of_a_loop_that_keeps_nothing():
    """Its body is linear: no residual says how many turns there were."""
    x = ko.asarray([0.5, 0.25], **F64)
    _, pullback = ko.vjp(lambda x: ko.while_loop(lambda h: h[0] < 10, lambda h: h + h, x), x)
    assert pullback(ko.ones(2, **F64))[0].tolist() == [32, 32]


def test_inner_loops_of_other_lengths_read_a_table():
    """What an inner loop adds to the table can't leave the outer one as one scatter: its number of updates differs."""

    def read(table, n):
        inner = lambda i, j, s: s * 0.5 + ko.sum(ko.sin(table[(ko.arange(3) * i + j) % 7]))  # noqa: E731
        return ko.fori_loop(0, n, lambda i, s: ko.fori_loop(0, i + 1, lambda j, s: inner(i, j, s), s), ko.zeros((), **F64))

    table, direction = RNG.standard_normal(7), RNG.standard_normal(7)
    native, interpreted = (np.asarray(ko.jit(ko.grad(read), backend=backend)(table, np.int32(4))) for backend in ("cpu", "interpret"))
    assert native.tobytes() == interpreted.tobytes()
    value = lambda table: read(ko.asarray(table), 4).item()  # noqa: E731
    np.testing.assert_allclose(np.sum(native * direction), differences(value, table, direction), rtol=1e-6)


def nested_windows(x, w):
    """Three loops and a branch in which all read windows of one capture, and one value of it is read around them."""

    def inner(i, j, h):
        window = ko.dynamic_slice(w, (i, j, 0), (1, 1, 4))[0, 0]
        h = ko.tanh(h * window + ko.dynamic_slice(w, (j, i, 0), (1, 2, 4))[0, 1])
        return ko.cond(i + j > 2, lambda h, w: h * ko.dynamic_slice(w, (0, i, 0), (1, 1, 4))[0, 0], lambda h, w: ko.sin(h), h, w)

    def middle(i, h):
        return ko.fori_loop(0, 3, lambda j, h: inner(i, j, h) + w[0, 0], h)

    def step(h, row):
        h = ko.fori_loop(0, i_most(row), middle, h + row[0])
        return h * w[1, 1], None

    def i_most(row):
        return 2 + ko.astype(row[0, 0] > 0, ko.int32)

    return ko.sum(ko.scan(step, ko.zeros((4,), **F64), x)[0] ** 2)


def test_a_nest_of_loops_has_one_sum_of_what_it_captures():
    gradient = ko.grad(nested_windows, argnums=(0, 1))
    ko.check_grads(nested_windows, (ko.asarray(X), ko.asarray(W)), order=2)
    expected = ko.jit(gradient, backend="interpret")(X, W)
    for what, own in {
        "native": ko.jit(gradient),
        "segments": ko.jit(ko.grad(nested_windows, argnums=(0, 1), memory_limit="300KiB")),
        "computed again": ko.jit(ko.grad(lambda x, w: ko.checkpoint(nested_windows)(x, w), argnums=(0, 1))),
    }.items():
        for found, wanted in zip(own(X, W), expected, strict=True):
            assert np.array_equal(np.asarray(found), np.asarray(wanted)), what
