"""Ways of walking over elements: vectors and their ends, dims walked as one, tiles turned in registers, stores past the caches.

Each program is compared with the interpreter bit by bit, and with NumPy where NumPy's answer is exact.
"""

import os
import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest

import kolam as ko

WIDTHS = (1, 3, 4, 15, 16, 17, 63, 64, 65, 80, 127, 200)
DTYPES = ("bool", "int8", "uint16", "int32", "int64", "float16", "bfloat16", "float32", "float64")
TARGETS = ("haswell", "x86-64")


def cells(shape, dtype, seed=0):
    """Small whole numbers, exact in every dtype."""
    numbers = np.random.default_rng(seed).integers(0, 7, shape)
    return numbers.astype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)


def agree(function, *arrays):
    """The results of both backends, which must agree in every bit."""
    native, meant = ([np.asarray(x) for x in ko.jit(function, backend=backend)(*arrays)] for backend in ("cpu", "interpret"))
    for number, (x, y) in enumerate(zip(native, meant, strict=True)):
        assert x.tobytes() == y.tobytes(), (number, [a.shape for a in arrays], arrays[0].dtype)
    return native


def walks(x, row, column):
    """Elements of x [n, m], a row [m] and a column [n, 1], walked in many ways."""
    turned = ko.permute_dims(x, (1, 0))
    larger = ko.logical_or if x.dtype == "bool" else ko.maximum
    return (
        ko.where(x == x, x, x),  # one run
        larger(x, row),  # rows
        larger(x, column),
        turned,  # tiles
        larger(turned, ko.reshape(column, (-1,))),
        ko.where(turned == ko.reshape(x, turned.shape), turned, ko.reshape(row, (-1, 1))),
        ko.reshape(larger(x, row), (-1,)),  # a run through a reshape
        ko.permute_dims(ko.reshape(x, (x.shape[0], 1, x.shape[1])), (2, 1, 0)),
        ko.flip(turned, axis=0),
        ko.concat([x, x], axis=0),
        larger(ko.concat([x, turned], axis=0) if x.shape[0] == x.shape[1] else x, row),
    )


def check_walks(n, m, dtype):
    x, row, column = cells((n, m), dtype), cells((m,), dtype, 1), cells((n, 1), dtype, 2)
    results = agree(walks, x, row, column)
    for result, expected in zip(results, (x, np.maximum(x, row), np.maximum(x, column), x.T), strict=False):
        assert result.tobytes() == np.ascontiguousarray(expected).tobytes()


@pytest.mark.parametrize("width", WIDTHS)
def test_widths(width):
    for height in (1, 5, 17, width):
        check_walks(height, width, "float32")


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes(dtype):
    for n, m in ((33, 48), (20, 17)):
        check_walks(n, m, dtype)


@pytest.mark.parametrize("target", TARGETS)
def test_targets(target):
    """The same on narrower registers, in a process of its own."""
    code = "import walks_test as t\nfor w in (3, 7, 8, 17, 64): t.check_walks(17, w, 'float32')\nfor d in t.DTYPES: t.check_walks(19, 9, d)\nt.check_kept_rows(65, 'float32')\nt.check_columns(65, 77)\nt.check_running((66, 77), 'float32')\nt.check_chains((517, 16), 'float32')\nt.check_chains((3, 1700), 'float32')"
    environment = {**os.environ, "KOLAM_TARGET": target, "PYTHONPATH": os.pathsep.join([os.path.dirname(__file__), *sys.path])}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)


@pytest.mark.parametrize("permutation", [(0, 2, 1), (2, 1, 0), (1, 2, 0), (2, 0, 1), (1, 0, 2)])
@pytest.mark.parametrize("shape", [(3, 17, 33), (16, 2, 32), (40, 18, 1), (1, 16, 16)])
def test_permutations(permutation, shape):
    x = cells(shape, "float32")
    (result, _) = agree(lambda t: (ko.permute_dims(t + 1.0, permutation) * 2.0, ko.permute_dims(t, permutation)), x)
    np.testing.assert_array_equal(result, np.transpose((x + 1) * 2, permutation))


