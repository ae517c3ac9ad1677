"""Gathers and scatters of rows: native code beside the interpreter, bit by bit."""

import os
import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest

import kolam as ko

DTYPES = [np.float32, np.float64, np.float16, ml_dtypes.bfloat16, np.int8, np.uint64, np.bool_]
WIDTHS = [1, 3, 16, 65, 300]
# Duplicates, negative ones, and some outside on both sides.
PLACES = np.array([3, -1, 3, 0, 39, 40, -41, 7, 3, 2**31 - 1, -(2**31)], np.int32)


def cells(rng, dtype, *shape):
    if dtype == np.bool_:
        return rng.random(shape) < 0.5
    return (rng.random(shape) * 20 - (0 if dtype == np.uint64 else 10)).astype(dtype)


def same(function, *operands):
    expected = ko.jit(function, backend="interpret")(*operands)
    result = ko.jit(function)(*operands)
    np.testing.assert_array_equal(np.asarray(result).view(np.uint8), np.asarray(expected).view(np.uint8))


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: np.dtype(dtype).name)
@pytest.mark.parametrize("width", WIDTHS)
def test_rows_of_any_width_and_dtype(width, dtype):
    rng = np.random.default_rng(width)
    x, rows = cells(rng, dtype, 40, width), cells(rng, dtype, len(PLACES), 1, width)
    same(lambda x, places: ko.take(x, places, axis=0), x, PLACES)
    for mode in ["clip", "fill", "wrap"]:
        same(lambda x, places, mode=mode: ko.gather(x, places, [0], [1], mode=mode), x, PLACES[:, None])
    for mode in ["drop", "element", "clip"]:
        for op in ["kUpdate"] if dtype == np.bool_ else ["kUpdate", "kAdd", "kMul", "kMin", "kMax"]:
            same(lambda x, rows, places, mode=mode, op=op: ko.scatter(x, rows, places, [0], op, mode=mode), x, rows, PLACES[:, None])


@pytest.mark.parametrize("mode", ["drop", "element", "clip"])
def test_windows_that_begin_and_end_outside(mode):
    rng = np.random.default_rng(1)
    x, places = cells(rng, np.float32, 9, 70), np.array([[-3, 60], [7, -20], [2, 5], [8, 69], [-9, -70], [100, 0]], np.int64)
    update = cells(rng, np.float32, 6, 4, 33)
    same(lambda x, u, i: ko.scatter(x, u, i, [0, 1], "kAdd", mode=mode), x, update, places)
    same(lambda x, u, i: ko.scatter(x, u, i, [1], "kAdd", mode=mode), x, cells(rng, np.float32, 6, 9, 33), places[:, 1:])
    far = np.array([[2**63 - 1, -(2**63)], [-(2**63), 2**63 - 1]], np.int64)
    same(lambda x, u, i: ko.scatter(x, u, i, [0, 1], "kAdd", mode=mode), x, update[:2], far)


@pytest.mark.parametrize("function", [lambda a, b: a * 2 + b, lambda a, b: ko.where(a > b, a, b - a), lambda a, b: ko.maximum(a - b, b)])
def test_functions_of_the_user(function):
    rng = np.random.default_rng(2)
    for width in [1, 5, 64, 77]:
        x, rows = cells(rng, np.float32, 40, width), cells(rng, np.float32, len(PLACES), 1, width)
        same(lambda x, rows, places: ko.scatter(x, rows, places, [0], function), x, rows, PLACES[:, None])


def test_operands_that_are_computed_or_turned():
    rng = np.random.default_rng(3)
    x, rows = cells(rng, np.float32, 48, 40), cells(rng, np.float32, 48, 1, len(PLACES))
    same(lambda x, i: ko.take(x.T, i, axis=0), x, PLACES)
    same(lambda x, i: ko.take(ko.exp(x)[::-1, 1::2], i, axis=0), x, PLACES)
    same(lambda x, i: ko.take(x, i, axis=1) * 2, x, PLACES)
    same(lambda x, r, i: ko.scatter(x.T, ko.permute_dims(r, (2, 1, 0)), i, [0], "kAdd"), x, rows, PLACES[:, None])
    same(lambda x, r, i: ko.scatter(x.T * 2, ko.exp(ko.permute_dims(r, (2, 1, 0))), i, [0], "kAdd"), x, rows, PLACES[:, None])
    same(lambda x, i, j: ko.scatter(ko.zeros((40, 40)), ko.take(x, j, axis=0)[:, None], i, [0], "kAdd"), x, PLACES[:, None], PLACES)


