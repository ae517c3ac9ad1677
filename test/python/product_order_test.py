"""The order of sums of products: chains of 512 from the left, merged pairwise; and how exact long sums are.

Factors have 8 bits, so that a product is exact in float32: fused and unfused steps agree, and plain NumPy adds in any order.
"""

import kolam as ko
import ml_dtypes
import numpy as np
import pytest

CHUNK = 512
SUMMED = [1, 511, 512, 513, 1024, 1025, 5000, 8193]


def factors(rng, *shape):
    return rng.standard_normal(shape).astype(ml_dtypes.bfloat16).astype(np.float32)


def merged(sums):
    while len(sums) > 1:
        pairs = [first + second for first, second in zip(sums[::2], sums[1::2])]
        sums = pairs + sums[len(sums) & ~1 :]
    return sums[0]


def product(x, w):
    """x[..., i, k] w[..., k, j] by float32 steps, one k after the other."""
    sums = []
    for start in range(0, x.shape[-1], CHUNK):
        chain = np.zeros((*x.shape[:-1], w.shape[-1]), np.float32)
        for k in range(start, min(start + CHUNK, x.shape[-1])):
            chain = chain + x[..., :, k, None] * w[..., k, None, :]
        sums.append(chain)
    return merged(sums)


def check(function, arrays, expected, dynamic=({},)):
    """Native code, also of sizes of the call and with factors that are packed before, and the interpreter."""
    expected = np.asarray(expected)
    results = [ko.jit(function, backend="interpret")(*arrays)]
    for sizes in dynamic:
        results.append(ko.jit(function, dynamic=sizes)(*arrays))
    first, *others = map(ko.asarray, arrays)
    results.append(ko.jit(lambda x: function(x, *others))(first))
    for result in map(np.asarray, results):
        assert result.dtype == expected.dtype and result.shape == expected.shape
        assert result.tobytes() == expected.tobytes()


@pytest.mark.parametrize("summed", SUMMED)
@pytest.mark.parametrize("rows, columns", [(1, 300), (3, 40), (10, 17), (97, 16)])
def test_rows_and_columns(rows, columns, summed):
    rng = np.random.default_rng(summed)
    x, w = factors(rng, rows, summed), factors(rng, summed, columns)
    check(lambda x, w: x @ w, (x, w), product(x, w), ({}, {"x": {0: "m"}}, {"x": {1: "k"}, "w": {0: "k"}}))


FORMS = {
    "columns along k": ("ij,kj->ik", lambda x, w: product(x, w.T)),
    "rows along k": ("ji,jk->ik", lambda x, w: product(x.T, w)),
    "transposed result": ("ij,jk->ki", lambda x, w: product(w.T, x.T)),
    "a product for each": ("bij,bjk->bik", product),
    "rows of two dims": ("bij,jk->bik", product),
}


@pytest.mark.parametrize("summed", [513, 1537])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("rows", [2, 97])
def test_forms(form, rows, summed):
    rng = np.random.default_rng(summed)
    letters, reference = FORMS[form]
    sizes = {"i": rows, "j": summed, "k": 33, "b": 2}
    x, w = (factors(rng, *(sizes[letter] for letter in operand)) for operand in letters.split("->")[0].split(","))
    check(lambda x, w: ko.einsum(letters, x, w), (x, w), reference(x, w))


@pytest.mark.parametrize("extents", [(3, 700), (700, 3), (1030, 2), (5, 7, 40), (1, 600), (600, 1), (2, 256), (64, 16)])
@pytest.mark.parametrize("rows", [1, 40])
def test_several_summed_dims_are_one_row_major(rows, extents):
    """In memory neighbours of the last dim lie side by side in one factor alone, so the dims stay apart."""
    rng = np.random.default_rng(sum(extents))
    letters = "abc"[: len(extents)]
    x, w = factors(rng, rows, *extents), factors(rng, *extents[::-1], 20)
    expected = product(x.reshape(rows, -1), w.transpose(*range(len(extents))[::-1], len(extents)).reshape(-1, 20))
    check(lambda x, w: ko.einsum(f"i{letters},{letters[::-1]}k->ik", x, w), (x, w), expected)


@pytest.mark.parametrize("summed", [513, 5000])
@pytest.mark.parametrize("rows", [1, 5, 100])
def test_what_follows_a_product_and_two_in_one_nest(rows, summed):
    rng = np.random.default_rng(rows)
    x, w, bias = factors(rng, rows, summed), factors(rng, summed, 130), factors(rng, 130)
    y, u = factors(rng, rows, 1600), factors(rng, 1600, 130)
    check(lambda x, w, bias: ko.maximum(x @ w + bias, 0), (x, w, bias), np.maximum(product(x, w) + bias, 0))
    check(lambda x, w, y, u: x @ w - y @ u, (x, w, y, u), product(x, w) - product(y, u))


