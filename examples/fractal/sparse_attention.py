"""Sparse attention over words: each sees a dilated window, landmarks, and one word drawn from each third of the sentence.

    window:    words i - 4, i - 2, i, i + 2, i + 4, around the ends
    landmarks: words 0, 4, 8, ...
    drawn:     word places[i][r] of third r, modulo the length of the third

What a word sees is one list: the join of a window, a filter and a gather, whose lengths differ from sentence to sentence.
"""

import numpy as np

import kolam as ko
from draw import Draw
from kolam import fractal as ops
from kolam.fractal import FractalTensor, len
from multi_head_attention import attend
from side_by_side import main

WINDOW, DILATION, LANDMARKS, PARTS = 5, 2, 4, 3


def is_landmark(numbered):
    return numbered[0] % LANDMARKS == 0


def pick(drawn):
    part, place = drawn
    return part[place % len(part)]


def head(weights, sentence, places):
    queries, keys, values = (ops.map(lambda word: word @ w, sentence) for w in weights)
    _, key_marks, value_marks = ops.filter(is_landmark, ops.enumerate(keys, values))

    def seen(words, window, landmarks, places):
        return ops.join(window, landmarks, ops.map(pick, ops.zip(ops.split(words, PARTS), places)))

    def word(row):
        query, near_keys, near_values, places = row
        return attend(query, seen(keys, near_keys, key_marks, places), seen(values, near_values, value_marks, places))

    windows = (ops.shifted_slide(words, WINDOW, DILATION) for words in (keys, values))
    return ops.map(word, ops.zip(queries, *windows, places))


@ko.jit
def sparse_attention(sentences, places, heads):
    """[sentence][head][word] of [1, width]. A head is a tuple of the weights of queries, keys and values."""

    def encode(pair):
        sentence, places = pair
        return ops.map(head, heads, sentence=sentence, places=places)

    return ops.map(encode, ops.zip(sentences, places))


def sparse_attention_with_numpy(sentences, places, heads):
    def head(weights, x, places):
        q, k, v = (x @ w for w in weights)
        n, results = len(x), []
        for i in range(n):
            seen = [(i + DILATION * (j - WINDOW // 2)) % n for j in range(WINDOW)] + [*range(0, n, LANDMARKS)]
            for r, place in enumerate(places[i]):
                start, end = r * (n // PARTS), n if r == PARTS - 1 else (r + 1) * (n // PARTS)
                seen.append(start + place % (end - start))
            scores = np.exp(q[i] @ k[seen].T / np.sqrt(q.shape[1]))
            results.append((scores / scores.sum() @ v[seen])[None])
        return results

    return [[head(weights, np.concatenate(x), p) for weights in heads] for x, p in zip(sentences, places)]


def inputs(batch=2, heads=16, width=64, shortest=8, longest=16, seed=0):
    draw = Draw(seed)
    lengths = draw.lengths(batch, shortest, longest)
    model = heads * width
    return (
        draw.tensors(batch, lengths, leaf=(1, model)),
        draw.words(batch, lengths, PARTS, vocabulary=1000),
        FractalTensor([tuple(draw.tensor(model, width) for _ in range(3)) for _ in range(heads)]),
    )


if __name__ == "__main__":
    main(sparse_attention, sparse_attention_with_numpy, inputs)
