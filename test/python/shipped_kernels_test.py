"""The kernels of kolam.kernels beside formulas in float64, and native code beside the interpreter."""

import math

import numpy as np
import pytest

import kolam as ko
from kolam import kernels

FLOATS = {"float32": 2e-5, "bfloat16": 2e-2, "float16": 3e-3, "float64": 1e-12}


def random(seed, *shape, dtype="float32"):
    """Normal numbers that the dtype holds."""
    return ko.asarray(np.random.default_rng([seed, *shape]).standard_normal(shape), dtype=getattr(ko, dtype))


def exact(*arrays):
    """As float64, which formulas take."""
    return [np.asarray(ko.astype(ko.asarray(x), ko.float64)) for x in arrays]


def run(function, *args, **options):
    """What a kernel gives inside jit, the same to the bit as from the interpreter; the results as float64."""
    native = ko.jit(lambda *given: function(*given, **options))(*args)
    outside = function(*args, **options)
    interpreted = function(*args, interpret=True, **options)
    results = [x if isinstance(x, tuple) else (x,) for x in (native, outside, interpreted)]
    for own, same, other in zip(*results, strict=True):
        assert own.dtype == same.dtype == other.dtype and own.shape == same.shape == other.shape
        assert np.asarray(own).tobytes() == np.asarray(other).tobytes() == np.asarray(same).tobytes()
    found = exact(*results[0])
    return found if len(found) > 1 else found[0]


def close(actual, expected, dtype):
    """Sums of some hundred terms, rounded once to the dtype: relative to the greatest element."""
    scale = np.max(np.abs(expected), initial=1e-30)
    assert np.max(np.abs(actual - expected), initial=0) <= FLOATS[dtype] * scale


# Products.


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [(64, 64, 64), (33, 70, 17), (1, 5, 3), (130, 129, 257)])
def test_matmul(dtype, shape):
    m, k, n = shape
    x, y = random(0, m, k, dtype=dtype), random(1, k, n, dtype=dtype)
    a, b = exact(x, y)
    close(run(kernels.matmul, x, y), a @ b, dtype)
    close(run(kernels.matmul, x, y, block_m=16, block_n=32, block_k=24, activation=ko.relu), np.maximum(a @ b, 0), dtype)


def test_matmul_of_integers_and_other_dtypes():
    x, y = np.random.default_rng(0).integers(-128, 128, (9, 40)), np.random.default_rng(1).integers(-128, 128, (40, 11))
    small = [ko.asarray(given, dtype=ko.int8) for given in (x, y)]
    assert run(kernels.matmul, *small, out_dtype=ko.int32, block_k=8).tolist() == (x @ y).tolist()
    halves = [ko.asarray(given / 7, dtype=ko.bfloat16) for given in (x, y)]
    close(run(kernels.matmul, *halves, out_dtype=ko.float32), np.matmul(*exact(*halves)), "float32")
    close(run(kernels.matmul, halves[0], halves[1].astype(ko.float32)), np.matmul(*exact(*halves)), "float32")


def test_matmul_without_terms_or_elements():
    assert run(kernels.matmul, ko.zeros((2, 0)), ko.zeros((0, 3)), activation=lambda sums: sums + 1).tolist() == [[1.0] * 3] * 2
    assert run(kernels.matmul, ko.zeros((0, 4)), ko.zeros((4, 3))).shape == (0, 3)


def test_matmul_of_extents_that_the_run_knows():
    product = ko.jit(lambda x, y: kernels.matmul(x, y, block_m=16, block_n=16, block_k=16), dynamic={"x": [0], "y": [1]})
    for m, n in ((5, 40), (33, 16)):
        x, y = random(2, m, 20), random(3, 20, n)
        close(*exact(product(x, y)), np.matmul(*exact(x, y)), "float32")


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("biased", [False, True])
def test_mlp(dtype, biased):
    x, w1, w2 = random(4, 21, 12, dtype=dtype), random(5, 12, 50, dtype=dtype), random(6, 50, 9, dtype=dtype)
    bias = {"b1": random(7, 50, dtype=dtype), "b2": random(8, 9, dtype=dtype)} if biased else {}
    a, u, v = exact(x, w1, w2)
    b1, b2 = exact(*bias.values()) if biased else (0, 0)
    for block in (50, 16):
        found = run(kernels.mlp, x, w1, w2, activation=ko.relu, block_m=8, block_hidden=block, **bias)
        close(found, np.maximum(a @ u + b1, 0) @ v + b2, dtype)


