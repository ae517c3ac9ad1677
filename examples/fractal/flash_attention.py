"""Attention over blocks of keys, with a softmax that is corrected as blocks come in.

    for each block of keys K and values V:
        s = Q K^T / sqrt(width)
        m' = max(m, max of each row of s)                      the largest score so far
        l' = l exp(m - m') + sum of each row of exp(s - m')    what the weights sum up to
        o' = o exp(m - m') + exp(s - m') V                     the weighted values
    result: o / l

No row of scores is ever kept whole. The state (m, l, o) is of another type than what it takes in, so this reduction is
a fold: it takes the blocks in order.

Source: T. Dao et al., "FlashAttention: Fast and Memory-Efficient Exact Attention with IO-Awareness", 2022.
"""

import numpy as np

import kolam as ko
from draw import Draw
from kolam import fractal as ops
from side_by_side import main


def take_in(state, block, query):
    largest, total, out = state
    keys, values = block
    scores = query @ keys.T / query.shape[1] ** 0.5
    now = ops.maximum(largest, ops.max(scores, axis=1, keepdims=True))
    kept, weights = ops.exp(largest - now), ops.exp(scores - now)
    return now, total * kept + ops.sum(weights, axis=1, keepdims=True), out * kept + weights @ values


def attend(query, keys, values):
    """What a block of queries finds in lists of blocks of keys and values."""
    rows, width = query.shape
    nothing = ops.full(rows, 1, value=-np.inf), ops.zeros(rows, 1), ops.zeros(rows, width)
    _, total, out = ops.reduce(take_in, ops.zip(keys, values), initializer=nothing, query=query)
    return out / total


@ko.jit
def flash_attention(queries, keys, values):
    """[sequence][head][block] of [rows of a block, width of a head], as are the arguments."""

    def head(qkv):
        queries, keys, values = qkv
        return ops.map(attend, queries, keys=keys, values=values)

    return ops.map(lambda sequence: ops.map(head, ops.zip(*sequence)), ops.zip(queries, keys, values))


def attend_with_numpy(query, keys, values):
    """Plain attention, with all scores at once."""
    scores = query @ keys.T / np.sqrt(query.shape[1])
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True) @ values


def flash_attention_with_numpy(queries, keys, values):
    def head(q, k, v):
        return np.split(attend_with_numpy(np.concatenate(q), np.concatenate(k), np.concatenate(v)), len(q))

    return [[head(*qkv) for qkv in zip(*sequence)] for sequence in zip(queries, keys, values)]


def inputs(batch=2, heads=8, longest=1024, block=64, width=32, seed=0):
    draw = Draw(seed)
    blocks = np.repeat(draw.lengths(batch, 1, longest // block), heads)
    queries, keys, values = (draw.tensors(batch, heads, blocks, leaf=(block, width)) for _ in range(3))
    return queries, keys, values


if __name__ == "__main__":
    main(flash_attention, flash_attention_with_numpy, inputs)
