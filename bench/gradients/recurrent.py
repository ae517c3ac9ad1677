"""Loops: stacked LSTMs, selective scans, long scans, rows changed in place."""

import ctypes

import jax
import jax.numpy as jnp
import numpy as np
from case import Case, drawn, gradients_of, library, place, row

import kolam as ko


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

                zero = np_like.zeros((rows, hidden), dtype=x.dtype)
                _, x = scan(step, (zero, zero), x)
            return np_like.sum(x * x)

        return loss

    def by_torch(torch):
        """PyTorch's gates are i, f, z, o, its weights transposed."""

        def of_torch(w):
            i, f, o, z = torch.chunk(w, 4, dim=-1)
            return torch.cat((i, f, z, o), dim=-1)

        def loss(x, wx, wh, b):
            zero = torch.zeros((layers, rows, hidden))
            weights = []
            for layer in range(layers):
                weights += [of_torch(wx[layer]).T.contiguous(), of_torch(wh[layer]).T.contiguous(), of_torch(b[layer])]
                weights.append(torch.zeros_like(weights[-1]))
            y = torch.lstm(x, (zero, zero), weights, True, layers, 0.0, False, False, False)[0]
            return (y * y).sum()

        return loss

    def onednn(x, wx, wh, b):
        """Times alone: its gates are i, f, z, o."""
        module, contiguous = library("onednn_lstm.cpp", "-ldnnl"), [np.ascontiguousarray(array) for array in (x, wx, wh, b)]
        contiguous.append(np.ones_like(x))
        module.make.restype = ctypes.c_void_p
        made = ctypes.c_void_p(module.make(*(ctypes.c_long(size) for size in (layers, steps, rows, hidden)), *map(place, contiguous)))
        return (lambda kept=contiguous: module.run(made, 0)), (lambda kept=contiguous: module.run(made, 1))

    arrays = (
        drawn(steps, rows, hidden), drawn(layers, hidden, 4 * hidden, scale=hidden**-0.5),
        drawn(layers, hidden, 4 * hidden, scale=hidden**-0.5), drawn(layers, 4 * hidden),
    )  # fmt: skip
    return gradients_of(
        of(ko, ko.scan, ko.sigmoid), of(jnp, jax.lax.scan, jax.nn.sigmoid), arrays, (1, 2, 3), by_torch, more={"oneDNN": onednn}
    )


row("LSTM L8 T64 N32 H256", 3.2, 1.05)(lambda: lstm(8, 64, 32, 256))
row("LSTM L4 T64 N1 H64", 3.2, 1.5)(lambda: lstm(4, 64, 1, 64))
row("LSTM L4 T64 N1 H256", 3.2, 1.5)(lambda: lstm(4, 64, 1, 256))


@row("selective scan L512 D512 N16", 4.5, 8)
def selective_scan():
    def of(np_like, scan):
        def loss(x, delta, a, b, c):
            def step(h, inputs):
                x, delta, b, c = inputs
                h = np_like.exp(delta[:, None] * a) * h + (delta * x)[:, None] * b[None]
                return h, h @ c

            _, y = scan(step, np_like.zeros((512, 16), dtype=x.dtype), (x, delta, b, c))
            return np_like.sum(y * y)

        return loss

    arrays = (drawn(512, 512), abs(drawn(512, 512)) * 0.1, -abs(drawn(512, 16)), drawn(512, 16), drawn(512, 16))
    return gradients_of(of(ko, ko.scan), of(jnp, jax.lax.scan), arrays, (0, 1, 2, 3, 4))


def of_long_scan(np_like, scan):
    def loss(h, w):
        h, _ = scan(lambda h, _: (np_like.tanh(h @ w + h), None), h, None, length=100_000)
        return np_like.sum(h)

    return loss


@row("scan of tanh(h w + h) 1x16, T 100,000", 4, 2)
def long_scan():
    arrays = (drawn(1, 16), drawn(16, 16, scale=0.1))
    return gradients_of(of_long_scan(ko, ko.scan), of_long_scan(jnp, jax.lax.scan), arrays, (0, 1))


@row("the same within 1 MiB, over without", 1.6)
def limited_scan():
    ours, theirs = of_long_scan(ko, ko.scan), jax.value_and_grad(of_long_scan(jnp, jax.lax.scan), argnums=(0, 1))
    within = [ko.value_and_grad(ours, argnums=(0, 1), memory_limit=limit) for limit in (None, "1MiB")]
    return Case([drawn(1, 16), drawn(16, 16, scale=0.1)], tuple(within), (theirs, theirs))


def rows_in_place(n):
    def of(np_like, loop):
        return lambda p: np_like.sum(loop(1, p.shape[0], lambda i, p: p.at[i].set(np_like.tanh(p[i - 1])), p)[-1])

    return gradients_of(of(ko, ko.fori_loop), of(jnp, jax.lax.fori_loop), (drawn(n, 64),), (0,))


row("rows in place n 1000", 4, 40)(lambda: rows_in_place(1000))
row("rows in place n 4000", 4, 40)(lambda: rows_in_place(4000))
row("rows in place n 16,000", 4, 40)(lambda: rows_in_place(16_000))
