"""Trains an LSTM that tells languages apart by their letters, over pieces of text of 8 to 40 letters, without padding.

The texts are Article 1 of the Universal Declaration of Human Rights; the last quarter of each is held out, and what is left is some 130
letters a language: little, so a fifth of the letters are drawn anew and weights decay. A batch is a nested list: pieces of letters, each
of its own length. Its gradient comes from the fold over a list, read backwards.
"""

import sys
from pathlib import Path

import numpy as np

import kolam as ko
from kolam import fractal as ops
from kolam.fractal import FractalTensor

DATA = Path(__file__).resolve().parents[1] / "data" / "udhr_article1.tsv"
HIDDEN, PIECES, STEPS = 48, 64, 120
SHORTEST, LONGEST = 8, 40
RATE, DECAY, NOISE = 0.01, 0.01, 0.2


def read_texts(path):
    lines = (line.split("\t") for line in Path(path).read_text("utf-8").splitlines())
    return {language: text.lower() for language, text in lines}


def cut_pieces(texts, letters, rng, count, part):
    """(pieces of letters as numbers, their languages): from the first three quarters of the texts, or from the last one."""
    pieces, languages = [], []
    for _ in range(count):
        language = int(rng.integers(len(texts)))
        text = texts[language]
        middle = len(text) * 3 // 4
        text = text[:middle] if part == "known" else text[middle:]
        length = int(rng.integers(SHORTEST, min(LONGEST, len(text)) + 1))
        first = int(rng.integers(len(text) - length + 1))
        piece = np.asarray([letters[letter] for letter in text[first : first + length]])
        if part == "known":
            anew = rng.random(length) < NOISE
            piece = np.where(anew, rng.integers(len(letters), size=length), piece)
        pieces.append(piece)
        languages.append(language)
    return pieces, np.asarray(languages, np.int32)


def as_list(pieces):
    return FractalTensor([FractalTensor([np.int32(letter) for letter in piece]) for piece in pieces])


def scores(params, pieces):
    """The scores of all languages for each piece: what the LSTM gives in all, through a last layer."""

    def of_piece(piece):
        def turn(state, letter):
            h, c, total = state
            gates = ko.take(params["letters"], letter, axis=0) + h @ params["hidden"]
            i, f, o, z = (gates[k * HIDDEN : (k + 1) * HIDDEN] for k in range(4))
            c = ko.sigmoid(f + 1) * c + ko.sigmoid(i) * ko.tanh(z)
            h = ko.sigmoid(o) * ko.tanh(c)
            return h, c, total + h

        zero = ko.zeros(HIDDEN)
        _, _, total = ops.fold(turn, piece, (zero, zero, zero))
        return total / SHORTEST @ params["out"] + params["bias"]

    return ops.stack(ops.map(of_piece, pieces))


def loss(params, pieces, languages):
    return ko.mean(ko.cross_entropy(scores(params, pieces), languages))


@ko.jit
def step(params, first, second, number, pieces, languages):
    """One step of Adam. Source: Kingma and Ba, "Adam", 2015."""
    value, gradient = ko.value_and_grad(loss)(params, pieces, languages)
    first = {name: 0.9 * first[name] + 0.1 * gradient[name] for name in params}
    second = {name: 0.999 * second[name] + 0.001 * gradient[name] ** 2 for name in params}
    by_first, by_second = 1 - 0.9**number, 1 - 0.999**number
    params = {
        name: (1 - DECAY) * params[name] - RATE * (first[name] / by_first) / (ko.sqrt(second[name] / by_second) + 1e-8) for name in params
    }
    return value, params, first, second


def main(path=DATA, steps=STEPS):
    by_language = read_texts(path)
    texts, names = list(by_language.values()), list(by_language)
    letters = {letter: number for number, letter in enumerate(sorted(set("".join(texts))))}
    rng = np.random.default_rng(0)

    def drawn(rows, columns):
        return ko.asarray((rng.standard_normal((rows, columns)) / np.sqrt(rows)).astype(np.float32))

    params = {
        "letters": drawn(len(letters), 4 * HIDDEN), "hidden": drawn(HIDDEN, 4 * HIDDEN),
        "out": drawn(HIDDEN, len(names)), "bias": ko.zeros(len(names)),
    }  # fmt: skip
    first = {name: ko.zeros(array.shape) for name, array in params.items()}
    second = first
    for number in range(1, int(steps) + 1):
        pieces, languages = cut_pieces(texts, letters, rng, PIECES, "known")
        value, params, first, second = step(params, first, second, np.float32(number), as_list(pieces), languages)
        if number % 40 == 0:
            print(f"step {number}: loss {value.item():.3f}")
    pieces, languages = cut_pieces(texts, letters, rng, 500, "held out")
    found = np.asarray(ko.argmax(ko.jit(scores)(params, as_list(pieces)), axis=1))
    right = (found == languages).mean()
    print(f"held out: {100 * right:.0f} % of {len(pieces)} pieces of {SHORTEST} to {LONGEST} letters, of {len(names)} languages")
    return right


if __name__ == "__main__":
    sys.exit(0 if main(*sys.argv[1:]) >= 0.3 else "held out: expected at least 30 %")