def test_doubles_and_halves():
    rng = np.random.default_rng(0)
    for dtype, rows in [(np.float64, 2), (np.float64, 50), (np.float16, 2), (np.float16, 50)]:
        x, w = factors(rng, rows, 1100), factors(rng, 1100, 40)
        sums = product(x.astype(np.float64), w) if dtype == np.float64 else product(x, w)
        check(lambda x, w: x @ w, (x.astype(dtype), w.astype(dtype)), sums.astype(dtype))


@pytest.mark.parametrize("summed", [511, 513, 1025, 5000])
@pytest.mark.parametrize("rows", [1, 10])
def test_pairs_of_bfloat16(rows, summed):
    """Each pair the second first; pairs do not part at the end of a chain."""
    rng = np.random.default_rng(summed)
    x, w = factors(rng, rows, summed), factors(rng, summed, 40)
    even = np.pad(x, ((0, 0), (0, summed % 2))), np.pad(w, ((0, summed % 2), (0, 0)))
    order = np.arange(len(even[1])).reshape(-1, 2)[:, ::-1].reshape(-1)
    narrow = x.astype(ml_dtypes.bfloat16), w.astype(ml_dtypes.bfloat16)
    check(lambda x, w: ko.matmul(x, w, dtype=ko.float32), narrow, product(even[0][:, order], even[1][order]))


@pytest.mark.parametrize("dtype", [np.int8, np.int32])
@pytest.mark.parametrize("rows", [1, 40])
def test_integers(rows, dtype):
    rng = np.random.default_rng(rows)
    x, w = rng.integers(-100, 100, (rows, 5000)).astype(dtype), rng.integers(-100, 100, (5000, 40)).astype(dtype)
    sums = ({}, {"x": {1: "k"}, "w": {0: "k"}})
    check(lambda x, w: ko.matmul(x, w, dtype=ko.int32), (x, w), x.astype(np.int32) @ w.astype(np.int32), sums)


@pytest.mark.parametrize("count", [1, 3, 130])
def test_a_weight_for_each_group(count):
    rng = np.random.default_rng(count)
    x, w = factors(rng, count, 1, 1300), factors(rng, 3, 1300, 40)
    groups = rng.integers(0, 3, count)
    check(lambda x, groups, w: x @ w[groups], (x, groups, w), product(x, w[groups]), ({}, {"x": {0: "n"}, "groups": {0: "n"}}))


@pytest.mark.parametrize("padding", [0, 1])
@pytest.mark.parametrize("channels", [3, 200])
def test_convolutions(channels, padding):
    """Places of the window row-major, then channels; padding takes part as zeros."""
    rng = np.random.default_rng(channels)
    height, width = (3, 2) if channels > 3 else (15, 13)
    x, f = factors(rng, 2, channels, 16, 13), factors(rng, 20, channels, height, width)
    padded = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (height, width), axis=(2, 3))
    rows = windows.transpose(0, 2, 3, 4, 5, 1)
    expected = product(rows.reshape(-1, height * width * channels), f.transpose(2, 3, 1, 0).reshape(-1, 20))
    expected = expected.reshape(*rows.shape[:3], 20).transpose(0, 3, 1, 2)
    check(lambda x, f: ko.conv2d(x, f, padding=[(padding, padding)] * 2), (x, f), expected)


@pytest.mark.parametrize("rows", [1, 20, 100])
def test_scores_of_attention(rows):
    """The score of the first key is 512: in one chain it would be 0, as 2^24 takes up every 1 that follows."""
    depth = 1536
    key = np.ones(depth, np.float32)
    key[[0, 1024]] = 2.0**24, -(2.0**24)
    key[1025:] = 0
    q, k = np.ones((1, rows, depth), np.float32), np.stack([key, np.zeros_like(key)])[None]
    v = np.array([[[1.0] * 16, [0.0] * 16]], np.float32)
    scale = np.float32(1 / 512)
    attend = lambda q, k, v: ko.attention(q, k, v, scale=scale)
    for dynamic in ({}, {"q": {2: "d"}, "k": {2: "d"}}):
        result = np.asarray(ko.jit(attend, dynamic=dynamic)(q, k, v))
        np.testing.assert_allclose(result, np.e / (1 + np.e), rtol=1e-6)
        assert np.array_equal(result, np.asarray(ko.jit(attend, backend="interpret")(q, k, v)))


@pytest.mark.parametrize("rows, columns", [(4, 64), (200, 64)])
def test_the_error_of_long_sums_is_like_that_of_others(rows, columns):
    rng = np.random.default_rng(5)
    x, w = rng.random((rows, 5000), np.float32), rng.random((5000, columns), np.float32)
    exact = x.astype(np.float64) @ w.astype(np.float64)
    error = lambda result: np.sqrt(np.mean((np.asarray(result, np.float64) / exact - 1) ** 2))
    assert error(ko.jit(lambda x, w: x @ w)(x, w)) < 3 * error(x @ w)  # of one chain: 12
