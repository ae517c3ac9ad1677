"""Lists whose elements read what their own list sums to, and lists that are filtered and joined: each as NumPy has it list by list, and
to the bit on both backends."""

import numpy as np
import pytest
from both import run
from list_types import has_equal_bits

import kolam as ko
from kolam import fractal as ops
from kolam.fractal import FractalTensor

#: None, one, parts of a vector, one vector and more, one chunk of 4096 and more.
LENGTHS = {
    "short": [3, 0, 1, 16, 17, 5, 0, 0, 15, 31, 2],
    "long": [63, 64, 65, 128, 33, 0, 200, 4096, 4097, 9000, 1],
    "empty": [0, 0, 0],
    "one": [1],
    "many": [int(n) for n in np.random.default_rng(5).integers(0, 40, 700)],
}


def rows_of(lengths, seed=0):
    rng = np.random.default_rng([seed, len(lengths)])
    return [rng.normal(size=n).astype(np.float32) for n in lengths]


def lists_of(rows):
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    leaves = np.concatenate(rows) if rows else np.zeros(0, np.float32)
    return FractalTensor.from_offsets(leaves, offsets)


def length_of(xs):
    return ko.astype(ko.maximum(ops.len(xs), 1), ko.float32)


def centred(xs):
    mean = ops.reduce(ko.add, xs, initializer=np.float32(0)) / length_of(xs)
    return ops.map(lambda x: x - mean, xs)


def standard(xs):
    apart = centred(xs)
    spread = ops.reduce(ko.add, ops.map(lambda x: x * x, apart), initializer=np.float32(0)) / length_of(xs)
    return ops.map(lambda x: x / ko.sqrt(spread + 1e-5), apart)


def softmax(xs):
    most = ops.reduce(ko.maximum, xs, initializer=np.float32(-np.inf))
    powers = ops.map(lambda x: ko.exp(x - most), xs)
    total = ops.reduce(ko.add, powers, initializer=np.float32(0))
    return ops.map(lambda p: p / total, powers)


def spread_of(xs):
    """A sum that reads a sum of its own list."""
    return ops.reduce(ko.add, ops.map(lambda x: x * x, centred(xs)), initializer=np.float32(0))


def above_mean(xs):
    mean = ops.reduce(ko.add, xs, initializer=np.float32(0)) / length_of(xs)
    return ops.filter(lambda x: x > mean, xs)


def sum_above(xs):
    return ops.reduce(ko.add, above_mean(xs), initializer=np.float32(0))


def kept_centred(xs):
    """Filtered, then filtered again, then less the mean of what is left."""
    return centred(ops.filter(lambda x: x < 1, above_mean(xs)))


def turned(xs):
    return ops.map(lambda p: p[0] - 2 * p[1], ops.zip(xs, ops.join(xs[1:], xs[:1])))


def joined(xs):
    """Of parts with steps, backwards, and one of another list."""
    return ops.join(xs[::-1], xs[1::2], ops.map(lambda x: x * x, xs[:2]))


NUMPY = {
    "centred": (centred, lambda x: x - x.mean() if len(x) else x),
    "standard": (standard, lambda x: (x - x.mean()) / np.sqrt(x.var() + 1e-5) if len(x) else x),
    "softmax": (softmax, lambda x: np.exp(x - x.max()) / np.exp(x - x.max()).sum() if len(x) else x),
    "spread": (spread_of, lambda x: ((x - x.mean()) ** 2).sum() if len(x) else np.float32(0)),
    "above": (above_mean, lambda x: x[x > x.mean()] if len(x) else x),
    "sum above": (sum_above, lambda x: x[x > x.mean()].sum() if len(x) else np.float32(0)),
    "turned": (turned, lambda x: x - 2 * np.roll(x, -1)),
    "joined": (joined, lambda x: np.concatenate([x[::-1], x[1::2], x[:2] ** 2])),
}


@pytest.mark.parametrize("lengths", LENGTHS)
@pytest.mark.parametrize("name", NUMPY)
def test_against_numpy(name, lengths):
    function, reference = NUMPY[name]
    rows = rows_of(LENGTHS[lengths])
    result = run(lambda lists: ops.map(function, lists), lists_of(rows))
    expected = [reference(row.astype(np.float64)) for row in rows]
    assert len(result) == len(rows)
    for got, want in zip(result, expected, strict=True):
        got = np.asarray(got)
        assert got.shape == np.shape(want)
        np.testing.assert_allclose(got, want, rtol=2e-4, atol=2e-3)


@pytest.mark.parametrize("threads", [2, 3])
@pytest.mark.parametrize("name", ["standard", "softmax", "spread", "sum above", "turned"])
def test_threads_take_whole_lists(name, threads):
    function = NUMPY[name][0]
    rows = rows_of([int(n) for n in np.random.default_rng(7).integers(0, 300, 4000)] + [90_000, 0, 3])
    program = ko.jit(lambda lists: ops.map(function, lists))
    lists = lists_of(rows)
    before = ko.get_num_threads()
    try:
        ko.set_num_threads(1)
        one = program(lists)
        ko.set_num_threads(threads)
        assert has_equal_bits(program(lists), one)
    finally:
        ko.set_num_threads(before)


@pytest.mark.parametrize("function", [standard, softmax, kept_centred, sum_above, turned], ids=lambda f: f.__name__)
def test_special_values(function):
    rng = np.random.default_rng(3)
    values = np.array([np.nan, np.inf, -np.inf, -0.0, 0.0, 1e-42, -1e-42, 3e38, 1, -1], np.float32)
    rows = [rng.choice(values, n) for n in LENGTHS["short"] + [70, 130]]
    run(lambda lists: ops.map(function, lists), lists_of(rows))


@pytest.mark.parametrize("function", [standard, above_mean, turned, kept_centred], ids=lambda f: f.__name__)
def test_lists_of_lists(function):
    """A level further in."""
    rng = np.random.default_rng(11)
    lists = FractalTensor([lists_of(rows_of(rng.integers(1, 30, 4), seed=k)) for k in range(5)])
    run(lambda xss: ops.map(lambda xs: ops.map(function, xs), xss), lists)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int32", "float16", "bfloat16", "float64", "int64"])
def test_filters_of_every_width(dtype):
    rng = np.random.default_rng(13)
    lengths = LENGTHS["short"] + [300, 2000]
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    leaves = ko.astype(ko.asarray(rng.integers(0, 100, offsets[-1])), getattr(ko, dtype))
    lists = FractalTensor.from_offsets(leaves, offsets)
    result = run(lambda xss: ops.map(lambda xs: ops.filter(lambda x: ko.astype(x, ko.int32) % 3 == 1, xs), xss), lists)
    flat = np.asarray(ko.astype(leaves, ko.float64))
    for begin, end, got in zip(offsets[:-1], offsets[1:], result, strict=True):
        part = flat[begin:end]
        np.testing.assert_array_equal(np.asarray(got, np.float64), part[part.astype(np.int32) % 3 == 1])


def test_filter_of_rows():
    rng = np.random.default_rng(17)
    rows = [rng.normal(size=(n, 3)).astype(np.float32) for n in (0, 4, 1, 30)]
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    lists = FractalTensor.from_offsets(np.concatenate(rows), offsets)
    result = run(lambda xss: ops.map(lambda xs: ops.filter(lambda x: x[0] > 0, xs), xss), lists)
    for got, row in zip(result, rows, strict=True):
        np.testing.assert_array_equal(np.asarray(got, np.float32).reshape(-1, 3), row[row[:, 0] > 0])
