"""A transformer encoder over sentences of different lengths: a fold over its layers, and nothing is padded.

    x[i] = embedding[word i] + [sin(i f) ; cos(i f)]     with frequencies f[k] = 10000^(-2k / model)
    x = x + multi-head attention of layer_norm(x)        in each layer
    x = x + gelu(layer_norm(x) W1 + b1) W2 + b2
"""

from math import erf

import numpy as np

import kolam as ko
from draw import Draw
from kolam import fractal as ops
from kolam.fractal import FractalTensor
from multi_head_attention import add_lists, draw_heads, head, multi_head_attention_with_numpy
from side_by_side import main


def embed(numbered_word, embedding):
    i, word = numbered_word
    model = embedding.shape[1]
    angles = ops.astype(i, ops.float32) * 10000.0 ** (-ops.arange(0, model, 2) / model)
    return ops.index(ops.slices(embedding), word) + ops.cat(ops.sin(angles), ops.cos(angles))


def layer(sentence, weights):
    heads, w1, b1, w2, b2 = weights
    attended = ops.reduce(add_lists, ops.map(head, heads, sentence=ops.map(ops.layer_norm, sentence)))
    sentence = add_lists(sentence, attended)
    return ops.map(lambda x: x + ops.gelu(ops.layer_norm(x) @ w1 + b1) @ w2 + b2, sentence)


@ko.jit
def transformer(sentences, embedding, layers):
    """What becomes of the words: [sentence][word] of [1, model]."""

    def encode(sentence):
        words = ops.map(embed, ops.enumerate(sentence), embedding=embedding)
        return ops.fold(layer, layers, initializer=words)

    return ops.map(encode, sentences)


def layer_norm_with_numpy(x):
    return (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5)


def gelu_with_numpy(x):
    return x / 2 * (1 + np.vectorize(erf, otypes=[np.float32])(x / np.sqrt(2)))


def transformer_with_numpy(sentences, embedding, layers):
    results = []
    for sentence in sentences:
        x = embedding[sentence]
        model = x.shape[1]
        angles = np.arange(len(x))[:, None] * 10000.0 ** (-np.arange(0, model, 2) / model)
        x = x + np.concatenate([np.sin(angles), np.cos(angles)], axis=1).astype(np.float32)
        for heads, w1, b1, w2, b2 in layers:
            rows = [row[None] for row in layer_norm_with_numpy(x)]
            x = x + np.concatenate(multi_head_attention_with_numpy([rows], heads)[0])
            x = x + gelu_with_numpy(layer_norm_with_numpy(x) @ w1 + b1) @ w2 + b2
        results.append([row[None] for row in x])
    return results


def inputs(batch=4, depth=2, heads=8, width=8, vocabulary=5000, longest=17, seed=0):
    draw = Draw(seed)
    model = heads * width

    def weights():
        feed_forward = draw.tensor(model, 4 * model), draw.tensor(1, 4 * model), draw.tensor(4 * model, model), draw.tensor(1, model)
        return draw_heads(draw, heads, width), *feed_forward

    return (
        draw.words(batch, draw.lengths(batch, 1, longest), vocabulary=vocabulary),
        draw.tensor(vocabulary, model),
        FractalTensor([weights() for _ in range(depth)]),
    )


if __name__ == "__main__":
    main(transformer, transformer_with_numpy, inputs)
