"""How far a result may lie from what a reference gives in float64."""

import math

import numpy as np
from random_programs.reference import to_float
from random_programs.values import is_narrow

EPSILON = {"float32": 2.0**-23, "float64": 2.0**-52}
# Sums of products that lie among the denormals, which bfloat16 contractions flush to zero.
NOTHING = 1e-34


def ulps_apart(a, b):
    """How many representable numbers lie between; 0 where both are NaN, the zeros are one place."""
    width = 8 * a.dtype.itemsize
    both_nan = np.isnan(a.astype(np.float64)) & np.isnan(b.astype(np.float64))

    def place(x):
        bits = x.view(f"int{width}").astype(np.int64)
        return np.where(bits < 0, -(bits & (2 ** (width - 1) - 1)), bits)

    # Nothing that may agree lies so far apart that the difference wraps.
    left, right = place(a), place(b)
    apart = np.where((left < 0) == (right < 0), np.abs(left - right), np.abs(left) + np.abs(right))
    return np.where(both_nan, 0, np.where(apart < 0, 2**62, apart))


def agrees(got, expected, ulps, within=None):
    """Whether `got` lies within `ulps` of `expected`, or, where `within` is given, as near as it says for the epsilon of
    the accumulation (float32 for narrower dtypes) and half an ulp more, the final rounding."""
    if got.shape != expected.shape:
        return False
    if got.dtype.kind in "iub":
        return bool(np.array_equal(got, expected.astype(got.dtype)))
    with np.errstate(all="ignore"):
        rounded = to_float(np.asarray(expected), str(got.dtype))
        if within is None:
            return bool(np.all(ulps_apart(np.ascontiguousarray(got), np.ascontiguousarray(rounded)) <= math.ceil(ulps)))
        epsilon = EPSILON["float32" if is_narrow(str(got.dtype)) else str(got.dtype)]
        wide, expected = got.astype(np.float64), np.asarray(expected).astype(np.float64)
        allowed = within(epsilon) + 0.501 * _spacing(np.maximum(np.abs(wide), np.abs(expected)), got.dtype) + NOTHING
        near = np.abs(wide - expected) <= allowed
        overflows = np.isinf(wide) & (np.sign(wide) == np.sign(expected)) & (np.abs(expected) + allowed >= _largest(got.dtype))
        same = (wide == expected) | (np.isnan(wide) & np.isnan(expected))
        return bool(np.all(near | overflows | same))


def _largest(dtype):
    return {"float16": 65504.0, "bfloat16": 3.3895314e38, "float32": 3.4028235e38}.get(str(dtype), np.finfo(np.float64).max)


def _spacing(wide, dtype):
    """The distance of neighbours of that size, from the least normal number on."""
    digits, least = {"float16": (10, -14), "bfloat16": (7, -126), "float32": (23, -126)}.get(str(dtype), (52, -1022))
    exponent = np.floor(np.log2(np.where(np.isfinite(wide) & (wide > 0), wide, 1.0)))
    return np.ldexp(1.0, np.maximum(exponent, least).astype(int) - digits)
