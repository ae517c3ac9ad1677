"""The figures of index projections, of plans that were found: a linear layer, a convolution, and the graph of two layers.

    index_figures.py FOLDER

Draws where the index boxes of a stage land in its tensors (SVG), and graphs for Graphviz: two layers, forward and backward,
on one worker and on four. `plans_figures` draws figures of signatures written by hand.
"""

import sys
from pathlib import Path

import numpy as np

import kolam as ko


def linear(x, w, b):
    return x @ w + b


def convolution(x, f):
    return ko.conv(x, f, padding="same")


def halved(x, f):
    return ko.conv(x, f, strides=2, padding="valid")


def step(x, truth, w, v):
    h = ko.relu(x @ w)
    d = h @ v - truth
    return w - x.T @ ((d @ v.T) * (h > 0)), v - h.T @ d


def shape(*extents):
    return ko.ShapeDtypeStruct(extents, np.float32)


def main(folder):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for f, shapes in (
        (linear, (shape(6, 5), shape(5, 8), shape(8))),
        (convolution, (shape(1, 1, 8, 8), shape(1, 1, 3, 3))),
        (halved, (shape(1, 1, 9, 9), shape(1, 1, 3, 3))),
    ):
        plan = ko.plan(f, *shapes, workers=4, steps=0)
        (folder / f"{f.__name__}.svg").write_text(plan.figure(), encoding="utf-8")
        print(f"{f.__name__}.svg")
    for workers in (1, 4):
        plan = ko.plan(step, shape(32, 16), shape(32, 4), shape(16, 24), shape(24, 4), workers=workers, steps=0)
        (folder / f"step_{workers}.dot").write_text(plan.as_dot(), encoding="utf-8")
        print(f"step_{workers}.dot")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: index_figures.py FOLDER")
    main(sys.argv[1])
