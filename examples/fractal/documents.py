"""Documents of sentences of words, ragged at every level: one recurrent cell reads the words, another the sentences.

    sentence = last state over its words;  document = last state over its sentences;  scores = document W

Frequent words (those below STOP) are left out at all depths by `filterall`, and by `filter` the sentences that nothing
is left of. A document without sentences keeps the initial state.
"""

import numpy as np

import kolam as ko
from draw import Draw
from kolam import fractal as ops
from kolam.fractal import len
from side_by_side import main

STOP = 100


def cell(state, x, weights):
    w, u, b = weights
    return ops.tanh(x @ w + state @ u + b)


@ko.jit
def documents(texts, embedding, word_cell, sentence_cell, w):
    """The scores of each document, [1, classes]; texts: [document][sentence][word]."""
    zero = ops.zeros(1, embedding.shape[1])
    rows = ops.slices(embedding)

    def read_sentence(words):
        return ops.fold(cell, words, initializer=zero, weights=word_cell)

    def read_document(sentences):
        sentences = ops.filter(lambda sentence: len(sentence) > 0, sentences)
        return ops.fold(cell, ops.map(read_sentence, sentences), initializer=zero, weights=sentence_cell) @ w

    rare = ops.filterall(lambda word: word >= STOP, texts)
    return ops.map(read_document, ops.forall(lambda word: ops.index(rows, word), rare))


def documents_with_numpy(texts, embedding, word_cell, sentence_cell, w):
    def read(xs, weights):
        state = np.zeros((1, embedding.shape[1]), np.float32)
        for x in xs:
            state = np.tanh(x @ weights[0] + state @ weights[1] + weights[2])
        return state

    scores = []
    for sentences in texts:
        sentences = [[embedding[word][None] for word in sentence if word >= STOP] for sentence in sentences]
        scores.append(read([read(sentence, word_cell) for sentence in sentences if sentence], sentence_cell) @ w)
    return scores


def inputs(batch=16, longest_document=12, longest_sentence=20, hidden=128, vocabulary=1000, classes=5, seed=0):
    draw = Draw(seed)
    sentences = draw.lengths(batch, 0, longest_document)
    words = draw.lengths(sum(sentences), 0, longest_sentence)

    def weights():
        return draw.tensor(hidden, hidden), draw.tensor(hidden, hidden), draw.tensor(1, hidden)

    return (
        draw.words(batch, sentences, words, vocabulary=vocabulary),
        draw.tensor(vocabulary, hidden),
        weights(),
        weights(),
        draw.tensor(hidden, classes),
    )


if __name__ == "__main__":
    main(documents, documents_with_numpy, inputs)
