"""Runs an example beside its twin in NumPy: the same values, the time of both, and how far they agree."""

import inspect
import sys
import time
from typing import Any

import numpy as np

import kolam
from kolam import pytree
from kolam.fractal import FractalTensor


def plain(value):
    """A value for a twin: FractalTensors as nested lists, arrays as NumPy's."""
    is_list = lambda part: isinstance(part, FractalTensor)
    return pytree.tree_map(lambda x: x.to_list() if is_list(x) else np.asarray(x), value, is_leaf=is_list)


def save_arguments(path, values):
    """Writes arguments to an `.npz` file as the examples in C++ read them: of a list its leaves, then its offsets."""
    arrays = []
    for leaf in pytree.tree_leaves(values):
        is_list = isinstance(leaf, kolam.List)
        arrays += [leaf.leaves(), *(leaf.offsets(level) for level in range(1, leaf.depth))] if is_list else [leaf]
    np.savez(path, *map(np.asarray, arrays))


def difference(ours, theirs):
    """The largest |a - b| / max(1, |b|), |b| of the largest number in a tensor; infinite where the nests are not alike."""
    if isinstance(theirs, list | tuple):
        if not isinstance(ours, list | tuple) or len(ours) != len(theirs):
            return np.inf
        return max(map(difference, ours, theirs), default=0.0)
    ours, theirs = np.asarray(ours, np.float64), np.asarray(theirs, np.float64)
    if ours.shape != theirs.shape:
        return np.inf
    distance = np.abs(ours - theirs).max(initial=0.0) / np.abs(theirs).max(initial=1.0)
    return np.inf if np.isnan(distance) else float(distance)


def timed(function, *arguments, times=1):
    """(seconds of the fastest of some calls, result)."""
    seconds: list[float] = []
    result: Any = None
    for _ in range(times):
        start = time.perf_counter()
        result = function(*arguments)
        seconds.append(time.perf_counter() - start)
    return min(seconds), result


def main(program, twin, inputs):
    """Runs both on `inputs(**sizes)`, whose sizes the command line changes: `python grid_rnn.py depth=4 hidden=64`."""
    sizes = {name: p.default for name, p in inspect.signature(inputs).parameters.items()}
    for argument in sys.argv[1:]:
        name, _, number = argument.partition("=")
        if name not in sizes or not number.isdecimal():
            sys.exit(f"expected some of {' '.join(f'{name}={size}' for name, size in sizes.items())}, but got {argument}")
        sizes[name] = int(number)
    values = inputs(**sizes)
    first, _ = timed(program, *values)
    ours, result = timed(program, *values, times=3)
    theirs, expected = timed(twin, *plain(values), times=3)
    print(f"{program.__name__}: {', '.join(f'{name} {size}' for name, size in sizes.items())}")
    print(f"first call {first * 1e3:.0f} ms, run {ours * 1e3:.2f} ms; NumPy {theirs * 1e3:.2f} ms")
    print(f"largest difference from NumPy: {difference(plain(result), expected):.1e}")
