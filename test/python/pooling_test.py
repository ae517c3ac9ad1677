"""Pooling and transposed convolutions by brute force."""

import itertools

import numpy as np
import pytest
from random_edges.values import specials
from same_bits import require_same_bits, ways_to_read

import kolam as ko

BACKENDS = ["cpu", "interpret"]


def windows(x, window, strides, padding, dilation, fill):
    """The elements of every window, flattened as a last dim."""
    k = len(window)
    padded = np.pad(x, [(0, 0)] * (x.ndim - k) + list(padding), constant_values=fill)
    sizes = padded.shape[-k:]
    counts = [(n - d * (w - 1) - 1) // s + 1 for n, w, s, d in zip(sizes, window, strides, dilation, strict=True)]
    result = np.empty((*x.shape[: x.ndim - k], *counts, int(np.prod(window))), x.dtype)
    for place in itertools.product(*map(range, counts)):
        cells = tuple(slice(p * s, p * s + d * (w - 1) + 1, d) for p, s, d, w in zip(place, strides, dilation, window, strict=True))
        result[(..., *place, slice(None))] = padded[(..., *cells)].reshape(*x.shape[: x.ndim - k], result.shape[-1])
    return result


CASES = [
    ((2, 3, 9), (3,), (1,), ((0, 0),), (1,)), ((2, 3, 9), (2,), (2,), ((1, 0),), (3,)),
    ((1, 2, 8, 7), (3, 2), (2, 3), ((1, 1), (0, 1)), (1, 2)), ((1, 2, 8, 7), (8, 7), (1, 1), ((0, 0), (0, 0)), (1, 1)),
    ((2, 25), (20,), (3,), ((4, 2),), (1,)), ((1, 1, 40, 30), (17, 9), (2, 1), ((3, 0), (0, 0)), (1, 2)),
    ((3, 12, 11), (1, 11), (4, 1), ((0, 0), (0, 0)), (1, 1)), ((2, 2, 3, 4, 5), (2, 2, 2), (1, 2, 2), ((0, 1), (0, 0), (1, 1)), (1, 1, 1)),
    ((5, 33), (32,), (1,), ((0, 0),), (1,)), ((0, 3, 9), (3,), (1,), ((0, 0),), (1,)),
]  # fmt: skip


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("shape, window, strides, padding, dilation", CASES)
def test_windows(shape, window, strides, padding, dilation, backend, seed):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(shape).astype(np.float32)
    if x.size > 5:
        x.flat[4] = np.nan
    options = {"strides": strides, "padding": padding, "dilation": dilation}

    def f(x):
        return (
            ko.max_pool(x, window, **options), ko.reduce_window(x, window, "min", **options),
            ko.avg_pool(x, window, **options), ko.avg_pool(x, window, count_include_pad=False, **options),
            ko.reduce_window(x, window, ko.add, **options),
        )  # fmt: skip

    greatest, least, mean, inner, total = map(np.asarray, ko.jit(f, backend=backend)(x))
    cells = windows(x, window, strides, padding, dilation, -np.inf)
    np.testing.assert_array_equal(greatest, cells.max(-1))
    np.testing.assert_array_equal(least, windows(x, window, strides, padding, dilation, np.inf).min(-1))
    zeros = windows(x, window, strides, padding, dilation, 0)
    np.testing.assert_allclose(total, zeros.sum(-1), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(mean, zeros.mean(-1), rtol=1e-5, atol=1e-5)
    count = windows(np.ones(shape, np.float32), window, strides, padding, dilation, 0).sum(-1)
    np.testing.assert_allclose(inner, zeros.sum(-1) / count, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("shape, window, strides, padding, dilation", CASES)
def test_special_values_and_views(shape, window, strides, padding, dilation):
    rng = np.random.default_rng(1)

    def pools(x):
        kinds = (ko.reduce_window(x, window, kind, strides, padding, dilation) for kind in ("max", "min", "sum"))
        return *kinds, ko.avg_pool(x, window, strides, padding, dilation=dilation, count_include_pad=False)

    require_same_bits(pools, rng.integers(0, 256, shape).astype(np.uint8))
    require_same_bits(pools, rng.choice(specials("float16"), shape))
    wild = rng.choice([*specials("float32"), *np.arange(20, dtype=np.float32)], shape)
    for read, array in ways_to_read(wild):
        require_same_bits(lambda y: pools(read(y)), array)


def test_defaults_and_dtypes():
    x = ko.reshape(ko.arange(16), (1, 1, 4, 4))
    assert ko.max_pool(x, 2).tolist() == [[[[5, 7], [13, 15]]]]
    assert ko.max_pool(x, 2).dtype == ko.int32
    assert ko.avg_pool(x, 2).dtype == ko.float32
    assert ko.max_pool(x, 3, strides=1, padding="same").shape == (1, 1, 4, 4)
    assert ko.reduce_window(ko.asarray([1, 2, 3], "int8"), 2, "sum").dtype == ko.int32
    assert ko.reduce_window(ko.asarray([2, 3, 4]), (2,), "prod").tolist() == [6, 12]
    assert ko.max_pool(ko.asarray([[-5, -7]]), (2,), padding=1, strides=1).tolist() == [[-5, -5, -7]]
    assert ko.avg_pool(ko.full((1, 1, 8), 1.0, "float16"), 8).tolist() == [[[1.0]]]


@pytest.mark.parametrize("wrong, words", [
    ({"window": 0}, "lengths of 1"), ({"window": 5}, "at least 5 elements"), ({"window": 2, "strides": 0}, "'strides'"),
    ({"window": (2, 2, 2, 2)}, "4 dims or more"), ({"window": 2, "padding": "full"}, "'valid', 'same'"),
    ({"window": 2, "dilation": (1, 2, 3)}, "'dilation'"),
])  # fmt: skip
def test_wrong_windows(wrong, words):
    with pytest.raises(ValueError, match=words):
        ko.max_pool(ko.zeros((1, 2, 4)), **wrong)
    with pytest.raises(ValueError, match="'max', 'min'"):
        ko.reduce_window(ko.zeros(3), 2, "median")


def test_dynamic_extents():
    f = ko.jit(lambda x: ko.max_pool(x, 2), dynamic={"x": [2]})
    for n in (2, 5, 8):
        x = np.arange(n, dtype=np.float32).reshape(1, 1, n)
        assert f(x).tolist() == [[[float(2 * i + 1) for i in range(n // 2)]]]


def transposed(x, w, strides, padding, output_padding, dilation, groups):
    n, channels, *sizes = x.shape
    _, each, *window = w.shape
    full = [(s - 1) * t + d * (k - 1) + 1 for s, t, d, k in zip(sizes, strides, dilation, window, strict=True)]
    result = np.zeros((n, each * groups, *[f + o for f, o in zip(full, output_padding, strict=True)]))
    for c in range(channels):
        g = c // (channels // groups)
        for y in np.ndindex(*sizes):
            cells = tuple(slice(p * t, p * t + d * (k - 1) + 1, d) for p, t, d, k in zip(y, strides, dilation, window, strict=True))
            result[(slice(None), slice(g * each, (g + 1) * each), *cells)] += (
                x[(slice(None), c, *y)].reshape(-1, 1, *[1] * len(window)) * w[c]
            )
    crop = tuple(slice(a, size - b) for (a, b), size in zip(padding, result.shape[2:], strict=True))
    return result[(slice(None), slice(None), *crop)]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("sizes, window, strides, padding, output_padding, dilation, groups", [
    ((5,), (3,), (1,), ((0, 0),), (0,), (1,), 1), ((5,), (3,), (2,), ((1, 1),), (1,), (1,), 1),
    ((4, 3), (3, 2), (2, 3), ((1, 0), (0, 1)), (0, 2), (1, 1), 2), ((4,), (2,), (3,), ((0, 0),), (0,), (2,), 1),
    ((6,), (2,), (2,), ((3, 2),), (0,), (1,), 1), ((1,), (1,), (4,), ((0, 0),), (0,), (1,), 1),
])  # fmt: skip
def test_conv_transpose(sizes, window, strides, padding, output_padding, dilation, groups, backend, seed):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((2, 4, *sizes)).astype(np.float32)
    w = rng.standard_normal((4, 3, *window)).astype(np.float32)
    f = ko.jit(
        lambda x, w: ko.conv_transpose(x, w, strides, padding, output_padding, groups, dilation), backend=backend
    )
    expected = transposed(x, w, strides, padding, output_padding, dilation, groups)
    np.testing.assert_allclose(np.asarray(f(x, w)), expected, rtol=1e-4, atol=1e-4)


def test_wrong_conv_transpose():
    x, w = ko.zeros((1, 4, 5)), ko.zeros((4, 3, 3))
    assert ko.conv_transpose(x, w, 3, "same").shape == (1, 3, 15)
    for options, words in (({"groups": 3}, "groups divide"), ({"output_padding": 1}, "less than strides"), ({"groups": 0}, "1 group")):
        with pytest.raises(ValueError, match=words):
            ko.conv_transpose(x, w, **options)
    with pytest.raises(ValueError, match="channels"):
        ko.conv_transpose(x, ko.zeros((3, 3, 3)))
    with pytest.raises(ValueError, match="rank 3"):
        ko.conv_transpose(x, ko.zeros((4, 3)))


def test_paddings_of_pytorch_and_jax():
    x = np.random.default_rng(0).random((1, 2, 5, 6), np.float32)
    for theirs, ours in (((1, 0), [(1, 1), (0, 0)]), ((1,), [(1, 1)]), ("SAME", "same"), ("VALID", "valid")):
        array = x[..., 0] if theirs == (1,) else x
        wanted = ko.max_pool(array, 3, strides=1, padding=ours)
        assert np.array_equal(ko.max_pool(array, 3, strides=1, padding=theirs), wanted)
