"""Derivatives of zip_map_reduce: captured scalars and arrays that the body indexes, body indices, reductions."""

import numpy as np
import pytest
from derivatives import checks
from derivatives.checks import assert_same_bits

import kolam as ko

ROWS = ko.asarray(np.array([[2, 0, 1, 2], [1, 1, 3, 0], [3, 2, 2, 1]], np.int32))
INSIDE = ko.asarray(np.array([2, 0, 1, 2], np.int32))
SPREAD = ko.Monoid(
    zero=(np.float64(0), np.float64(1)), wrap=lambda x: (x, 1 + 0.1 * x), merge=lambda a, b: (a[0] + b[0] * a[1], a[1] * b[1]), unwrap=lambda s: s[0] + s[1]
)


def pattern(f, *inputs, **options):
    return ko.zip_map_reduce(f, list(inputs), **options)


def number(axis):
    return ko.astype(ko.iter_idx(axis), ko.float64)


def powers(a, count):
    return ko.fori_loop(0, count, lambda i, s: ko.sin(s) * a + s, a)


#: (function, shapes); x is [3, 4], others broadcast with it
PROGRAMS = {
    "sum": (lambda x, y: pattern(lambda a, b: a * ko.sin(b), x, y, reduce="sum", axis=1), [(3, 4), (3, 4)]),
    "sum over rows": (lambda x, y: pattern(lambda a, b: a * ko.sin(b), x, y, reduce="sum", axis=0, keepdims=True), [(3, 4), (3, 4)]),
    "sum of all": (lambda x, y: pattern(lambda a, b: a * ko.sin(b), x, y, reduce="sum"), [(3, 4), (3, 4)]),
    "broadcast inputs": (lambda x, y: pattern(lambda a, b: ko.exp(-((a - b) ** 2)), x[:, None], y[None], reduce="sum", axis=1), [(3,), (4,)]),
    "broadcast inputs over the other axis": (lambda x, y: pattern(lambda a, b: ko.exp(-((a - b) ** 2)), x[:, None], y, reduce="sum", axis=0), [(3,), (4,)]),
    "mean": (lambda x: pattern(lambda a: ko.exp(a) * a, x, reduce="mean", axis=0), [(3, 4)]),
    "prod": (lambda x: pattern(lambda a: ko.sin(a) + a, x, reduce="prod", axis=1), [(3, 4)]),
    "max": (lambda x, y: pattern(lambda a, b: a * ko.cos(b), x, y, reduce="max", axis=1), [(3, 4), (3, 4)]),
    "min of all": (lambda x, y: pattern(lambda a, b: a * ko.cos(b), x, y, reduce="min"), [(3, 4), (3, 4)]),
    "a monoid": (lambda x: pattern(lambda a: ko.sin(a) * 0.5, x, reduce=SPREAD, axis=1), [(3, 4)]),
    "two results": (lambda x, y: pattern(lambda a, b: (a * b, ko.sin(a) - b), x, y), [(3, 4), (4,)]),
    "two sums": (lambda x, y: pattern(lambda a, b: (a * b, ko.sin(a) - b), x, y, reduce="sum", axis=1), [(3, 4), (4,)]),
    "a scalar": (lambda x, s: pattern(lambda a: ko.sin(a * s), x), [(3, 4), ()]),
    "a scalar under a sum": (lambda x, s: pattern(lambda a: ko.sin(a * s) * s, x, reduce="sum", axis=1), [(3, 4), ()]),
    "a scalar under a maximum": (lambda x, s: pattern(lambda a: ko.sin(a * s) * s, x, reduce="max", axis=0), [(3, 4), ()]),
    "a scalar under a monoid": (lambda x, s: pattern(lambda a: ko.sin(a * s) * 0.5, x, reduce=SPREAD, axis=0), [(3, 4), ()]),
    "body indices": (lambda x: pattern(lambda a: ko.sin(a * number(1)) + a * number(0), x), [(3, 4)]),
    "body indices under a sum": (lambda x, s: pattern(lambda a: ko.sin(a * s * number(1)) * number(0), x, reduce="sum", axis=0), [(3, 4), ()]),
    "body indices that choose": (lambda x: pattern(lambda a: ko.where(ko.iter_idx(1) >= ko.iter_idx(0), a * a, -a), x, reduce="sum", axis=1), [(3, 4)]),
    "an array by index": (lambda x, w: pattern(lambda a: ko.sin(a * ko.take(w, ko.iter_idx(1))), x), [(3, 4), (4,)]),
    "an array by index under a sum": (lambda x, w: pattern(lambda a: ko.sin(a * ko.take(w, ko.iter_idx(0))), x, reduce="sum", axis=0), [(3, 4), (3,)]),
    "an array by a sum of indices": (lambda x, w: pattern(lambda a: a * ko.take(w, ko.iter_idx(0) + ko.iter_idx(1)) ** 2, x, reduce="sum", axis=1), [(3, 4), (6,)]),
    "an array at places of data": (lambda x, w: pattern(lambda a, r: ko.sin(a * ko.take(w, r)), x, ROWS), [(3, 4), (5,)]),
    "an array at places of data under a sum": (lambda x, w: pattern(lambda a, r: ko.sin(a * ko.take(w, r)), x, ROWS, reduce="sum", axis=1), [(3, 4), (5,)]),
    "an array at places of data under a product": (
        lambda x, w: pattern(lambda a, r: ko.sin(a * ko.take(w, r)) + a, x, ROWS, reduce="prod", axis=0),
        [(3, 4), (5,)],
    ),
    "the input by other indices": (lambda x: pattern(lambda a, r: a * ko.take(x, r), x, INSIDE, reduce="sum"), [(4,)]),
    "a loop in the body": (lambda x: pattern(lambda a: powers(a, 3), x, reduce="sum", axis=1), [(3, 4)]),
    "a loop of as many turns": (lambda x: pattern(lambda a, r: powers(a, r), x, ROWS), [(3, 4)]),
    "a branch in the body": (lambda x, s: pattern(lambda a: ko.cond(a > 0, lambda: ko.sin(a * s), lambda: a * a), x, reduce="sum", axis=0), [(3, 4), ()]),
}
EVERY = pytest.mark.parametrize("name", PROGRAMS)


