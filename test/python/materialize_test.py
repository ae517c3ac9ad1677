"""`materialize` keeps a value in memory, and several results of one shape share a loop nest: in both the bits stay."""

import numpy as np
import pytest

import kolam as ko

X = np.linspace(-2, 3, 1000, dtype=np.float32)
Y = np.linspace(1, 4, 1000, dtype=np.float32)


def nests(f, *arguments):
    lines = ko.jit(f).lower(*arguments).as_text("nests").splitlines()
    return [line for line in lines if line.startswith("nest") and " = " in line]


def same_everywhere(f, *arguments):
    """The results of native code, which the interpreter and the schedules give too."""
    results = [ko.jit(f, backend=backend)(*arguments) for backend in ("cpu", "interpret", "schedule")]
    native, *others = [r if isinstance(r, tuple) else (r,) for r in results]
    for other in others:
        for mine, theirs in zip(native, other, strict=True):
            assert np.asarray(mine).tobytes() == np.asarray(theirs).tobytes()
    return native


def differences(keep):
    def f(x):
        y = keep(x * x)
        return y[1:] - y[:-1]

    return f


def test_it_is_computed_once():
    (kept,) = same_everywhere(differences(ko.materialize), X)
    (computed,) = same_everywhere(differences(lambda y: y), X)
    assert np.asarray(kept).tobytes() == np.asarray(computed).tobytes()
    assert len(nests(differences(lambda y: y), X)) == 1
    lines = nests(differences(ko.materialize), X)
    assert len(lines) == 2 and "materialize" in lines[0] and "multiply" not in lines[1]


def test_of_memory_it_is_no_copy():
    assert len(nests(lambda x: ko.materialize(x) + 1, X)) == 1
    assert len(nests(lambda x: ko.materialize(ko.sort(x)) + 1, X)) == 1


def test_without_jit_and_under_vmap():
    assert ko.materialize(ko.asarray([1.0, 2.0])).tolist() == [1.0, 2.0]
    assert ko.vmap(lambda x: ko.materialize(x) * 2)(np.ones((2, 3), np.float32)).tolist() == [[2.0] * 3] * 2


def adam(p, m, v, g):
    m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    return p - 0.01 * m / (ko.sqrt(v) + 1e-8), m, v


def mixed(x, y):
    return x > y, x + y, ko.astype(x * 10, "int64"), ko.astype(y, "float16")


def in_a_loop(x, y):
    def step(i, state):
        u, v = state
        return u + 0.1 * v, v - 0.1 * u

    return ko.fori_loop(0, 7, step, (x, y))


@pytest.mark.parametrize(("f", "count"), [(adam, 4), (mixed, 2), (in_a_loop, 2)])
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_results_that_read_the_same_memory_share_a_nest(f, count, size):
    arguments = [np.abs(np.roll(X, k))[:size] for k in range(count)]
    same_everywhere(f, *arguments)
    assert size == 1 or len([line for line in nests(f, *arguments) if "together" in line]) <= 1


def test_the_step_of_an_optimiser_is_one_nest():
    assert len(nests(adam, X, X, np.abs(X), Y)) == 1


def test_donated_memory_is_written_once_by_each():
    state = [X.copy() for _ in range(3)]
    expected = ko.jit(adam)(*state, Y)
    donated = [ko.asarray(s.copy()) for s in state]
    results = ko.jit(adam, donate_argnums=(0, 1, 2))(*donated, Y)
    for one, other in zip(results, expected, strict=True):
        assert np.asarray(one).tobytes() == np.asarray(other).tobytes()


def test_neighbours_keep_results_apart():
    def f(x):
        y = ko.exp(x)
        return y, y[::-1]

    same_everywhere(f, X)
    assert len(nests(f, X)) == 2


def rows(x):
    return ko.sum(x, axis=-1), ko.max(x, axis=-1), ko.sum(x * x, axis=-1)


def columns(x):
    return ko.min(x, axis=0), ko.max(x, axis=0), ko.prod(x, axis=0)


def everything(x):
    return ko.sum(x), ko.sum(x * x)


def extremes(x):
    return ko.argmin(x, axis=1), ko.argmax(x, axis=1)


def normalized(x):
    return (x - ko.mean(x, axis=-1, keepdims=True)) / ko.sqrt(ko.mean(x * x, axis=-1, keepdims=True))


@pytest.mark.parametrize("f", [rows, columns, everything, extremes, normalized])
@pytest.mark.parametrize("shape", [(40, 300), (3, 5000), (300, 2), (1, 1)])
def test_reductions_over_one_range_share_their_loops(f, shape):
    x = np.resize(X, shape).astype(np.float32)
    results = same_everywhere(f, x)
    if shape == (40, 300):
        text = ko.jit(f).lower(x).as_text("nests")
        assert len(nests(f, x)) == 1 and " beside " in text
        if f is not normalized:
            for number, result in enumerate(results):
                alone = ko.jit(lambda x, n=number: f(x)[n])(x)
                assert np.asarray(alone).tobytes() == np.asarray(result).tobytes()


@pytest.mark.parametrize("f", [everything, normalized])
def test_no_elements_share_loops_too(f):
    same_everywhere(f, np.zeros((0, 4), np.float32))
    same_everywhere(f, np.zeros((4, 0), np.float32))


def test_reductions_that_need_one_another_or_other_elements_do_not():
    def needs(x):
        most = ko.max(x, axis=-1, keepdims=True)
        return most[:, 0], ko.sum(x - most, axis=-1)

    def others(x):
        return ko.sum(x, axis=0), ko.sum(x, axis=1)

    x = np.resize(X, (30, 30))
    for f in (needs, others):
        same_everywhere(f, x)
        assert " beside " not in ko.jit(f).lower(x).as_text("nests")
