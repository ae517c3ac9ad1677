"""A stacked RNN over a ragged batch: the layers are a scan whose state is a whole sequence.

    h[d][t] = tanh(h[d-1][t] W[d] + h[d][t-1] U[d] + b[d])        h[-1] is the sentence
"""

import numpy as np

import kolam as ko
from draw import Draw
from kolam import fractal as ops
from kolam.fractal import FractalTensor
from side_by_side import main


def cell(state, x, weights):
    w, u, b = weights
    return ops.tanh(x @ w + state @ u + b)


def layer(sequence, weights):
    return ops.scan(cell, sequence, initializer=ops.zeros(1, sequence.leaf_shape[1]), weights=weights)


@ko.jit
def stacked_rnn(sentences, layers):
    """The states of all layers: [sentence][layer][word] of [1, hidden]."""
    return ops.map(lambda sentence: ops.scan(layer, layers, initializer=sentence), sentences)


def stacked_rnn_with_numpy(sentences, layers):
    results = []
    for sentence in sentences:
        results.append([])
        for w, u, b in layers:
            h, states = np.zeros_like(b), []
            for x in sentence:
                h = np.tanh(x @ w + h @ u + b)
                states.append(h)
            results[-1].append(states)
            sentence = states
    return results


def inputs(batch=16, depth=4, hidden=512, longest=27, seed=0):
    draw = Draw(seed)
    layers = [(draw.tensor(hidden, hidden), draw.tensor(hidden, hidden), draw.tensor(1, hidden)) for _ in range(depth)]
    return draw.tensors(batch, draw.lengths(batch, 1, longest), leaf=(1, hidden)), FractalTensor(layers)


if __name__ == "__main__":
    main(stacked_rnn, stacked_rnn_with_numpy, inputs)