@pytest.mark.parametrize("shape", [(5, 3), (4, 3, 1), (2, 3, 5), (7, 1, 3), (3, 16, 3)])
def test_joined_dims(shape):
    def program(x):
        inner = ko.sum(x, axis=tuple(range(1, x.ndim)))
        return (
            ko.reshape(ko.sqrt(x) + x, (-1,)),
            inner,
            ko.sum(x),
            ko.sum(x, axis=tuple(range(x.ndim - 1))),
            x + ko.arange(x.shape[-1]),
            x[:1] + x,
            ko.pad(x, [(1, 1)] + [(0, 0)] * (x.ndim - 1)),
            ko.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, 2)]),
            x[::1, 1:],
            ko.flip(x, axis=x.ndim - 1),
        )

    agree(program, cells(shape, "float32"))


@pytest.mark.parametrize("shape", [(9_000_000,), (3_000_001, 3), (2250, 4000), (4000, 2250)])
def test_results_larger_than_the_caches(shape):
    x = cells(shape, "float32")
    if len(shape) == 1:
        np.testing.assert_array_equal(np.asarray(ko.jit(lambda t: t * 2.0 + 1.0)(x)), x * 2 + 1)
        return
    results = ko.jit(lambda t: (t * 2.0, t + t[0], ko.permute_dims(t, (1, 0)) + 1.0))(x)
    for result, expected in zip(results, (x * 2, x + x[0], x.T + 1), strict=True):
        np.testing.assert_array_equal(np.asarray(result), expected)


def check_kept_rows(width, dtype):
    def program(x, y):
        powers = ko.exp(x)
        return (
            ko.softmax(x, axis=1),
            powers / ko.sum(powers, axis=1, keepdims=True),
            powers * ko.max(powers, axis=1, keepdims=True) + ko.sum(powers * y, axis=1, keepdims=True),
            ko.softmax(ko.where(x > 3.0, x, -np.inf), axis=1),
            ko.log_softmax(x, axis=1),
        )

    agree(program, cells((5, width), dtype), cells((5, width), dtype, 1))


@pytest.mark.parametrize(("width", "dtype"), [(1, "float32"), (17, "float32"), (65, "float32"), (1000, "float32"), (4097, "float32"), (63, "float64"), (80, "bfloat16")])
def test_rows_that_reductions_keep(width, dtype):
    check_kept_rows(width, dtype)


def check_chains(shape, dtype):
    """Elements that are long chains of operations, side by side; the states of a loop lie where those before them did."""

    def program(x, scale):
        steps = ko.fori_loop(0, 3, lambda i, h: ko.exp(scale * x) * h + x, x)
        return ko.exp(x), ko.tanh(x * scale) + ko.exp(scale), ko.flip(ko.exp(x * scale), axis=-1), steps

    scale = (cells(shape[:-1] + (1,), dtype, 1) - 3) / 4
    agree(program, cells(shape, dtype), scale.astype(dtype))


@pytest.mark.parametrize("shape", [(517, 16), (1, 5001), (2, 133, 32), (3, 1700), (130, 48), (71, 80)])
def test_chains(shape):
    check_chains(shape, "float32")
    check_chains(shape, "float64")
    check_chains(shape, "bfloat16")


def check_columns(rows, columns):
    def program(x):
        mean = ko.mean(x, axis=0)
        return ko.sum(x, axis=0), ko.argmax(x, axis=0), ko.argmin(x, axis=0), ko.mean((x - mean) ** 2, axis=0), ko.max(x, axis=0) - mean

    x = cells((rows, columns), "float32") - 3
    results = agree(program, x)
    np.testing.assert_array_equal(results[0], x.sum(axis=0))
    np.testing.assert_array_equal(results[1], x.argmax(axis=0))
    agree(program, np.where(x == 2, np.nan, x).astype(np.float32))


