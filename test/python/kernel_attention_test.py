"""kernels.attention: the bits of ko.attention, in native code and in the interpreter, whatever the shapes, dtypes and masks."""

import numpy as np
import pytest

import kolam as ko
from kolam import fractal as ops
from kolam import kernels

KINDS = ["open", "causal", "window", "booleans", "numbers", "function", "segments", "several"]


def same(one, other):
    """Equal bits, or both NaN."""
    a, b = np.asarray(one.astype(ko.float64)), np.asarray(other.astype(ko.float64))
    equal = (a == b) & (np.signbit(a) == np.signbit(b)) | (np.isnan(a) & np.isnan(b))
    return one.dtype == other.dtype and a.shape == b.shape and bool(equal.all())


def case(seed, kind, most_depth=80):
    """(a function of the attention to use and arrays, the arrays)"""
    r = np.random.default_rng((seed, KINDS.index(kind)))
    rank = int(r.integers(2, 5))
    batch, heads = (int(r.choice([1, 3])),) * (rank == 4), (int(r.choice([1, 2, 4])),) * (rank >= 3)
    shared = (int(r.choice([n for n in (1, 2, 4) if heads[0] % n == 0])),) if heads else ()
    s, t = int(r.choice([1, 3, 16, 64, 65, 131])), int(r.choice([1, 5, 127, 128, 129, 256, 300]))
    depth, width = int(r.choice([n for n in (1, 3, 16, 64, 80, 512, 600) if n <= (most_depth if s >= 16 else 512)])), int(r.choice([1, 3, 16, 33, 64]))
    dtype = getattr(ko, str(r.choice(["float32", "float32", "float64", "bfloat16", "float16"])))

    def made(*shape):
        return ko.asarray(r.standard_normal(shape).astype(np.float32)).astype(dtype)

    q, k, v = made(*batch, *heads, s, depth), made(*batch, *shared, t, depth), made(*(1,) * len(batch), *shared, t, width)
    if r.random() < 0.3:  # what is hidden takes no part, also where it is NaN
        held = np.array(v.astype(ko.float32))
        held[..., int(r.integers(0, t)), :] = np.nan
        v = ko.asarray(held).astype(dtype)
    arrays, options, given = [q, k, v], {}, set() if kind == "open" else {kind}
    if kind == "several":
        given = {str(one) for one in r.choice(["causal", "window", "booleans", "function", "segments"], 2, replace=False)}
    if "causal" in given:
        options["causal"] = True
    if "window" in given:
        left, right = (int(n) if n < 150 else None for n in r.integers(0, 200, 2))
        options["window"] = (left, right)
    if "booleans" in given or "numbers" in given:
        lead = [(), (1,) * (rank - 2), (*batch, *heads)][int(r.integers(0, 3))]
        shape = (*lead, *[(s, t), (1, t), (s, 1)][int(r.integers(0, 3))])
        shown = ko.asarray(r.random(shape) > r.choice([0.1, 0.5, 0.9]))
        numbers = ko.asarray(np.where(r.random(shape) > 0.7, -np.inf, r.standard_normal(shape)).astype(np.float32)).astype(dtype)
        arrays.append(shown if "booleans" in given else numbers)
    elif "function" in given:
        apart = int(r.integers(1, 50))
        table = ko.asarray(r.random(t) > 0.3)
        options["mask"] = lambda b, h, i, j: ((i + j + h) % apart != b) & ko.take(table, j, axis=0)
    if "segments" in given:
        arrays += [ko.asarray(np.sort(r.integers(0, 3, (*batch, n)), axis=-1), dtype=ko.int32) for n in (s, t)]

    def call(attention):
        def f(q, k, v, *more):
            more = list(more)
            own = {"mask": more.pop(0)} if "booleans" in given or "numbers" in given else {}
            if more:
                own["segment_ids"] = tuple(more)
            return attention(q, k, v, **options, **own)

        return f

    return call, arrays


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(6))
def test_bits(kind, seed):
    call, arrays = case(seed, kind)
    meant = ko.jit(call(ko.attention), backend="interpret")(*arrays)
    assert same(ko.jit(call(kernels.attention), backend="interpret")(*arrays), meant)
    assert same(ko.jit(call(kernels.attention))(*arrays), meant)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(6, 30))
