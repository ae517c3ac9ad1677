"""A batch of 64 sequences of 16 to 512 rows of 256: lists beside padded arrays, and beside their live share of dense work."""

import numpy as np
from case import Case, floats
from recurrent import draw_layers, jax_lstm, lstm_layer, nn_lstm_call, numpy_lstm, torch_lstm
from sizes import size

BATCH, SHORTEST, LONGEST, WIDTH, HEADS = size((64, 16, 512, 256, 4), (5, 1, 12, 8, 2))
LENGTHS = np.linspace(SHORTEST, LONGEST, BATCH).astype(np.int64)
LIVE_GOAL = 1 / 1.15
PRESENT = np.arange(LONGEST) < LENGTHS[:, None]


def padded(seed):
    """[sequence][step] of WIDTH, zeros after the end."""
    return np.where(PRESENT[:, :, None], floats(seed, BATCH, LONGEST, WIDTH), np.float32(0))


def as_rows(ko, array, *leaf):
    """The rows that are present, as lists."""
    rows = array[PRESENT].reshape(-1, *leaf)
    return ko.fractal.FractalTensor.from_offsets(rows, np.concatenate(([0], np.cumsum(LENGTHS))))


def called(ko, function, *arguments):
    """A call of the compiled function."""
    f, arguments = ko.jit(function), [ko.asarray(argument) for argument in arguments]
    return lambda: f(*arguments).block_until_ready()


def linear(ko, name):
    x, (w, b) = padded(1), draw_layers(1, (WIDTH, WIDTH), (WIDTH,))

    def ours(batch, w, b):
        ops = ko.fractal
        return ops.map(lambda rows: ops.map(lambda x: x @ w + b, rows), batch)

    return Case(
        name, [x], weights=[w, b], goal=2, lists=[as_rows(ko, x, 1, WIDTH), w, b], ours=ours,
        in_order=lambda y: y[PRESENT][:, None], reference=lambda x, w, b: x @ w + b,
        torch=lambda torch, x, w, b: torch.nn.functional.linear(x, w.T, b), jax=lambda jax, x, w, b: x @ w + b,
        dense=lambda ko: called(ko, lambda x, w, b: x @ w + b, x.reshape(-1, WIDTH), w, b), live=PRESENT.mean(),
        live_goal=LIVE_GOAL, flops=2 * int(PRESENT.sum()) * WIDTH**2,
    )


def lstm(ko, name):
    x, weights = padded(1), draw_layers(1, (WIDTH, 4 * WIDTH), (WIDTH, 4 * WIDTH), (4 * WIDTH,))
    w, u, b = weights

    def ours(batch, w, u, b):
        return ko.fractal.map(lambda rows: lstm_layer(ko, rows, (w, u, b)), batch)

    def packed(torch, x, w, u, b):
        rows = torch.nn.utils.rnn.pack_padded_sequence(
            x.swapaxes(0, 1), torch.from_numpy(LENGTHS), enforce_sorted=False
        )
        call = nn_lstm_call(torch, rows, w, u, b)
        return lambda: torch.nn.utils.rnn.pad_packed_sequence(call())[0].swapaxes(0, 1)

    def dense(ko):
        rows = ko.fractal.FractalTensor.from_offsets(
            x.reshape(-1, 1, WIDTH), np.arange(0, BATCH * LONGEST + 1, LONGEST)
        )
        f, values = ko.jit(ours), [ko.asarray(array) for array in (w, u, b[None])]
        return lambda: f(rows, *values)

    turned = lambda run: lambda framework, x, *weights: run(framework, x.swapaxes(0, 1), *weights).swapaxes(0, 1)
    return Case(
        name, [x], weights=weights, goal=2, tolerance=1e-4, compiled=False,
        lists=[as_rows(ko, x, 1, WIDTH), w, u, b[None]], ours=ours, in_order=lambda y: y[PRESENT][:, None],
        reference=lambda x, *weights: numpy_lstm(x.swapaxes(0, 1), *weights).swapaxes(0, 1),
        torch=turned(torch_lstm), jax=turned(jax_lstm),
        more={
            "nn.LSTM": ("torch-made", lambda torch, x, *weights: nn_lstm_call(torch, x, *weights, batch_first=True)),
            "nn.LSTM packed": ("torch-made", packed),
        },
        dense=dense, live=PRESENT.mean(), live_goal=LIVE_GOAL, flops=16 * int(PRESENT.sum()) * WIDTH**2,
    )


