"""Derivatives of attention: beside its equation, block by block in both backends, in memory of its rows."""

import numpy as np
import pytest

import kolam as ko

RNG = np.random.default_rng(22)
SOME = RNG.random((1, 1, 140, 260)) < 0.3
SOME[:, :, 3], SOME[..., 200:] = False, False  # a query without keys, a block that is hidden
BIAS = np.where(SOME, RNG.standard_normal(SOME.shape), -np.inf)
IDS = np.sort(RNG.integers(0, 4, (2, 150)))

# batch, heads, heads of keys, queries, keys, elements of keys, of values; and what is masked
CASES = {
    "small": ((1, 2, 2, 40, 40, 8, 8), {}),
    "no multiple of blocks": ((1, 2, 2, 150, 300, 8, 12), {}),
    "one query": ((1, 2, 2, 1, 200, 8, 8), {}),
    "scale": ((1, 1, 1, 50, 50, 8, 8), {"scale": 0.3}),
    "causal": ((1, 2, 2, 300, 300, 8, 8), {"causal": True}),
    "causal, more keys": ((1, 1, 1, 100, 300, 8, 8), {"causal": True}),
    "causal, more queries": ((1, 1, 1, 300, 100, 8, 8), {"causal": True}),
    "window": ((1, 1, 1, 300, 300, 8, 8), {"window": (40, 0)}),
    "window of two sides": ((1, 1, 1, 300, 300, 8, 8), {"window": (170, 30)}),
    "grouped heads": ((2, 4, 2, 140, 140, 8, 8), {"causal": True}),
    "one head of keys": ((2, 4, 1, 70, 70, 8, 8), {}),
    "booleans": ((1, 2, 2, 140, 260, 8, 8), {"mask": SOME}),
    "numbers": ((1, 2, 2, 140, 260, 8, 8), {"mask": BIAS}),
    "numbers of keys": ((1, 2, 1, 140, 260, 8, 8), {"mask": RNG.standard_normal((1, 2, 1, 260))}),
    "segments": ((2, 2, 2, 150, 150, 8, 8), {"segment_ids": IDS}),
    "function": ((1, 2, 2, 150, 150, 8, 8), {"mask": lambda b, h, i, j: (i + j + h) % 3 == 0}),
}


def drawn(*shape, dtype=np.float64):
    return RNG.standard_normal(shape).astype(dtype)


def given(name, dtype=np.float64):
    """(a function of ko.attention and arrays, the arrays)"""
    (batch, heads, shared, queries, keys, depth, width), options = CASES[name]
    arrays = [drawn(batch, heads, queries, depth, dtype=dtype), drawn(batch, shared, keys, depth, dtype=dtype), drawn(batch, shared, keys, width, dtype=dtype)]
    options = dict(options)
    if "segment_ids" in options:
        options["segment_ids"] = ko.asarray(options["segment_ids"])
    if isinstance(options.get("mask"), np.ndarray):
        if options["mask"].dtype != bool:
            arrays.append(options.pop("mask").astype(dtype))
        else:
            options["mask"] = ko.asarray(options["mask"])

    def attention(q, k, v, *mask):
        return ko.attention(q, k, v, *mask, **options)

    return attention, arrays


