"""Slices at one place of an argument's first dims are pieces of its memory: one code for all places, the bits stay."""

import numpy as np
import pytest
from random_edges.values import specials
from same_bits import different_bits, require_same_bits, ways_to_read

import kolam as ko


def floats(*shape):
    return np.random.default_rng(3).uniform(-1, 1, shape).astype(np.float32)


def layers(x, w, b):
    for i in range(w.shape[0]):
        x = ko.tanh(x @ w[i] + b[i])
    return x


def test_the_loops_of_all_layers_are_the_same():
    x, w, b = floats(20, 24), floats(7, 24, 24), floats(7, 24)
    lowered = ko.jit(layers).lower(x, w, b).as_text("lowered").split("// nest")[1:]
    assert len(lowered) == 7
    assert len({text.split("\n", 1)[1].strip() for text in lowered}) <= 3  # the first and the last are others
    require_same_bits(layers, x, w, b)


def test_captured_weights_are_packed_from_their_pieces():
    w, b = floats(3, 24, 32), floats(3, 32)
    require_same_bits(lambda x: x @ w[2] + b[2] + x @ w[1] - (w[0] * 2)[5], floats(20, 24))


def test_pieces_of_symbolic_arrays():
    f = ko.jit(lambda x, w: x * w[2, 1] + w[0, 3], dynamic={"x": {0: "n"}, "w": {0: "m", 2: "n"}})
    for m, n in ((3, 1), (5, 17), (3, 0)):
        x, w = floats(n), floats(m, 4, n)
        np.testing.assert_array_equal(np.asarray(f(x, w)), x * w[2, 1] + w[0, 3])


def test_the_memory_of_a_donated_argument_is_not_changed_before_its_piece_is_read():
    def spread(x):
        return x * 2 + x[3]

    x = floats(8, 40)
    for f in (spread, lambda x: (spread(x), x[0] * 3), lambda x: x.at[2].set(x[5] + x[1])):
        expected = f(x) if f is spread else None
        found = ko.jit(f, donate_argnums=0)(ko.asarray(x.copy()))
        kept = ko.jit(f)(ko.asarray(x))
        for one, other in zip(*((r if isinstance(r, tuple) else (r,)) for r in (found, kept)), strict=True):
            assert not different_bits(np.asarray(one), np.asarray(other)).any()
        if expected is not None:
            np.testing.assert_array_equal(np.asarray(found), expected)


def test_pieces_inside_loops():
    def steps(x, w):
        def turn(i, state):
            return ko.tanh(state @ w[1] + w[0, 0])

        return ko.fori_loop(0, 5, turn, x)

    require_same_bits(steps, floats(20, 24), floats(3, 24, 24))
    require_same_bits(lambda w: ko.fori_loop(0, 3, lambda i, s: s * 2 + w[1], w[0]), floats(3, 24))


@pytest.mark.parametrize("shape", [(1, 1), (2, 1), (3, 5, 7), (4, 16)])
def test_pieces_as_results_and_in_steps_of_the_runtime(shape):
    require_same_bits(lambda x: (x[-1], ko.sort(x[0]), ko.cumulative_sum(x[shape[0] // 2], axis=0)), floats(*shape))


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("shape", [(3, 0), (2, 1), (4, 7), (4, 3, 17)])
def test_special_values_and_views_in_pieces(shape, dtype):
    x = np.random.default_rng(7).choice(specials(dtype), shape)

    def pieces(x):
        return x[-1], x[1] + x[0], ko.maximum(x[1], x[-1]) * x, ko.sort(x[0]), x.at[1].set(x[0])

    for read, array in ways_to_read(x):
        require_same_bits(lambda y: pieces(read(y)), array)
        require_same_bits(lambda y: (read(y)[-1], ko.concat([read(y)[1], read(y)[0]])), array, moves=True)
