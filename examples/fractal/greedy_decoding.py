"""Greedy decoding with a recurrent network: from a prompt on, always the likeliest word, until the end word or a limit.

    state = last state over the prompt;  while the last word is not END: word = argmax(state W), state = cell(state, word)

The list of words is a state of the loop and grows by one at each turn; sentences of a batch end at different turns.
"""

import numpy as np

import kolam as ko
from draw import Draw
from kolam import fractal as ops
from kolam.fractal import len
from side_by_side import main

END, LIMIT = 0, 16


@ko.jit
def greedy_decoding(prompts, embedding, w, u, out):
    """The words behind each prompt: lists of int64. A prompt is a list of words, at least one."""
    rows = ops.slices(embedding)

    def cell(state, word):
        return ops.tanh(ops.index(rows, word) @ w + state @ u)

    def goes_on(loop):
        words, _ = loop
        return ko.cond(len(words) == 0, lambda: True, lambda: (ops.last(words) != END) & (len(words) < LIMIT))

    def turn(loop):
        words, state = loop
        word = ops.astype(ops.argmax(state @ out), ops.int64)
        return ops.join(words, ops.repeat(word, 1)), cell(state, word)

    def decode(prompt):
        state = ops.fold(cell, prompt, initializer=ops.zeros(1, embedding.shape[1]))
        words, _ = ko.while_loop(goes_on, turn, (prompt[:0], state))
        return words

    return ops.map(decode, prompts)


def greedy_decoding_with_numpy(prompts, embedding, w, u, out):
    sentences = []
    for prompt in prompts:
        state = np.zeros((1, embedding.shape[1]), np.float32)
        for word in prompt:
            state = np.tanh(embedding[int(word)] @ w + state @ u)
        words = []
        while not words or (words[-1] != END and len(words) < LIMIT):
            words.append(int(np.argmax(state @ out)))
            state = np.tanh(embedding[words[-1]] @ w + state @ u)
        sentences.append(words)
    return sentences


def inputs(batch=32, vocabulary=12, hidden=64, longest=8, seed=0):
    draw = Draw(seed)
    return (
        draw.words(batch, draw.lengths(batch, 1, longest), vocabulary=vocabulary),
        draw.tensor(vocabulary, hidden) * np.float32(4),
        draw.tensor(hidden, hidden),
        draw.tensor(hidden, hidden),
        draw.tensor(hidden, vocabulary),
    )


if __name__ == "__main__":
    main(greedy_decoding, greedy_decoding_with_numpy, inputs)
