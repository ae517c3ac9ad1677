"""A stacked RNN over a batch that shrinks: step t holds the words of the sentences that are longer than t.

    h[d][t][n] = tanh(h[d-1][t][n] W[d] + h[d][t-1][n] U[d] + b[d])        h[-1] are the words

The sentences come longest first, so those that go on are the first ones. The state of the scan over the steps is a list
that gets shorter: no sentence is padded.
"""

import numpy as np

import kolam as ko
from draw import Draw
from kolam import fractal as ops
from kolam.fractal import FractalTensor, len
from side_by_side import main


def step(states, words, weights):
    w, u, b = weights

    def cell(numbered_word):
        n, x = numbered_word
        return ops.tanh(x @ w + states[n] @ u + b)

    return ops.map(cell, ops.enumerate(words))


def layer(steps, weights):
    zeros = ops.repeat(ops.zeros(1, steps.leaf_shape[1]), len(steps[0]))
    return ops.scan(step, steps, initializer=zeros, weights=weights)


@ko.jit
def time_major_rnn(steps, layers):
    """The states of the last layer: [step][sentence] of [1, hidden]."""
    return ops.fold(layer, layers, initializer=steps)


def time_major_rnn_with_numpy(steps, layers):
    for w, u, b in layers:
        states, results = [np.zeros_like(b) for _ in steps[0]], []
        for words in steps:
            states = [np.tanh(x @ w + h @ u + b) for x, h in zip(words, states)]
            results.append(states)
        steps = results
    return steps


def inputs(batch=16, depth=4, hidden=512, longest=27, seed=0):
    draw = Draw(seed)
    lengths = draw.lengths(batch, 1, longest)
    still_read = [(lengths > t).sum() for t in range(max(lengths))]
    layers = [(draw.tensor(hidden, hidden), draw.tensor(hidden, hidden), draw.tensor(1, hidden)) for _ in range(depth)]
    return draw.tensors(len(still_read), still_read, leaf=(1, hidden)), FractalTensor(layers)


if __name__ == "__main__":
    main(time_major_rnn, time_major_rnn_with_numpy, inputs)
