"""Random nested Python lists, and their comparison with what a FractalTensor gives."""

import dataclasses
import random
from typing import NamedTuple

import numpy as np

LENGTHS = (0, 1, 2, 3, 5, 7)


class Pair(NamedTuple):
    first: object
    second: object


@dataclasses.dataclass
class Point:
    x: object
    y: object


class Nests:
    """Draws nests; each holds at least one leaf, so that it has a type."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def leaf_maker(self):
        """A function that draws leaves of one type."""
        choice = self.random.randrange(4)
        if choice == 0:
            return lambda: self.random.randrange(100)
        if choice == 1:
            return lambda: self.random.randrange(100) / 4
        shape = self.random.choice([(1,), (2,), (2, 3), (0,), ()])
        dtype = self.random.choice(["float32", "int64", "float64", "uint8", "bool", "float16"])
        return lambda: np.array([self.random.randrange(100) for _ in range(int(np.prod(shape)))]).reshape(shape).astype(dtype)

    def tuple_maker(self):
        """A function that draws tuples of leaves and of lists."""
        cls = self.random.choice([lambda x, y: (x, y), Pair, Point])
        first = self.leaf_maker()
        leaf = self.leaf_maker()
        second = self.random.choice([leaf, lambda: self.nest(leaf, 1), lambda: (leaf(), leaf())])
        return lambda: cls(first(), second())

    def nest(self, make, depth):
        """Lists of random lengths around what `make` draws; the first list of each level is not empty."""
        if depth == 0:
            return make()
        length = self.random.choice(LENGTHS)
        rows = [self.nest(make, depth - 1)]
        return rows + [self.ragged(make, depth - 1) for _ in range(length)]

    def ragged(self, make, depth):
        """The same; any list may be empty."""
        if depth == 0:
            return make()
        return [self.ragged(make, depth - 1) for _ in range(self.random.choice(LENGTHS))]


def same(ours, theirs):
    """True where two nests agree in structure and in every element."""
    if isinstance(theirs, list):
        return isinstance(ours, list) and len(ours) == len(theirs) and all(map(same, ours, theirs))
    if dataclasses.is_dataclass(theirs):
        theirs = vars(theirs)
        ours = vars(ours)
    if isinstance(theirs, dict):
        return all(same(ours[key], theirs[key]) for key in theirs)
    if isinstance(theirs, tuple):
        return type(ours) is type(theirs) and len(ours) == len(theirs) and all(map(same, ours, theirs))
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    return ours.shape == theirs.shape and np.array_equal(ours, theirs)
