"""What random programs are made of: steps, and what makes them."""

from dataclasses import dataclass
from typing import Callable


class Unfit(Exception):
    """An entry found no operands, or drew what makes no step; another one is picked."""


@dataclass
class Step:
    """One line of a program."""

    text: str  # an expression over the names of operands
    operands: tuple  # Values
    dtype: str
    dims: tuple
    expected: Callable  # arrays of the operands -> array (floats in f64), or None where no reference speaks
    ulps: float = 0  # how many numbers of the result's dtype may lie between
    within: Callable = None  # (arrays, epsilon of the accumulation) -> how far off a result may lie, in place of ulps
    tame: int = 0  # how many leading operands have to be small finite numbers for the comparison to make sense
    raises: Callable = None  # arrays -> the slug of the error that the step raises, or None
    promises: Callable = None  # arrays -> whether what the step promises holds; else anything may come out


@dataclass
class Entry:
    """An operation, and how often it is picked."""

    name: str
    make: Callable
    weight: float = 1.0


def join(operands, extra=""):
    return ", ".join(v.name for v in operands) + extra


def require(condition):
    if not condition:
        raise Unfit


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
    """Distinct axes in any order, some counted from the end."""
    require(rank >= least)
    count = int(g.rng.integers(least, rank + 1))
    return tuple(g.axis(rank, int(a)) for a in g.rng.permutation(rank)[:count])
