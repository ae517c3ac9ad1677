"""Layers of networks: softmax, norms, products, convolutions, attention, embeddings."""

import ctypes

import jax
import jax.numpy as jnp
import numpy as np
from case import RNG, drawn, gradients_of, library, place, row

import kolam as ko


@row("softmax 4096x1024", 3, 2.5)
def softmax():
    return gradients_of(
        lambda x, w: ko.sum(ko.softmax(x, axis=-1) * w), lambda x, w: jnp.sum(jax.nn.softmax(x, axis=-1) * w),
        (drawn(4096, 1024), drawn(4096, 1024)), (0,), lambda torch: lambda x, w: (torch.softmax(x, -1) * w).sum(),
    )  # fmt: skip


@row("layer norm 4096x1024", 4, 3)
def layer_norm():
    def theirs(x, w, b, c):
        mean = x.mean(-1, keepdims=True)
        return jnp.sum(((x - mean) / jnp.sqrt(((x - mean) ** 2).mean(-1, keepdims=True) + 1e-5) * w + b) * c)

    return gradients_of(
        lambda x, w, b, c: ko.sum(ko.layer_norm(x, w, b) * c), theirs,
        (drawn(4096, 1024), drawn(1024), drawn(1024), drawn(4096, 1024)), (0, 1, 2),
        lambda torch: lambda x, w, b, c: (torch.nn.functional.layer_norm(x, (1024,), w, b) * c).sum(),
    )  # fmt: skip


@row("MLP 784-1024-1024-10, N 64", 3.2, 1.3)
def mlp():
    labels = RNG.integers(0, 10, 64)

    def ours(x, a, b, c):
        return ko.mean(ko.cross_entropy(ko.relu(ko.relu(x @ a) @ b) @ c, ko.asarray(labels)))

    def theirs(x, a, b, c):
        odds = jax.nn.log_softmax(jax.nn.relu(jax.nn.relu(x @ a) @ b) @ c)
        return -jnp.mean(odds[jnp.arange(64), labels])

    def by_torch(torch):
        given = torch.from_numpy(labels)
        return lambda x, a, b, c: torch.nn.functional.cross_entropy(torch.relu(torch.relu(x @ a) @ b) @ c, given)

    arrays = (drawn(64, 784), drawn(784, 1024, scale=0.03), drawn(1024, 1024, scale=0.03), drawn(1024, 10, scale=0.03))
    return gradients_of(ours, theirs, arrays, (1, 2, 3), by_torch)


def conv(channels, side):
    def theirs(x, w, c):
        return jnp.sum(jax.lax.conv_general_dilated(x, w, (1, 1), ((1, 1), (1, 1))) * c)

    return gradients_of(
        lambda x, w, c: ko.sum(ko.conv2d(x, w, padding=1) * c), theirs,
        (drawn(1, channels, side, side), drawn(channels, channels, 3, 3), drawn(1, channels, side, side)), (0, 1),
        lambda torch: lambda x, w, c: (torch.nn.functional.conv2d(x, w, padding=1) * c).sum(),
    )  # fmt: skip


row("conv 3x3 64ch 56^2", 3.4, 0.95)(lambda: conv(64, 56))
row("conv 3x3 256ch 14^2", 3.4, 0.95)(lambda: conv(256, 14))


def attention(length, is_causal=False, window=None):
    def theirs(q, k, v, c):
        s = jnp.einsum("bhid,bhjd->bhij", q, k) / 8
        place = np.arange(length)
        if is_causal:
            s = jnp.where(place[:, None] >= place, s, -jnp.inf)
        if window is not None:
            s = jnp.where(np.abs(place[:, None] - place) <= window, s, -jnp.inf)
        return jnp.sum(jnp.einsum("bhij,bhje->bhie", jax.nn.softmax(s, -1), v) * c)

    def by_torch(torch):
        attend = torch.nn.functional.scaled_dot_product_attention
        return lambda q, k, v, c: (attend(q, k, v, is_causal=is_causal) * c).sum()

    return gradients_of(
        lambda q, k, v, c: ko.sum(ko.attention(q, k, v, causal=is_causal, window=window) * c), theirs,
        [drawn(1, 8, length, 64) for _ in range(4)], (0, 1, 2), None if window is not None else by_torch,
    )  # fmt: skip


row("attention S 512", 4, 2)(lambda: attention(512))
row("attention S 2048", 4, 2)(lambda: attention(2048))
row("attention S 2048 causal", 4, 2)(lambda: attention(2048, is_causal=True))
row("attention S 4096", 4, 2)(lambda: attention(4096))
row("attention S 4096 window of a quarter", 4)(lambda: attention(4096, window=512))


def plain_embedding(rows):
    def calls(table, w):
        both = library("embedding.cpp").both
        both.restype = ctypes.c_float
        gradient = np.empty_like(table)
        counts = ctypes.c_long(len(table)), ctypes.c_long(len(rows))
        return None, lambda: both(place(table), place(w), place(rows), *counts, place(gradient))

    return calls


@row("embedding 10000x64 by 131072", 3, 2)
def embedding():
    rows = RNG.integers(0, 10000, 131072)

    def by_torch(torch):
        given = torch.from_numpy(rows)
        return lambda t, w: (torch.nn.functional.embedding(given, t) * w).sum()

    return gradients_of(
        lambda t, w: ko.sum(t[ko.asarray(rows)] * w), lambda t, w: jnp.sum(t[rows] * w),
        (drawn(10000, 64), drawn(131072, 64)), (0,), by_torch, more={"C++": plain_embedding(rows)},
    )  # fmt: skip
