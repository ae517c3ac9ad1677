"""Narrow floats add up in float32 and are rounded once: over the elements of lists, steps of loops and several uses."""

import numpy as np
import pytest

import kolam as ko
from kolam import fractal
from kolam.fractal import FractalTensor

#: bfloat16 has steps of 2 from 256 on, float16 of 1 / 4: single additions of this would be lost
SMALL = 2.0**-8
COUNT = 512


def narrow(x, dtype="bfloat16"):
    return ko.astype(ko.asarray(np.asarray(x, np.float32)), dtype)


def wide(x):
    return np.asarray(ko.astype(x, ko.float32))


def total(xs):
    return fractal.fold(lambda sum, x: sum + ko.astype(x, ko.float32), xs, ko.zeros(()))


def factors(dtype):
    """512 small numbers behind a large one."""
    return FractalTensor([narrow(value, dtype) for value in [*[SMALL] * COUNT, 256.0]])


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
@pytest.mark.parametrize("backend", ["cpu", "interpret"])
def test_a_capture_of_elements_of_a_list(dtype, backend):
    xs = factors(dtype)
    gradient = ko.jit(ko.grad(lambda w, xs: total(fractal.map(lambda x: ko.tanh(w) * x, xs))), backend=backend)(narrow(0.0, dtype), xs)
    assert gradient.dtype == ko.dtypes.as_dtype(dtype) and wide(gradient) == 256 + COUNT * SMALL


def test_a_capture_that_each_element_uses_twice():
    xs = factors("bfloat16")
    gradient = ko.grad(lambda w: total(fractal.map(lambda x: w * x + ko.tanh(w) * x, xs)))(narrow(0.0))
    assert wide(gradient) == 2 * (256 + COUNT * SMALL)


def test_a_capture_of_a_scan_of_arrays():
    xs = narrow([*[SMALL] * COUNT, 256.0])
    loss = lambda w: ko.scan(lambda sum, x: (sum + ko.astype(ko.tanh(w) * x, ko.float32), None), ko.zeros(()), xs)[0]  # noqa: E731
    assert wide(ko.grad(loss)(narrow(0.0))) == 256 + COUNT * SMALL


def test_a_list_that_is_used_several_times():
    """Eight more: from 1024 on bfloat16 has steps of 8."""

    def loss(xs):
        sum = ko.zeros(())
        for factor in [*[1.0] * 8, 1024.0]:  # contributions are added from the last use on
            sum = sum + total(fractal.map(lambda x: x * narrow(factor), xs))  # noqa: B023
        return sum

    gradient = ko.grad(loss)(FractalTensor([narrow(1.0), narrow(2.0)]))
    assert [wide(x).item() for x in gradient] == [1032, 1032]


def test_a_list_that_elements_capture():
    """The sum that the loop over the others carries."""
    others = FractalTensor([narrow(value) for value in [*[1.0] * 8, 1024.0]])

    def loss(xs):
        return total(fractal.map(lambda y: sum_of(xs) * y, others))

    def sum_of(xs):
        return fractal.fold(lambda sum, x: sum + ko.tanh(x), xs, narrow(0.0))

    gradient = ko.grad(loss)(FractalTensor([narrow(0.0), narrow(0.0)]))
    assert [wide(x).item() for x in gradient] == [1032, 1032]


def test_an_element_that_is_read_many_times():
    """Leaves of a list that gathers them again and again."""
    weights = [1024.0, *[1.0] * 8]
    loss = lambda xs: total(fractal.map(lambda pair: pair[0] * pair[1], fractal.zip(fractal.gather(xs, [0] * 9), FractalTensor([narrow(w) for w in weights]))))  # noqa: E731
    gradient = ko.grad(loss)(FractalTensor([narrow(1.0), narrow(1.0)]))
    assert [wide(x).item() for x in gradient] == [1032, 0]
