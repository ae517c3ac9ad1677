"""Draws the values that the examples run on: tensors, and ragged lists of them. The same seed gives the same values."""

import numpy as np

from kolam.fractal import FractalTensor


class Draw:
    """A generator of float32 tensors, and of nested lists.

    Lists are drawn by the lengths of each level, outermost first; a number stands for lists of one length:
    `tensors(2, [3, 1], leaf=(1, 8))` is a list of two lists, of three and of one tensor of shape [1, 8].
    """

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def tensor(self, *shape):
        """Normal numbers, small enough that a product with them keeps the size of what it multiplies."""
        return (self.rng.standard_normal(shape) / np.sqrt(shape[-2] if len(shape) > 1 else 1)).astype(np.float32)

    def lengths(self, count, least, most):
        """`count` lengths from `least` to `most`."""
        return self.rng.integers(least, most + 1, count)

    def tensors(self, *levels, leaf):
        """Nested lists of tensors of shape `leaf`, of normal numbers."""
        offsets, count = _offsets(levels)
        return FractalTensor.from_offsets(self.rng.standard_normal((count, *leaf)).astype(np.float32), *offsets)

    def words(self, *levels, vocabulary):
        """Nested lists of words: numbers below `vocabulary`."""
        offsets, count = _offsets(levels)
        return FractalTensor.from_offsets(self.rng.integers(0, vocabulary, count), *offsets)


def _offsets(levels):
    """(the offsets of all levels but the outermost, how many leaves there are)."""
    count, *inner = levels
    offsets = []
    for lengths in inner:
        offsets.append([0, *np.cumsum(np.broadcast_to(lengths, count))])
        count = offsets[-1][-1]
    return offsets, count