def test_bits_of_more(kind, seed):
    call, arrays = case(seed, kind, most_depth=600)
    meant = ko.jit(call(ko.attention), backend="interpret")(*arrays)
    assert same(ko.jit(call(kernels.attention))(*arrays), meant)


def test_lengths_may_be_dynamic():
    r = np.random.default_rng(1)
    f = ko.jit(lambda q, k, v: kernels.attention(q, k, v, causal=True), dynamic={"q": [1], "k": [1], "v": [1]})
    for s, t in ((65, 200), (1, 128), (200, 5), (64, 0)):
        q, k, v = (ko.asarray(r.standard_normal((2, n, 8)), dtype=ko.float32) for n in (s, t, t))
        assert same(f(q, k, v), ko.attention(q, k, v, causal=True))
    with pytest.raises(ko.KolamError, match="shape-mismatch"):
        f(q, ko.ones((2, 4, 8)), ko.ones((2, 5, 8)))


def test_rows_of_lists():
    r = np.random.default_rng(2)
    rows = [[r.standard_normal(8).astype(np.float32) for _ in range(n)] for n in (3, 130, 70)]

    def over(attention):
        def one(row):
            x = ops.stack(row)
            return ops.unbind(attention(x, x, x))

        return ko.jit(lambda xs: ops.map(one, xs))

    xs = ops.FractalTensor(rows)
    for own, other in zip(over(kernels.attention)(xs), over(ko.attention)(xs), strict=True):
        assert all(same(ko.asarray(a), ko.asarray(b)) for a, b in zip(own, other, strict=True))


def test_instances_of_vmap():
    r = np.random.default_rng(3)
    q, k, v = (ko.asarray(r.standard_normal((3, 2, n, 8)), dtype=ko.float32) for n in (70, 130, 130))
    found = ko.jit(ko.vmap(lambda q, k, v: kernels.attention(q, k, v, window=(20, 3)), in_axes=0))(q, k, v)
    assert same(found, ko.attention(q, k, v, window=(20, 3)))


Q, K = np.ones((2, 5, 3), np.float32), np.ones((2, 7, 3), np.float32)
REFUSED = {
    "rank": (lambda: kernels.attention(Q[0, 0], K, K), "argument 'q': expected rank 2 or more, but got float32[3]"),
    "depth": (lambda: kernels.attention(Q, K[..., :2], K), "argument 'k': expected extent 3 in dim -1, but got 2"),
    "keys": (lambda: kernels.attention(Q, K, K[:, :6]), "argument 'v': expected extent 7 in dim -2, but got 6"),
    "heads": (lambda: kernels.attention(Q, np.ones((3, 7, 3)), K), "argument 'k': expected extent 2 in dim -3, but got 3"),
    "window": (lambda: kernels.attention(Q, K, K, window=2.5), "argument 'window': expected an integer or a pair, but got 2.5"),
    "window below 0": (lambda: kernels.attention(Q, K, K, window=(2, -3)), "argument 'window': expected numbers of keys >= 0, but got -3"),
    "mask": (lambda: kernels.attention(Q, K, K, mask=np.ones((5, 7), int)), "argument 'mask': expected booleans or floats, but got"),
    "mask of keys": (lambda: kernels.attention(Q, K, K, mask=np.ones((5, 6), bool)), "argument 'mask': expected extent 7 in dim -1, but got 6"),
    "function": (lambda: kernels.attention(Q, K, K, mask=lambda i, j: i < j), "expected a function of 4 arguments, but got one of (i, j)"),
    "function of numbers": (lambda: kernels.attention(Q, K, K, mask=lambda b, h, i, j: i), "expected a function that gives a boolean, but got int32[]"),
    "segments": (lambda: kernels.attention(Q, K, K, segment_ids=(Q[0], K[0])), "argument 'segment_ids': expected integers, but got float32"),
    "rows": (lambda: kernels.attention(Q, K, K, block_q=0), "argument 'block_q': expected an integer of at least 1, but got 0"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refuses(name):
    call, words = REFUSED[name]
    with pytest.raises(ko.KolamError) as raised:
        call()
    assert words in str(raised.value) and "attention" in str(raised.value)
