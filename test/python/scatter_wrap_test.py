"""Scatters whose places wrap, beside loops over the elements."""

import numpy as np
import pytest

import kolam as ko

RNG = np.random.default_rng(0)
FUNCTIONS = {"kUpdate": lambda old, new: new, "kAdd": np.add, "kMul": np.multiply, "kMin": np.minimum, "kMax": np.maximum}


def by_loops(x, update, places, function):
    """Windows along dims 0 and 2 of x."""
    result = x.copy()
    for batch in np.ndindex(places.shape[:-1]):
        for offset in np.ndindex(update.shape[places.ndim - 1 :]):
            at = ((places[batch][0] + offset[0]) % x.shape[0], offset[1], (places[batch][1] + offset[2]) % x.shape[2])
            result[at] = function(result[at], update[batch + offset])
    return result


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("windows", [(1, 1), (2, 3)])
def test_each_place_wraps(name, windows):
    x = RNG.standard_normal((4, 2, 5))
    places = RNG.integers(-9, 9, (3, 2, 2)).astype(np.int32)
    update = RNG.standard_normal((3, 2, windows[0], 2, windows[1]))
    expected = by_loops(x, update, places, FUNCTIONS[name])
    for backend in ("cpu", "interpret"):
        found = ko.jit(lambda x, u, p: ko.scatter(x, u, p, (0, 2), name, mode="wrap"), backend=backend)(x, update, places)
        assert np.array_equal(np.asarray(found), expected), backend


def test_the_ends_of_integers_wrap():
    x, update = np.zeros(5), np.ones((2, 2))
    places = np.array([[np.iinfo(np.int64).max], [np.iinfo(np.int64).min]])
    expected = np.zeros(5)
    for start in (int(places[0, 0]), int(places[1, 0])):
        for offset in range(2):
            expected[(start + offset) % 5] += 1
    assert np.asarray(ko.scatter(x, update, places, (0,), "kAdd", mode="wrap")).tolist() == expected.tolist()


def test_gather_sees_what_scatter_wrote():
    places = RNG.integers(-20, 20, (1, 1)).astype(np.int32)
    update = RNG.standard_normal((1, 3, 2))
    whole = ko.scatter(np.zeros((7, 2)), update, places, (0,), mode="wrap")
    assert np.array_equal(np.asarray(ko.gather(whole, places, (0,), (3,), mode="wrap")), update)


def plus_square(old, new):
    return old + new * new


COMBINERS = [*FUNCTIONS, plus_square]


@pytest.mark.parametrize("backend", ["cpu", "interpret"])
@pytest.mark.parametrize("mode", ["drop", "clip", "wrap", "promise"])
@pytest.mark.parametrize("combiner", COMBINERS)
def test_windows_without_elements_write_nothing(combiner, mode, backend):
    places = np.array([[0], [5]], np.int32)
    for rows in (0, 4):
        x, update = RNG.standard_normal((rows, 3)), np.ones((2, 0, 3))
        f = lambda x, u: ko.scatter(x, u, places, (0,), combiner, mode=mode)  # noqa: B023, E731
        assert np.array_equal(np.asarray(ko.jit(f, backend=backend)(x, update)), x)
        of_x, of_update = ko.jit(ko.grad(lambda x, u: ko.sum(f(x, u)), argnums=(0, 1)), backend=backend)(x, update)  # noqa: B023
        assert np.array_equal(np.asarray(of_x), np.ones_like(x)) and of_update.shape == update.shape


@pytest.mark.parametrize("backend", ["cpu", "interpret"])
@pytest.mark.parametrize("mode", ["drop", "clip", "wrap", "promise"])
@pytest.mark.parametrize("combiner", FUNCTIONS)
def test_no_scattered_dims(combiner, mode, backend):
    """Each window is the whole array."""
    x, update, places = RNG.standard_normal((4, 3)), RNG.standard_normal((2, 4, 3)), np.zeros((2, 0), np.int32)
    f = lambda x, u: ko.scatter(x, u, places, (), combiner, mode=mode)  # noqa: E731
    function = FUNCTIONS[combiner]
    assert np.array_equal(np.asarray(ko.jit(f, backend=backend)(x, update)), function(function(x, update[0]), update[1]))
    found = ko.jit(ko.grad(lambda x, u: ko.sum(f(x, u)), argnums=(0, 1)), backend=backend)(x, update)
    expected = ko.grad(lambda x, u: ko.sum(ko.scatter(x, u, places, (), combiner)), argnums=(0, 1))(x, update)
    for own, other in zip(found, expected, strict=True):
        assert np.array_equal(np.asarray(own), np.asarray(other))


@pytest.mark.parametrize("backend", ["cpu", "interpret"])
@pytest.mark.parametrize("mode", ["clip", "fill", "wrap", "promise"])
def test_gathers_of_no_elements_have_gradients(mode, backend):
    places = np.array([[0], [5]], np.int32)
    f = lambda x: ko.sum(ko.gather(x, places, (0,), (0,), mode=mode))  # noqa: E731
    for rows in (0, 4):
        assert np.array_equal(np.asarray(ko.jit(ko.grad(f), backend=backend)(np.ones((rows, 3)))), np.zeros((rows, 3)))
