"""Rows of one to four elements: a vector has elements of many rows, whose vectors are interleaved. The bits stay."""

import numpy as np
import pytest
from random_edges.values import specials
from same_bits import require_same_bits, ways_to_read

import kolam as ko

RNG = np.random.default_rng(0)


def array(*shape, dtype="float32"):
    return (RNG.standard_normal(shape) * 10).astype(dtype)


def stacked(x, y):
    return ko.stack([x[..., 0] * 2, y[..., 0] + 1], axis=-1)


def joined(x, y):
    return ko.concat([x[..., :1], y[..., :1], x[..., :1] * y[..., :1]], axis=-1)


def shifted(x, y):
    return x + y[0]


def scaled(x, y):
    return x * ko.sqrt(ko.sum(y * y, axis=-1, keepdims=True))


def transformed(x, y):
    return x @ y[: x.shape[-1], : x.shape[-1]].T


def chosen(x, y):
    return ko.where(x > y[:1], x, -x)


def compared(x, y):
    return x > y[:1]


def mirrored(x, y):
    return ko.flip(x, axis=-1) + y[0]


@pytest.mark.parametrize("f", [stacked, joined, shifted, scaled, transformed, chosen, compared, mirrored])
@pytest.mark.parametrize("width", [1, 2, 3, 4])
@pytest.mark.parametrize("rows", [16, 37])
def test_elements_of_many_rows_at_once(f, width, rows):
    for dtype in ("float32", "float64", "int16", "bfloat16"):
        x, y = (ko.astype(array(rows, width), dtype) for _ in range(2))
        native, interpreted, followed = (np.asarray(ko.jit(f, backend=b)(x, y)) for b in ("cpu", "interpret", "schedule"))
        assert native.tobytes() == interpreted.tobytes() == followed.tobytes()
        text = ko.jit(f).lower(x, y).as_text("nests")
        assert " by interleaved lanes " in text or (f is not stacked and f is not joined)


@pytest.mark.parametrize("f", [stacked, joined, shifted, scaled, transformed, chosen, compared, mirrored])
@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_special_values_and_views(f, width):
    wild = lambda dtype, rows, seed: np.random.default_rng(seed).choice(specials(dtype), (rows, width))  # noqa: E731
    for dtype, rows in (("float32", 4), ("float64", 37), ("float16", 19)):
        require_same_bits(f, wild(dtype, rows, 1), wild(dtype, rows, 2))
    x, y = (wild("float32", 33, seed) for seed in (1, 2))
    for read, array in ways_to_read(x):
        require_same_bits(lambda x, y: f(read(x), y), array, y)
    if f in (shifted, transformed, chosen, mirrored):
        for rows in (0, 1):
            require_same_bits(f, x[:rows], y)


@pytest.mark.parametrize("f", [shifted, scaled, transformed])
def test_of_images_and_of_sizes_that_only_the_call_knows(f):
    x, y = array(5, 50, 3), array(3, 3)
    y = np.broadcast_to(y, (5, 3, 3))[0]
    f_of = {shifted: lambda x, y: x + y[0], scaled: lambda x, y: x * y[0], transformed: lambda x, y: x @ y}[f]
    expected = np.asarray(ko.jit(f_of, backend="interpret")(x, y))
    assert " by interleaved " in ko.jit(f_of).lower(x, y).as_text("nests")
    dynamic = ko.jit(f_of, dynamic={"x": {1: "n"}})
    for n in (1, 15, 16, 50):
        assert np.asarray(dynamic(x[:, :n], y)).tobytes() == expected[:, :n].tobytes()


def test_donated_memory_is_taken_over():
    x, y = array(64, 3), array(3)
    expected = np.asarray(x + y)
    step = ko.jit(lambda x, y: x + y, donate_argnums=0)
    assert np.asarray(step(ko.asarray(x), y)).tobytes() == expected.tobytes()


@pytest.mark.parametrize("count", range(1, 10))
@pytest.mark.parametrize("axis", [-1, 0])
def test_reductions_of_few_elements_go_by_lanes(count, axis):
    x = array(100, 40, count) if axis == -1 else array(count, 100, 40)
    for f in (ko.sum, ko.max, ko.prod, ko.mean):
        native, interpreted = (np.asarray(ko.jit(lambda x: f(x, axis=axis), backend=b)(x)) for b in ("cpu", "interpret"))
        assert native.tobytes() == interpreted.tobytes()
    text = ko.jit(lambda x: ko.sum(x, axis=axis)).lower(x).as_text("nests")
    assert (" lanes " in text) == (axis == 0 or count <= 8)


