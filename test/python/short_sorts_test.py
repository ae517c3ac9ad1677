"""Sorts of rows of few elements, many of them side by side: stable, NaN the largest, equal zeros in the order in which they came."""

import numpy as np
import pytest
from random_edges.values import specials
from same_bits import require_same_bits, ways_to_read

import kolam as ko

DTYPES = ["float32", "float64", "float16", "int32", "uint32", "int64", "uint64", "int8", "bool"]


def rows(seed, count, length, dtype):
    rng = np.random.default_rng([seed, count, length])
    x = rng.integers(-3, 4, (count, length)).astype("float64")
    if dtype.startswith("float"):
        for value in (np.nan, -0.0, np.inf, -np.inf):
            x[rng.random(x.shape) < 0.1] = value
        return x.astype(dtype)
    return (np.abs(x) if dtype[0] in "ub" else x).astype(dtype)


def places(x, descending):
    """By Python's stable sort."""
    if not descending:
        return np.argsort(x, axis=1, kind="stable")
    key = np.where(np.isnan(x.astype("float64")), np.inf, x.astype("float64"))
    is_nan = np.isnan(x.astype("float64"))
    order = [sorted(range(x.shape[1]), key=lambda i, r=r: (not is_nan[r, i], -key[r, i])) for r in range(len(x))]
    return np.array(order).reshape(x.shape)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("length", [1, 2, 3, 5, 8, 15, 16, 17])
@pytest.mark.parametrize("descending", [False, True])
def test_rows_side_by_side(dtype, length, descending):
    for count in (1, 7, 16, 37):
        x = rows(0, count, length, dtype)
        meant = places(x, descending)
        found = np.asarray(ko.jit(lambda x: ko.argsort(x, axis=1, descending=descending))(x))
        np.testing.assert_array_equal(found, meant)
        values = np.asarray(ko.jit(lambda x: ko.sort(x, axis=1, descending=descending))(x))
        expected = np.take_along_axis(x, meant, axis=1)
        np.testing.assert_array_equal(values, expected)
        if dtype.startswith("float"):
            np.testing.assert_array_equal(np.signbit(values), np.signbit(expected))


@pytest.mark.parametrize("length", [4, 9, 16])
def test_first_of_short_rows_and_in_place(length):
    x = rows(1, 50, length, "float32")
    values, found = (np.asarray(y) for y in ko.jit(lambda x: ko.top_k(x, 3))(x))
    meant = places(x, True)[:, :3]
    np.testing.assert_array_equal(found, meant)
    np.testing.assert_array_equal(values, np.take_along_axis(x, meant, axis=1))
    own = ko.asarray(x.copy())
    np.testing.assert_array_equal(np.asarray(ko.jit(lambda x: ko.sort(x, axis=1), donate_argnums=0)(own)), np.sort(x, axis=1))


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("shape", [(0, 5), (1, 1), (37, 0), (33, 7), (41, 16)])
def test_special_values_and_views(shape, dtype):
    """Denormals are not zero, a NaN keeps its bits."""
    x = np.random.default_rng(5).choice(specials(dtype), shape)
    for read, array in ways_to_read(x):
        require_same_bits(lambda y: (ko.sort(read(y)), ko.argsort(read(y)), ko.argsort(read(y), descending=True)), array, moves=True)
        require_same_bits(lambda y: ko.sort(read(y), descending=True), array, moves=True)
