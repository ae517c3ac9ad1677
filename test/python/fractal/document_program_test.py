"""The stacked grid RNN as its document writes it: sizes, embeddings and weights are names outside the functions.

Source: FractalTensor, "Parallel functions on FractalTensor: a demonstrating example"; the one correction is the axis of
`cat`, as two states of [1, hidden] stand side by side.
"""

import importlib
from pathlib import Path
from typing import Tuple  # noqa: UP035

import numpy as np
import pytest

import kolam as ko
from kolam import fractal as ops
from kolam.fractal import FractalTensor, Tensor, len

hidden_dim, vocabulary, depth, batch_size = 4, 9, 3, 5
rng = np.random.default_rng(4)


def tensor(*shape):
    return rng.standard_normal(shape).astype(np.float32) * np.float32(0.5)


def dataset(batch_size):
    return FractalTensor([rng.integers(0, vocabulary, rng.integers(1, 7)).tolist() for _ in range(batch_size)])


def cell_params():
    return tensor(2 * hidden_dim, hidden_dim), tensor(hidden_dim, hidden_dim), tensor(1, hidden_dim)


src_embedding, trg_embedding = tensor(vocabulary, hidden_dim), tensor(vocabulary, hidden_dim)
rnn_params = FractalTensor([(cell_params(), cell_params()) for _ in range(depth)])


def vanilla_cell(state: Tensor, cur: Tensor, rnn_params: Tuple[Tensor]) -> Tensor:
    i2h, h2h, bias = rnn_params
    return ops.tanh(cur @ i2h + state @ h2h + bias)


def grid_cell(
    state: Tuple[Tensor], cur_input: Tuple[Tensor, Tuple[Tensor]], block_params: Tuple[Tuple[Tensor]]
) -> Tuple[Tensor]:
    _, state_y = state
    state_x, (x_t, y_t) = cur_input
    rnn_param_x, rnn_param_y = block_params

    s = ops.cat(state_x, state_y, axis=1)
    h_x = vanilla_cell(x_t, s, rnn_param_x)
    h_y = vanilla_cell(y_t, s, rnn_param_y)
    return h_x, h_y


def direction_y(
    state: Tuple[FractalTensor[Tensor]], cur_input: Tuple[FractalTensor[Tensor]], block_params: Tuple[Tuple[Tensor]]
) -> Tuple[FractalTensor[Tensor]]:
    state_xs, _ = state

    zero = ops.zeros(1, hidden_dim)
    return ops.scan(
        grid_cell, ops.zip(state_xs, ops.zip(*cur_input)), initializer=(zero, zero), block_params=block_params
    )


def direction_x(
    state: Tuple[Tuple[FractalTensor[Tensor]]], block_params: Tuple[Tuple[Tensor]]
) -> Tuple[Tuple[FractalTensor[Tensor]]]:
    zeros: FractalTensor = ops.repeat(ops.zeros(1, hidden_dim), len(state[0][0]))
    return ops.zip(*ops.scan(direction_y, state, initializer=(zeros, zeros), block_params=block_params))


def stacked_grid_rnns(sent_pair: Tuple[FractalTensor[int]]) -> Tuple[FractalTensor[FractalTensor[Tensor]]]:
    srcs, trgs = sent_pair

    src_encs = ops.map(lambda word: ops.index(ops.slices(src_embedding, axis=0), word), srcs)
    trg_encs = ops.map(lambda word: ops.index(ops.slices(trg_embedding, axis=0), word), trgs)

    return ops.zip(*ops.fold(direction_x, rnn_params, initializer=ops.zip(*ops.product(src_encs, trg_encs))))


@pytest.mark.parametrize("backend", ["eager", "interpret", "cpu"])
def test_runs_as_written(backend, monkeypatch):
    src_batch: FractalTensor[FractalTensor[int]] = dataset(batch_size)
    trg_batch: FractalTensor[FractalTensor[int]] = dataset(batch_size)

    def model(src_batch, trg_batch):
        return ops.map(stacked_grid_rnns, ops.zip(src_batch, trg_batch))

    run = model if backend == "eager" else ko.jit(model, backend=backend)
    grid_out_x, grid_out_y = run(src_batch, trg_batch)

    monkeypatch.syspath_prepend(str(Path(__file__).parents[3] / "examples" / "fractal"))
    side_by_side, grid_rnn = (importlib.import_module(name) for name in ("side_by_side", "grid_rnn"))
    arguments = (src_batch, trg_batch, src_embedding, trg_embedding, rnn_params)
    expected = grid_rnn.grid_rnn_with_numpy(*side_by_side.plain(arguments))
    assert side_by_side.difference((grid_out_x.to_list(), grid_out_y.to_list()), expected) < 1e-5
    assert grid_out_x.depth == 3 and grid_out_x.leaf_shape == (1, hidden_dim)
