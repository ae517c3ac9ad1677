"""Random orders, choices and further distributions: the bits of JAX, and what distributions are."""

import math

import numpy as np
import pytest

import kolam as ko

BACKENDS = ["cpu", "interpret"]
# What jax.random 0.10.2 gives with jax_threefry_partitionable=True, k = PRNGKey(42).
JAX = {
    "permutation(k, 12)": [7, 4, 2, 5, 3, 6, 10, 11, 8, 9, 0, 1],
    "permutation(k, x, 1)": [[2, 3, 0, 1], [6, 7, 4, 5]],
    "permutation(k, x, 1, True)": [[2, 3, 0, 1], [7, 4, 5, 6]],
    "permutation(k, 3000)[:5]": [2629, 116, 2048, 2566, 2509],
    "choice(k, 9, (2, 3))": [[0, 6, 0], [1, 2, 6]],
    "choice(k, 9, (5,), False)": [7, 4, 2, 5, 3],
    "choice(k, x, (3,), False, axis=1)": [[2, 3, 0], [6, 7, 4]],
    "choice(k, 4, (6,), p=p)": [2, 2, 2, 2, 2, 2],
    "choice(k, 4, (3,), False, p)": [3, 2, 1],
    "categorical(k, l)": [2, 0],
    "categorical(k, l, 0)": [1, 0, 0],
    "categorical(k, l, shape=(4, 2))": [[2, 0], [2, 0], [1, 0], [1, 2]],
    "categorical(k, l, shape=(2, 2), replace=False)": [[2, 0], [1, 2]],
    "gumbel(k, (3,))": [0.3340933918952942, 0.952019453048706, 0.7255305647850037],
    "exponential(k, (3,))": [0.670817494392395, 1.1388006210327148, 0.9578199982643127],
    "truncated_normal(k, -1, 0.5, (3,))": [-0.20434169471263885, 0.05230233445763588, -0.03256894648075104],
    "gumbel(k, (3,), 'float16')": [-0.9453125, -0.505859375, 3.69921875],
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("call", JAX)
def test_bits_of_jax(call, backend):
    names = {name: getattr(ko.random, name) for name in ("permutation", "choice", "categorical", "gumbel", "exponential", "truncated_normal")}
    p, logits = np.array([0.1, 0.2, 0.3, 0.4], np.float32), np.log(np.array([[0.1, 0.2, 0.7], [0.5, 0.25, 0.25]], np.float32))
    x = np.arange(8, dtype=np.int32).reshape(2, 4)
    result = ko.jit(lambda k, x, p, l: eval(call, names | {"k": k, "x": x, "p": p, "l": l}), backend=backend)(ko.random.key(42), x, p, logits)
    expected = np.array(JAX[call])
    if expected.dtype.kind == "f":
        np.testing.assert_allclose(np.asarray(result, np.float64), expected, rtol=2e-3 if "16" in call else 1e-6, atol=1e-7)
    else:
        np.testing.assert_array_equal(np.asarray(result), expected)


def test_distributions():
    key = ko.random.key(7)
    n = 20000
    gumbel = np.asarray(ko.random.gumbel(key, (n,)))
    assert abs(gumbel.mean() - 0.5772) < 0.05 and abs(gumbel.std() - math.pi / math.sqrt(6)) < 0.05
    assert abs(np.asarray(ko.random.exponential(key, (n,))).mean() - 1) < 0.05
    bounded = np.asarray(ko.random.truncated_normal(key, -1.0, 2.0, (n,)))
    assert bounded.min() > -1 and bounded.max() < 2 and abs(bounded.mean() - 0.2296) < 0.03
    counts = np.bincount(np.asarray(ko.random.choice(key, 4, (n,), p=np.array([1.0, 0, 2, 1], np.float32))), minlength=4) / n
    np.testing.assert_allclose(counts, [0.25, 0, 0.5, 0.25], atol=0.02)
    places = np.asarray(ko.random.categorical(key, np.log(np.array([1, 3], np.float32)), shape=(n,)))
    assert abs(places.mean() - 0.75) < 0.02
    order = np.asarray(ko.random.permutation(key, n))
    assert sorted(order.tolist()) == list(range(n)) and (order != np.arange(n)).any()


def test_shapes_and_dtypes():
    key = ko.random.key(0)
    assert ko.random.permutation(key, 0).shape == (0,) and ko.random.permutation(key, 1).tolist() == [0]
    assert ko.random.permutation(key, ko.zeros((0, 3))).shape == (0, 3)
    assert ko.random.choice(key, 5).shape == () and ko.random.choice(key, 5, (0,)).shape == (0,)
    assert ko.random.choice(key, ko.zeros((2, 5, 3)), (4, 1), axis=1).shape == (2, 4, 1, 3)
    assert ko.random.truncated_normal(key, np.zeros(3, np.float32), 1.0).shape == (3,)
    for dtype in ("float16", "bfloat16", "float64"):
        for draw in (ko.random.gumbel(key, (5,), dtype), ko.random.exponential(key, (5,), dtype), ko.random.truncated_normal(key, -1, 1, (5,), dtype)):
            assert draw.dtype == getattr(ko, dtype) and np.isfinite(np.asarray(draw, np.float64)).all()
    assert ko.random.permutation(key, ko.asarray([True, False])).dtype == ko.bool


@pytest.mark.parametrize("call, error", [
    (lambda k: ko.random.permutation(k, -1), ValueError), (lambda k: ko.random.permutation(k, 1.5), TypeError),
    (lambda k: ko.random.permutation(k, ko.zeros(3), 1), IndexError), (lambda k: ko.random.choice(k, 3, (4,), False), ValueError),
    (lambda k: ko.random.choice(k, 0, (4,)), ValueError), (lambda k: ko.random.choice(k, 3, (2,), p=np.ones(4)), ValueError),
    (lambda k: ko.random.choice(k, 3, (2,), p=np.ones((3, 1))), ValueError), (lambda k: ko.random.gumbel(k, (2,), "int32"), TypeError),
    (lambda k: ko.random.categorical(k, np.ones((2, 3)), 2), IndexError), (lambda k: ko.random.categorical(k, np.ones(3), shape=(4,), replace=False), ValueError),
    (lambda k: ko.random.categorical(k, np.ones((2, 3)), shape=(5,)), ValueError), (lambda k: ko.random.exponential(3, (2,)), TypeError),
    (lambda k: ko.random.truncated_normal(k, 0, 1, (2,), "int32"), TypeError),
])  # fmt: skip
def test_wrong_calls(call, error):
    with pytest.raises(error):
        call(ko.random.key(0))
