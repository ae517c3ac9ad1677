"""Integers of one and two bytes: in dtypes as narrow as all numbers on the way, in rows of any length; the bits stay."""

import numpy as np
import pytest
from same_bits import require_same_bits, ways_to_read

import kolam as ko

NARROW = ["uint8", "int8", "uint16", "int16"]
#: Whole vectors of bytes, halves, quarters, eighths and what is left, with 16, 32 and 64 bytes in a vector.
LENGTHS = [0, 1, 7, 8, 15, 17, 24, 31, 33, 47, 56, 63, 65, 95, 129]


def extremes(dtype, shape, seed=0):
    rng, limits = np.random.default_rng(seed), np.iinfo(dtype)
    ends = rng.choice(np.array([limits.min, limits.max, 0, limits.max - 1], dtype), shape)
    return np.where(rng.random(shape) < 0.5, ends, rng.integers(limits.min, limits.max, shape).astype(dtype))


TREES = {
    "weighted": lambda x, y: (x * 77 + y * 51) >> 7,
    "mean": lambda x, y: (x + y + 1) >> 1,
    "products": lambda x, y: x * y >> 8,
    "wrapped": lambda x, y: x * y + y * 255,
    "between": lambda x, y: ko.maximum(x, y) - ko.minimum(x, y),
    "shifted": lambda x, y: ((x >> 3) << 2) + (y >> 31),
    "far": lambda x, y: x - y + 40000,
    "negative": lambda x, y: (x - 300) * -1 - y,
}


@pytest.mark.parametrize("dtype", NARROW)
@pytest.mark.parametrize("name", TREES)
def test_numbers_on_the_way(name, dtype):
    x, y = (extremes(dtype, 500, seed) for seed in (1, 2))
    tree = TREES[name]
    found = require_same_bits(lambda x, y: tuple(tree(x.astype("int32"), y.astype("int32")).astype(result) for result in NARROW), x, y)
    wide = tree if name != "between" else lambda x, y: np.maximum(x, y) - np.minimum(x, y)
    for result, array in zip(NARROW, found, strict=True):
        np.testing.assert_array_equal(array, wide(x.astype("int32"), y.astype("int32")).astype(result))


@pytest.mark.parametrize("rows", [1, 5])
@pytest.mark.parametrize("dtype", ["uint8", "int16", "bool", "float16"])
def test_rests_of_rows(dtype, rows):
    """What a row leaves behind its last whole vector, also where a loop is to end or only the call knows it."""
    other = ko.jit(lambda x, y: ko.where(x > y, x, y) if dtype != "bool" else x | y, dynamic={"x": {1: "n"}, "y": {1: "n"}})
    for length in LENGTHS:
        x, y = (extremes("int8", (rows, length), seed).astype(dtype) for seed in (length, 1000))
        require_same_bits(lambda x, y: (ko.where(x > y, x, y), x == y) if dtype != "bool" else (x | y, x ^ y), x, y)
        np.testing.assert_array_equal(np.asarray(other(x, y)), np.where(x > y, x, y) if dtype != "bool" else x | y)


@pytest.mark.parametrize("length", [1, 31, 47, 97])
def test_neighbours_of_cells(length):
    """Of rows with borders, whose parts begin anywhere."""
    cells = np.random.default_rng(length).random((6, length)) < 0.4

    def life(x):
        padded = ko.pad(x.astype("uint8"), 1, mode="wrap")
        count = sum(padded[1 + i : x.shape[0] + 1 + i, 1 + j : x.shape[1] + 1 + j] for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)
        return (count == 3) | (x & (count == 2))

    def by_numpy(x):
        count = sum(np.roll(x.astype(int), (-i, -j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)
        return (count == 3) | (x & (count == 2))

    (found,) = require_same_bits(life, cells)
    np.testing.assert_array_equal(found, by_numpy(cells))
    for read, array in ways_to_read(cells):
        require_same_bits(lambda y: life(read(y)), array)
