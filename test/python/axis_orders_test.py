"""Values of array programs may stand with their dims in another order; rows of few elements go side by side. Bits stay."""

import itertools
import os

import numpy as np
import pytest

import kolam as ko

SEED = int(os.environ.get("KOLAM_SEED", "0"))


def array(seed, *shape, dtype="float32"):
    values = np.random.default_rng([SEED, seed]).standard_normal(shape) * 4
    return ko.astype(values.astype(np.float32), dtype)


def bits(f, *inputs, backend="cpu", **options):
    results = ko.jit(f, backend=backend, **options)(*inputs)
    return [np.asarray(each).tobytes() for each in (results if isinstance(results, tuple) else (results,))]


def require_same(f, *inputs):
    assert bits(f, *inputs) == bits(f, *inputs, backend="interpret")


# Programs over x[a, b, c], written in any order of the axes of what lies between.
def chain(x, turn):
    return turn(ko.exp(turn(x) * 0.1) + 1)


def softmax(x, turn):
    y = turn(ko.sqrt(ko.abs(x)))
    return turn(ko.softmax(y, axis=1), back=True)


def normalised(x, turn):
    y = turn(x)
    y = y - ko.mean(y, axis=0, keepdims=True)
    return turn(y / ko.sqrt(ko.sum(y * y, axis=0, keepdims=True) + 1), back=True)


def moved(x, turn):
    y = ko.pad(turn(x * 2), [(1, 0), (0, 2), (1, 1)])
    z = ko.concat([y, ko.flip(y, axis=1)], axis=2)
    return turn(z[1:, ::2, 1:-1], back=True), ko.sum(z, axis=(0, 2))


def running(x, turn):
    y = ko.cumulative_sum(turn(ko.tanh(x)), axis=2)
    return turn(ko.tanh(y), back=True)


def spread(x, turn):
    y = turn(x)
    most = ko.max(y, axis=2)
    return turn(ko.where(y > ko.expand_dims(most, 2) / 2, y, ko.zeros_like(y)), back=True), most


PROGRAMS = [chain, softmax, normalised, moved, running, spread]


def turning(axes):
    inverse = tuple(int(i) for i in np.argsort(axes))

    def turn(x, back=False):
        return ko.permute_dims(x, inverse if back else axes)

    return turn


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("axes", list(itertools.permutations(range(3))), ids=str)
def test_any_order_of_axes_gives_the_bits_of_the_interpreter(program, axes):
    turn = turning(axes)
    for number, (shape, dtype) in enumerate(
        [((18, 33, 40), "float32"), ((40, 3, 17), "float64"), ((2, 34, 5), "bfloat16"), ((1, 20, 21), "float16")]
    ):
        x = array(number, *shape, dtype=dtype)
        require_same(lambda x: program(x, turn), x)


@pytest.fixture
def set_threads():
    count = ko.get_num_threads()
    yield ko.set_num_threads
    ko.set_num_threads(count)


@pytest.mark.parametrize("threads", [2, 3])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_on_threads(program, threads, set_threads):
    turn, x = turning((2, 0, 1)), array(1, 70, 45, 130)
    set_threads(threads)
    require_same(lambda x: program(x, turn), x)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_sizes_that_only_the_call_knows(program):
    turn = turning((2, 0, 1))
    compiled = ko.jit(lambda x: program(x, turn), dynamic={"x": {0: "n", 2: "m"}})
    for shape in [(1, 6, 1), (17, 6, 40), (40, 6, 16)]:
        x = array(2, *shape)
        found = compiled(x)
        found = found if isinstance(found, tuple) else (found,)
        assert [np.asarray(y).tobytes() for y in found] == bits(lambda x: program(x, turn), x, backend="interpret")


def test_transposes_around_a_softmax_cancel():
    def turned(x):
        return ko.permute_dims(ko.exp(ko.softmax(ko.tanh(ko.permute_dims(x, (1, 0))), axis=1)), (1, 0))

    x = array(3, 64, 256)
    program = ko.jit(turned)
    assert "dims stand as 1, 0; the next best order costs " in program.explain(x)
    text = program.lower(x).as_text("nests")
    assert "transpose" not in text
    require_same(turned, x)


def test_a_program_without_transposes_stays_as_it_is():
    assert "dims stand as" not in ko.jit(lambda x: ko.softmax(ko.tanh(x), axis=0)).explain(array(4, 64, 256))


def test_functions_between_convolutions_are_computed_with_them():
    def layers(x, v, w):
        return ko.relu(ko.conv(ko.relu(ko.conv(x, v)), w) + x)

    x, v, w = array(5, 1, 32, 20, 20), array(6, 48, 32, 1, 1), array(7, 32, 48, 1, 1)
    text = ko.jit(layers).lower(x, v, w).as_text("nests")
    assert len([line for line in text.splitlines() if "in tiles" in line and "maximum" in line]) >= 1
    require_same(layers, x, v, w)


# Rows of few elements.
@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "int32", "uint8"])
@pytest.mark.parametrize("width", range(2, 17))
def test_rows_of_few_elements(width, dtype):
    def weighted(x):
        return x * ko.sum(x * x, axis=1, keepdims=True) - ko.max(x, axis=1, keepdims=True)

    for rows in (16, 33, 50):
        require_same(weighted, array(width, rows, width, dtype=dtype))


