"""The stacked grid RNN: each word of one sentence meets each word of the other, in layers above one another.

    h = [h_x[i-1][j] ; h_y[i][j-1]]        [;] stands side by side
    h_x[i][j] = tanh(h W_x + x[i][j] U_x + b_x)
    h_y[i][j] = tanh(h W_y + y[i][j] U_y + b_y)

x and y are the states h_x and h_y of the layer below; for the first layer all pairs of words of the two sentences. The
cells of one i + j are independent of each other: Kolam runs them together, as one wave, for all pairs of sentences.

Source: FractalTensor, "Parallel functions on FractalTensor: a demonstrating example".
"""

import numpy as np

import kolam as ko
from draw import Draw
from kolam import fractal as ops
from kolam.fractal import FractalTensor, Tensor, len
from side_by_side import main


def vanilla_cell(state: Tensor, cur: Tensor, rnn_params: tuple[Tensor, ...]) -> Tensor:
    i2h, h2h, bias = rnn_params
    return ops.tanh(cur @ i2h + state @ h2h + bias)


def grid_cell(
    state: tuple[Tensor, ...], cur_input: tuple[Tensor, tuple[Tensor, ...]], block_params: tuple[tuple[Tensor, ...], ...]
) -> tuple[Tensor, ...]:
    _, state_y = state
    state_x, (x_t, y_t) = cur_input
    rnn_param_x, rnn_param_y = block_params

    s = ops.cat(state_x, state_y, axis=1)
    h_x = vanilla_cell(x_t, s, rnn_param_x)
    h_y = vanilla_cell(y_t, s, rnn_param_y)
    return h_x, h_y


def direction_y(
    state: tuple[FractalTensor[Tensor], ...], cur_input: tuple[FractalTensor[Tensor], ...], block_params: tuple[tuple[Tensor, ...], ...]
) -> tuple[FractalTensor[Tensor], ...]:
    state_xs, _ = state
    zero = ops.zeros(1, state_xs.leaf_shape[1])
    return ops.scan(
        grid_cell, ops.zip(state_xs, ops.zip(*cur_input)), initializer=(zero, zero), block_params=block_params
    )


def direction_x(
    state: tuple[FractalTensor[FractalTensor[Tensor]], ...], block_params: tuple[tuple[Tensor, ...], ...]
) -> tuple[FractalTensor[FractalTensor[Tensor]], ...]:
    # len(state[0][0]) is the length of source language sequence
    zeros = ops.repeat(ops.zeros(1, block_params[0][0].shape[1]), len(state[0][0]))
    return ops.zip(*ops.scan(direction_y, state, initializer=(zeros, zeros), block_params=block_params))


@ko.jit
def grid_rnn(
    src_batch: FractalTensor[FractalTensor[int]],
    trg_batch: FractalTensor[FractalTensor[int]],
    src_embedding: Tensor,
    trg_embedding: Tensor,
    rnn_params: FractalTensor[tuple[tuple[Tensor, ...], ...]],
) -> tuple[FractalTensor[FractalTensor[FractalTensor[Tensor]]], ...]:
    """The states of the last layer: h_x and h_y, each [sentence pair][target word][source word] of [1, hidden]."""

    def stacked_grid_rnns(sent_pair):
        srcs, trgs = sent_pair
        src_encs = ops.map(lambda word: ops.index(ops.slices(src_embedding, axis=0), word), srcs)
        trg_encs = ops.map(lambda word: ops.index(ops.slices(trg_embedding, axis=0), word), trgs)
        return ops.zip(*ops.fold(direction_x, rnn_params, initializer=ops.zip(*ops.product(src_encs, trg_encs))))

    return ops.map(stacked_grid_rnns, ops.zip(src_batch, trg_batch))


def grid_rnn_with_numpy(src_batch, trg_batch, src_embedding, trg_embedding, rnn_params):
    """The same as loops over pairs, layers, target words and source words."""
    hidden = src_embedding.shape[1]
    results_x, results_y = [], []
    for srcs, trgs in zip(src_batch, trg_batch):
        xs = [[src_embedding[src][None] for src in srcs] for _ in trgs]
        ys = [[trg_embedding[trg][None] for _ in srcs] for trg in trgs]
        for (w_x, u_x, b_x), (w_y, u_y, b_y) in rnn_params:
            h_xs, h_ys = [], []
            above = [np.zeros((1, hidden), np.float32)] * len(srcs)
            for row_x, row_y in zip(xs, ys):
                h_y = np.zeros((1, hidden), np.float32)
                h_xs.append([]), h_ys.append([])
                for h_x, x, y in zip(above, row_x, row_y):
                    h = np.concatenate([h_x, h_y], axis=1)
                    h_xs[-1].append(np.tanh(h @ w_x + x @ u_x + b_x))
                    h_y = np.tanh(h @ w_y + y @ u_y + b_y)
                    h_ys[-1].append(h_y)
                above = h_xs[-1]
            xs, ys = h_xs, h_ys
        results_x.append(xs), results_y.append(ys)
    return results_x, results_y


def inputs(batch=16, depth=3, hidden=128, vocabulary=5000, longest=20, seed=0):
    draw = Draw(seed)

    def rnn_param():
        return draw.tensor(2 * hidden, hidden), draw.tensor(hidden, hidden), draw.tensor(1, hidden)

    return (
        draw.words(batch, draw.lengths(batch, 1, longest), vocabulary=vocabulary),
        draw.words(batch, draw.lengths(batch, 1, longest), vocabulary=vocabulary),
        draw.tensor(vocabulary, hidden),
        draw.tensor(vocabulary, hidden),
        FractalTensor([(rnn_param(), rnn_param()) for _ in range(depth)]),
    )


if __name__ == "__main__":
    main(grid_rnn, grid_rnn_with_numpy, inputs)
