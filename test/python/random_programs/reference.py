"""What NumPy says of single operations, and how far from it a result may lie."""

import math

import numpy as np
from random_programs.values import BFLOAT16, is_float, is_tame, numpy_dtype

ERF = np.vectorize(math.erf, otypes=[np.float64])


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
        inside = (wide >= 0) & (wide < 8 * x.dtype.itemsize)
        return np.where(inside, function(x, np.where(inside, y, 0).astype(y.dtype)), fill(x).astype(x.dtype))

    return shifted


def _pow(x, y):
    return np.power(x, y) if x.dtype.kind == "f" else _integer_pow(x, y)


def _floor_divide(x, y):
    return np.floor_divide(x, y)


# By the name of the function, on operands of one dtype; floats narrower than f64 come as f64.
ELEMENTWISE = {
    "abs": np.abs, "acos": np.arccos, "acosh": np.arccosh, "add": np.add, "asin": np.arcsin, "asinh": np.arcsinh,
    "atan": np.arctan, "atan2": np.arctan2, "atanh": np.arctanh, "bitwise_and": np.bitwise_and,
    "bitwise_invert": np.bitwise_not, "bitwise_left_shift": _shift(np.left_shift, np.zeros_like),
    "bitwise_or": np.bitwise_or, "bitwise_right_shift": _shift(np.right_shift, lambda x: np.where(x < 0, -1, 0)),
    "bitwise_xor": np.bitwise_xor, "ceil": np.ceil, "copysign": np.copysign, "cos": np.cos, "cosh": np.cosh,
    "divide": np.divide, "equal": np.equal, "erf": ERF, "erf_inv": None, "exp": np.exp, "exp2": np.exp2,
    "expm1": np.expm1, "floor": np.floor, "floor_divide": _floor_divide, "fma": lambda x, y, z: x * y + z,
    "greater": np.greater, "greater_equal": np.greater_equal, "hypot": np.hypot, "isfinite": np.isfinite,
    "isinf": np.isinf, "isnan": np.isnan, "less": np.less, "less_equal": np.less_equal, "log": np.log,
    "log10": np.log10, "log1p": np.log1p, "log2": np.log2, "logaddexp": np.logaddexp, "logical_and": np.logical_and,
    "logical_not": np.logical_not, "logical_or": np.logical_or, "logical_xor": np.logical_xor,
    "maximum": np.maximum, "minimum": np.minimum, "multiply": np.multiply, "negative": np.negative,
    "not_equal": np.not_equal, "pow": _pow, "reciprocal": np.reciprocal, "remainder": np.remainder, "round": lambda x: np.rint(x) if x.dtype.kind == "f" else x,
    "rsqrt": lambda x: 1 / np.sqrt(x), "sign": np.sign, "signbit": np.signbit, "sin": np.sin, "sinh": np.sinh,
    "sqrt": np.sqrt, "square": np.square, "subtract": np.subtract, "tan": np.tan, "tanh": np.tanh, "trunc": np.trunc,
    "where": np.where,
}  # fmt: skip


def widen(array):
    """Floats narrower than f64 as f64, where single operations are nearly exact."""
    return array.astype(np.float64) if array.dtype == BFLOAT16 or array.dtype.kind == "f" else array


def ulps_apart(a, b):
    """How many representable numbers lie between; 0 where both are NaN, the zeros are one place."""
    width = 8 * a.dtype.itemsize
    both_nan = np.isnan(a.astype(np.float64)) & np.isnan(b.astype(np.float64))

    def place(x):
        bits = x.view(f"int{width}").astype(np.int64)
        return np.where(bits < 0, -(bits & (2 ** (width - 1) - 1)), bits).astype(object)

    apart = np.abs(place(a) - place(b))
    return np.where(both_nan, 0, apart)


def cast_saturating(array, dtype):
    """astype as the design has it: floats saturate, NaN gives 0, integers wrap, bool is x != 0."""
    if dtype == "bool":
        return array.astype(np.float64) != 0 if array.dtype.kind not in "iub" else array != 0
    target = numpy_dtype(dtype)
    if array.dtype.kind in "iub" or is_float(dtype):
        return array.astype(target)
    limits = np.iinfo(target)
    exact = [0 if math.isnan(x) else x for x in array.astype(np.float64).ravel()]
    clipped = [limits.max if x > limits.max else limits.min if x < limits.min else int(x) for x in exact]
    return np.array(clipped, object).astype(target).reshape(array.shape)


def agrees(got, expected, ulps, scale=None):
    """Whether `got` lies within `ulps` of `expected` (f64), counted in units of `scale` where that is given."""
    if got.shape != expected.shape:
        return False
    if got.dtype.kind in "iub":
        return bool(np.array_equal(got, expected.astype(got.dtype)))
    with np.errstate(all="ignore"):
        rounded = np.asarray(expected).astype(got.dtype)
        if scale is None:
            return bool(np.all(ulps_apart(np.ascontiguousarray(got), np.ascontiguousarray(rounded)) <= math.ceil(ulps)))
        epsilon = float(np.spacing(np.ones((), np.float64))) if got.dtype == np.float64 else EPSILON[str(got.dtype)]
        error = np.abs(got.astype(np.float64) - expected)
        return bool(np.all((error <= ulps * epsilon * scale) | (np.isnan(expected) & np.isnan(got.astype(np.float64)))))


EPSILON = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-23, "float64": 2.0**-52}


def all_tame(arrays):
    return all(is_tame(array) for array in arrays)