def equation(name, q, k, v, *mask):
    """softmax(q k^T scale + mask) v in NumPy."""
    options = dict(CASES[name][1])
    heads = q.shape[1]
    k, v = (np.repeat(x, heads // x.shape[1], 1) for x in (k, v))
    s = q @ k.swapaxes(-1, -2) * options.get("scale", q.shape[-1] ** -0.5)
    b, h, i, j = np.indices(s.shape)
    left, right = options.get("window", (None, None))
    seen = np.ones(s.shape, bool)
    if left is not None:
        seen &= i - j <= left
    if right is not None:
        seen &= j - i <= right
    if options.get("causal"):
        seen &= j <= i
    if "segment_ids" in options:
        ids = options["segment_ids"]
        seen &= ids[b, i] == ids[b, j]
    if callable(options.get("mask")):
        seen &= options["mask"](b, h, i, j)
    elif mask:
        s, seen = s + mask[0], seen & (mask[0] != -np.inf)
    elif "mask" in options:
        seen &= options["mask"]
    most = np.where(seen, s, -np.inf).max(-1, keepdims=True)
    p = np.where(seen, np.exp(np.where(seen, s, 0) - np.where(np.isfinite(most), most, 0)), 0)
    total = p.sum(-1, keepdims=True)
    return p / np.where(total == 0, 1, total) @ v


def as_arrays(values):
    return [ko.asarray(value) for value in values]


def same(one, other):
    return all(np.array_equal(np.asarray(a), np.asarray(b), equal_nan=True) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("name", CASES)
def test_beside_the_equation(name):
    """Along a direction the tangent is that of central differences; the cotangents are its adjoint."""
    attention, arrays = given(name)
    along, step = [drawn(*x.shape) for x in arrays], 1e-6
    ends = [equation(name, *[x + sign * step * d for x, d in zip(arrays, along, strict=True)]) for sign in (1, -1)]
    expected = (ends[0] - ends[1]) / (2 * step)
    value, tangent = ko.jvp(attention, tuple(as_arrays(arrays)), tuple(as_arrays(along)))
    assert np.allclose(np.asarray(value), equation(name, *arrays), rtol=1e-12, atol=1e-13)
    assert np.allclose(np.asarray(tangent), expected, rtol=1e-6, atol=1e-8)
    weight = drawn(*expected.shape)
    _, pullback = ko.vjp(attention, *as_arrays(arrays))
    found = sum((np.asarray(x) * d).sum() for x, d in zip(pullback(ko.asarray(weight)), along, strict=True))
    assert found == pytest.approx((weight * np.asarray(tangent)).sum(), rel=1e-11)


QUICK = ["no multiple of blocks", "window", "grouped heads", "numbers"]


@pytest.mark.parametrize(
    ("name", "dtype"), [("causal", np.float64), *(pytest.param(name, np.float32, marks=[] if name in QUICK else pytest.mark.slow) for name in CASES)]
)
def test_native_code_has_the_bits_of_the_interpreter(name, dtype):
    attention, arrays = given(name, dtype)
    weight = drawn(*equation(name, *arrays).shape, dtype=dtype)

    def both(*arrays):
        arrays = arrays[:-1]
        value, pullback = ko.vjp(attention, *arrays)
        return value, *pullback(ko.asarray(weight)), ko.jvp(attention, arrays, arrays[:-1] + (arrays[-1] * 0,))[1]

    arguments = as_arrays([*arrays, weight])
    native, oracle = (ko.jit(both, backend=backend)(*arguments) for backend in ("cpu", "interpret"))
    assert same(native, oracle)
    assert same(native[:1], [ko.jit(attention)(*arguments[:-1])]), "the value has the bits of the function's"


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_narrow_floats_are_rounded_once(dtype):
    attention, arrays = given("grouped heads", np.float32)
    arrays = [ko.asarray(x).astype(getattr(ko, dtype)) for x in arrays]
    gradient = ko.grad(lambda *arrays: ko.sum(attention(*arrays).astype(ko.float32) ** 2), argnums=(0, 1, 2))
    native, oracle = (ko.jit(gradient, backend=backend)(*arrays) for backend in ("cpu", "interpret"))
    wide = gradient(*[x.astype(ko.float32) for x in arrays])
    assert same([x.astype(ko.float32) for x in native], [x.astype(ko.float32) for x in oracle])
    for one, other in zip(native, wide, strict=True):
        assert one.dtype == getattr(ko, dtype)
        assert np.abs(np.asarray(one.astype(ko.float32)) - np.asarray(other)).max() < 0.02 * np.abs(np.asarray(other)).max()


def test_what_is_hidden_takes_no_part():
    q, k, v = drawn(1, 1, 20, 4), drawn(1, 1, 20, 4), drawn(1, 1, 20, 4)
    k[..., 15:, :], v[..., 15:, :] = np.nan, np.inf
    seen = np.zeros((20, 20), bool)
    seen[:, :15], seen[4] = True, False
    gradients = ko.grad(lambda *arrays: ko.sum(ko.attention(*arrays, mask=ko.asarray(seen))), argnums=(0, 1, 2))(*as_arrays([q, k, v]))
    assert all(np.isfinite(np.asarray(x)).all() for x in gradients)
    assert not np.asarray(gradients[0])[0, 0, 4].any() and not np.asarray(gradients[1])[0, 0, 15:].any()


def test_instances_have_the_bits_of_single_calls():
    q, c, k, v = as_arrays([drawn(3, 2, 140, 8), drawn(3, 2, 140, 8), drawn(2, 140, 8), drawn(3, 2, 140, 8)])
    gradient = ko.grad(lambda q, k, v, c: ko.sum(ko.attention(q, k, v, causal=True) * c), argnums=(0, 1, 2))
    batch = ko.vmap(gradient, in_axes=(0, None, 0, 0))(q, k, v, c)
    for number in range(3):
        assert same([x[number] for x in batch], gradient(q[number], k, v[number], c[number]))


def test_lengths_of_the_run():
    gradient = ko.grad(lambda q, k, v: ko.sum(ko.attention(q, k, v, causal=True) ** 2), argnums=(0, 1, 2))
    of_any = ko.jit(gradient, dynamic={name: [1] for name in "qkv"})
    for length in (0, 64, 128, 130, 300):
        arrays = as_arrays([drawn(2, length, 8) for _ in range(3)])
        assert same(of_any(*arrays), ko.jit(gradient)(*arrays))


@pytest.mark.parametrize("name", ["causal", "one head of keys", "window"])
def test_on_threads(name):
    attention, arrays = given(name, np.float32)
    gradient, before, found = ko.jit(ko.grad(lambda *arrays: ko.sum(attention(*arrays) ** 2), argnums=(0, 1, 2))), ko.get_num_threads(), []
    try:
        for threads in (1, 2, 3):
            ko.set_num_threads(threads)
            found.append(gradient(*as_arrays(arrays)))
    finally:
        ko.set_num_threads(before)
    assert same(found[0], found[1]) and same(found[0], found[2])


def test_second_derivatives():
    q, k, v, c, *along = as_arrays([drawn(1, 2, 10, 4) for _ in range(7)])

    def value(q, k, v):
        return ko.sum(ko.attention(q, k, v, causal=True) * c)

    gradient = ko.grad(value, argnums=(0, 1, 2))
    first, forward = ko.jvp(gradient, (q, k, v), tuple(along))
    assert same(first, gradient(q, k, v))
    ends = [gradient(*[x + sign * 1e-6 * d for x, d in zip((q, k, v), along, strict=True)]) for sign in (1, -1)]
    reverse = ko.grad(lambda *arrays: sum(ko.sum(x * d) for x, d in zip(gradient(*arrays), along, strict=True)), argnums=(0, 1, 2))(q, k, v)
    mixed = ko.grad(lambda *arrays: ko.jvp(value, arrays, tuple(along))[1], argnums=(0, 1, 2))(q, k, v)
    for found, up, down, one, other in zip(forward, *ends, reverse, mixed, strict=True):
        assert np.allclose(np.asarray(found), (np.asarray(up) - np.asarray(down)) / 2e-6, rtol=1e-6, atol=1e-7)
        assert np.allclose(np.asarray(one), np.asarray(found), rtol=1e-12, atol=1e-13)
        assert np.allclose(np.asarray(other), np.asarray(found), rtol=1e-12, atol=1e-13)
    text = ko.jit(lambda *arrays: ko.jvp(gradient, arrays, tuple(along))[1]).explain(q, k, v)
    assert "attention: the derivative of its derivative goes through its plain form, which holds all scores, float64[1, 2, 10, 10]" in text
    assert "plain form" not in ko.jit(gradient).explain(q, k, v)


def test_it_is_linear_in_the_values():
    q, k, v, weight = as_arrays([drawn(20, 4) for _ in range(4)])
    transposed = ko.linear_transpose(lambda v: ko.attention(q, k, v), v)(weight)
    whole = ko.vjp(lambda *arrays: ko.attention(*arrays), q, k, v)[1](weight)
    assert same(transposed, ko.vjp(lambda v: ko.attention(q, k, v), v)[1](weight)) and same(transposed, whole[2:])


@pytest.mark.parametrize("options", [{}, {"causal": True}, {"window": (2047, 0)}])
def test_memory_is_that_of_rows(options):
    """At 8192 queries the plan of a gradient holds 64 MiB at most beside arguments and results."""
    arrays = as_arrays([np.zeros((1, 8, 8192, 64), np.float32)] * 4)
    gradient = ko.jit(lambda q, k, v, c: ko.vjp(lambda *arrays: ko.attention(*arrays, **options), q, k, v)[1](c))
    tangent = ko.jit(lambda q, k, v, c: ko.jvp(lambda *arrays: ko.attention(*arrays, **options), (q, k, v), (c, c, c))[1])
    for function in (gradient, tangent):
        assert function.cost(*arrays)["arena_bytes"] < 2**26


@pytest.mark.parametrize("name", ["causal", "grouped heads", "numbers", "function"])
def test_the_kernel_has_the_derivatives_of_the_op(name):
    attention, arrays = given(name, np.float32)
    options = {key: value for key, value in CASES[name][1].items() if name != "numbers"}
    one, other = (
        ko.grad(lambda *arrays, of=of: ko.sum(of(*arrays) ** 2), argnums=tuple(range(len(arrays))))(*as_arrays(arrays))
        for of in (attention, lambda *arrays: ko.kernels.attention(*arrays, **options))
    )
    assert same(one, other)


@pytest.mark.parametrize("name", ["causal", "grouped heads", "numbers", "function", "segments"])
@pytest.mark.parametrize("shared", [None, 0, 1, 2])
def test_the_gradient_of_many_calls_of_the_kernel(name, shared):
    """That of the op to the bit, also where calls share queries, keys or values, and where both have derivatives of derivatives."""
    attention, arrays = given(name, np.float32)
    options = {key: value for key, value in CASES[name][1].items() if name != "numbers"}
    axes = [None if number == shared else 0 for number in range(len(arrays))]
    arguments = [ko.asarray(x) if axis is None else ko.asarray(np.stack([x, x / 2])) for x, axis in zip(arrays, axes, strict=True)]
    found = []
    for of in (attention, lambda *arrays: ko.kernels.attention(*arrays, **options)):
        every = ko.vmap(of, in_axes=tuple(axes))
        found.append(ko.grad(lambda *arrays, every=every: ko.sum(every(*arrays) ** 2), argnums=tuple(range(len(arrays))))(*arguments))
    assert same(*found)


def test_many_calls_of_the_kernel_in_second_derivatives():
    q, k, v = as_arrays([drawn(2, 1, 20, 4) for _ in range(3)])
    along = as_arrays([drawn(2, 1, 20, 4)])[0]
    found = []
    for of in (ko.attention, ko.kernels.attention):
        gradient = ko.grad(lambda q, of=of: ko.sum(ko.vmap(lambda q, k, v: of(q, k, v, causal=True))(q, k, v) ** 3))
        found.append(ko.jvp(gradient, (q,), (along,))[1])
        found.append(ko.grad(lambda q, gradient=gradient: ko.sum(gradient(q) * along))(q))
    for other in found[1:]:
        assert np.allclose(np.asarray(other), np.asarray(found[0]), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("shared", ["q", "k", "v", "qv", "kv", "qk"])
def test_derivatives_of_gradients_of_attention_for_each_instance(shared):
    """Of operands that instances share each has a gradient of its own."""

    def loss(x, w):
        q, k, v = (w if name in shared else w * x for name in "qkv")
        return ko.sum(ko.attention(q, k, v) ** 2)

    one = lambda x, w: ko.sum(ko.sin(ko.grad(loss, argnums=1)(x, w)))  # noqa: E731
    xs, w0 = np.array([2.0, 0.7]), np.array([[0.5, 1.5], [-0.7, 0.3]])
    parts = sum(np.asarray(ko.grad(one, argnums=1)(x, w0)) for x in xs)
    whole = ko.grad(lambda w: ko.sum(ko.vmap(one, in_axes=(0, None))(xs, w)))(w0)
    np.testing.assert_allclose(np.asarray(whole), parts, rtol=1e-10)
