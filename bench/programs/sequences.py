"""Programs on sequences: recurrences, attention, runs, and lists of unequal lengths."""

import math

import numpy as np
from case import Case, floats, loops, named, places
from forms import same_text
from sizes import size

F = np.float32


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def gru(ko, name):
    """Steps of a GRU over a batch, the text of its equations."""
    steps, batch, width = size((120, 8, 64), (7, 3, 5))
    x, h = floats(1, steps, batch, width), np.zeros((batch, width), F)
    weights = [floats(seed, width, 3 * width) / F(8) for seed in (2, 3)]

    def nest(x, h, w, u):
        h, n = h.copy(), h.shape[1]
        for t in range(len(x)):
            a, b = x[t] @ w, h @ u
            for i in range(len(h)):
                for j in range(n):
                    r = F(1) / (F(1) + np.exp(-(a[i, j] + b[i, j])))
                    z = F(1) / (F(1) + np.exp(-(a[i, n + j] + b[i, n + j])))
                    new = np.tanh(a[i, 2 * n + j] + r * b[i, 2 * n + j])
                    h[i, j] = (F(1) - z) * new + z * h[i, j]
        return h

    def step(library, sigmoid, h, x, w, u):
        a, b = x @ w, h @ u
        r = sigmoid(a[:, :width] + b[:, :width])
        z = sigmoid(a[:, width : 2 * width] + b[:, width : 2 * width])
        new = library.tanh(a[:, 2 * width :] + r * b[:, 2 * width :])
        return (1 - z) * new + z * h

    def by_scan(library, scan, sigmoid, x, h, w, u):
        return scan(lambda h, x: (step(library, sigmoid, h, x, w, u), None), h, x)[0]

    def in_python(library, sigmoid, x, h, w, u):
        for row in x:
            h = step(library, sigmoid, h, row, w, u)
        return h

    return Case(
        name, [x, h], weights=weights, numba=loops(nest), reference=lambda *a: in_python(np, sigmoid, *a),
        ours=lambda *a: by_scan(ko, ko.scan, ko.sigmoid, *a), compiled=False,
        torch=lambda torch, *a: in_python(torch, torch.sigmoid, *a),
        jax=lambda jax, *a: by_scan(jax.numpy, jax.lax.scan, jax.nn.sigmoid, *a),
    )


def attention_nest(q, k, v):
    heads, n, width = q.shape
    y = np.zeros_like(q)
    s = np.empty(n, q.dtype)
    for h in range(heads):
        for i in range(n):
            most = F(-np.inf)
            for j in range(i + 1):
                dot = F(0)
                for d in range(width):
                    dot += q[h, i, d] * k[h, j, d]
                s[j] = dot / F(math.sqrt(width))
                most = max(most, s[j])
            total = F(0)
            for j in range(i + 1):
                s[j] = np.exp(s[j] - most)
                total += s[j]
            for j in range(i + 1):
                for d in range(width):
                    y[h, i, d] += s[j] / total * v[h, j, d]
    return y


def causal_attention(ko, name):
    """Scores, a mask, softmax and sums, by products of matrices and nothing ready-made."""
    heads, n, width = size((4, 256, 64), (2, 9, 5))

    def program(library, most, q, k, v):
        i = library.arange(n)
        s = q @ library.swapaxes(k, 1, 2) / math.sqrt(width)
        s = library.where(i[:, None] >= i, s, -1e9)
        e = library.exp(s - most(s))
        return e / library.sum(e, axis=-1, keepdims=True) @ v

    greatest = lambda library: lambda s: library.max(s, axis=-1, keepdims=True)
    return Case(
        name, [floats(seed, heads, n, width) for seed in (1, 2, 3)], numba=loops(attention_nest),
        ours=lambda *a: program(ko, greatest(ko), *a), reference=lambda *a: program(np, greatest(np), *a),
        torch=lambda torch, *a: program(torch, lambda s: s.amax(-1, keepdim=True), *a),
        jax=lambda jax, *a: program(jax.numpy, greatest(jax.numpy), *a),
    )


