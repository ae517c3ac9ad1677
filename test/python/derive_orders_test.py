"""In which order contributions to a value add up: last use, last operand, last step, last element first. Large terms cancel, so
that one order keeps the small one."""

import numpy as np
import pytest
from derivatives import twins

import kolam as ko
from kolam import fractal as ops

F64 = {"dtype": ko.float64}
SMALL, DOWN, UP = 1.0, -1e17, 1e17
ONE = ko.asarray([0.5], **F64)
WIDE = ko.full((1, 16), 0.5, **F64)  # products of 16 columns and more add up term by term


def both(f, *args):
    """The gradient, the same bits natively and in the interpreter."""
    native, interpreted = (np.asarray(ko.jit(ko.grad(f), backend=backend)(*args)) for backend in ("cpu", "interpret"))
    assert np.array_equal(native.view(np.int64), interpreted.view(np.int64))
    return native


def factors(*numbers):
    return ko.asarray(np.array(numbers))


def test_the_last_use_comes_first():
    f = lambda x: ko.sum(x * SMALL) + ko.sum(x * DOWN) + ko.sum(x * UP)  # noqa: E731
    assert both(f, ONE).tolist() == [1.0]
    g = lambda x: ko.sum(x * UP) + ko.sum(x * DOWN) + ko.sum(x * SMALL)  # noqa: E731
    assert both(g, ONE).tolist() == [0.0]


def test_the_last_operand_comes_first():
    c = factors(SMALL, DOWN, UP)
    assert both(lambda x: ko.sum(ko.concat([x, x, x]) * c), ONE).tolist() == [1.0]


def test_windows_join_the_order_of_uses():
    """The first half is read by windows, then whole, then by windows again."""
    x = ko.asarray([0.5, 0.5], **F64)
    f = lambda x: ko.sum(x[:1] * SMALL) + ko.sum(x * DOWN) + ko.sum(x[:1] * UP)  # noqa: E731
    assert both(f, x).tolist() == [1.0, DOWN]
    g = lambda x: ko.sum(x[:1] * SMALL) + ko.sum(x[:1] * DOWN) + ko.sum(x * UP)  # noqa: E731
    assert both(g, x).tolist() == [1.0, UP]


@pytest.mark.parametrize("is_reverse", [False, True])
def test_the_last_step_comes_first(is_reverse):
    """Of a carried sum, and of one product over all steps."""
    rows = factors(SMALL, DOWN, UP)[:, None]
    elementwise = lambda x: ko.scan(lambda s, c: (s + ko.sum(x * c), None), ko.zeros((), **F64), rows, reverse=is_reverse)[0]  # noqa: E731
    product = lambda x: ko.scan(lambda s, c: (s + ko.sum(c[None] @ x), None), ko.zeros((), **F64), rows, reverse=is_reverse)[0]  # noqa: E731
    # The last step is the one at the end that the loop reaches last: (1e17 - 1e17) + 1, or (1 - 1e17) + 1e17.
    expected = [0.0] if is_reverse else [1.0]
    assert both(elementwise, ONE).tolist() == expected
    assert both(product, WIDE).tolist() == [expected * 16]


def test_the_last_element_of_a_list_comes_first():
    rows = ops.FractalTensor([[ko.asarray([SMALL])], [ko.asarray([DOWN]), ko.asarray([UP])]])

    def f(x):
        each = lambda row: ops.map(lambda c: ko.sum(c[None] @ x), row)  # noqa: E731
        return ko.sum(ops.flatten(ops.map(each, rows)))

    assert both(f, WIDE).tolist() == [[1.0] * 16]


def test_narrow_sums_round_once():
    """257 ones are 256 where each addition rounds to bfloat16, of eight bits."""
    x = ko.ones((1,), dtype=ko.bfloat16)
    f = lambda x: ko.sum(ko.concat([x] * 260))  # noqa: E731
    assert np.asarray(ko.grad(f)(x)).astype(np.float32).tolist() == [260.0]


@pytest.mark.parametrize("is_reverse", [False, True])
def test_what_a_branch_captures_is_a_sum_with_the_last_step_first(is_reverse):
    rows = factors(SMALL, DOWN, UP)

    def f(x):
        step = lambda s, c: (s + ko.cond(c != 0, lambda: ko.sum(x * c), lambda: 0 * ko.sum(x)), None)  # noqa: E731
        return ko.scan(step, ko.zeros((), **F64), rows, reverse=is_reverse)[0]

    assert both(f, ONE).tolist() == ([0.0] if is_reverse else [1.0])


def test_instances_are_one_more_summed_dim_in_front():
    """A shared argument of vmap receives what one op over all instances gives, bit by bit."""
    rng = np.random.default_rng(1)
    rows, x = rng.standard_normal((5000, 3)), rng.standard_normal(3)
    found = both(lambda x: ko.sum(ko.vmap(lambda row: ko.sum(x * row))(ko.asarray(rows))), ko.asarray(x))
    assert np.array_equal(found, np.asarray(ko.sum(ko.asarray(rows), axis=0)))
    blocks, weights = rng.standard_normal((700, 6, 4)), rng.standard_normal((700, 6, 5))
    loss = lambda w: ko.sum(ko.vmap(lambda block, v: ko.sum((block @ w) * v))(ko.asarray(blocks), ko.asarray(weights)))  # noqa: E731
    found = both(loss, ko.asarray(rng.standard_normal((4, 5))))
    assert np.array_equal(found, np.asarray(ko.einsum("nmk,nmj->kj", ko.asarray(blocks), ko.asarray(weights))))


def test_orders_of_lists_change_no_bit():
    rng = np.random.default_rng(2)
    w = ko.asarray(rng.standard_normal((3, 3)))
    xs = ops.FractalTensor([[ko.asarray(rng.standard_normal(3)) for _ in range(n)] for n in (5, 1, 9, 2)])
    zero = ko.zeros(3, **F64)

    def loss(w):
        below = lambda row: ops.scan(lambda h, x: ko.tanh(w @ h + x), row, zero)  # noqa: E731
        above = lambda row: ops.fold(lambda h, x: ko.tanh(w @ x - h), below(row), zero)  # noqa: E731
        return ko.sum(ops.stack(ops.map(above, xs)) ** 2)

    found = [np.asarray(ko.jit(ko.grad(loss), order=order)(w)) for order in ("auto", "sequential", "waves")]
    assert np.array_equal(found[0], found[1]) and np.array_equal(found[0], found[2])
    assert np.array_equal(found[0], np.asarray(ko.jit(ko.grad(loss), backend="interpret")(w)))


def test_threads_change_no_bit():
    rng = np.random.default_rng(3)
    x, w, v = (ko.asarray(rng.standard_normal(shape).astype(np.float32)) for shape in ((700, 300), (300, 200), (200, 64)))
    places = ko.asarray(rng.integers(0, 300, 5000).astype(np.int32))

    def loss(w, v):
        return ko.sum(ko.softmax(ko.tanh(x @ w) @ v) ** 2) + ko.sum(ko.take(w, places, axis=0) ** 3)

    gradient, found = ko.jit(ko.grad(loss, argnums=(0, 1))), []
    for count in (1, 2, 3):
        with twins.threads(count):
            found.append(twins.arrays_of(gradient(w, v)))
    for other in found[1:]:
        twins.assert_same(other, found[0], "on other threads")
