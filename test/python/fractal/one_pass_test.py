"""Scans of many lists whose states need only their own elements: one pass over the elements of all lists."""

import re

import numpy as np
import pytest
from list_types import has_equal_bits

import kolam as ko
from kolam import fractal as ops
from kolam.fractal import FractalTensor

LENGTHS = {
    "even": [40] * 30,
    "ragged": np.random.default_rng(1).integers(0, 60, 300),
    "few": [700, 0, 2000],
    "five": [900, 850, 1000, 990, 1100],
    "one": [3000],
    "one long": [3] * 20 + [4000] + [2] * 20,
    "many short": np.random.default_rng(2).integers(0, 4, 2000),
    "empty": [0, 0, 0],
    "none": [],
}


def lists(lengths, dtype="float32", shape=(), seed=3):
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    numbers = np.random.default_rng(seed).standard_normal((offsets[-1], *shape)) * 9
    return FractalTensor.from_offsets(numbers.astype(dtype), offsets)


def check(program, *arguments):
    """Equal bits on both backends, in one pass; what the program gives."""
    native = ko.jit(program)
    result = native(*arguments)
    assert has_equal_bits(result, ko.jit(program, backend="interpret")(*arguments))
    assert "one pass over the elements of all lists" in native.explain(*arguments)
    return result


def average(row):
    return ops.scan(lambda y, x: y + np.float32(0.1) * (x - y), row, initializer=np.float32(0))


@pytest.mark.parametrize("lengths", LENGTHS)
def test_lengths(lengths):
    xs = lists(LENGTHS[lengths])
    rows = check(lambda xs: ops.map(average, xs), xs).to_list()
    for row, x in zip(rows, xs.to_list()):
        y = np.float32(0)
        for got, x in zip(row, x):
            y = y + np.float32(0.1) * (x - y)
            assert np.float32(got) == y


@pytest.mark.parametrize("lengths", ["ragged", "one long", "empty"])
@pytest.mark.parametrize("function", ["scan", "scanr", "fold", "foldr"])
def test_functions(function, lengths):
    apply = getattr(ops, function)
    step = lambda s, x: np.float32(0.5) * s + x
    check(lambda xs: ops.map(lambda row: apply(step, row, initializer=np.float32(1)), xs), lists(LENGTHS[lengths]))


@pytest.mark.parametrize("dtype", ["float16", "float64", "int8", "int64", "bool"])
def test_dtypes(dtype):
    step = (lambda s, x: s ^ x) if dtype == "bool" else (lambda s, x: s * 3 - x)
    start = np.array(1, dtype)
    program = lambda xs: ops.map(lambda row: ops.scan(step, row, initializer=start), xs)
    check(program, lists(LENGTHS["ragged"], dtype))


def test_several_states_and_lists():
    def step(s, p):
        x, k = p
        return ko.maximum(s[0], x), s[1] + k, ko.where(x > 0, s[2] + 1, s[2])

    def program(xs, ks):
        start = (np.float32(-9), np.int32(0), np.int32(5))
        return ops.map(lambda p: ops.scan(step, ops.zip(p[0], p[1]), initializer=start), ops.zip(xs, ks))

    check(program, lists(LENGTHS["ragged"]), lists(LENGTHS["ragged"], "int32"))


def test_what_differs_between_lists():
    def program(xs, starts, decays, by):
        scan = lambda p: ops.scan(lambda s, x: p[2] * s + by * x, p[0], initializer=p[1])
        return ops.map(scan, ops.zip(xs, starts, decays))

    count = len(LENGTHS["ragged"])
    vectors = [lists([count], seed=seed)[0] for seed in (4, 5)]
    check(program, lists(LENGTHS["ragged"]), *vectors, ko.asarray(np.float32(0.3)))


def test_vectors_as_states():
    step = lambda s, x: ko.tanh(s + x) * np.float32(0.9)
    program = lambda xs: ops.map(lambda row: ops.scan(step, row, initializer=np.zeros(5, np.float32)), xs)
    check(program, lists(LENGTHS["ragged"], shape=(5,)))


def test_lists_of_lists():
    inner = lists(LENGTHS["ragged"])
    program = lambda xss: ops.map(lambda xs: ops.map(average, xs), xss)
    nested = FractalTensor([inner[:100], inner[100:100], inner[100:]])
    check(program, nested)


def test_a_function_before_and_behind():
    def program(xs):
        rows = ops.map(lambda row: average(ops.map(lambda x: ko.exp(x) * x, row)), xs)
        return ops.map(lambda row: ops.map(lambda x: x + 1, row), rows)

    check(program, lists(LENGTHS["ragged"]))


def test_refused():
    """A state of which several elements are needed, and an order that is asked for."""
    xs = lists([3, 4], shape=(4,))
    rolls = lambda xs: ops.map(lambda row: ops.scan(lambda s, x: ko.roll(s, 1) + x, row, initializer=np.zeros(4, np.float32)), xs)
    assert "one pass" not in ko.jit(rolls).explain(xs)
    plain = ko.jit(lambda xs: ops.map(average, xs), order="sequential")
    assert re.search("step by step: the order is sequential", plain.explain(lists([3, 4])))