def z_score(ko, name):
    """How far each number is from the mean of the 50 up to it, in their standard deviations, by running sums."""
    rows, n, window = size((40, 5000, 50), (3, 60, 8))

    def nest(x):
        y = np.empty((x.shape[0], x.shape[1] - window + 1), x.dtype)
        for r in range(len(x)):
            total = squares = F(0)
            for i in range(x.shape[1]):
                total += x[r, i]
                squares += x[r, i] * x[r, i]
                if i >= window - 1:
                    mean = total / F(window)
                    spread = np.sqrt(squares / F(window) - mean * mean)
                    y[r, i - window + 1] = (x[r, i] - mean) / spread
                    total -= x[r, i - window + 1]
                    squares -= x[r, i - window + 1] ** 2
        return y

    def program(library, running, x):
        zero = library.zeros_like(x[:, :1])

        def mean(x):
            sums = library.concat([zero, running(x)], axis=1)
            return (sums[:, window:] - sums[:, :-window]) / window

        m = mean(x)
        return (x[:, window - 1 :] - m) / library.sqrt(mean(x * x) - m * m)

    return Case(
        name, [floats(1, rows, n)], tolerance=1e-3, reference=lambda x: program(np, lambda x: np.cumsum(x, axis=1), x),
        numba=loops(nest), ours=lambda x: program(ko, lambda x: ko.cumulative_sum(x, axis=1), x),
        torch=lambda torch, x: program(torch, lambda x: torch.cumsum(x, 1), x),
        jax=lambda jax, x: program(jax.numpy, lambda x: jax.numpy.cumsum(x, axis=1), x),
    )


def run_lengths(ko, name):
    """The lengths of the first 40,000 runs of equal numbers among 200,000; 0 where there are fewer."""
    n, runs = size((200_000, 40_000), (200, 60))
    x = np.repeat(np.arange(n) % 7, 1 + places(1, 12, n))[:n].astype(np.int32)

    def nest(x):
        lengths = np.zeros(runs, np.int32)
        run = 0
        for i in range(len(x)):
            if i > 0 and x[i] != x[i - 1]:
                run += 1
            if run < runs:
                lengths[run] += 1
        return lengths

    def program(library, nonzero, x):
        starts = library.concat([library.ones_like(x[:1]) > 0, x[1:] != x[:-1]])
        at = nonzero(starts)
        return at[1:] - at[:-1]

    def by_torch(torch, x):
        counts = torch.unique_consecutive(x, return_counts=True)[1]
        return torch.nn.functional.pad(counts, (0, runs))[:runs]

    return Case(
        name, [x], tolerance=0, reference=nest, numba=loops(nest), torch=by_torch, compiled=False,
        ours=lambda x: program(ko, lambda m: ko.nonzero(m, size=runs + 1, fill_value=n)[0], x),
        jax=lambda jax, x: program(jax.numpy, lambda m: jax.numpy.nonzero(m, size=runs + 1, fill_value=n)[0], x),
    )


def feed_forward(ko, name):
    """x + W2 gelu(W1 layer_norm(x)), with the gelu of tanh, written out."""
    rows, width, hidden = size((256, 128, 512), (5, 8, 12))
    x, w1, w2 = floats(1, rows, width), floats(2, width, hidden) / F(8), floats(3, hidden, width) / F(8)

    def nest(x, w1, w2):
        y = np.empty_like(x)
        for i in range(len(x)):
            mean = spread = F(0)
            for k in range(width):
                mean += x[i, k] / F(width)
            for k in range(width):
                spread += (x[i, k] - mean) ** 2 / F(width)
            for k in range(width):
                y[i, k] = (x[i, k] - mean) / np.sqrt(spread + F(1e-5))
        h = y @ w1
        for i in range(len(x)):
            for k in range(hidden):
                z = h[i, k]
                h[i, k] = F(0.5) * z * (F(1) + np.tanh(F(0.7978845608) * (z + F(0.044715) * z * z * z)))
        return x + h @ w2

    def program(library, x, w1, w2):
        centred = x - library.mean(x, axis=-1, keepdims=True)
        spread = library.mean(centred * centred, axis=-1, keepdims=True)
        h = (centred / library.sqrt(spread + 1e-5)) @ w1
        h = 0.5 * h * (1 + library.tanh(0.7978845608 * (h + 0.044715 * h**3)))
        return x + h @ w2

    return same_text(ko, name, [x], program, nest, weights=[w1, w2])


