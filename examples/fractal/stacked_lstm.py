"""A stacked LSTM over sentences of different lengths.

    i, f, o, g = x W + h' U + b                       h', c': the state before
    c = sigmoid(f) c' + sigmoid(i) tanh(g)
    h = sigmoid(o) tanh(c)

The layers are a fold, the words a scan: in each layer, all sentences that have a word t take step t together, as one product
of matrices.
"""

import numpy as np

import kolam as ko
from draw import Draw
from kolam import fractal as ops
from kolam.fractal import FractalTensor
from side_by_side import main


def lstm_cell(state, x, weights):
    h, c = state
    w, u, b = weights
    i, f, o, g = ko.split(x @ w + h @ u + b, 4, axis=1)
    c = ops.sigmoid(f) * c + ops.sigmoid(i) * ops.tanh(g)
    return ops.sigmoid(o) * ops.tanh(c), c


def lstm_layer(sequence, weights):
    """The states h of one layer over one sequence."""
    zero = ops.zeros(1, sequence.leaf_shape[1])
    h, _ = ops.scan(lstm_cell, sequence, initializer=(zero, zero), weights=weights)
    return h


@ko.jit
def stacked_lstm(sentences, embedding, layers):
    """The states h of the last layer: [sentence][word] of [1, hidden]."""
    rows = ops.slices(embedding, axis=0)

    def encode(sentence):
        return ops.fold(lstm_layer, layers, initializer=ops.map(lambda word: ops.index(rows, word), sentence))

    return ops.map(encode, sentences)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm_layer_with_numpy(sequence, weights):
    w, u, b = weights
    h = c = np.zeros((1, len(u)), np.float32)
    states = []
    for x in sequence:
        i, f, o, g = np.split(x @ w + h @ u + b, 4, axis=1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        states.append(h)
    return states


def stacked_lstm_with_numpy(sentences, embedding, layers):
    results = []
    for sentence in sentences:
        states = [embedding[word][None] for word in sentence]
        for weights in layers:
            states = lstm_layer_with_numpy(states, weights)
        results.append(states)
    return results


def lstm_weights(draw, hidden):
    return draw.tensor(hidden, 4 * hidden), draw.tensor(hidden, 4 * hidden), draw.tensor(1, 4 * hidden)


def inputs(batch=7, depth=3, hidden=512, vocabulary=5000, shortest=4, longest=27, seed=0):
    draw = Draw(seed)
    return (
        draw.words(batch, draw.lengths(batch, shortest, longest), vocabulary=vocabulary),
        draw.tensor(vocabulary, hidden),
        FractalTensor([lstm_weights(draw, hidden) for _ in range(depth)]),
    )


if __name__ == "__main__":
    main(stacked_lstm, stacked_lstm_with_numpy, inputs)
