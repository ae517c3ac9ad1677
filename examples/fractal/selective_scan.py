"""The selective scan of Mamba: a recurrence whose coefficients come with each step, over sequences of any lengths.

    h[t] = exp(delta[t] A) h[t-1] + delta[t] x[t] B[t]        per channel; h[t][channel], A[channel], B[t], C[t]: [states]
    y[t] = h[t] . C[t]

Source: A. Gu, T. Dao, "Mamba: Linear-Time Sequence Modeling with Selective State Spaces", 2023.
"""

import numpy as np

import kolam as ko
from draw import Draw
from kolam import fractal as ops
from side_by_side import main


@ko.jit
def selective_scan(xs, deltas, bs, cs, a):
    """y: [sequence][step] of [channels]. xs and deltas are lists like that, bs and cs of [states]; a: [channels, states]."""

    def step(h, element):
        x, delta, b = element
        return ops.exp(delta[:, None] * a) * h + (delta * x)[:, None] * b

    def sequence(parts):
        xs, deltas, bs, cs = parts
        states = ops.scan(step, ops.zip(xs, deltas, bs), initializer=ops.zeros(*a.shape))
        return ops.map(lambda pair: pair[0] @ pair[1], ops.zip(states, cs))

    return ops.map(sequence, ops.zip(xs, deltas, bs, cs))


def selective_scan_with_numpy(xs, deltas, bs, cs, a):
    results = []
    for sequence in zip(xs, deltas, bs, cs):
        h = np.zeros_like(a)
        results.append([])
        for x, delta, b, c in zip(*sequence):
            h = np.exp(delta[:, None] * a) * h + (delta * x)[:, None] * b
            results[-1].append(h @ c)
    return results


def inputs(batch=1, longest=512, channels=512, states=16, seed=0):
    draw = Draw(seed)
    lengths = draw.lengths(batch, longest // 2, longest)

    def positive(tensors):
        return ops.forall(ops.softplus, tensors)

    return (
        draw.tensors(batch, lengths, leaf=(channels,)),
        positive(draw.tensors(batch, lengths, leaf=(channels,))),
        draw.tensors(batch, lengths, leaf=(states,)),
        draw.tensors(batch, lengths, leaf=(states,)),
        -np.exp(draw.tensor(channels, states)),
    )


if __name__ == "__main__":
    main(selective_scan, selective_scan_with_numpy, inputs)
