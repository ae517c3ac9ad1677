"""64 sequences of 16 to 512 rows of 256: gradients over lists beside padded arrays."""

import jax
import jax.numpy as jnp
import numpy as np
from case import drawn, gradients_of, row

import kolam as ko

BATCH, LONGEST, WIDTH, HEADS = 64, 512, 256, 4
LENGTHS = np.linspace(16, LONGEST, BATCH).astype(np.int64)
PRESENT = np.arange(LONGEST) < LENGTHS[:, None]


def padded():
    return np.where(PRESENT[:, :, None], drawn(BATCH, LONGEST, WIDTH), np.float32(0))


def as_rows(array, *leaf):
    rows = array[PRESENT].reshape(-1, *leaf)
    return ko.fractal.FractalTensor.from_offsets(rows, np.concatenate(([0], np.cumsum(LENGTHS))))


def of_list(value):
    """The leaves of a list's gradient, in order."""
    return value.leaves if isinstance(value, ko.fractal.FractalTensor) else value


@row("ragged LSTM, 64 of 16..512 x 256", 3.4, 2)
def lstm():
    ops = ko.fractal

    def ours(batch, w, u, b):
        zero = ko.zeros((1, WIDTH))

        def cell(state, x):
            h, c = state
            i, f, g, o = ko.split(x @ w + h @ u + b, 4, axis=1)
            c = ko.sigmoid(f) * c + ko.sigmoid(i) * ko.tanh(g)
            return ko.sigmoid(o) * ko.tanh(c), c

        states = ops.map(lambda rows: ops.scan(cell, rows, initializer=(zero, zero))[0], batch)
        flat = ops.flatten(states)
        return ko.sum(flat * flat)

    def theirs(x, w, u, b):
        def step(state, inputs):
            h, c = state
            row, present = inputs
            i, f, g, o = jnp.split(row @ w + h @ u + b, 4, axis=1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            h = jax.nn.sigmoid(o) * jnp.tanh(c)
            return (h, c), jnp.where(present[:, None], h, 0)

        zero = jnp.zeros((BATCH, WIDTH), dtype=x.dtype)
        _, y = jax.lax.scan(step, (zero, zero), (jnp.swapaxes(x, 0, 1), PRESENT.T))
        return jnp.sum(y * y)

    def by_torch(torch):
        present = torch.from_numpy(PRESENT.T.copy())[:, :, None]

        def loss(x, w, u, b):
            zero = torch.zeros((1, BATCH, WIDTH))
            weights = [w.T.contiguous(), u.T.contiguous(), b[0], torch.zeros_like(b[0])]
            y = torch.lstm(x.swapaxes(0, 1), (zero, zero), weights, True, 1, 0.0, False, False, False)[0]
            y = torch.where(present, y, 0)
            return (y * y).sum()

        return loss

    arrays = [padded(), drawn(WIDTH, 4 * WIDTH, scale=1 / 16), drawn(WIDTH, 4 * WIDTH, scale=1 / 16), drawn(1, 4 * WIDTH)]
    return gradients_of(
        ours, theirs, arrays, (1, 2, 3), by_torch, given=[as_rows(arrays[0], 1, WIDTH), *map(ko.asarray, arrays[1:])]
    )


def heads_of(array):
    """[sequence, head, step, element] of [sequence, step, WIDTH]."""
    return np.ascontiguousarray(array.reshape(BATCH, LONGEST, HEADS, WIDTH // HEADS).swapaxes(1, 2))


def rows_of(array):
    return array.swapaxes(1, 2).reshape(BATCH, LONGEST, WIDTH)


@row("ragged attention, 64 of 16..512 x 256", 4.2, 4)
def attention():
    ops = ko.fractal

    def ours(q, k, v, c):
        def attend(sequences):
            q, k, v, c = (ops.stack(rows, axis=1) for rows in sequences)
            return ko.sum(ko.attention(q, k, v) * c)

        return ko.sum(ops.stack(ops.map(attend, ops.zip(q, k, v, c))))

    def theirs(q, k, v, c):
        s = jnp.einsum("bhid,bhjd->bhij", q, k) / np.sqrt(WIDTH / HEADS)
        s = jnp.where(PRESENT[:, None, None], s, -jnp.inf)
        return jnp.sum(jnp.einsum("bhij,bhje->bhie", jax.nn.softmax(s, -1), v) * c)

    def by_torch(torch):
        mask = torch.from_numpy(PRESENT)[:, None, None]
        attend = torch.nn.functional.scaled_dot_product_attention
        return lambda q, k, v, c: (attend(q, k, v, attn_mask=mask) * c).sum()

    arrays = [heads_of(padded()) for _ in range(4)]

    def in_order(results):
        value, gradients = results
        wide = [np.zeros((BATCH, LONGEST, HEADS, WIDTH // HEADS), np.float32) for _ in gradients]
        for array, gradient in zip(wide, gradients, strict=True):
            array[PRESENT] = np.asarray(ko.fractal.flatten(gradient)).reshape(-1, HEADS, WIDTH // HEADS)
        return value, [array.swapaxes(1, 2) for array in wide]

    return gradients_of(
        ours, theirs, arrays, (0, 1, 2), by_torch, in_order=in_order,
        given=[as_rows(rows_of(array), HEADS, WIDTH // HEADS) for array in arrays],
    )  # fmt: skip
