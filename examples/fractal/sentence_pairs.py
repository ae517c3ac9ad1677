"""The stacked grid RNN over real sentences: Article 1 of the Universal Declaration of Human Rights, in ten pairs of languages.

Words are hashed to the rows of an embedding, drawn from a fixed key as the weights are: nothing is learned here, but the
lengths are real, and no two pairs have the same. A picture shows in which wave each cell of one pair runs.
"""

import sys
import zlib
from itertools import pairwise
from pathlib import Path

import numpy as np

import kolam as ko
from grid_rnn import direction_x, grid_rnn, grid_rnn_with_numpy
from kolam import fractal as ops
from kolam.fractal import FractalTensor
from side_by_side import difference, plain, timed

DATA = Path(__file__).resolve().parents[1] / "data" / "udhr_article1.tsv"
DEPTH, HIDDEN, ROWS = 3, 128, 4096


def read_sentences(path):
    """The words of the article, by language."""
    lines = (line.split("\t") for line in Path(path).read_text("utf-8").splitlines())
    return {language: text.split() for language, text in lines}


def hashed(sentence):
    """The rows of the embedding that the words of a sentence have."""
    return [zlib.crc32(word.strip(".,").lower().encode()) % ROWS for word in sentence]


def draw_model(key):
    """(embedding of source words, of target words, the weights of the layers)."""
    keys = iter(ko.random.split(key, 2 + 6 * DEPTH))

    def draw(*shape):
        return ko.random.normal(next(keys), shape) * shape[0] ** -0.5

    def cell():
        return draw(2 * HIDDEN, HIDDEN), draw(HIDDEN, HIDDEN), draw(1, HIDDEN)

    return draw(ROWS, HIDDEN), draw(ROWS, HIDDEN), FractalTensor([(cell(), cell()) for _ in range(DEPTH)])


@ko.jit
def layer(xss, yss, block_params):
    return direction_x(ops.zip(xss, yss), block_params)


def show_waves(source, target, rnn_params):
    """The domain of one layer as Kolam draws it, beside the words of both sentences."""
    pairs = FractalTensor([[np.zeros((1, HIDDEN), np.float32) for _ in source] for _ in target])
    head, steps, _, *rows = layer.picture("domain", pairs, pairs, rnn_params[0]).splitlines()
    print(f"{head}\n{steps}")
    label = max(map(len, target))
    print(" " * label, " ".join(f"{word[:2]:>2}" for word in source))
    for word, row in zip(target, rows):
        print(f"{word:<{label}}", " ".join(f"{number:>2}" for number in row.split()[1:]))


def main(path):
    pairs = list(pairwise(read_sentences(path).items()))
    counts = [f"{a}-{b} {len(source)} x {len(target)}" for (a, source), (b, target) in pairs]
    print("Article 1 of the Universal Declaration of Human Rights; the words of each pair:")
    print("", ", ".join(counts[:5]) + ",\n", ", ".join(counts[5:]))

    sources = FractalTensor([hashed(source) for (_, source), _ in pairs])
    targets = FractalTensor([hashed(target) for _, (_, target) in pairs])
    arguments = (sources, targets, *draw_model(ko.random.key(1948)))
    first, _ = timed(grid_rnn, *arguments)
    ours, states = timed(grid_rnn, *arguments, times=3)
    theirs, expected = timed(grid_rnn_with_numpy, *plain(arguments), times=3)
    gap = difference(plain(states), expected)
    last_wave = max(len(source) + len(target) - 2 for (_, source), (_, target) in pairs)
    print(f"{states[0].numel} cells in each of {DEPTH} layers, {HIDDEN} numbers wide, in waves 0 to {last_wave}")
    print(f"first call {first * 1e3:.0f} ms, run {ours * 1e3:.1f} ms; loops in NumPy {theirs * 1e3:.1f} ms")
    print(f"same states as NumPy: {gap < 1e-5} (largest difference {gap:.1e})")

    (a, source), (b, target) = pairs[-1]
    print(f"\nthe wave in which each cell of {a}-{b} runs, with all cells of that number in the other pairs:")
    show_waves(source, target, arguments[-1])


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else DATA)