def test_no_places_and_no_columns():
    x, none = np.ones((40, 64), np.float32), np.zeros((0, 1), np.int32)
    same(lambda x, i: ko.take(x, i[:, 0], axis=0), x, none)
    same(lambda x, r, i: ko.scatter(x, r, i, [0], "kAdd"), x, np.zeros((0, 1, 64), np.float32), none)
    same(lambda x, r, i: ko.scatter(x, r, i, [0], "kAdd"), x[:, :0], np.zeros((11, 1, 0), np.float32), PLACES[:, None])
    same(lambda x, i: ko.sum(ko.take(x, i, axis=0), axis=1), x, np.zeros((5, 0), np.int32))


def test_operands_with_batches_of_their_own():
    rng = np.random.default_rng(4)
    x, places = cells(rng, np.float32, 5, 40, 19), rng.integers(-3, 43, (5, 7, 1)).astype(np.int64)
    same(lambda x, i: ko.gather(x, i, [0], [1], batched_dims=1), x, places)
    same(lambda x, r, i: ko.scatter(x, r, i, [0], "kAdd", batched_dims=1), x, cells(rng, np.float32, 5, 7, 1, 19), places)
    same(lambda x, r, i: ko.scatter(x, r, i, [1], "kAdd"), x, cells(rng, np.float32, 7, 5, 1, 19), places[0])


def test_several_operands_at_once():
    rng = np.random.default_rng(5)
    x, y = cells(rng, np.float32, 40, 37), cells(rng, np.int8, 40, 37)
    r, s = cells(rng, np.float32, 11, 1, 37), cells(rng, np.int8, 11, 1, 37)
    for which in range(2):
        same(lambda x, y, r, s, i, which=which: ko.scatter((x, y), (r, s), i, [0], "kAdd")[which], x, y, r, s, PLACES[:, None])


@pytest.mark.parametrize("width", [16, 64, 100, 700])
def test_rows_that_are_fetched_ahead(width):
    rng = np.random.default_rng(6)
    count = 300000 // width
    x, places = cells(rng, np.float32, count, width), rng.integers(-count - 2, count + 2, (11, 13))
    same(lambda x, i: ko.sum(ko.take(x, i, axis=0), axis=1), x, places)
    same(lambda x, i: ko.take(x, i, axis=0), x, places)
    flat = places.reshape(-1, 1)
    same(lambda x, r, i: ko.scatter(x, r, i, [0], "kAdd"), x, cells(rng, np.float32, flat.size, 1, width), flat)


PROGRAM = """
import hashlib
import numpy as np
import kolam as ko

rng = np.random.default_rng(7)
bits = hashlib.sha256()
for shape, rows in [((500, 67), (9000, 1, 67)), ((500, 300), (9000, 1, 300)), ((130, 500), (9000, 130, 1)), ((90000,), (90000, 1))]:
    places = rng.integers(-3, 503, (rows[0], 1))
    x, r = rng.random(shape, np.float32), rng.random(rows, np.float32)
    dim = 1 if rows[-1] == 1 and len(shape) == 2 else 0
    bits.update(np.asarray(ko.jit(lambda x, r, i: ko.scatter(x, r, i, [dim], "kAdd"))(x, r, places)).tobytes())
    bits.update(np.asarray(ko.jit(lambda x, r: ko.dynamic_update_slice(x, x[:40] + 1, (30,) + (0,) * (x.ndim - 1)), donate_argnames="x")(ko.asarray(x) * 1, r)).tobytes())
for shape in [(1, 700, 400), (700, 400)]:  # threads share the first dim of several places
    x = np.ones(shape, np.float32)
    put = lambda x: ko.dynamic_update_slice(x, ko.full((*shape[:-2], 300, 90), 2.0), (*(0 for _ in shape[:-2]), 399, 7))
    for donated in ["x", ()]:
        out = np.asarray(ko.jit(put, donate_argnames=donated)(ko.asarray(x) * 1))
        assert out.sum() == x.size + 300 * 90 and (out[..., 399:699, 7:97] == 2).all()
        bits.update(out.tobytes())
print(bits.hexdigest())
"""


def test_any_number_of_threads_gives_the_same_bits():
    def run(threads):
        environment = os.environ | {"KOLAM_NUM_THREADS": str(threads)}
        return subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True).stdout

    assert len({run(threads) for threads in [1, 2, 3]}) == 1


def test_places_that_wrap_along_dims_known_at_the_call():
    """The extents of a dim of the call are computed where the places are, which is in front of the loops over windows."""

    def program(x, i):
        return ko.gather((x * 2)[:, ::3], i, [1], [2], mode="wrap")

    x, i = np.arange(40, dtype=np.float32).reshape(2, 20), np.array([[-1], [5], [30]], np.int8)
    results = [ko.jit(program, backend=backend, dynamic={"x": {0: "m", 1: "n"}})(x, i) for backend in ("cpu", "interpret")]
    assert np.asarray(results[0]).tobytes() == np.asarray(results[1]).tobytes()