@pytest.mark.parametrize("width", [3, 5, 10, 15, 16])
def test_log_softmax_of_few_classes(width):
    for rows in (1, 15, 16, 100):
        x = array(width, rows, width)
        require_same(lambda x: ko.log_softmax(x, axis=1), x)
    text = ko.jit(lambda x: ko.log_softmax(x, axis=1)).lower(array(1, 4096, width)).as_text("nests")
    assert f"dims i 4096, j {width}\n" in text
    assert " by interleaved lanes " in text


@pytest.mark.parametrize("shape", [(2, 2), (3, 3), (4, 4), (2, 5), (5, 3)], ids=str)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
def test_small_matrices(shape, dtype):
    n, m = shape
    x, y = array(1, 100, n, m, dtype=dtype), array(2, 100, m, n, dtype=dtype)

    def products(x, y):
        return (x @ y) @ x

    require_same(products, x, y)
    require_same(lambda x, y: ko.permute_dims(x @ y, (0, 2, 1)) + 1, x, y)


def test_products_of_small_matrices_are_one_nest():
    g, h = array(1, 1000, 4, 4), array(2, 1000, 4, 4)
    text = ko.jit(lambda g, h: (g @ h) @ g).lower(g, h).as_text("nests")
    assert "nest1" not in text
    assert " by interleaved lanes " in text
    assert "dims i 1000, jk 16" in text


@pytest.mark.parametrize("threads", [1, 2])
def test_small_matrices_of_sizes_that_only_the_call_knows(threads, set_threads):
    compiled = ko.jit(lambda g, h: (g @ h) @ g, dynamic={"g": {0: "n"}, "h": {0: "n"}})
    set_threads(threads)
    for n in (0, 1, 16, 31, 1000):
        g, h = array(1, n, 4, 4), array(2, n, 4, 4)
        assert np.asarray(compiled(g, h)).tobytes() == bits(lambda g, h: (g @ h) @ g, g, h, backend="interpret")[0]


# Running combinations along the last axis.
@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "float16", "int8"])
@pytest.mark.parametrize("lines", [1, 15, 16, 17, 48])
@pytest.mark.parametrize("steps", [0, 1, 15, 16, 33, 64])
def test_running_sums_side_by_side(lines, steps, dtype):
    x = array(steps, 3, lines, steps, dtype=dtype)
    require_same(lambda x: ko.cumulative_sum(ko.tanh(x) if dtype.startswith("float") else x, axis=-1, dtype=dtype), x)
    require_same(lambda x: ko.cumulative_prod(x, axis=-1, include_initial=True, dtype=dtype), x)
    require_same(lambda x: ko.cumulative_max(x, axis=-1, reverse=True), x)


# Sums by chunks along the lanes: rows side by side, by squares.
def turned_norm(x):
    y = ko.permute_dims(x, (1, 0))
    y = y - ko.mean(y, axis=0, keepdims=True)
    return ko.permute_dims(y / ko.sqrt(ko.sum(y * y, axis=0, keepdims=True) + 1), (1, 0))


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "float16"])
@pytest.mark.parametrize("shape", [(16, 17), (33, 64), (48, 130), (100, 16), (257, 31), (17, 5000)], ids=str)
def test_norms_along_the_last_axis_of_turned_programs(shape, dtype):
    x = array(1, *shape, dtype=dtype)
    require_same(turned_norm, x)
    require_same(lambda x: ko.permute_dims(ko.softmax(ko.permute_dims(x, (1, 0)), axis=0), (1, 0)), x)


@pytest.mark.parametrize("dtype", ["int32", "uint8"])
def test_extremes_along_the_last_axis_of_turned_programs(dtype):
    def most(x):
        y = ko.permute_dims(x, (1, 0))
        return ko.permute_dims(ko.where(y == ko.max(y, axis=0, keepdims=True), y, ko.zeros_like(y)), (1, 0))

    require_same(most, array(2, 50, 77, dtype=dtype))


@pytest.mark.parametrize("threads", [1, 2])
def test_turned_norms_of_sizes_that_only_the_call_knows(threads, set_threads):
    compiled = ko.jit(turned_norm, dynamic={"x": {0: "n", 1: "m"}})
    set_threads(threads)
    for shape in [(1, 1), (16, 16), (40, 33), (300, 1500), (5, 0)]:
        x = array(4, *shape)
        assert np.asarray(compiled(x)).tobytes() == bits(turned_norm, x, backend="interpret")[0]


# Sums over dims that do not follow one another: segments.
@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "int32"])
@pytest.mark.parametrize("shape", [(9, 33, 112), (3, 5, 7), (2, 4, 4100), (1, 20, 64)], ids=str)
def test_sums_over_dims_apart(shape, dtype):
    x = array(5, *shape, dtype=dtype)
    require_same(lambda x: (ko.sum(x, axis=(0, 2)), ko.max(x, axis=(0, 2))), x)
    require_same(lambda x: ko.sum(ko.reshape(x, (*shape, 1)) * 2, axis=(0, 2, 3)), x)


def test_sums_over_dims_apart_read_vectors():
    assert "gathers" not in ko.jit(lambda x: ko.sum(x, axis=(0, 2))).explain(array(6, 30, 20, 112))
