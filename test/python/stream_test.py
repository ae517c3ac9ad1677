"""kolam.layout.stream: the i-th step equals the i-th output of the whole, bit for bit."""

import numpy as np
import pytest
from random_counts import count
from stream_steps import T, array, check, element, ema, rng, same

import kolam as ko
from kolam import layout


def test_elementwise_and_products():
    w, v = array(8, 16), array(16)
    check(lambda x: ko.tanh(ko.matmul(x, w) + v), array(T, 8))
    check(lambda x: ko.softmax(x, axis=1) * ko.mean(x, axis=-1, keepdims=True), array(T, 8))
    check(lambda x: ko.sum(ko.sort(x, axis=-1)[:, :3], axis=-1), array(T, 8))
    check(lambda x: ko.matrix_transpose(ko.matmul(x, w)), array(T, 8))
    check(lambda x: ko.reshape(x, (T, 2, 4)).sum(axis=1), array(T, 8))


def test_other_axes():
    w = array(8, 4)
    check(lambda x: ko.matmul(x, w), array(3, T, 8), axis=1)
    check(lambda x: ko.cumulative_sum(x, axis=-1), array(3, 8, T), axis=-1)
    check(lambda x: ko.cumulative_sum(x, axis=0), array(3, T), axis=1)


def test_delays_and_differences():
    zero = ko.zeros((1, 3))
    check(lambda x: x - ko.concat([zero, x[:-1]]), array(T, 3))
    check(lambda x: ko.concat([x[:1], x[1:] - x[:-1]]), array(T, 3))
    check(lambda x: ko.pad(x, ((5, 0), (1, 2)), constant_values=3.0)[:T], array(T, 3))
    first = array(4, 3)
    check(lambda x: ko.concat([first, x])[:T] * 2 + x, array(T, 3))
    check(lambda x: ko.exp(ko.pad(x, ((4, 0), (0, 0))))[2 : T + 2] + ko.pad(x, ((2, 0), (0, 0)))[:T], array(T, 3))


def test_windows():
    check(lambda x: ko.mean(ko.pad(x, (4, 0))[ko.arange(T)[:, None] + ko.arange(5)], axis=-1), array(T))
    frame = array(40, 3)
    check(lambda x: ko.matmul(ko.pad(x, (39, 0))[ko.arange(T)[:, None] + ko.arange(40)], frame), array(T))
    check(lambda x: ko.convolve(x, ko.asarray([1.0, 2.0, 3.0]))[:T], array(T))
    check(lambda x: ko.reduce_window(ko.pad(x, ((3, 0), (0, 0))), (4, 1), "max"), array(T, 3))
    check(lambda x: ko.reduce_window(ko.pad(x, ((39, 0), (0, 0))), (40, 1), "max"), array(T, 3))