def arrays_of(name, seed=0):
    rng = np.random.default_rng(seed)
    return tuple(np.asarray(rng.uniform(-1.2, 1.2, shape)) for shape in PROGRAMS[name][1])


def weights_of(function, arrays):
    return checks.directions(checks.arrays_of(checks.interpreted(function)(*arrays)), 2)


@EVERY
def test_agrees_with_differences_and_is_adjoint(name):
    function, arrays = PROGRAMS[name][0], arrays_of(name)
    checks.check_adjoint(function, arrays, checks.check_forward(function, arrays))


@EVERY
def test_second_order(name):
    function, arrays = PROGRAMS[name][0], arrays_of(name)
    checks.check_second(function, arrays, weights_of(function, arrays))


@EVERY
def test_native_code_gives_the_interpreters_bits(name):
    function, arrays = PROGRAMS[name][0], arrays_of(name)
    weights, along = weights_of(function, arrays), checks.directions(arrays)
    gradient, second = checks.gradient_of(function, arrays, weights), checks.product_with_hessian(function, arrays, weights)

    def both(*given):
        args = given[: len(arrays)]
        return (*checks.results_of(ko.jvp(function, args, given[len(arrays) :])[1]), *gradient(*args), *second(*given))

    assert_same_bits(ko.jit(both)(*arrays, *along), checks.interpreted(both)(*arrays, *along), name)


@EVERY
def test_instances_have_the_bits_of_single_calls(name):
    function = PROGRAMS[name][0]
    calls = [arrays_of(name, seed) for seed in range(3)]
    gradient = checks.gradient_of(function, calls[0], weights_of(function, calls[0]))
    checks.check_instances(gradient, calls)
    checks.check_instances(gradient, calls, ko.jit)
