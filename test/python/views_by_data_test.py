"""Blocks whose places data decides, read as rows: attention and products have the interpreter's bits."""

import numpy as np
import pytest

import kolam as ko

RNG = np.random.default_rng(5)
BLOCKS = RNG.standard_normal((6, 8, 16)).astype(np.float32)
MATRIX = RNG.standard_normal((24, 16)).astype(np.float32)
PLACES = np.array([4, 1, 5])

# [rows, 16] of blocks, by places or a start.
VIEWS = {
    "blocks": lambda blocks, places: ko.reshape(ko.take(blocks, places, axis=0), (24, 16)),
    "blocks of blocks": lambda blocks, places: ko.reshape(
        ko.take(ko.reshape(blocks, (3, 2, 8, 16)), places[1:2] // 2, axis=0), (16, 16)
    ),
    "neighbours": lambda blocks, places: ko.reshape(
        ko.dynamic_slice(blocks, (places[1], 0, 0), (3, 8, 16)), (24, 16)
    ),
    "parts of neighbours": lambda blocks, places: ko.reshape(
        ko.dynamic_slice(blocks, (places[1], 2, 0), (3, 4, 16)), (12, 16)
    ),
    "blocks of neighbours": lambda blocks, places: ko.reshape(
        ko.take(ko.dynamic_slice(blocks, (places[1], 0, 0), (4, 8, 16)), places - 2, axis=0), (24, 16)
    ),
    "rows turned round": lambda blocks, places: ko.reshape(ko.flip(ko.take(blocks, places, axis=0), axis=0), (24, 16)),
    "rows of rows": lambda blocks, places: ko.take(ko.reshape(blocks, (48, 16)), places * 3, axis=0),
}  # fmt: skip
USES = {
    "keys": lambda rows, matrix: ko.attention(matrix, rows, rows * 0 + 1),
    "values": lambda rows, matrix: ko.attention(matrix, matrix[: rows.shape[0]], rows),
    "both": lambda rows, matrix: ko.attention(matrix, rows, rows),
    "queries": lambda rows, matrix: ko.attention(rows, matrix, matrix),
    "rows of a product": lambda rows, matrix: rows @ matrix.T,
    "columns of a product": lambda rows, matrix: matrix @ rows.T,
    "what a product sums over": lambda rows, matrix: matrix.T[:, : rows.shape[0]] @ rows,
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("view", VIEWS)
def test_views_by_data(view, use):
    function = lambda blocks, places, matrix: USES[use](VIEWS[view](blocks, places), matrix)
    meant = np.asarray(ko.jit(function, backend="interpret")(BLOCKS, PLACES, MATRIX))
    ours = np.asarray(ko.jit(function)(BLOCKS, PLACES, MATRIX))
    assert ours.tobytes() == meant.tobytes()