@pytest.mark.parametrize(("rows", "columns"), [(1, 5), (2, 2049), (63, 257), (65, 16), (65, 300), (130, 2100)])
def test_columns_that_are_reduced_row_by_row(rows, columns):
    check_columns(rows, columns)


@pytest.mark.parametrize(("width", "dtype"), [(1, "float32"), (16, "float32"), (63, "float32"), (5000, "float32"), (200, "int16"), (65, "bfloat16")])
def test_first_places(width, dtype):
    x = cells((9, width), dtype)
    results = agree(lambda t: (ko.argmax(t, axis=1), ko.argmin(t, axis=1), ko.argmax(t)), x)
    np.testing.assert_array_equal(results[0], x.astype("float32").argmax(axis=1))


def test_donated_memory_is_read_before_it_is_written():
    x, y = cells((64, 64), "float32"), cells((64, 64), "float32", 1)
    function = ko.jit(lambda a, b: a + ko.permute_dims(b, (1, 0)), donate_argnames=("a",))
    np.testing.assert_array_equal(np.asarray(function(ko.asarray(x), ko.asarray(y))), x + y.T)
    both = ko.jit(lambda a: a + ko.permute_dims(a, (1, 0)), donate_argnames=("a",))
    np.testing.assert_array_equal(np.asarray(both(ko.asarray(x))), x + x.T)


def check_running(shape, dtype):
    x = cells(shape, dtype) - cells((), dtype, 3)

    def program(x):
        sums = [ko.cumulative_sum(x, axis=axis) for axis in range(x.ndim)]
        behind = [ko.cumulative_sum(ko.exp(x) if x.dtype == "float32" else x + x, axis=axis, include_initial=True) for axis in range(x.ndim)]
        return (*sums, *behind, ko.cumulative_prod(ko.sum(x, axis=-1, keepdims=True) + x, axis=0))

    results = agree(program, x)
    for axis in range(len(shape)):
        np.testing.assert_array_equal(results[axis], x.cumsum(axis=axis, dtype=results[axis].dtype))


@pytest.mark.parametrize("shape", [(5, 3), (70, 33), (1, 40), (40, 1), (4, 5, 19), (3, 1, 2100), (130, 2100), (0, 5), (5, 0)])
def test_running_combinations(shape):
    check_running(shape, "float32")


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype != "bool"])
def test_running_combinations_of_dtypes(dtype):
    check_running((66, 37), dtype)


@pytest.mark.parametrize("shape", [(1, 5000), (1, 1, 300_001), (1, 700, 500), (1, 16_000_001)])
def test_ranges_behind_dims_of_one_cell(shape):
    x = cells(shape, "float32")
    result = ko.jit(lambda t: ko.sqrt(t * 4.0 + 1.0))(x)
    np.testing.assert_array_equal(np.asarray(result), np.sqrt(x * 4 + 1))
    agree(lambda t: (ko.softmax(t, axis=-1), t + ko.sum(t, axis=-1, keepdims=True), ko.sum(t, axis=0)), x[..., :5000])


@pytest.mark.parametrize(("shape", "axis"), [((1 << 18,), 0), ((600_001,), None), ((3, 401, 500), None), ((1, 300_000, 1), 1), ((200_001, 3), 0), ((300, 500, 7), (0, 1))])
def test_reductions_by_parts(shape, axis):
    x = np.random.default_rng(0).standard_normal(shape)
    for dtype in ("float32", "float16", "int8"):
        agree(lambda t: (ko.sum(t * t, axis=axis), ko.max(t, axis=axis, keepdims=True)), x.astype(dtype))


def test_turned_tiles_with_loops_inside():
    """What a loop inside a tile has loaded is not known behind the loop."""
    x = np.random.default_rng(0).integers(-9, 9, (16, 1, 1, 16)).astype(np.int32)
    program = lambda x, y: ko.log_softmax(ko.einsum("gdae,", x, y))
    results = [np.asarray(ko.jit(program, backend=backend)(x, np.uint16(3))) for backend in ("cpu", "interpret")]
    assert results[0].tobytes() == results[1].tobytes()
