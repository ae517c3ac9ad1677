"""Index arrays that are affine functions of their index: elements are read where they lie. NumPy says which."""

import numpy as np
import pytest
from random_edges.values import elements

import kolam as ko

X = np.arange(60, dtype=np.float32) ** 2
Y = (np.arange(40, dtype=np.float32) ** 2).reshape(5, 8)


def windows(np, x):
    return x[np.arange(53)[:, None] + np.arange(8)[None, :]]


def backwards(np, x):
    return x[59 - 2 * np.arange(30)]


def from_the_end(np, x):
    return x[np.arange(20) - 20]


def frames(np, x):
    return x[10 * np.arange(5)[:, None] + 3 * np.arange(4)[None, :] + 1]


def quotients(np, x):
    return x[np.reshape(np.arange(24) // 4, (6, 4))]


def remainders(np, x):
    return x[np.reshape(np.arange(24) % 4, (6, 4))]


def clipped(np, x):
    return x[np.minimum(np.arange(20), 59)] + x[np.maximum(np.arange(20) + 5, 5)]


def chosen(np, x):
    i = np.arange(20)
    return x[np.where(i < 20, i + 7, 0)]


def toeplitz(np, x):
    return x[30 + np.arange(9)[:, None] - np.arange(7)[None, :]]


def of_one(np, x):
    return x[np.arange(1) * 1000]


# Affine box by box.
def bent(np, x):
    return x[np.minimum(np.arange(60), 30)]


def around_a_ring(np, x):
    i = np.arange(60)
    return x[(i + 1) % 60] - x[(i - 3) % 60] + x[(30 - i) % 60]


def to_the_edges(np, x):
    return x[np.clip(np.arange(60) - 2, 0, 59)] + x[np.minimum(np.maximum(np.arange(60) + 5, 0), 59)]


def mirrored(np, x):
    i = np.arange(60) - 4
    return x[np.where(i < 0, -i, i)]


def joined(np, x):
    return x[np.concat([np.arange(20) + 3, np.arange(10), 59 - np.arange(30)])]


# Not affine, nor in a few boxes: these stay gathers.
def triangles(np, x):
    i = np.arange(9)
    return x[i * i // 2]


def halves(np, x):
    return x[np.arange(40) // 2]


def circulant(np, x):
    return x[(np.arange(60)[:, None] + np.arange(60)[None, :]) % 60]


VIEWS = [windows, backwards, from_the_end, frames, quotients, remainders, clipped, chosen, toeplitz, of_one]
VIEWS += [bent, around_a_ring, to_the_edges, mirrored, joined]
GATHERS = [triangles, halves, circulant]


@pytest.mark.parametrize("backend", ["cpu", "interpret", "schedule"])
@pytest.mark.parametrize("function", VIEWS + GATHERS, ids=lambda f: f.__name__)
def test_elements_are_those_of_numpy(function, backend):
    compiled = ko.jit(lambda x: function(ko, x), backend=backend)
    np.testing.assert_array_equal(np.asarray(compiled(X)), function(np, X))


@pytest.mark.parametrize("function", VIEWS, ids=lambda f: f.__name__)
def test_affine_places_are_no_gather(function):
    assert "gather" not in ko.jit(lambda x: function(ko, x)).lower(X).as_text("nests")


@pytest.mark.parametrize("function", GATHERS, ids=lambda f: f.__name__)
def test_other_places_are_gathers(function):
    assert "gather" in ko.jit(lambda x: function(ko, x)).lower(X).as_text("nests")


def diagonal(np, y):
    i = np.arange(5)
    return y[i, i + 2]


def transposed(np, y):
    return y[np.arange(5)[None, :], np.arange(8)[:, None]]


def corner(np, y):
    return y[4 - np.arange(2)[:, None], 7 - 3 * np.arange(3)[None, :]]


def torus(np, y):
    i, j = np.arange(5)[:, None], np.arange(8)[None, :]
    return y[(i + 1) % 5, (j - 1) % 8] + y[(i[:, 0] - 2) % 5][:, np.arange(8)]


@pytest.mark.parametrize("function", [diagonal, transposed, corner, torus], ids=lambda f: f.__name__)
def test_two_coordinates(function):
    compiled = ko.jit(lambda y: function(ko, y))
    np.testing.assert_array_equal(np.asarray(compiled(Y)), function(np, Y))
    assert "gather" not in compiled.lower(Y).as_text("nests")


@pytest.mark.parametrize("seed", range(30))
def test_random_places(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.integers(-4, 5, 2)
    n, m = rng.integers(1, 7, 2)
    least = min(a * (n - 1), 0) + min(b * (m - 1), 0)
    start = -least + rng.integers(0, 3)
    length = start + max(a * (n - 1), 0) + max(b * (m - 1), 0) + 1 + rng.integers(0, 2)
    x = rng.standard_normal(int(length)).astype(np.float32)

    def function(np, x):
        return x[int(start) + int(a) * np.arange(int(n))[:, None] + int(b) * np.arange(int(m))[None, :]] * 2

    np.testing.assert_array_equal(np.asarray(ko.jit(lambda x: function(ko, x))(x)), function(np, x))


@pytest.mark.parametrize("seed", range(30))
def test_random_boxes(seed):
    rng = np.random.default_rng(seed)
    n, m = rng.integers(1, 70, 2)
    step, start = rng.choice([-3, -1, 1, 2]), rng.integers(-80, 80)
    x = elements(rng, "float32", (int(m),))
    kind = rng.integers(4)

    def function(np, x):
        i = int(start) + int(step) * np.arange(int(n))
        if kind == 0:
            i = i % int(m)
        elif kind == 1:
            i = np.clip(i, 0, int(m) - 1)
        elif kind == 2:
            i = np.where(i < 0, 0, np.where(i > int(m) - 1, int(m) - 1, i))
        else:
            i = np.abs(np.clip(i, 1 - int(m), int(m) - 1))
        return x[i]

    for backend in ("cpu", "interpret", "schedule"):
        found = np.asarray(ko.jit(lambda x: function(ko, x), backend=backend)(x))
        np.testing.assert_array_equal(found.view(np.int32), function(np, x).view(np.int32))


@pytest.mark.parametrize("places", [[0, 1, 2, 3], [5, 3, 1], [7], [[0, 1], [1, 2]], [0, 1, 3]])
def test_constant_places(places):
    compiled = ko.jit(lambda x: x[np.array(places)] + 1)
    np.testing.assert_array_equal(np.asarray(compiled(X)), X[np.array(places)] + 1)


def test_narrow_integers_that_wrap_are_as_they_were():
    def wrapped(np, x):
        return x[(np.arange(40).astype("uint8") * np.asarray(np.full(40, 7)).astype("uint8")) % 50]

    np.testing.assert_array_equal(np.asarray(ko.jit(lambda x: wrapped(ko, x))(X)), wrapped(np, X))


def test_places_outside_are_as_they_were():
    def outside(x):
        return x[ko.arange(70)]

    values = [np.asarray(ko.jit(outside, backend=backend)(X)) for backend in ("interpret", "cpu")]
    np.testing.assert_array_equal(values[1], values[0])
    np.testing.assert_array_equal(values[1][:60], X)


def test_windows_of_a_list_are_read_where_they_lie():
    ops = ko.fractal
    sums = ko.jit(lambda x: ops.map(lambda window: ops.reduce(ko.add, window), ops.slide(x, 8)))
    x = ops.FractalTensor.from_offsets(X, np.array([0, len(X)]))[0]
    meant = np.lib.stride_tricks.sliding_window_view(X, 8).sum(1)
    np.testing.assert_allclose(np.asarray(sums(x).to_list()), meant, rtol=1e-6)
    assert "gather" not in sums.lower(x).as_text("nests")
