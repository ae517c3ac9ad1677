"""Gradients beside JAX, and over the value alone: `scripts/bench_gradients [--only softmax,lstm]`.

Each row: our value and value_and_grad in milliseconds, their ratio and its goal; JAX's; JAX's gradient over ours and its goal; the
largest difference of a gradient over the largest element. CPU time, least of several runs, in one process on one thread.
"""

import argparse
import os
import time

os.environ.setdefault("KOLAM_NUM_THREADS", "1")
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402

import kolam as ko  # noqa: E402

jax.config.update("jax_enable_x64", True)
RNG = np.random.default_rng(0)
ROWS = {}


def drawn(*shape, scale=1.0, dtype=np.float32):
    return (RNG.standard_normal(shape) * scale).astype(dtype)


def row(name, over_value, over_jax):
    """A function that gives (ours, JAX's, arguments, argnums)."""

    def keep(make):
        ROWS[name] = (make, over_value, over_jax)
        return make

    return keep


@row("softmax 4096x1024", 3, 2.5)
def softmax():
    return lambda x, w: ko.sum(ko.softmax(x, axis=-1) * w), lambda x, w: jnp.sum(jax.nn.softmax(x, axis=-1) * w), (drawn(4096, 1024), drawn(4096, 1024)), (0,)


@row("layer norm 4096x1024", 4, 3)
def layer_norm():
    def theirs(x, w, b, c):
        mean = x.mean(-1, keepdims=True)
        return jnp.sum(((x - mean) / jnp.sqrt(((x - mean) ** 2).mean(-1, keepdims=True) + 1e-5) * w + b) * c)

    return lambda x, w, b, c: ko.sum(ko.layer_norm(x, w, b) * c), theirs, (drawn(4096, 1024), drawn(1024), drawn(1024), drawn(4096, 1024)), (0, 1, 2)


@row("MLP 784-1024-1024-10, N 64", 3.2, 1.3)
def mlp():
    labels = RNG.integers(0, 10, 64)

    def ours(x, a, b, c):
        return ko.mean(ko.cross_entropy(ko.relu(ko.relu(x @ a) @ b) @ c, ko.asarray(labels)))

    def theirs(x, a, b, c):
        odds = jax.nn.log_softmax(jax.nn.relu(jax.nn.relu(x @ a) @ b) @ c)
        return -jnp.mean(odds[jnp.arange(64), labels])

    return ours, theirs, (drawn(64, 784), drawn(784, 1024, scale=0.03), drawn(1024, 1024, scale=0.03), drawn(1024, 10, scale=0.03)), (1, 2, 3)


def conv(channels, side):
    def theirs(x, w, c):
        return jnp.sum(jax.lax.conv_general_dilated(x, w, (1, 1), ((1, 1), (1, 1))) * c)

    return (
        lambda x, w, c: ko.sum(ko.conv2d(x, w, padding=1) * c), theirs,
        (drawn(1, channels, side, side), drawn(channels, channels, 3, 3), drawn(1, channels, side, side)), (0, 1),
    )  # fmt: skip


row("conv 3x3 64ch 56^2", 3.4, 0.95)(lambda: conv(64, 56))
row("conv 3x3 256ch 14^2", 3.4, 0.95)(lambda: conv(256, 14))


def attention(length, is_causal):
    def theirs(q, k, v, c):
        s = jnp.einsum("bhid,bhjd->bhij", q, k) / 8
        if is_causal:
            s = jnp.where(jnp.tril(jnp.ones((length, length), bool)), s, -jnp.inf)
        return jnp.sum(jnp.einsum("bhij,bhje->bhie", jax.nn.softmax(s, -1), v) * c)

    return (
        lambda q, k, v, c: ko.sum(ko.attention(q, k, v, causal=is_causal) * c), theirs,
        [drawn(1, 8, length, 64) for _ in range(4)], (0, 1, 2),
    )  # fmt: skip