def test_damaged_schedules_are_refused():
    x, y = array(64, 3), array(3)
    text = ko.jit(lambda x, y: x + y).lower(x, y).as_text("nests").split("\nnest0\n")[1]
    lanes = text.split(" lanes ")[1].split()[0]
    for part, replacement, words in [
        (" by interleaved", " by elements", "block of them"),
        (f" by {lanes}", f" by {int(lanes) // 2}", "rows"),
        ("by interleaved", "by tiles", "no operand lies transposed"),
    ]:
        assert part in text
        with pytest.raises(ko.errors.KolamValueError, match="bad-schedule") as raised:
            ko.jit(lambda x, y: x + y, schedules={"nest0": text.replace(part, replacement)})(x, y)
        assert words in str(raised.value)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "uint8", "bool"])
@pytest.mark.parametrize("columns", [5, 6, 7, 8, 9, 11, 16, 17])
@pytest.mark.parametrize("rows", [1, 15, 64, 200, 261])
def test_columns_are_taken_out_of_rows(rows, columns, dtype):
    """Every step-th element, out of as many vectors as the step says, the last of which ends with the array."""
    x = array(rows, columns, dtype=dtype)
    run = lambda x: (ko.max(x.astype("float32"), axis=1), ko.any(x, axis=1), x[:, columns - 1], x[:, 2])
    if dtype.startswith("float"):
        wild = np.random.default_rng(columns).choice(specials(dtype), x.shape)
        require_same_bits(lambda x: (run(x), ko.sum(x, axis=1), ko.argmax(x, axis=1)), wild)
        require_same_bits(lambda x: run(x)[2:], wild, moves=True)
    largest, some, last, third = (np.asarray(y) for y in ko.jit(run)(x))
    np.testing.assert_array_equal(largest, x.astype("float32").max(axis=1))
    np.testing.assert_array_equal(some, x.any(axis=1))
    np.testing.assert_array_equal(last, x[:, columns - 1])
    np.testing.assert_array_equal(third, x[:, 2])


@pytest.mark.parametrize("count", [2, 3, 4, 8, 9])
@pytest.mark.parametrize("rows", [1, 5, 300, 303])
def test_states_of_a_loop_stand_side_by_side(rows, count):
    """Each row holds the states of one loop, whose lanes are rows."""

    def mixed(x):
        step = lambda i, s: tuple(s[j] ^ (s[(j + 1) % count] + i) for j in range(count))
        return ko.stack(ko.fori_loop(0, 20, step, tuple(x[:, j] for j in range(count))), axis=1)

    x = np.random.default_rng(rows).integers(0, 99, (rows, count)).astype(np.int32)
    native = ko.jit(mixed)
    np.testing.assert_array_equal(np.asarray(native(x)), np.asarray(ko.jit(mixed, backend="interpret")(x)))
    if rows >= 300 and count <= 8:
        assert " by interleaved " in native.lower(x).as_text("nests")


@pytest.mark.parametrize("rows", [1, 5, 64, 301])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_small_matrices_of_many_parts_go_side_by_side(rows, dtype):
    """Inverses of 3 x 3 matrices: what the parts of a row share stands in the code once."""

    def inverse(m):
        (a, b, c), (d, e, f), (g, h, i) = ([m[:, j, k] for k in range(3)] for j in range(3))
        first, second, third = e * i - f * h, f * g - d * i, d * h - e * g
        parts = [
            [first, c * h - b * i, b * f - c * e], [second, a * i - c * g, c * d - a * f], [third, b * g - a * h, a * e - b * d],
        ]  # fmt: skip
        whole = ko.stack([ko.stack(row, axis=-1) for row in parts], axis=1)
        return whole / (a * first + b * second + c * third)[:, None, None]

    m = (np.eye(3) * 40 + array(rows, 3, 3)).astype(dtype)
    (found,) = require_same_bits(inverse, m)
    np.testing.assert_allclose(found, np.linalg.inv(m.astype("float64")), rtol=1e-3, atol=1e-5)
    if rows >= 64:
        assert " by interleaved " in ko.jit(inverse).lower(m).as_text("nests")