@pytest.mark.parametrize("dilation", [1, 2, 5])
@pytest.mark.parametrize("groups", [1, 4])
def test_causal_convolution(dilation, groups):
    w = array(4, 4 // groups, 3)
    f = lambda x: ko.conv1d(x, w, padding=[(2 * dilation, 0)], dilation=dilation, groups=groups)
    check(f, array(2, 4, T), axis=2)


def test_running():
    check(lambda x: ko.cumulative_sum(x), array(T))
    check(lambda x: ko.cumulative_sum(x, axis=0), ko.asarray(np.asarray(array(T, 3)).astype(np.float16)))
    check(lambda x: ko.cumulative_prod(x, axis=0), array(T, 3))
    check(lambda x: ko.cumulative_max(x, axis=0), array(T, 3))
    check(lambda x: ko.associative_scan(lambda a, b: (a[0] * b[0], b[0] * a[1] + b[1]), (x, x * 2)), array(T, 3))


def lstm(x, w, u, b):
    size = u.shape[0]

    def step(state, x):
        h, c = state
        gates = ko.matmul(x, w) + ko.matmul(h, u) + b
        i, f, g, o = (gates[..., n * size : (n + 1) * size] for n in range(4))
        c = ko.sigmoid(f) * c + ko.sigmoid(i) * ko.tanh(g)
        h = ko.sigmoid(o) * ko.tanh(c)
        return (h, c), h

    zero = ko.zeros(size)
    return ko.scan(step, (zero, zero), x)[1]


def gru(x, w, u):
    size = u.shape[0]

    def step(h, x):
        a, b = ko.matmul(x, w), ko.matmul(h, u)
        r = ko.sigmoid(a[:size] + b[:size])
        z = ko.sigmoid(a[size : 2 * size] + b[size : 2 * size])
        n = ko.tanh(a[2 * size :] + r * b[2 * size :])
        h = (1 - z) * n + z * h
        return h, h

    return ko.scan(step, ko.zeros(size), x)[1]


@pytest.mark.parametrize("backend", ["cpu", "interpret"])
def test_recurrences(backend):
    check(ema, array(T, 3), backend=backend)
    check(lstm, array(T, 5), array(5, 32), array(8, 32), array(32), axis={"x": 0}, backend=backend)
    check(gru, array(T, 5), array(5, 24), array(8, 24), axis={"x": 0}, backend=backend)


def test_two_layers_of_lstm():
    w1, u1, b1, w2, u2, b2 = array(5, 32), array(8, 32), array(32), array(8, 32), array(8, 32), array(32)
    check(lambda x: lstm(lstm(x, w1, u1, b1), w2, u2, b2), array(T, 5))


def test_wavenet():
    layers = [(array(6, 6, 2), array(6, 6, 2), array(6, 6, 1)) for _ in range(4)]

    def f(x):
        skip = 0
        for number, (a, b, c) in enumerate(layers):
            d = 2**number
            conv = lambda w, x=x, d=d: ko.conv1d(x, w, padding=[(d, 0)], dilation=d)
            y = ko.tanh(conv(a)) * ko.sigmoid(conv(b))
            y = ko.conv1d(y, c)
            skip = skip + y
            x = x + y
        return ko.relu(skip)

    check(f, array(1, 6, T), axis=2)


@pytest.mark.parametrize("left", [0, 3, 127, 128, 200])
def test_window_attention(left):
    steps = 300 if left > 100 else T
    f = lambda q, k, v: ko.attention(q, k, v, window=(left, 0))
    check(f, array(4, steps, 8), array(2, steps, 8), array(2, steps, 6), axis=1)


def test_window_attention_with_a_function_of_places():
    far = ko.asarray(rng.random(300) > 0.3)
    f = lambda q, k, v: ko.attention(q, k, v, window=(140, 0), mask=lambda b, h, i, j: ((i - j) % (h + 2) == 0) | far[j])
    check(f, array(2, 300, 8), array(2, 300, 8), array(2, 300, 6), axis=1)


def test_window_attention_with_projections():
    w = [array(16, 16) for _ in range(4)]

    def f(x):
        q, k, v = (ko.permute_dims(ko.reshape(ko.matmul(x, m), (T, 2, 8)), (1, 0, 2)) for m in w[:3])
        y = ko.attention(q, k, v, window=(7, 0))
        return ko.matmul(ko.reshape(ko.permute_dims(y, (1, 0, 2)), (T, 16)), w[3])

    check(f, array(T, 16))


def test_mamba_step():
    d, n = 6, 4
    a, w_b, w_c, w_d, conv = array(d, n), array(d, n), array(d, n), array(d, d), array(d, 1, 4)

    def f(x):
        x = ko.matrix_transpose(ko.conv1d(ko.matrix_transpose(x)[None], conv, padding=[(3, 0)], groups=d)[0])
        x = x * ko.sigmoid(x)
        delta = ko.softplus(ko.matmul(x, w_d))
        da = ko.exp(delta[:, :, None] * a)
        dbx = (delta * x)[:, :, None] * ko.matmul(x, w_b)[:, None, :]

        def step(h, given):
            da, dbx, c = given
            h = da * h + dbx
            return h, ko.sum(h * c, axis=-1)

        return ko.scan(step, ko.zeros((d, n)), (da, dbx, ko.matmul(x, w_c)))[1]

    check(f, array(T, d))


def test_values_that_count():
    check(lambda x: x * ko.arange(T, dtype=ko.float32) + ko.sin(ko.arange(T, dtype=ko.float32) / 7), array(T))
    table = array(T, 3)
    s = check(lambda x: x + table, array(T, 3))
    with pytest.raises(ValueError, match=r"\[stream-end\]"):
        s(ko.zeros(3))
    key = ko.random.key(3)
    check(lambda x: x + ko.random.uniform(key, (T, 3)), array(T, 3))
    check(lambda x: x + ko.random.normal(key, (3, T)), array(3, T), axis=1)
    mask = ko.asarray(rng.random((T, 1)) > 0.5)
    check(lambda x: ko.where(mask, x, 0), array(T, 3))


def test_steps_go_on_behind_the_length_that_was_traced():
    f = lambda x: ko.cumulative_sum(x * ko.arange(x.shape[0], dtype=ko.float32))
    s = layout.stream(f, ko.zeros(4))
    x = array(50)
    same(np.stack([np.asarray(s(v)) for v in x]), f(x))


def test_results_that_stay_and_several_arguments():
    w = array(3, 3)
    check(lambda x, y: (x + y, ko.matmul(w, w), {"a": x}["a"]), array(T, 3), array(T, 3))


def test_gathers_and_updates():
    table, places = array(10, 4), ko.asarray([2, 0, 1])
    check(lambda x: x[:, places] + ko.take(x, places, axis=1), array(T, 4))
    check(lambda i: table[i], ko.asarray(rng.integers(0, 10, T)))
    check(lambda x: x.at[:, 1].set(ko.sum(x, axis=1)), array(T, 4))


def test_zip_map_reduce_counts():
    check(lambda x: ko.zip_map_reduce(lambda a: a * ko.iter_idx(0), [x]), array(T, 3))


def test_given_memory():
    s = layout.stream(ema, array(T, 3))
    x, y = array(T, 3), np.zeros(3, np.float32)
    whole = ema(x)
    for t in range(T):
        assert s(element(x, 0, t), out=y) is None
        same(y, np.asarray(whole)[t])


def test_states_save_and_load(tmp_path):
    s = layout.stream(ema, array(T, 3))
    x = array(T, 3)
    for t in range(10):
        s(element(x, 0, t))
    ko.save_npz(tmp_path / "s.npz", s.state)
    other = layout.stream(ema, array(5, 3))
    other.state = ko.load_npz(tmp_path / "s.npz")
    for t in range(10, T):
        same(other(element(x, 0, t)), np.asarray(ema(x))[t])


def test_rows_that_are_one_go_on():
    for f in (lambda x: ko.median(x, axis=1), lambda x: ko.quantile(x, 0.3, axis=1)):
        assert "ends after" not in check(f, array(T, 5)).explain()
    w = array(5, 3)
    s = layout.stream(ko.jit(lambda x: ko.matmul(x, w)[:, [2, 0]], checks=True), array(T, 5))
    assert "ends after" not in s.explain()


def test_output_may_be_the_input():
    s = layout.stream(lambda x: (x + ko.concat([ko.zeros((2, 3)), x[:-2]]), ko.flip(x, axis=1)), array(T, 3))
    x = array(T, 3)
    whole = np.asarray(x) + np.concatenate([np.zeros((2, 3), np.float32), np.asarray(x)[:-2]])
    for t in range(T):
        b, c = np.array(np.asarray(x)[t]), np.zeros(3, np.float32)
        s(b, out=[b, c])
        same(b, whole[t])
        same(c, np.asarray(x)[t, ::-1])
    b = np.zeros(3, np.float32)
    with pytest.raises(ValueError, match=r"\[overlapping-outputs\]"):
        s(b, out=[b, b])
    for wrong in (np.zeros((3, 2), np.float32)[:, 0], np.zeros(13, np.uint8)[1:].view(np.float32), ko.zeros(3)):
        with pytest.raises(TypeError, match=r"\[argument-type\].*out"):
            s(b, out=[wrong, np.zeros(3, np.float32)])


def test_arguments_of_any_kind():
    s = layout.stream(lambda *xs: xs[0] + xs[1], ko.zeros(8), ko.zeros(8))
    assert float(s(1.0, 2.0)) == 3.0
    s = layout.stream(lambda a, **k: a + k["z"], ko.zeros(8), z=ko.ones(()), axis={"a": 0})
    assert float(s(1.0)) == 2.0
    assert repr(s) == "<kolam.layout.Stream of a>"
    s = layout.stream(lambda p: p["a"] * p["b"], {"a": ko.zeros(8), "b": ko.zeros(8)})
    assert float(s({"a": 2.0, "b": 3.0})) == 6.0
    with pytest.raises(AttributeError):
        s.stat = {}


def random_program(seed):
    """A function of x [T, 4] that streams, by the ops that keep its shape."""
    r = np.random.default_rng(seed)
    w = ko.asarray(r.standard_normal((4, 4)).astype(np.float32) / 2)
    k = ko.asarray(r.standard_normal((4, 4, 3)).astype(np.float32) / 3)
    rows = ko.asarray(r.standard_normal((2, 4)).astype(np.float32))
    delay, width, dilation = int(r.integers(1, 6)), int(r.integers(1, 6)), int(r.integers(1, 4))
    ops = [
        lambda x, y: ko.tanh(x) + y,
        lambda x, y: x * y,
        lambda x, y: ko.matmul(x, w),
        lambda x, y: ko.softmax(x, axis=1),
        lambda x, y: ko.pad(x, ((delay, 0), (0, 0)))[:T],
        lambda x, y: ko.concat([rows, x])[:T],
        lambda x, y: x - ko.concat([x[:1], x[:-1]]),
        lambda x, y: ko.concat([y[:delay], x[delay:] - y[:-delay]]),
        lambda x, y: ko.reduce_window(ko.pad(x, ((width - 1, 0), (0, 0))), (width, 1), "max"),
        lambda x, y: ko.matrix_transpose(ko.conv1d(ko.matrix_transpose(x)[None], k, padding=[(2 * dilation, 0)], dilation=dilation)[0]),
        lambda x, y: ko.cumulative_sum(x, axis=0) / 8,
        lambda x, y: ema(x),
        lambda x, y: ko.where(x > 0, x, y),
        lambda x, y: x * ko.arange(T, dtype=ko.float32)[:, None] / T,
        lambda x, y: ko.attention(x[None], y[None], x[None], window=(width, 0))[0],
        lambda x, y: ko.flip(x, axis=1),
        lambda x, y: ko.cumulative_max(x, axis=0),
        lambda x, y: ko.fori_loop(0, delay, lambda i, v: ko.tanh(v * 0.5 + y) + i, x),
        lambda x, y: ko.fori_loop(0, 2, lambda i, v: v - ko.concat([rows, v[:-2]]), x),
        lambda x, y: ko.scan(lambda v, m: (ko.tanh(ko.matmul(v, m)), v), x, ko.stack([w, w]))[1][1],
        lambda x, y: ko.cond(ko.sum(w) > 0, lambda v: v * 2, lambda v: ko.cumulative_sum(v, axis=0) / 8, x),
        lambda x, y: ko.attention(x[None], y[None], x[None], window=(width, 0), mask=(y[:, 0] > -1)[None, :])[0],
    ]
    chosen = [int(n) for n in r.integers(0, len(ops), 5)]

    def f(x):
        y = x
        for n in chosen:
            x, y = ops[n](x, y), x
        return x, y

    return f


@pytest.mark.parametrize("block", [0, 1, 2, *(pytest.param(n, marks=pytest.mark.slow) for n in range(3, count(15)))])
def test_random_programs(block, seed=0):
    for number in range(20):
        check(random_program((block, number)), array(T, 4))


def test_second_result_of_a_counted_value():
    f = lambda x: x + ko.argsort((ko.arange(T)[:, None] * 3 + ko.arange(4) * 5) % 7, axis=1)
    assert "ends after" not in check(f, array(T, 4)).explain()
