"""What a random call of a composite is made of, and how its result is compared."""

from dataclasses import dataclass

import ml_dtypes
import numpy as np
from random_programs.values import numpy_dtype

FLOATS = ("float16", "float32", "float64", "bfloat16")
WIDE_FLOATS = ("float32", "float64")
INTEGERS = ("int8", "int32", "int64", "uint8", "uint16", "uint64")
NUMBERS = INTEGERS + FLOATS
DTYPES = ("bool", *NUMBERS)
SPECIAL = (0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.5, 2.5, 1e-3)
EPSILON = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-23, "float64": 2.0**-52}


@dataclass
class Call:
    """A call as Python text over x0, x1, ..., and what NumPy says of it."""

    text: str
    arrays: list
    expected: list  # an array for each result, floats as wide as they come
    dtypes: list  # of the results; "places" is int32, or int64 where extents are symbols
    size: object = None  # how large the numbers are that results are sums of; None where they are exact
    needs_extents: bool = False  # whether extents that are symbols are refused
    has_free_extent: bool = False  # whether data decide the extent of the result


class Draw:
    """Arrays and options of one call."""

    def __init__(self, rng):
        self.rng, self.arrays = rng, []

    def pick(self, choices):
        return choices[int(self.rng.integers(len(choices)))]

    def chance(self, probability):
        return bool(self.rng.random() < probability)

    def shape(self, least=0, most=4):
        extents = (0, 1, 2, 3, 5) if self.chance(0.2) else (1, 2, 3, 4, 7)
        return tuple(self.pick(extents) for _ in range(self.pick(range(least, most + 1))))

    def values(self, dtype, shape, special=0.4):
        """Small numbers; among floats, with that chance, NaN, infinities and zeros of both signs, among integers the borders."""
        rng, is_special = self.rng, self.chance(special)
        if dtype == "bool":
            return np.asarray(rng.random(shape) < 0.5)
        if dtype in FLOATS:
            array = np.round(rng.normal(size=shape) * 3, self.pick((0, 1, 4)))
            drawn = rng.choice(SPECIAL, size=shape)
        else:
            limits = np.iinfo(dtype)
            array = rng.integers(max(limits.min, -6), 7, size=shape)
            drawn = rng.choice(np.array([limits.min, limits.max], dtype), size=shape)
        mask = rng.random(shape) < self.pick((0.1, 0.5)) if is_special else np.zeros(shape, bool)
        out = np.asarray(array).astype(numpy_dtype(dtype))
        return np.where(mask, np.asarray(drawn).astype(out.dtype), out).astype(out.dtype)

    def array(self, dtype, shape, special=0.4):
        return self.given(self.values(dtype, shape, special))

    def given(self, array):
        self.arrays.append(np.asarray(array))
        return self.arrays[-1]

    def axis(self, rank):
        return int(self.rng.integers(-rank, rank))

    def axes(self, rank, kinds=("none", "one", "some")):
        """None, an axis, or a tuple of axes."""
        kind = self.pick(kinds)
        if rank == 0 or kind == "none":
            return None
        if kind == "one":
            return self.axis(rank)
        chosen = self.rng.permutation(rank)[: int(self.rng.integers(1, rank + 1))]
        return tuple(int(axis) - (rank if self.chance(0.3) else 0) for axis in chosen)


def wide(array):
    """Floats as float64."""
    return array.astype(np.float64) if array.dtype.kind == "f" or array.dtype == ml_dtypes.bfloat16 else array


def float_of(dtype):
    """Of a function over floats."""
    return str(dtype) if str(dtype) in FLOATS else "float32"


def sum_of(dtype):
    return {"bool": "int32", "int8": "int32", "int16": "int32", "uint8": "uint32", "uint16": "uint32"}.get(str(dtype), str(dtype))


def wrong(call, results, may_be_wide):
    """What is wrong with the results of a call, or None."""
    if len(results) != len(call.expected):
        return f"expected {len(call.expected)} results, but got {len(results)}"
    for result, expected, dtype in zip(results, call.expected, call.dtypes, strict=True):
        got, expected = np.asarray(result), np.asarray(expected)
        accepted = ("int32", "int64") if may_be_wide else ("int32",)
        if str(got.dtype) not in (accepted if dtype == "places" else (dtype,)):
            return f"expected {dtype}, but got {got.dtype}"
        if got.shape != expected.shape:
            return f"expected shape {expected.shape}, but got {got.shape}"
        if not _agrees(got, expected, call.size):
            return f"expected\n{expected!r}\nbut got\n{got!r}"
    return None


def _agrees(got, expected, size):
    name = str(got.dtype)
    with np.errstate(all="ignore"):
        if name not in FLOATS:
            return np.array_equal(got, expected.astype(got.dtype))
        rounded = expected.astype(got.dtype).astype(np.float64)
        got, expected = got.astype(np.float64), expected.astype(np.float64)
        same = (got == rounded) | (np.isnan(got) & np.isnan(rounded))
        if size is None:
            return bool(np.all(same))
        # Narrow floats accumulate in float32 and round once; a few dozen roundings are all that calls here have.
        inner = EPSILON["float64" if name == "float64" else "float32"]
        near = np.abs(got - expected) <= 64 * inner * (np.abs(expected) + size) + EPSILON[name] * np.abs(expected) + _least(name)
        return bool(np.all(same | near))


def _least(name):
    return {"float16": 2.0**-24, "bfloat16": 2.0**-126, "float32": 2.0**-126}.get(name, 2.0**-1022)