def test_mlp_with_an_activation_that_moves_zero():
    x, w1, w2 = random(4, 5, 3), random(5, 3, 7), random(6, 7, 2)
    a, u, v = exact(x, w1, w2)
    close(run(kernels.mlp, x, w1, w2, activation=ko.exp, block_hidden=4), np.exp(a @ u) @ v, "float32")
    assert run(kernels.mlp, x, ko.zeros((3, 0)), ko.zeros((0, 2)), b2=ko.ones(2)).tolist() == [[1.0] * 2] * 5


# Rows.


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [(37, 65), (2, 3, 16), (5,), (4, 1)])
def test_rows(dtype, shape):
    x, weight, bias = random(9, *shape, dtype=dtype), random(10, shape[-1], dtype=dtype), random(11, shape[-1], dtype=dtype)
    a, w, b = exact(x, weight, bias)
    powers = np.exp(a - a.max(-1, keepdims=True))
    close(run(kernels.softmax, x, block_rows=8), powers / powers.sum(-1, keepdims=True), dtype)
    normed = (a - a.mean(-1, keepdims=True)) / np.sqrt(a.var(-1, keepdims=True) + 1e-5)
    close(run(kernels.layer_norm, x, block_rows=8), normed, dtype)
    close(run(kernels.layer_norm, x, weight, bias), normed * w + b, dtype)
    close(run(lambda x, bias, **options: kernels.layer_norm(x, bias=bias, **options), x, bias), normed + b, dtype)
    scaled = a / np.sqrt((a * a).mean(-1, keepdims=True) + 1e-6)
    close(run(kernels.rms_norm, x, epsilon=1e-6), scaled, dtype)
    close(run(kernels.rms_norm, x, weight, epsilon=1e-6), scaled * w, dtype)


def test_rows_without_elements():
    assert run(kernels.softmax, ko.zeros((3, 0))).shape == (3, 0)
    assert run(kernels.rms_norm, ko.zeros((0, 3))).shape == (0, 3)


# One token.


def attention_of_one(q, keys, values, scale):
    """In float64, of [d], [s, d], [s, e]."""
    if len(keys) == 0:
        return np.zeros(values.shape[1])
    scores = keys @ q * scale
    powers = np.exp(scores - scores.max())
    return powers / powers.sum() @ values


