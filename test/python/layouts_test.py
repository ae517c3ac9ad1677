"""Intermediate values may lie in memory in any order of their dims; what is no layout is refused."""

import numpy as np
import pytest

import kolam as ko

X = np.linspace(-2, 3, 24, dtype=np.float32).reshape(4, 6)


def kept(x):
    y = ko.materialize(ko.exp(x))
    return y + y[::-1], y.sum(axis=0), ko.softmax(y @ y.T, axis=-1)


def middle(program):
    """The name of the buffer of `y`."""
    return next(line.split(":")[0] for line in program.as_text("nests").splitlines() if "[4, 6] arena" in line)


@pytest.mark.parametrize("strides", ["1, 4", "6, 1", "6, 1 first 0"])
def test_strides_by_hand(strides):
    program = ko.jit(kept).lower(X)
    for one, other in zip(program.run([X]), program._with_layouts({middle(program): strides}).run([X]), strict=True):
        assert np.asarray(one).tobytes() == np.asarray(other).tobytes()


def test_symbols():
    program = ko.jit(kept, dynamic={"x": {0: "n"}}).lower(X)
    name = next(line.split(":")[0] for line in program.as_text("nests").splitlines() if "[n, 6] arena" in line)
    other = program._with_layouts({name: "1, n"})
    for rows in (1, 4, 9):
        x = np.resize(X, (rows, 6))
        for one, two in zip(program.run([x]), other.run([x]), strict=True):
            assert np.asarray(one).tobytes() == np.asarray(two).tobytes()


@pytest.mark.parametrize("seed", range(1, 6))
def test_random_orders(seed):
    program = ko.jit(kept).lower(X)
    for one, other in zip(program.run([X]), program._with_random_layouts(seed).run([X]), strict=True):
        assert np.asarray(one).tobytes() == np.asarray(other).tobytes()


@pytest.mark.parametrize(
    ("strides", "words"),
    [
        ("1, 1", "expected each element at a place of its own, but got strides [1, 1] of shape [4, 6]"),
        ("0, 1", "expected each element at a place of its own"),
        ("8, 1", "expected elements 0 to 23 of its memory, but got 29"),
        ("6, 1 first 1", "expected elements 0 to 23 of its memory, but got 24"),
        ("6", "expected a stride for each of 2 dims, but got 1"),
        ("six, 1!", "expected strides with commas between them, then perhaps 'first' and a number, but got 'six, 1!'"),
    ],
)
def test_what_is_no_layout(strides, words):
    program = ko.jit(kept).lower(X)
    with pytest.raises(ValueError, match="bad-layout") as error:
        program._with_layouts({middle(program): strides}).run([X])
    assert words in str(error.value)


def test_what_must_be_row_major():
    program = ko.jit(kept).lower(X)
    with pytest.raises(ValueError, match="b0: expected row-major memory, as it is no intermediate value"):
        program._with_layouts({"b0": "1, 4"}).run([X])
    with pytest.raises(ValueError, match="expected a buffer from b0 to b[0-9]+, but got 'y'"):
        program._with_layouts({"y": "1, 4"}).run([X])
