"""In which order contributions to a value add up: last use, last operand, last step, last element first. Large terms cancel, so
that one order keeps the small one."""

import numpy as np
import pytest

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
