"""Draws the six figures of the document from its own program, the stacked grid RNN.

    python figures.py              prints them
    python figures.py folder       writes them into files there, as text and in graphviz's language

Source: FractalTensor, "Parallel functions on FractalTensor: a demonstrating example".
"""

import sys
from pathlib import Path

import kolam as ko
from draw import Draw
from grid_rnn import direction_x, direction_y, grid_cell, grid_rnn, inputs, vanilla_cell
from kolam import fractal as ops

HIDDEN = 4


def drawn(kind, function, *arguments):
    """(text, text in graphviz's language)."""
    function = ko.jit(function)
    return function.picture(kind, *arguments), function.picture_as_dot(kind, *arguments)


def figures(seed=0):
    """{name: (what it shows, text, text in graphviz's language)}."""
    draw = Draw(seed)
    state, cell = draw.tensor(1, 2 * HIDDEN), draw.tensor(1, HIDDEN)
    params = draw.tensor(2 * HIDDEN, HIDDEN), draw.tensor(HIDDEN, HIDDEN), draw.tensor(1, HIDDEN)
    row, grid = draw.tensors(5, leaf=(1, HIDDEN)), draw.tensors(3, 5, leaf=(1, HIDDEN))
    values = inputs(batch=2, depth=3, hidden=HIDDEN, vocabulary=11, longest=5, seed=seed)
    result, _ = grid_rnn(*values)

    def scan_x(xss, yss, block_params):
        return direction_x(ops.zip(xss, yss), block_params)

    return {
        "figure_1": (
            "the process: in which step of the wavefront each cell runs", *drawn("domain", grid_rnn, *values)
        ),
        "figure_2": (
            "the expression tree of the cell",
            *drawn("cells", lambda state, cur, *params: vanilla_cell(cur, state, params), state, cell, *params),
        ),
        "figure_3": (
            "the expression tree of the grid cell",
            *drawn("cells", grid_cell, (cell, cell), (cell, (cell, cell)), (params, params)),
        ),
        "figure_4": (
            "scanning along the y-direction",
            *drawn("blocks", direction_y, (row, row), (row, row), (params, params)),
        ),
        "figure_5": (
            "scanning along the x-direction", *drawn("blocks", scan_x, grid, grid, (params, params))
        ),
        "figure_6a": ("the code structure", *drawn("structure", grid_rnn, *values)),
        "figure_6b": ("the memory of the first result", result.picture(), result.as_dot()),
    }  # fmt: skip


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    for name, (title, text, dot) in figures().items():
        if folder is None:
            print(f"{name}: {title}\n\n{text}")
            continue
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.txt").write_text(text)
        (folder / f"{name}.dot").write_text(dot)
