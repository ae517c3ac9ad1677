"""Values of random programs: their types, and the numbers that inputs hold."""

from dataclasses import dataclass

import ml_dtypes
import numpy as np

BFLOAT16 = ml_dtypes.bfloat16
SIGNED = ("int8", "int16", "int32", "int64")
INTEGERS = (*SIGNED, "uint8", "uint16", "uint32", "uint64")
FLOATS = ("float16", "bfloat16", "float32", "float64")
NUMBERS = INTEGERS + FLOATS
DTYPES = ("bool", *NUMBERS)
# Which dtypes a row of the elementwise table takes; integers and booleans become float32 for functions over floats.
CLASSES = {
    "any": DTYPES, "numeric": NUMBERS, "integer": INTEGERS, "integer_or_boolean": ("bool", *INTEGERS),
    "floating": DTYPES, "boolean": ("bool",),
}  # fmt: skip


@dataclass(frozen=True)
class Value:
    """A value of a program: its name, dtype and dims (extents.py)."""

    name: str
    dtype: str
    dims: tuple

    @property
    def rank(self):
        return len(self.dims)


def numpy_dtype(name):
    return np.dtype(BFLOAT16 if name == "bfloat16" else name)


def is_float(dtype):
    return dtype in FLOATS


def is_narrow(dtype):
    return dtype in ("float16", "bfloat16")


def float_dtype(dtype):
    """Of a function over floats."""
    return dtype if is_float(dtype) else "float32"


def promote(a, b):
    """The common dtype of two, restated from the design; None where there is none."""
    if a == b:
        return a
    if "bool" in (a, b):
        return None
    if is_float(a) != is_float(b):
        return a if is_float(a) else b
    if is_float(a):
        return "float32" if {a, b} == {"float16", "bfloat16"} else max(a, b, key=lambda d: numpy_dtype(d).itemsize)
    common = np.promote_types(a, b)
    return None if common.kind == "f" else str(common)


def sum_dtype(dtype):
    """Of sum and prod: bool and small integers give i32, small unsigned ones u32."""
    if dtype in ("bool", "int8", "int16"):
        return "int32"
    return "uint32" if dtype in ("uint8", "uint16") else dtype


WILD = (0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-40, -1e-45, 3e38, 1e-8, 0.5, 2.5, -2.5, 65504.0, 88.0, -104.0)


def random_array(rng, dtype, shape):
    """Small numbers; in one of four arrays also specials and extremes."""
    wild = rng.random() < 0.25
    if dtype == "bool":
        return np.asarray(rng.random(shape) < 0.5)
    if is_float(dtype):
        array = np.round(rng.normal(size=shape) * 4, 2) if rng.random() < 0.5 else rng.normal(size=shape)
        if wild and np.size(array):
            array = np.where(rng.random(shape) < 0.4, rng.choice(WILD, size=shape), array)
        with np.errstate(all="ignore"):
            return np.asarray(array).astype(numpy_dtype(dtype))
    limits = np.iinfo(dtype)
    array = np.asarray(rng.integers(max(limits.min, -9), 10, size=shape)).astype(dtype)
    if wild and array.size:
        extremes = np.array([limits.min, limits.max, limits.max - 1, limits.min + 1], dtype)
        array = np.where(rng.random(shape) < 0.4, rng.choice(extremes, size=shape), array)
    return np.asarray(array, dtype)


def random_places(rng, dtype, shape, extent):
    """Places in a dim of that extent and a little beside it; in one of five arrays also extremes."""
    limits = np.iinfo(dtype)
    places = np.clip(rng.integers(-2, extent + 3, size=shape), limits.min, min(limits.max, 2**62)).astype(dtype)
    if rng.random() < 0.2:
        extremes = np.array([limits.min, limits.max], dtype)
        places = np.where(rng.random(shape) < 0.4, rng.choice(extremes, size=shape), places)
    return np.asarray(places, dtype)


def is_tame(array):
    """Finite and small: sums and products of such numbers stay so."""
    if array.dtype == bool:
        return True
    wide = array.astype(np.float64)
    return bool(np.all(np.isfinite(wide)) and np.all(np.abs(wide) < 100))
