"""Python functions called from inside programs."""

import kolam as ko
import numpy as np
import pytest


def twice(x):
    return 2 * np.asarray(x)


@pytest.mark.parametrize("backend", ["cpu", "interpret"])
def test_a_program_calls_a_function_of_numpy(backend):
    @ko.jit(backend=backend)
    def f(x):
        return ko.opaque_call(twice, [x + 1], (x.shape, x.dtype)) - 1

    assert np.asarray(f(np.float32([1, 2]))).tolist() == [3, 5]


def test_several_results_come_as_a_tuple():
    def split(x):
        x = np.asarray(x)
        return x.min(), x.argsort().astype("int64")

    least, order = ko.opaque_call(split, [np.int32([3, 1, 2])], [((), ko.int32), ((3,), ko.int64)])
    assert int(least) == 1 and np.asarray(order).tolist() == [1, 2, 0]


def test_shapes_may_be_symbolic():
    f = ko.jit(lambda x: ko.opaque_call(twice, [x], (x.shape, x.dtype)).sum(), dynamic={"x": [0]})
    assert [float(f(np.ones(n, "float32"))) for n in (3, 5)] == [6, 10]


def test_an_exception_of_the_function_comes_out():
    def fail(x):
        raise LookupError("no such word")

    with pytest.raises(LookupError, match="no such word"):
        ko.jit(lambda x: ko.opaque_call(fail, [x], ((), ko.float32)))(1.0)


def test_another_type_than_promised_is_refused():
    with pytest.raises(ValueError, match=r"opaque_call: \[host-function-result\].*int32\[2\].*float64\[2\]"):
        ko.opaque_call(lambda x: np.asarray(x) * 0.5, [np.int32([1, 2])], ((2,), ko.int32))


@pytest.mark.parametrize("backend", ["interpret", "cpu"])
def test_inputs_of_another_shape_in_the_same_memory(backend):
    shapes = []

    def seen(x, y):
        shapes.append((x.shape, y.shape))
        return x

    f = ko.jit(lambda x: ko.opaque_call(seen, [ko.reshape(x * 2, (2, 3)), ko.squeeze(x[:1])], ((2, 3), x.dtype)), backend=backend)
    assert np.asarray(f(np.arange(6, dtype=np.float32))).tolist() == [[0, 2, 4], [6, 8, 10]]
    assert shapes == [((2, 3), ())]
