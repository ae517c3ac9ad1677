"""Cases in which native code once differed from the interpreter, or refused what it should run."""

import numpy as np
import pytest

import kolam as ko

FLOATS = ("float16", "bfloat16", "float32", "float64")


def run(function, *arrays):
    """The result of both backends, which must agree in every bit."""
    results = [np.asarray(ko.jit(function, backend=backend)(*arrays)) for backend in ("interpret", "cpu")]
    assert results[0].tobytes() == results[1].tobytes()
    return results[1]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("cells", [[0.0, 0.0, -0.0], [0.0, -0.0], [-0.0, 0.0]])
def test_zeros_are_ordered(dtype, cells):
    column = np.asarray(ko.asarray(cells, dtype))[:, None]
    assert not np.signbit(run(lambda x: ko.max(x, axis=0), column).astype(float)).any()
    assert np.signbit(run(lambda x: ko.min(x, axis=0), column).astype(float)).all()
    assert not np.signbit(run(lambda x: ko.maximum(x[0], x[-1]), column).astype(float)).any()


@pytest.mark.parametrize("extent", [1, 2])
def test_sorted_rows_move_on(extent):
    assert run(lambda x: ko.reshape(ko.sort(x, axis=2), (-1,)), np.zeros((1, 1, extent), np.uint32)).shape == (extent,)


@pytest.mark.parametrize("function", [ko.asin, ko.sinh, ko.hypot, ko.pow, ko.sin, ko.floor_divide])
def test_library_functions_inside_loops(function):
    x = np.full((3, 4), 0.5, np.float32)
    arity = 2 if function in (ko.hypot, ko.pow, ko.floor_divide) else 1
    assert run(lambda x: ko.sum(function(*[x] * arity), axis=0), x).shape == (4,)