row("attention S 512", 4, 2)(lambda: attention(512, False))
row("attention S 2048", 4, 2)(lambda: attention(2048, False))
row("attention S 2048 causal", 4, 2)(lambda: attention(2048, True))


def lstm(layers, steps, rows, hidden):
    def of(np_like, scan, sigmoid):
        def loss(x, wx, wh, b):
            for layer in range(layers):

                def step(state, inputs, layer=layer):
                    h, c = state
                    gates = inputs @ wx[layer] + h @ wh[layer] + b[layer]
                    i, f, o, z = (gates[:, k * hidden : (k + 1) * hidden] for k in range(4))
                    c = sigmoid(f) * c + sigmoid(i) * np_like.tanh(z)
                    h = sigmoid(o) * np_like.tanh(c)
                    return (h, c), h

                zero = np_like.zeros((rows, hidden), dtype=np_like.float32)
                _, x = scan(step, (zero, zero), x)
            return np_like.sum(x * x)

        return loss

    arrays = (
        drawn(steps, rows, hidden), drawn(layers, hidden, 4 * hidden, scale=hidden**-0.5),
        drawn(layers, hidden, 4 * hidden, scale=hidden**-0.5), drawn(layers, 4 * hidden),
    )  # fmt: skip
    return of(ko, ko.scan, ko.sigmoid), of(jnp, jax.lax.scan, jax.nn.sigmoid), arrays, (1, 2, 3)


row("LSTM L8 T64 N32 H256", 3.2, 1.05)(lambda: lstm(8, 64, 32, 256))
row("LSTM L4 T64 N1 H64", 3.2, 1.5)(lambda: lstm(4, 64, 1, 64))
row("LSTM L4 T64 N1 H256", 3.2, 1.5)(lambda: lstm(4, 64, 1, 256))


@row("embedding 10000x64 by 131072", 3, 2)
def embedding():
    rows = RNG.integers(0, 10000, 131072)
    return lambda t, w: ko.sum(t[ko.asarray(rows)] * w), lambda t, w: jnp.sum(t[rows] * w), (drawn(10000, 64), drawn(131072, 64)), (0,)


@row("selective scan L512 D512 N16", 4.5, 8)
def selective_scan():
    def of(np_like, scan):
        def loss(x, delta, a, b, c):
            def step(h, inputs):
                x, delta, b, c = inputs
                h = np_like.exp(delta[:, None] * a) * h + (delta * x)[:, None] * b[None]
                return h, h @ c

            _, y = scan(step, np_like.zeros((512, 16), dtype=np_like.float32), (x, delta, b, c))
            return np_like.sum(y * y)

        return loss

    arrays = (drawn(512, 512), np.abs(drawn(512, 512)) * 0.1, -np.abs(drawn(512, 16)), drawn(512, 16), drawn(512, 16))
    return of(ko, ko.scan), of(jnp, jax.lax.scan), arrays, (0, 1, 2, 3, 4)


@row("scan of tanh(h w + h) 1x16, T 100,000", 4, 2)
def long_scan():
    def of(np_like, scan):
        def loss(h, w):
            h, _ = scan(lambda h, _: (np_like.tanh(h @ w + h), None), h, None, length=100_000)
            return np_like.sum(h)

        return loss

    return of(ko, ko.scan), of(jnp, jax.lax.scan), (drawn(1, 16), drawn(16, 16, scale=0.1)), (0, 1)


@row("rows in place n 4000", 4, 40)
def rows_in_place():
    def of(np_like, loop):
        return lambda p: np_like.sum(loop(1, p.shape[0], lambda i, p: p.at[i].set(np_like.tanh(p[i - 1])), p)[-1])

    return of(ko, ko.fori_loop), of(jnp, jax.lax.fori_loop), (drawn(4000, 64),), (0,)


