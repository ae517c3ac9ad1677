"""Every function of single elements and every cast, of all pairs of special values of every dtype, beside the interpreter."""

import numpy as np
import pytest
from random_edges.values import FLOATS, INTEGERS, numpy_dtype, specials
from same_bits import require_same_bits

import kolam as ko

DTYPES = ("bool", *FLOATS, *INTEGERS)
ONE = (
    "abs bitwise_count bitwise_invert cbrt ceil cos erf exp exp2 expm1 floor isfinite isinf isnan lgamma log log10 log1p log2 logical_not negative "
    "positive reciprocal round sign signbit sin sqrt square tan tanh trunc"
).split()
TWO = (
    "add atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor copysign divide equal floor_divide fmod greater greater_equal "
    "heaviside hypot less less_equal logaddexp logical_and logical_or maximum minimum multiply nextafter not_equal pow remainder subtract"
).split()
#: Counts of shifts around widths, small divisors and exponents.
NUMBERS = [2, 3, 5, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 100]
LEAST = 30  # functions that a dtype has


def pairs(dtype):
    """Each special value beside each."""
    numbers = np.array(NUMBERS).astype(numpy_dtype(dtype))
    values = np.concatenate([specials(dtype), numbers, -numbers if dtype in FLOATS or dtype[0] == "i" else numbers[:0]])
    return (np.ascontiguousarray(array.ravel()) for array in np.meshgrid(values, values))


def functions(x, y):
    """Those that take this dtype, and casts."""
    every = [lambda x, y, name=name: getattr(ko, name)(x) for name in ONE] + [lambda x, y, name=name: getattr(ko, name)(x, y) for name in TWO]
    for function in every:
        try:
            ko.jit(function, backend="interpret")(x[:1], y[:1])
        except ko.errors.KolamTypeError:
            continue
        yield function
    yield from (lambda x, y, dtype=dtype: ko.astype(x, dtype) for dtype in DTYPES)


@pytest.mark.parametrize("dtype", DTYPES)
def test_special_values_of_every_function(dtype):
    x, y = pairs(dtype)
    chosen = list(functions(x, y))
    assert len(chosen) >= LEAST
    with np.errstate(all="ignore"):
        require_same_bits(lambda x, y: tuple(function(x, y) for function in chosen), x, y)
