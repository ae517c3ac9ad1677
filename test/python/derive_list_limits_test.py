"""memory_limit of loops over lists: scans run in segments, and no bit changes."""

import numpy as np
import pytest
from random_programs.running import same_bits

import kolam as ko
from kolam import fractal
from kolam.errors import KolamValueError


def normal(*shape, seed=0):
    return ko.asarray(np.random.default_rng(seed).standard_normal(shape), dtype=ko.float32)


def elements(count, seed=0):
    """So many elements, of few that are drawn."""
    drawn = [normal(16, seed=seed + number) for number in range(7)]
    return fractal.FractalTensor([drawn[number % 7] for number in range(count)], leaf_shape=(16,), dtype=ko.float32)


def arrays_of(results):
    """All arrays of tuples and lists, one after the other."""
    if isinstance(results, tuple | fractal.FractalTensor):
        return [array for part in results for array in arrays_of(part)]
    return [np.asarray(results)]


def assert_same(found, expected, what):
    for one, other in zip(arrays_of(found), arrays_of(expected), strict=True):
        assert same_bits(one, other), what


def folded(w, xs, table):
    return ko.sum(fractal.fold(lambda h, x: ko.tanh(h @ w + x), xs, ko.zeros(16)))


def all_states(w, xs, table):
    def step(s, x):
        return ko.tanh(s[0] @ w + x), s[1] + s[0] * x

    first, second = fractal.scan(step, xs, (ko.zeros(16), ko.ones(16)))
    return sum(ko.sum(fractal.fold(lambda s, y: s + ko.sin(y), ys, ko.zeros(16))) for ys in (first, second))


def from_the_right(w, xs, table):
    pairs = fractal.zip(xs, fractal.map(ko.sin, xs))
    return ko.sum(fractal.foldr(lambda h, p: ko.tanh(h * p[0] + p[1] @ w), pairs, ko.zeros(16)))


def row_of(table, x):
    return table[ko.astype(ko.abs(x[0]) * 3, ko.int32) % 5]


def of_a_captured_list(w, xs, table):
    return ko.sum(fractal.fold(lambda h, x: ko.tanh(h * row_of(table, x) + x), xs, ko.zeros(16)) * w)


CASES = {"fold": (folded, 400_000), "scan": (all_states, 1_300_000), "foldr": (from_the_right, 1_000_000), "captured list": (of_a_captured_list, 100_000)}


@pytest.mark.parametrize("name", CASES)
def test_scans_over_lists_run_in_segments(name):
    loss, limit = CASES[name]
    w, table = normal(16, 16) * 0.2, elements(5, seed=9)
    free = ko.value_and_grad(loss, argnums=(0, 1, 2))
    bounded = ko.value_and_grad(loss, argnums=(0, 1, 2), memory_limit=limit)
    limited, interpreted = ko.jit(bounded), ko.jit(bounded, backend="interpret")
    assert "loops in segments of" in limited.explain(w, elements(3000), table)  # else nothing is tested
    for count in (3000, 129, 1, 0):
        xs = elements(count)
        expected = free(w, xs, table)
        assert_same(limited(w, xs, table), expected, f"{name}, {count} elements, native")
        if count < 3000:  # takes long
            assert_same(interpreted(w, xs, table), expected, f"{name}, {count} elements, interpreter")


def test_a_list_that_is_too_long_for_the_limit():
    w, table = normal(16, 16) * 0.2, elements(5)
    limited = ko.jit(ko.grad(folded, argnums=1, memory_limit=400_000))
    limited(w, elements(2000), table)
    with pytest.raises(KolamValueError, match=r"\[memory-limit\].*expected sizes at which 390.6 KiB are enough as they are for .* = 2000"):
        limited(w, elements(9000), table)


def test_lists_of_unequal_lengths_within_a_limit():
    w = normal(16, 16) * 0.2
    loss = lambda w, xs, ys: ko.sum(fractal.fold(lambda h, p: ko.tanh(h @ w + p[0] * p[1]), fractal.zip(xs, ys), ko.zeros(16)))  # noqa: E731
    limited = ko.jit(ko.grad(loss, argnums=1, memory_limit=100_000))
    assert "loops in segments of" in limited.explain(w, elements(3000), elements(3000))
    with pytest.raises(KolamValueError, match=r"\[list-lengths\]"):
        limited(w, elements(300), elements(299))


def test_scans_in_maps_have_no_segments():
    """All elements are steps of one sum, which is another than that of the sums of scans."""
    w, xss = normal(16, 16) * 0.2, fractal.FractalTensor([elements(700), elements(3), elements(1200)])

    def loss(w, xss):
        last = fractal.map(lambda xs: fractal.fold(lambda h, x: ko.tanh(h @ w + x), xs, ko.zeros(16)), xss)
        return ko.sum(fractal.fold(lambda s, y: s + ko.sin(y), last, ko.zeros(16)))

    with pytest.raises(KolamValueError, match=r"\[memory-limit\].*of 16.0 KiB at least .* KiB are needed beside arguments and results; most are held by float32\["):
        ko.grad(loss, argnums=(0, 1), memory_limit="16KiB")(w, xss)
    assert_same(ko.grad(loss, argnums=(0, 1), memory_limit="4MiB")(w, xss), ko.grad(loss, argnums=(0, 1))(w, xss), "in maps")


def test_scans_of_arrays_that_capture_lists():
    """What the linear loop reads of them is captured, too."""
    xs, table = normal(30, 16), elements(5)

    def loss(xs, table):
        return ko.sum(ko.scan(lambda h, x: (ko.tanh(h * row_of(table, x) + x), None), ko.zeros(16), xs)[0])

    found = ko.grad(loss, argnums=(0, 1))(xs, table)
    assert_same(ko.jit(ko.grad(loss, argnums=(0, 1)), backend="interpret")(xs, table), found, "interpreter")
    rows = ko.stack(list(table))
    of_xs, of_rows = ko.grad(loss, argnums=(0, 1))(xs, rows)
    np.testing.assert_allclose(np.asarray(found[0]), np.asarray(of_xs), rtol=1e-5)  # one order of steps
    np.testing.assert_allclose(np.stack([np.asarray(row) for row in found[1]]), np.asarray(of_rows), rtol=1e-5, atol=1e-6)
