"""A dilated LSTM: in layer d each step follows the one 2^d before it.

    h[d][t], c[d][t] = lstm_cell((h[d][t - 2^d], c[d][t - 2^d]), h[d-1][t])        h[-1] is the sequence

`dilated_map` runs a layer on each of the 2^d strided sub-lists, and puts the states back in the order of the steps.
"""

import kolam as ko
from draw import Draw
from kolam import fractal as ops
from side_by_side import main
from stacked_lstm import lstm_layer, lstm_layer_with_numpy, lstm_weights


@ko.jit
def dilated_lstm(batch, layers):
    """The states h of the last layer: [sequence][step] of [1, hidden]."""

    def encode(sequence):
        for d, weights in enumerate(layers):
            sequence = ops.dilated_map(lstm_layer, sequence, dilation=2**d, weights=weights)
        return sequence

    return ops.map(encode, batch)


def dilated_lstm_with_numpy(batch, layers):
    results = []
    for sequence in batch:
        for d, weights in enumerate(layers):
            states = [None] * len(sequence)
            for r in range(2**d):
                states[r :: 2**d] = lstm_layer_with_numpy(sequence[r :: 2**d], weights)
            sequence = states
        results.append(sequence)
    return results


def inputs(batch=32, depth=6, hidden=256, longest=50, seed=0):
    draw = Draw(seed)
    return (
        draw.tensors(batch, draw.lengths(batch, 1, longest), leaf=(1, hidden)),
        [lstm_weights(draw, hidden) for _ in range(depth)],
    )


if __name__ == "__main__":
    main(dilated_lstm, dilated_lstm_with_numpy, inputs)
