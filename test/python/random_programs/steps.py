"""What random programs are made of: steps, and what makes them."""

from dataclasses import dataclass
from typing import Callable


@dataclass
class Step:
    """One line of a program."""

    text: str  # an expression over the names of operands
    operands: tuple  # names
    dtype: str
    dims: tuple
    expected: Callable = None  # arrays of the operands -> array (floats in f64), or None where NumPy has no such thing
    ulps: float = 0
    scale: Callable = None  # arrays -> what errors are counted in, for sums
    needs_tame: bool = False  # the comparison with NumPy makes sense on small finite numbers only


@dataclass
class Entry:
    """An operation, and how often it is picked."""

    name: str
    make: Callable
    weight: float = 1.0


def join(operands, extra=""):
    return ", ".join(v.name for v in operands) + extra


def broadcast_dims(*all_dims):
    """The common dims, or None; a symbol is only itself."""
    rank = max(len(dims) for dims in all_dims)
    out = []
    for position in range(rank):
        extents = {dims[position - rank + len(dims)] for dims in all_dims if position >= rank - len(dims)} - {1}
        if len(extents) > 1:
            return None
        out.append(extents.pop() if extents else 1)
    return tuple(out)


def some_axes(g, rank, least=1):
    if rank < least:
        return None
    count = int(g.rng.integers(least, rank + 1))
    axes = [int(a) for a in g.rng.permutation(rank)[:count]]
    return tuple(a - rank if g.rng.random() < 0.3 else a for a in axes)
