"""An encoder and a decoder with attention, over sentence pairs of different lengths.

    e[s]    = cell(e[s-1], source[s])                               the encoder
    a       = softmax over s of d[t-1] . e[s] / sqrt(hidden)    what the decoder looks at
    context = sum over s of a[s] e[s]
    d[t]    = cell(d[t-1], [target[t] ; context])                   the decoder, which starts from the encoder's last state
"""

import numpy as np

import kolam as ko
from draw import Draw
from kolam import fractal as ops
from side_by_side import main


def cell(state, x, weights):
    w, u, b = weights
    return ops.tanh(x @ w + state @ u + b)


def attend(query, encodings):
    """The encodings, weighted by the softmax of their products with the query."""
    scores = ops.map(lambda encoding: ops.sum(query * encoding) / query.shape[1] ** 0.5, encodings)
    largest = ops.reduce(ops.maximum, scores)
    weights = ops.map(lambda score: ops.exp(score - largest), scores)
    total = ops.reduce(ops.add, weights)
    return ops.reduce(ops.add, ops.map(scale, ops.zip(weights, encodings))) / total


def scale(weighted):
    weight, encoding = weighted
    return weight * encoding


@ko.jit
def encoder_decoder(sources, targets, encoder, decoder):
    """The decoder's states: [sentence pair][target word] of [1, hidden]."""
    zero = ops.zeros(1, sources.leaf_shape[1])

    def decode(pair):
        source, target = pair
        encodings = ops.scan(cell, source, initializer=zero, weights=encoder)

        def step(state, word):
            return cell(state, ops.cat(word, attend(state, encodings), axis=1), decoder)

        return ops.scan(step, target, initializer=ops.last(encodings))

    return ops.map(decode, ops.zip(sources, targets))


def cell_with_numpy(state, x, weights):
    w, u, b = weights
    return np.tanh(x @ w + state @ u + b)


def encoder_decoder_with_numpy(sources, targets, encoder, decoder):
    results = []
    for source, target in zip(sources, targets):
        state, encodings = np.zeros_like(source[0]), []
        for word in source:
            state = cell_with_numpy(state, word, encoder)
            encodings.append(state)
        results.append([])
        for word in target:
            scores = np.array([np.sum(state * encoding) / np.sqrt(state.size) for encoding in encodings])
            weights = np.exp(scores - scores.max())
            weights /= weights.sum()
            context = sum(weight * encoding for weight, encoding in zip(weights, encodings))
            state = cell_with_numpy(state, np.concatenate([word, context], axis=1), decoder)
            results[-1].append(state)
    return results


def inputs(batch=7, hidden=512, longest=27, seed=0):
    draw = Draw(seed)
    return (
        draw.tensors(batch, draw.lengths(batch, 1, longest), leaf=(1, hidden)),
        draw.tensors(batch, draw.lengths(batch, 1, longest), leaf=(1, hidden)),
        (draw.tensor(hidden, hidden), draw.tensor(hidden, hidden), draw.tensor(1, hidden)),
        (draw.tensor(2 * hidden, hidden), draw.tensor(hidden, hidden), draw.tensor(1, hidden)),
    )


if __name__ == "__main__":
    main(encoder_decoder, encoder_decoder_with_numpy, inputs)
