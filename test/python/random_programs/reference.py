"""What NumPy says of elementwise functions and casts."""

import math
import statistics
from fractions import Fraction

import numpy as np
from random_programs.values import BFLOAT16, is_float, is_narrow, numpy_dtype

ERF = np.vectorize(math.erf, otypes=[np.float64])
ERFC = np.vectorize(math.erfc, otypes=[np.float64])


def _lgamma_scalar(x):
    return math.inf if math.isinf(x) or (x <= 0 and x == math.floor(x)) else math.lgamma(x)


LGAMMA = np.vectorize(_lgamma_scalar, otypes=[np.float64])


def _erf_inv_scalar(x):
    if not abs(x) < 1:
        return math.copysign(math.inf, x) if abs(x) == 1 else math.nan
    if abs(x) < 1e-4:
        return x * math.sqrt(math.pi) / 2 * (1 + math.pi / 12 * x * x)
    size = abs(x)
    t = statistics.NormalDist().inv_cdf((1 + size) / 2) / math.sqrt(2) if size < 1 - 1e-10 else 5.0
    for _ in range(30 if size >= 1 - 1e-10 else 3):
        # Beyond 1/2 the distance from 1 is exact, and erfc keeps its digits.
        error = math.erf(t) - size if size < 0.5 else (1 - size) - math.erfc(t)
        t -= error * math.sqrt(math.pi) / 2 * math.exp(t * t)
    return math.copysign(t, x)


ERF_INV = np.vectorize(_erf_inv_scalar, otypes=[np.float64])


def _fma_scalar(x, y, z):
    if math.isfinite(x) and math.isfinite(y) and math.isfinite(z):
        exact = Fraction(x) * Fraction(y) + Fraction(z)
        try:
            return float(exact) if exact else x * y + z
        except OverflowError:
            return math.copysign(math.inf, exact)
    return float(np.float64(x) * np.float64(y) + np.float64(z))


FMA = np.vectorize(_fma_scalar, otypes=[np.float64])


def _integer_pow(x, y):
    width = 8 * x.dtype.itemsize
    x, y = np.broadcast_arrays(x, y)

    def one(a, b):
        a, b = int(a), int(b)
        if b < 0:
            return 0 if a == 0 else (1 if a == 1 else (1 if b % 2 == 0 else -1) if a == -1 else 0)
        return pow(a, b, 1 << width)

    exact = np.array([one(a, b) % (1 << width) for a, b in zip(x.ravel(), y.ravel(), strict=True)], object)
    return exact.astype(f"uint{width}").reshape(x.shape).view(x.dtype)


def _shift(function, fill):
    def shifted(x, y):
        wide = y.astype(object)
        inside = np.asarray((wide >= 0) & (wide < 8 * x.dtype.itemsize), bool)
        return np.where(inside, function(x, np.where(inside, y, 0).astype(y.dtype)), fill(x).astype(x.dtype))

    return shifted


def _pow(x, y):
    return np.power(x, y) if x.dtype.kind == "f" else _integer_pow(x, y)


# By the name of the function, on operands of one dtype; floats narrower than f64 come as f64.
ELEMENTWISE = {
    "abs": np.abs, "acos": np.arccos, "acosh": np.arccosh, "add": np.add, "asin": np.arcsin, "asinh": np.arcsinh,
    "atan": np.arctan, "atan2": np.arctan2, "atanh": np.arctanh, "bitwise_and": np.bitwise_and,
    "bitwise_invert": np.bitwise_not, "bitwise_left_shift": _shift(np.left_shift, np.zeros_like),
    "bitwise_or": np.bitwise_or, "bitwise_right_shift": _shift(np.right_shift, lambda x: np.where(x < 0, -1, 0)),
    "bitwise_xor": np.bitwise_xor, "cbrt": np.cbrt, "ceil": np.ceil, "copysign": np.copysign, "cos": np.cos, "cosh": np.cosh,
    "divide": np.divide, "equal": np.equal, "erf": ERF, "erf_inv": ERF_INV, "erfc": ERFC, "exp": np.exp, "exp2": np.exp2,
    "expm1": np.expm1, "floor": np.floor, "floor_divide": np.floor_divide, "fma": FMA, "fmod": np.fmod,
    "greater": np.greater, "greater_equal": np.greater_equal, "hypot": np.hypot, "isfinite": np.isfinite,
    "isinf": np.isinf, "isnan": np.isnan, "less": np.less, "less_equal": np.less_equal, "lgamma": LGAMMA, "log": np.log,
    "log10": np.log10, "log1p": np.log1p, "log2": np.log2, "logaddexp": np.logaddexp, "logical_and": np.logical_and,
    "logical_not": np.logical_not, "logical_or": np.logical_or, "logical_xor": np.logical_xor,
    "maximum": np.maximum, "minimum": np.minimum, "multiply": np.multiply, "negative": np.negative,
    "not_equal": np.not_equal, "pow": _pow, "reciprocal": np.reciprocal, "remainder": np.remainder,
    "round": lambda x: np.rint(x) if x.dtype.kind == "f" else x, "rsqrt": lambda x: 1 / np.sqrt(x), "sign": np.sign,
    "scale_either": lambda x, y: np.where(((x == 0) & ~np.isfinite(y)) | ((y == 0) & ~np.isfinite(x)), 0.0, x * y),
    "scale": lambda x, y: np.where((x == 0) & ~np.isfinite(y), 0.0, x * y),
    "signbit": np.signbit, "sin": np.sin, "sinh": np.sinh, "sqrt": np.sqrt, "square": np.square,
    "subtract": np.subtract, "tan": np.tan, "tanh": np.tanh, "trunc": np.trunc, "where": np.where,
}  # fmt: skip


def to_float(array, dtype):
    """Rounded once. Narrow dtypes go through float32 rounded to odd, as NumPy and ml_dtypes round twice on some ways."""
    target = numpy_dtype(dtype)
    if not is_narrow(dtype) or array.dtype == bool:
        return array.astype(target)
    exact = array.astype(np.longdouble)
    single = exact.astype(np.float32)
    inexact = np.isfinite(exact) & (single != exact)
    bits = single.view(np.uint32) - (inexact & (np.abs(single) > np.abs(exact))).astype(np.uint32)
    return np.asarray(bits | inexact.astype(np.uint32), np.uint32).view(np.float32).astype(target)


def widen(array):
    """Floats narrower than f64 as f64, where single operations are nearly exact."""
    return array.astype(np.float64) if array.dtype == BFLOAT16 or array.dtype.kind == "f" else array


def at_dtype(array, dtype):
    """Converted, as promotion converts, then widened."""
    with np.errstate(all="ignore"):
        return widen(cast_saturating(array, dtype))


def cast_saturating(array, dtype):
    """astype as the design has it: floats saturate, NaN gives 0, integers wrap, bool is x != 0."""
    array = np.asarray(array)
    if dtype == "bool":
        return array.astype(np.float64) != 0 if array.dtype.kind not in "iub" else array != 0
    target = numpy_dtype(dtype)
    if is_float(dtype):
        return to_float(array, dtype)
    if array.dtype.kind in "iub":
        return array.astype(target)
    limits = np.iinfo(target)
    exact = [0 if math.isnan(x) else x for x in array.astype(np.float64).ravel().tolist()]
    clipped = [limits.max if x > limits.max else limits.min if x < limits.min else int(x) for x in exact]
    return np.array(clipped, object).astype(target).reshape(array.shape)
