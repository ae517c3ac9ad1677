"""A case of `make bench-peers`: one computation, written for us and for each peer that can say it."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Optional

import numpy as np


@dataclass
class Case:
    """Functions take the inputs, then the weights, which are constants to whoever compiles."""

    name: str
    inputs: list  # NumPy arrays
    ours: Callable
    reference: Callable  # of f64 arrays, or of integers as they are
    weights: list = field(default_factory=list)
    torch: Optional[Callable] = None
    jax: Optional[Callable] = None
    onnx: Optional[Callable] = None  # gives nodes: see frameworks.OnnxRuntime
    numba: Optional[Callable] = None  # (numba, inputs, weights) to a call
    more: dict = field(default_factory=dict)  # further peers: name to (framework, function)
    source: Optional[Path] = None  # without suffix: loops for numba, pythran and Mojo, see sources.py
    numbers: tuple = ()  # what the source takes after the arrays
    goal: Optional[float] = None
    judged: Optional[tuple] = None  # names of peers; all unless given
    lists: Optional[list] = None  # what `ours` takes in place of inputs and weights
    in_order: Callable = lambda array: array  # a peer's result with its elements as in the leaves of ours
    compiled: bool = True  # whether torch.compile is a peer: it takes minutes to unroll long loops
    dense: Optional[Callable] = None  # ko to a call of ours on dense data: a row beside `live` of its time
    live: float = 1.0  # the share of the dense work that there is
    live_goal: Optional[float] = None
    flops: Optional[float] = None
    rate_goal: Optional[float] = None  # flops a second and core with AVX-512: a row of its own
    bound: Optional[tuple] = None  # (words, seconds) to stay under: a row of its own
    at_once: bool = False  # ours without jit
    tolerance: float = 1e-5  # of the greatest magnitude
    outliers: float = 0.0  # the share of elements that may lie farther off: where rounding decides a comparison


def floats(seed, *shape):
    """Uniform in [-1, 1)."""
    return np.random.default_rng(seed).uniform(-1, 1, shape).astype(np.float32)


def places(seed, bound, *shape):
    return np.random.default_rng(seed).integers(0, bound, shape, dtype=np.int32)


def exact(array):
    """Floats as f64; integers as they are."""
    return array if array.dtype.kind in "iub" else array.astype(np.float64)


def require_close(who, found, expected, tolerance, outliers=0.0):
    """Raises where more than a share of the elements differ by more than a share of the greatest magnitude; NaN always
    differs.
    """
    found = np.asarray(found).astype(np.float64)
    if found.shape != expected.shape:
        raise ValueError(f"{who} gives shape {found.shape}, but expected {expected.shape}")
    error = np.abs(found - expected)
    bad = ~(error <= tolerance * np.abs(expected).max())
    if bad.sum() > outliers * bad.size:
        place = tuple(int(i) for i in np.argwhere(bad)[0])
        raise ValueError(f"{who} gives {found[place]} at {place}, but expected {expected[place]}")


def loops(function):
    """For `Case.numba`: a loop nest, compiled as it stands."""

    def made(numba, *inputs):
        run = numba.njit(function)
        return lambda: run(*inputs)

    return made


def named(ko, rows):
    """What a family's `cases` gives, of rows by name: (name, a function that makes the case)."""
    for name, make in rows.items():
        yield name, lambda name=name, make=make: make(ko, name)