def rotary(ko, name):
    """RMSNorm, then pairs of elements rotated by angles that grow with the row."""
    heads, n, width = size((8, 2048, 64), (2, 9, 6))
    x, weight = floats(1, heads, n, width), floats(2, width)
    angles = np.arange(n)[:, None] * 10000.0 ** (-np.arange(0, width, 2) / width)
    c, s = np.cos(angles).astype(F), np.sin(angles).astype(F)

    def nest(x, weight, c, s):
        y = np.empty_like(x)
        half = width // 2
        for h in range(heads):
            for i in range(n):
                total = F(0)
                for k in range(width):
                    total += x[h, i, k] * x[h, i, k]
                scale = F(1) / np.sqrt(total / F(width) + F(1e-6))
                for k in range(half):
                    a, b = x[h, i, k] * scale * weight[k], x[h, i, half + k] * scale * weight[half + k]
                    y[h, i, k] = a * c[i, k] - b * s[i, k]
                    y[h, i, half + k] = a * s[i, k] + b * c[i, k]
        return y

    def program(library, x, weight, c, s):
        x = x / library.sqrt(library.mean(x * x, axis=-1, keepdims=True) + 1e-6) * weight
        a, b = x[..., : width // 2], x[..., width // 2 :]
        return library.concat([a * c - b * s, a * s + b * c], axis=-1)

    return same_text(ko, name, [x], program, nest, weights=[weight, c, s])


def beam_step(ko, name):
    """The best 8 of 8 beams by 4000 words, in 16 sequences: their scores, after log-softmax."""
    batch, beams, words = size((16, 8, 4000), (2, 3, 40))
    score, logits = floats(1, batch, beams), 4 * floats(2, batch, beams, words)

    def nest(score, logits):
        best = np.full((batch, beams), -np.inf).astype(score.dtype)
        for b in range(batch):
            for i in range(beams):
                most, total = logits[b, i].max(), F(0)
                for w in range(words):
                    total += np.exp(logits[b, i, w] - most)
                base = score[b, i] - most - np.log(total)
                for w in range(words):
                    value = base + logits[b, i, w]
                    at = beams
                    while at > 0 and best[b, at - 1] < value:
                        at -= 1
                    if at < beams:
                        for k in range(beams - 1, at, -1):
                            best[b, k] = best[b, k - 1]
                        best[b, at] = value
        return best

    def total(log_softmax, score, logits):
        return (score[:, :, None] + log_softmax(logits)).reshape(batch, beams * words)

    return Case(
        name, [score, logits], reference=nest, numba=loops(nest),
        ours=lambda *a: ko.top_k(total(ko.log_softmax, *a), beams)[0],
        torch=lambda torch, *a: torch.topk(total(lambda x: torch.log_softmax(x, -1), *a), beams).values,
        jax=lambda jax, *a: jax.lax.top_k(total(jax.nn.log_softmax, *a), beams)[0],
    )


def offsets_of(seed, rows, longest):
    return np.concatenate([[0], np.cumsum(1 + places(seed, longest, rows))]).astype(np.int32)


def ragged_means(ko, name):
    """The mean vector of each sentence's words, looked up in a table; sentences are lists."""
    count, width, vocabulary = size((1000, 64, 5000), (9, 5, 30))
    offsets, table = offsets_of(1, count, 40), floats(2, vocabulary, width)
    words = places(3, vocabulary, offsets[-1])

    def nest(words, offsets, table):
        y = np.zeros((len(offsets) - 1, width), table.dtype)
        for i in range(len(y)):
            for e in range(offsets[i], offsets[i + 1]):
                for k in range(width):
                    y[i, k] += table[words[e], k]
            for k in range(width):
                y[i, k] /= F(offsets[i + 1] - offsets[i])
        return y

    def ours(sentences, table):
        ops = ko.fractal
        total = lambda row: ops.reduce(ops.add, ops.map(lambda word: table[word], row))
        return ops.map(lambda row: total(row) / ko.astype(ops.len(row), ko.float32), sentences)

    def by_jax(jax, words, offsets, table):
        jnp, lengths = jax.numpy, offsets[1:] - offsets[:-1]
        rows = jnp.repeat(jnp.arange(len(lengths)), lengths, total_repeat_length=len(words))
        return jax.ops.segment_sum(table[words], rows, len(lengths), indices_are_sorted=True) / lengths[:, None]

    def by_torch(torch, words, offsets, table):
        return torch.nn.functional.embedding_bag(words, table, offsets[:-1], mode="mean")

    lists = [ko.fractal.FractalTensor.from_offsets(words, offsets.astype(np.int64)), table]
    return Case(
        name, [words, offsets, table], lists=lists, ours=ours, reference=nest, numba=loops(nest), jax=by_jax,
        torch=by_torch,
    )


def segmented_scan(ko, name):
    """Running sums that begin anew where a segment does, 100,000 numbers."""
    n = size(100_000, 300)
    x, starts = floats(1, n), floats(2, n) > 0.98

    def nest(x, starts):
        y = np.empty_like(x)
        total = F(0)
        for i in range(len(x)):
            total = x[i] if starts[i] else total + x[i]
            y[i] = total
        return y

    def by_jax(jax, x, starts):
        def merge(a, b):
            return jax.numpy.where(b[1], b[0], a[0] + b[0]), a[1] | b[1]

        return jax.lax.associative_scan(merge, (x, starts))[0]

    def by_torch(torch, x, starts):
        sums = torch.cumsum(x, 0)
        first = torch.cummax(torch.where(starts, torch.arange(n), 0), 0).values
        return sums - sums[first] + x[first]

    return Case(
        name, [x, starts], tolerance=1e-4, reference=nest, numba=loops(nest), jax=by_jax, torch=by_torch,
        ours=lambda x, starts: ko.associative_scan(ko.add, x, segments=starts),
    )


def smoothing(ko, name):
    """Exponential moving averages of 500 lists of unequal lengths."""
    offsets = offsets_of(4, *size((500, 400), (9, 30)))
    x = floats(5, offsets[-1])

    def nest(x, offsets):
        y = np.empty_like(x)
        for i in range(len(offsets) - 1):
            state = F(0)
            for e in range(offsets[i], offsets[i + 1]):
                state = F(0.9) * state + F(0.1) * x[e]
                y[e] = state
        return y

    def ours(rows):
        ops = ko.fractal
        return ops.map(lambda row: ops.scan(lambda s, x: 0.9 * s + 0.1 * x, row, initializer=0.0), rows)

    def by_jax(jax, x, offsets):
        starts = jax.numpy.zeros(len(x), bool).at[offsets[:-1]].set(True)

        def step(state, value):
            x, start = value
            state = jax.numpy.where(start, 0.0, 0.9 * state) + 0.1 * x
            return state, state

        return jax.lax.scan(step, jax.numpy.float32(0), (x, starts))[1]

    lists = [ko.fractal.FractalTensor.from_offsets(x, offsets.astype(np.int64))]
    return Case(name, [x, offsets], lists=lists, ours=ours, reference=nest, numba=loops(nest), jax=by_jax)


def cases(ko):
    """See `named`."""
    rows = {
        "GRU, 120 steps of 8x64": gru, "causal attention 4x256x64 by hand": causal_attention,
        "moving z-score 40x5000": z_score, "run lengths of 200000": run_lengths, "feed-forward block 256x128": feed_forward,
        "RMSNorm and rotary embedding 8x2048x64": rotary, "beam step 16x8x4000": beam_step,
        "means of 1000 ragged sentences": ragged_means, "segmented sums of 100000": segmented_scan,
        "moving averages of 500 lists": smoothing,
    }  # fmt: skip
    return named(ko, rows)