def gmm(d, k, n=1000):
    places = np.nonzero(np.tril(np.ones((d, d)), -1).T)  # column by column

    def of(np_like, logsumexp, put):
        def loss(alpha, mu, q, lower, x):
            ls = put(np_like.zeros((k, d, d), dtype=np_like.float64), lower)
            centred = x[:, None, :] - mu[None]
            terms = np_like.exp(q)[None] * centred + np_like.einsum("kij,nkj->nki", ls, centred)
            each = alpha + np_like.sum(q, axis=1) - 0.5 * np_like.sum(terms * terms, axis=2)
            prior = np_like.sum(np_like.exp(2 * q)) + np_like.sum(ls * ls)
            return np_like.sum(logsumexp(each, axis=1)) - n * logsumexp(alpha, axis=0) - prior / 2

        return loss

    rows, columns = places[1], places[0]
    ours = of(ko, ko.logsumexp, lambda zero, lower: zero.at[:, ko.asarray(rows), ko.asarray(columns)].set(lower))
    theirs = of(jnp, jax.scipy.special.logsumexp, lambda zero, lower: zero.at[:, rows, columns].set(lower))
    count = d * (d - 1) // 2
    wide = np.float64
    arrays = [drawn(k, dtype=wide), drawn(k, d, dtype=wide), drawn(k, d, dtype=wide), drawn(k, count, dtype=wide), drawn(n, d, dtype=wide)]
    return ours, theirs, arrays, (0, 1, 2, 3)


row("GMM d10 K25", 3.5, 1.5)(lambda: gmm(10, 25))
row("GMM d64 K25", 3.5, 3)(lambda: gmm(64, 25))
row("GMM d32 K100", 3.5, 3)(lambda: gmm(32, 100))


@row("k-means k100 n10000 d16", 4.5, 2)
def kmeans():
    def of(np_like):
        def loss(c, p):
            distances = np_like.sum((c[None] - p[:, None]) ** 2, axis=2)
            return np_like.sum(np_like.min(distances, axis=1))

        return loss

    return of(ko), of(jnp), (drawn(100, 16, dtype=np.float64), drawn(10_000, 16, dtype=np.float64)), (0,)


def least(call, runs):
    call()
    taken = []
    for _ in range(runs):
        start = time.process_time()
        call()
        taken.append(time.process_time() - start)
    return min(taken) * 1e3


def measure(name, runs):
    make, over_value, over_jax = ROWS[name]
    ours, theirs, arrays, numbers = make()
    given, given_to_jax = [ko.asarray(array) for array in arrays], [jnp.asarray(array) for array in arrays]
    value, both = ko.jit(ours), ko.jit(ko.value_and_grad(ours, argnums=numbers))
    found = [np.asarray(gradient, np.float64) for gradient in both(*given)[1]]
    own_value, own_both = least(lambda: value(*given), runs), least(lambda: both(*given), runs)
    jax_value, jax_both = jax.jit(theirs), jax.jit(jax.value_and_grad(theirs, argnums=numbers))
    expected = [np.asarray(gradient, np.float64) for gradient in jax_both(*given_to_jax)[1]]
    their_value = least(lambda: jax_value(*given_to_jax).block_until_ready(), runs)
    their_both = least(lambda: jax.block_until_ready(jax_both(*given_to_jax)), runs)
    differ = max(np.abs(one - other).max() / (np.abs(other).max() + 1e-30) for one, other in zip(found, expected, strict=True))
    print(
        f"{name:40} {own_value:9.3f} {own_both:9.3f} {own_both / own_value:6.2f} (goal {over_value})  jax {their_value:9.3f} {their_both:9.3f}"
        f"  over {their_both / own_both:6.2f} (goal {over_jax})  differ {differ:.0e}",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench_gradients", description=__doc__)
    parser.add_argument("--only", default="", help="parts of names, with commas between them")
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    for name in ROWS:
        if not options.only or any(part in name for part in options.only.split(",")):
            measure(name, options.runs)


if __name__ == "__main__":
    main()
