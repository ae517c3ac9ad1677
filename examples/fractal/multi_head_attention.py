"""Multi-head attention over sentences of different lengths: each step is a parallel function, and nothing is padded.

    q[h][i] = x[i] Wq[h],  k[h][i] = x[i] Wk[h],  v[h][i] = x[i] Wv[h]
    s[h][i][j] = q[h][i] . k[h][j] / sqrt(width)
    o[h][i] = sum over j of softmax over j of s[h][i][j], times v[h][j]
    y[i] = sum over h of o[h][i] Wo[h]
"""

import numpy as np

import kolam as ko
from draw import Draw
from kolam import fractal as ops
from kolam.fractal import FractalTensor
from side_by_side import main


def attend(query, keys, values):
    """The values, weighted by the softmax of the products of the query and the keys."""
    scores = ops.map(lambda key: ops.sum(query * key) / query.shape[1] ** 0.5, keys)
    largest = ops.reduce(ops.maximum, scores)
    weights = ops.map(lambda score: ops.exp(score - largest), scores)
    total = ops.reduce(ops.add, weights)
    weighted = ops.map(lambda pair: pair[0] / total * pair[1], ops.zip(weights, values))
    return ops.reduce(ops.add, weighted)


def head(weights, sentence):
    """What one head adds to each word."""
    w_q, w_k, w_v, w_o = weights
    queries, keys, values = (ops.map(lambda word: word @ w, sentence) for w in (w_q, w_k, w_v))
    return ops.map(lambda query: attend(query, keys, values) @ w_o, queries)


def add_lists(xs, ys):
    return ops.map(lambda pair: pair[0] + pair[1], ops.zip(xs, ys))


@ko.jit
def multi_head_attention(sentences, heads):
    """y: [sentence][word] of [1, model]. A head is a tuple (Wq, Wk, Wv, Wo)."""
    return ops.map(lambda sentence: ops.reduce(add_lists, ops.map(head, heads, sentence=sentence)), sentences)


def multi_head_attention_with_numpy(sentences, heads):
    results = []
    for sentence in sentences:
        x = np.concatenate(sentence)
        y = np.zeros_like(x)
        for w_q, w_k, w_v, w_o in heads:
            scores = (x @ w_q) @ (x @ w_k).T / np.sqrt(w_q.shape[1])
            weights = np.exp(scores - scores.max(axis=1, keepdims=True))
            y += weights / weights.sum(axis=1, keepdims=True) @ (x @ w_v) @ w_o
        results.append([row[None] for row in y])
    return results


def draw_heads(draw, heads, width):
    """The weights of heads that together are as wide as the model."""
    model = heads * width
    return [(*(draw.tensor(model, width) for _ in range(3)), draw.tensor(width, model)) for _ in range(heads)]


def inputs(batch=8, heads=8, width=32, longest=40, seed=0):
    draw = Draw(seed)
    sentences = draw.tensors(batch, draw.lengths(batch, 1, longest), leaf=(1, heads * width))
    return sentences, FractalTensor(draw_heads(draw, heads, width))


if __name__ == "__main__":
    main(multi_head_attention, multi_head_attention_with_numpy, inputs)