def expected_attention(q, k, v, lengths, scale):
    batch, heads, _ = q.shape
    group = heads // k.shape[2]
    return np.stack([
        np.stack([attention_of_one(q[b, h], k[b, :n, h // group], v[b, :n, h // group], scale) for h in range(heads)])
        for b, n in zip(range(batch), lengths, strict=True)
    ])  # fmt: skip


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("heads, kv_heads", [(4, 4), (6, 2), (3, 1)])
@pytest.mark.parametrize("keys, splits", [(32, 4), (45, 4), (7, 16), (1, 1)])
def test_decode_attention(dtype, heads, kv_heads, keys, splits):
    q, k, v = random(12, 3, heads, 8, dtype=dtype), random(13, 3, keys, kv_heads, 8, dtype=dtype), random(14, 3, keys, kv_heads, 5, dtype=dtype)
    arrays = exact(q, k, v)
    close(run(kernels.decode_attention, q, k, v, splits=splits), expected_attention(*arrays, [keys] * 3, 1 / math.sqrt(8)), dtype)
    lengths = [0, keys, keys // 2]
    found = run(kernels.decode_attention, q, k, v, lengths=ko.asarray(lengths), scale=0.5, splits=splits)
    close(found, expected_attention(*arrays, lengths, 0.5), dtype)
    assert not found[0].any()


def test_decode_attention_hides_what_is_behind_a_length():
    q, k, v = random(12, 2, 2, 4), random(13, 2, 9, 2, 4), random(14, 2, 9, 2, 4)
    poisoned = [x.at[1, 5:].set(math.nan) for x in (k, v)]
    lengths = ko.asarray([9, 5])
    found = run(kernels.decode_attention, q, *poisoned, lengths=lengths, splits=3)
    close(found, expected_attention(*exact(q, k, v), [9, 5], 0.5), "float32")
    assert not run(kernels.decode_attention, q, k[:, :0], v[:, :0]).any()


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("heads, kv_heads, page", [(4, 2, 4), (3, 3, 1), (2, 1, 16)])
def test_paged_attention(dtype, heads, kv_heads, page):
    rng = np.random.default_rng(page)
    lengths = [0, 1, 3 * page, 2 * page + (page + 1) // 2]
    tables = rng.permutation(20)[:16].reshape(4, 4)
    q = random(15, 4, heads, 8, dtype=dtype)
    k_pages, v_pages = random(16, kv_heads, 20, page, 8, dtype=dtype), random(17, kv_heads, 20, page, 5, dtype=dtype)
    a, kp, vp = exact(q, k_pages, v_pages)
    keys, values = (np.moveaxis(p[:, tables].reshape(kv_heads, 4, 4 * page, -1), 0, 2) for p in (kp, vp))
    unused = np.arange(4)[None] * page >= np.array(lengths)[:, None]
    tables = np.where(unused, 99999, tables).astype(np.int32)  # is not read
    found = run(kernels.paged_attention, q, k_pages, v_pages, ko.asarray(tables), ko.asarray(lengths))
    close(found, expected_attention(a, keys, values, lengths, 1 / math.sqrt(8)), dtype)
    assert not found[0].any()


# Groups and blocks.


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("sizes", [[4, 0, 9, 3], [0, 0, 0, 16], [16, 0, 0, 0], [1, 2, 0, 4], [0, 0, 0, 0], [3, 5, 7, 1], [10, 0, 9, 3]])
def test_grouped_matmul(dtype, sizes):
    x, w = random(18, 16, 10, dtype=dtype), random(19, 4, 10, 7, dtype=dtype)
    a, b = exact(x, w)
    ends = np.cumsum(sizes)
    expected = np.zeros((16, 7))
    for group, end in enumerate(ends):
        expected[end - sizes[group] : end] = a[end - sizes[group] : end] @ b[group]
    for blocks in ({}, {"block_m": 4, "block_n": 4, "block_k": 4}, {"block_m": 5}):
        close(run(kernels.grouped_matmul, x, w, ko.asarray(sizes), **blocks), expected, dtype)


def test_grouped_matmul_without_groups_or_rows():
    assert not run(kernels.grouped_matmul, ko.ones((3, 2)), ko.ones((0, 2, 4)), ko.zeros(0, dtype=ko.int32)).any()
    assert run(kernels.grouped_matmul, ko.ones((0, 2)), ko.ones((2, 2, 4)), ko.zeros(2, dtype=ko.int32)).shape == (0, 4)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("rows, k, n, count", [(12, 20, 9, 7), (10, 18, 33, 5), (8, 8, 4, 0)])
def test_block_sparse_matmul(dtype, rows, k, n, count):
    rng = np.random.default_rng(count)
    values, y = random(20, count, 4, 8, dtype=dtype), random(21, k, n, dtype=dtype)
    indices = np.stack([rng.integers(0, -(-rows // 4), count), rng.integers(0, -(-k // 8), count)], 1)
    a, b = exact(values, y)
    whole = np.zeros((rows + 4, k + 8))
    for value, (i, j) in zip(a, indices, strict=True):
        whole[4 * i : 4 * i + 4, 8 * j : 8 * j + 8] += value
    close(run(kernels.block_sparse_matmul, values, ko.asarray(indices), y, rows=rows, block_n=16), whole[:rows, :k] @ b, dtype)


# Windows.


def expected_conv2d(x, w, stride, padding, dilation):
    """By the definition, in float64."""
    x = np.pad(x, [(0, 0), *padding, (0, 0)])
    spans = [(w.shape[dim] - 1) * dilation[dim] + 1 for dim in (0, 1)]
    height, width = ((x.shape[1 + dim] - spans[dim]) // stride[dim] + 1 for dim in (0, 1))
    result = np.zeros((len(x), height, width, w.shape[3]))
    for i, j in np.ndindex(height, width):
        window = x[:, stride[0] * i :: dilation[0], stride[1] * j :: dilation[1]][:, : w.shape[0], : w.shape[1]]
        result[:, i, j] = np.einsum("byzc,yzco->bo", window, w)
    return result


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("stride, padding, dilation", [(1, 0, 1), ((2, 1), ((1, 2), 1), (1, 2)), (3, 9, 2)])
def test_conv2d(dtype, stride, padding, dilation):
    x, w = random(22, 2, 11, 9, 3, dtype=dtype), random(23, 3, 2, 3, 5, dtype=dtype)
    a, b = exact(x, w)
    pairs = [given if isinstance(given, tuple) else (given, given) for given in (stride, padding, dilation)]
    sides = [side if isinstance(side, tuple) else (side, side) for side in pairs[1]]
    expected = expected_conv2d(a, b, pairs[0], sides, pairs[2])
    for rows in (3, 8):
        close(run(kernels.conv2d, x, w, stride=stride, padding=padding, dilation=dilation, block_h=rows), expected, dtype)


def test_conv2d_pads_by_name():
    x, w = random(24, 1, 7, 8, 2), random(25, 3, 4, 2, 3)
    a, b = exact(x, w)
    close(run(kernels.conv2d, x, w, padding="valid"), expected_conv2d(a, b, (1, 1), [(0, 0)] * 2, (1, 1)), "float32")
    close(run(kernels.conv2d, x, w, padding="same", stride=2), expected_conv2d(a, b, (2, 2), [(1, 1), (1, 1)], (1, 1)), "float32")
    assert run(kernels.conv2d, x, w, padding="same").shape == (1, 7, 8, 3)


# Recurrences and counts.


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("batch, length, channels, states", [(2, 19, 7, 4), (1, 1, 1, 1), (1, 8, 5, 16)])
def test_selective_scan(dtype, batch, length, channels, states):
    u, delta = random(26, batch, length, channels, dtype=dtype), ko.abs(random(27, batch, length, channels, dtype=dtype))
    A, D = -ko.abs(random(28, channels, states, dtype=dtype)), random(31, channels, dtype=dtype)
    B, C = random(29, batch, length, states, dtype=dtype), random(30, batch, length, states, dtype=dtype)
    a = exact(u, delta, A, B, C, D)
    state, y = np.zeros((batch, channels, states)), np.zeros((batch, length, channels))
    for t in range(length):
        state = np.exp(a[1][:, t, :, None] * a[2]) * state + (a[1][:, t] * a[0][:, t])[..., None] * a[3][:, t, None]
        y[:, t] = (state * a[4][:, t, None]).sum(-1)
    close(run(kernels.selective_scan, u, delta, A, B, C, block_channels=4), y, dtype)
    close(run(kernels.selective_scan, u, delta, A, B, C, D), y + a[5] * a[0], dtype)


@pytest.mark.parametrize("dtype", [*FLOATS, "int32", "uint8"])
@pytest.mark.parametrize("bins, range", [(7, None), (10, (0.0, 1.0)), (1, (-2, 2)), (4, (-30, 10)), (5, (np.int64(-3), 2)), (300, None)])
def test_histogram(dtype, bins, range):
    given = np.random.default_rng(bins).standard_normal((23, 45)) * (1 if dtype in FLOATS else 40)
    x = ko.asarray(np.abs(given) if dtype == "uint8" else given).astype(getattr(ko, dtype))
    counts, edges = run(kernels.histogram, x, bins=bins, range=range, block=100)
    own_counts, own_edges = exact(*ko.histogram(x, bins, range=range))
    assert counts.tolist() == own_counts.tolist() and edges.tolist() == own_edges.tolist()
    if dtype in ("float64", "int32", "float32"):
        wide = np.asarray(x).astype(np.float64)
        close(edges, np.histogram(wide, bins, range)[1], "float32")
        assert counts.tolist() == np.histogram(wide, edges)[0].tolist()


def test_histogram_leaves_out_what_is_no_number():
    x = ko.asarray([0.0, math.nan, 1.0, math.inf, -math.inf, 0.5, 2.0])
    assert run(kernels.histogram, x, bins=2, range=(0.0, 1.0))[0].tolist() == [1, 2]
    assert run(kernels.histogram, ko.zeros(0), bins=3)[0].tolist() == [0, 0, 0]


# How they run.

AT_ONCE = {
    "matmul": lambda: (kernels.matmul, (ko.ones((300, 600)), ko.ones((600, 200)))),
    "mlp": lambda: (kernels.mlp, (ko.ones((200, 64)), ko.ones((64, 1024)), ko.ones((1024, 64)))),
    "softmax": lambda: (kernels.softmax, (ko.ones((100, 64)),)),
    "layer_norm": lambda: (kernels.layer_norm, (ko.ones((100, 64)), ko.ones(64), ko.ones(64))),
    "rms_norm": lambda: (kernels.rms_norm, (ko.ones((100, 64)), ko.ones(64))),
    "decode_attention": lambda: (kernels.decode_attention, (ko.ones((2, 8, 32)), ko.ones((2, 100, 2, 32)), ko.ones((2, 100, 2, 32)))),
    "conv2d": lambda: (kernels.conv2d, (ko.ones((2, 20, 20, 4)), ko.ones((3, 3, 4, 16)))),
}


@pytest.mark.parametrize("name", AT_ONCE)
def test_points_of_the_grid_run_at_once(name):
    function, args = AT_ONCE[name]()
    lines = [line for line in ko.jit(function).explain(*args).splitlines() if "kernel " in line]
    assert lines and all("all points of its grid at once" in line for line in lines), lines


@pytest.mark.parametrize("name", ["softmax", "decode_attention"])
def test_kernels_in_batches(name):
    if name == "softmax":
        x = random(40, 3, 4, 5)
        found, expected = ko.vmap(kernels.softmax)(x), kernels.softmax(x)
    else:
        args = random(41, 3, 2, 4, 8), random(42, 3, 2, 9, 2, 8), random(43, 3, 2, 9, 2, 8)
        found, expected = ko.vmap(kernels.decode_attention)(*args), ko.stack([kernels.decode_attention(*(x[i] for x in args)) for i in range(3)])
    np.testing.assert_array_equal(np.asarray(found), np.asarray(expected))
