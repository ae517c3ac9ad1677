"""Functions of single elements in lanes: native code gives the interpreter's bits, for special values too."""

import ml_dtypes
import numpy as np
import pytest
from same_bits import require_same_bits

import kolam as ko

ONE = (
    "acos acosh asin asinh atan atanh cbrt cos cosh erf erfc exp exp2 expm1 lgamma log log10 log1p log2 sin sinh tan tanh"
).split()
TWO = ("atan2", "floor_divide", "fmod", "hypot", "pow", "remainder")
SPECIAL = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 10.0, 89.5, 700.0, 2.0**24, 2.0**53, 1e5, 1e30, np.inf, np.nan]


def special(dtype):
    limits = np.finfo(dtype)
    more = [limits.tiny, limits.smallest_subnormal, limits.max, 1 - limits.epsneg, 1 + limits.eps]
    positive = np.array([*SPECIAL, *more], dtype)
    return np.concatenate([positive, -positive])


def numbers(dtype, count, seed):
    """Of every size, and such as programs have."""
    rng = np.random.default_rng(seed)
    bits = rng.integers(0, 256, count * np.dtype(dtype).itemsize, np.uint8).view(dtype)
    scale = rng.choice([1e-3, 1, 10, 100, 1e6], count)
    return np.where(rng.random(count) < 0.3, bits, (rng.uniform(-1, 1, count) * scale).astype(dtype))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ONE)
def test_one(name, dtype):
    function = getattr(ko, name)
    x = numbers(dtype, 4099, 1)
    require_same_bits(function, x[:0])
    require_same_bits(function, x)
    require_same_bits(function, special(dtype))
    require_same_bits(function, special(dtype)[:1])
    require_same_bits(lambda x: function(x[::-3]), x)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_all_numbers_of_two_bytes(dtype):
    x = np.arange(2**16, dtype=np.uint16).view(dtype)
    require_same_bits(lambda x: tuple(getattr(ko, name)(x) for name in ONE), x)
    require_same_bits(lambda x: tuple(getattr(ko, name)(x, x[::-1]) for name in TWO), x)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", TWO)
def test_two(name, dtype):
    function = getattr(ko, name)
    x, y = numbers(dtype, 4099, 1), numbers(dtype, 4099, 2)
    require_same_bits(function, x[:0], y[:0])
    require_same_bits(function, x, y)
    pairs = np.meshgrid(special(dtype), special(dtype))
    require_same_bits(function, *(np.ascontiguousarray(each.ravel()) for each in pairs))
    require_same_bits(lambda x, y: function(x[::-3], y[0]), x, y)