def heads_of(array):
    """[sequence, head, step, element] of [sequence, step, WIDTH]."""
    return array.reshape(BATCH, LONGEST, HEADS, WIDTH // HEADS).swapaxes(1, 2)


def attention_of(q, k, v):
    """Sequence by sequence in f64; zeros after the end."""
    result = np.zeros_like(q)
    for sequence, n in enumerate(LENGTHS):
        scores = q[sequence, :, :n] @ k[sequence, :, :n].swapaxes(1, 2) / np.sqrt(WIDTH / HEADS)
        scores = np.exp(scores - scores.max(2, keepdims=True))
        result[sequence, :, :n] = scores / scores.sum(2, keepdims=True) @ v[sequence, :, :n]
    return result


def attention(ko, name):
    arrays = [np.ascontiguousarray(heads_of(padded(seed))) for seed in (1, 2, 3)]
    rows = lambda array: array.swapaxes(1, 2).reshape(BATCH, LONGEST, WIDTH)

    def ours(q, k, v):
        ops = ko.fractal

        def attend(sequences):
            q, k, v = (ops.stack(rows, axis=1) for rows in sequences)
            return ops.unbind(ko.attention(q, k, v), axis=1)

        return ops.map(attend, ops.zip(q, k, v))

    def torch_attention(torch, q, k, v):
        mask = torch.from_numpy(PRESENT)[:, None, None]
        return torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)

    def jax_attention(jax, q, k, v):
        q, k, v = (jax.numpy.swapaxes(array, 1, 2) for array in (q, k, v))
        mask = jax.numpy.asarray(PRESENT)[:, None, None]
        return jax.numpy.swapaxes(jax.nn.dot_product_attention(q, k, v, mask=mask), 1, 2)

    return Case(
        name, arrays, goal=4, ours=ours, lists=[as_rows(ko, rows(array), HEADS, WIDTH // HEADS) for array in arrays],
        in_order=lambda y: y.swapaxes(1, 2)[PRESENT], reference=attention_of, torch=torch_attention, jax=jax_attention,
        dense=lambda ko: called(ko, ko.attention, *arrays), live=np.mean((LENGTHS / LONGEST) ** 2),
        live_goal=LIVE_GOAL, flops=4 * WIDTH * int((LENGTHS**2).sum()),
    )


def attention_by_maps(ko, name):
    """One head written as maps of products over lists of rows, beside the dense form."""
    length, width = size((1000, 64), (13, 5))
    arrays = [floats(seed, length, width) for seed in (1, 2, 3)]

    def ours(q, k, v):
        ops = ko.fractal

        def attend(query):
            scores = ops.map(lambda key: query @ key * width**-0.5, k)
            most = ops.reduce(ko.maximum, scores)
            powers = ops.map(lambda score: ko.exp(score - most), scores)
            total = ops.reduce(ko.add, powers)
            return ops.reduce(ko.add, ops.map(lambda pair: pair[0] / total * pair[1], ops.zip(powers, v)))

        return ops.map(attend, q)

    def reference(q, k, v):
        powers = np.exp(q @ k.T * width**-0.5)
        return powers / powers.sum(1, keepdims=True) @ v

    rows = [ko.fractal.FractalTensor.from_offsets(array, np.array([0, length]))[0] for array in arrays]
    return Case(
        name, arrays, lists=rows, ours=ours, reference=reference, live_goal=0.5,
        dense=lambda ko: called(ko, ko.attention, *(array[None, None] for array in arrays)),
        jax=lambda jax, q, k, v: jax.nn.softmax(q @ k.T * width**-0.5) @ v,
    )


def cases(ko):
    """(name, a function that makes the case)."""
    maps = "attention as maps over lists of 1000 rows"
    yield maps, lambda: attention_by_maps(ko, maps)
    for function in (linear, lstm, attention):
        name = f"{function.__name__} over 64 sequences of 16 to 512 rows of 256"
        yield name, lambda function=function, name=name: function(ko, name)
