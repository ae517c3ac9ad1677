"""Arrays at the edges of their dtypes and of vectors: special values, extents around widths of vectors, views of all kinds."""

import ml_dtypes
import numpy as np

FLOATS = ("float16", "bfloat16", "float32", "float64")
INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
EXTENTS = (0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 20, 31, 33, 47, 63, 64, 65, 70, 100, 127, 129, 150)
LONG = (257, 1000, 4097, 20001, 100003)
MOST = 200000


def numpy_dtype(name):
    return np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


def specials(dtype):
    """Zeros, infinities, NaN of both signs and with a payload, denormals, the least and the greatest numbers."""
    if dtype == "bool":
        return np.array([False, True])
    if dtype in INTEGERS:
        limits = np.iinfo(dtype)
        return np.array([limits.min, limits.max, limits.min + 1, limits.max - 1, 0, 1], dtype)
    limits = ml_dtypes.finfo(numpy_dtype(dtype))
    numbers = [0.0, 1.0, np.inf, float(limits.smallest_subnormal), float(limits.tiny), float(limits.max), float(limits.eps), 0.5]
    numbers = np.array([*numbers, *[-x for x in numbers], np.nan, -np.nan, np.nan]).astype(numpy_dtype(dtype))
    numbers[-1:].view(f"u{numbers.itemsize}")[:] |= 1
    return numbers


def elements(rng, dtype, shape):
    """Small numbers with ties; of most arrays some, of a few all elements are special."""
    share = rng.choice([0, 0.1, 0.5, 1], p=[0.25, 0.35, 0.3, 0.1])
    if dtype == "bool":
        return rng.random(shape) < 0.5
    if dtype in FLOATS:
        plain = np.round(rng.standard_normal(shape) * 4, int(rng.integers(0, 3)))
    else:
        plain = rng.integers(0 if dtype[0] == "u" else -9, 20, shape)
    return np.where(rng.random(shape) < share, rng.choice(specials(dtype), shape), np.asarray(plain).astype(numpy_dtype(dtype)))


def extent(rng, most):
    fitting = [n for n in EXTENTS if n <= most]
    return int(rng.choice(fitting, p=[0.3 / len(fitting) if n == 0 else (1 - 0.3 / len(fitting)) / (len(fitting) - 1) for n in fitting]) if most else 0)


def shape(rng):
    rank = int(rng.choice([1, 2, 3], p=[0.35, 0.45, 0.2]))
    if rank == 1 and rng.random() < 0.2:
        return (int(rng.choice(LONG)),)
    if rank == 2 and rng.random() < 0.1:
        dims = (int(rng.choice(LONG[:3])), int(rng.integers(1, 18)))
        return dims if rng.random() < 0.5 else dims[::-1]
    dims = [extent(rng, 150 if rank < 3 else 40) for _ in range(rank)]
    if rank == 2 and rng.random() < 0.3:
        dims[1] = int(rng.integers(1, 5))
    return tuple(dims)


def viewed(rng, dtype, shape):
    """An array of that shape: whole, or a view with an offset, steps, a turned order of dims or a stride of 0."""
    kind = rng.choice(["whole", "offset", "back", "steps", "turned", "repeated"], p=[0.4, 0.12, 0.12, 0.12, 0.12, 0.12])
    axis = int(rng.integers(len(shape))) if shape else 0
    if kind == "whole" or not shape:
        return elements(rng, dtype, shape)
    at = [slice(None)] * len(shape)
    larger = list(shape)
    if kind == "offset":
        larger[axis] += 5
        at[axis] = slice(3, 3 + shape[axis])
    elif kind in ("back", "steps"):
        step = int(rng.choice([2, 3])) if kind == "steps" else 1
        larger[axis] *= step
        at[axis] = slice(None, None, -step if kind == "back" or rng.random() < 0.5 else step)
    elif kind == "turned":
        return elements(rng, dtype, shape[::-1]).T
    else:
        larger[axis] = 1
        return np.broadcast_to(elements(rng, dtype, tuple(larger)), shape)
    return elements(rng, dtype, tuple(larger))[tuple(at)]
