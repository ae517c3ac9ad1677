"""A twin in NumPy of ko's loops, branches, scans and monoids: plain Python, straight from their meaning.

The text of a step that uses only these names means the same under `ko` and under TWIN, which is its reference. Arrays keep
their dtypes: + - * and / of NumPy round as each op does, bfloat16 and float16 through float32.
"""

import itertools
from dataclasses import dataclass
from typing import Any, Callable

import numpy as np
from random_programs.reference import cast_saturating
from random_programs.values import numpy_dtype

CHUNK = 4096  # of associative_scan


def tree_map(function, *trees):
    if isinstance(trees[0], tuple):
        return tuple(tree_map(function, *parts) for parts in zip(*trees, strict=True))
    return function(*trees)


def leaves(tree):
    return list(itertools.chain(*map(leaves, tree))) if isinstance(tree, tuple) else [tree]


def _dtype(dtype):
    return numpy_dtype(dtype) if isinstance(dtype, str) else np.dtype(dtype)


def _alike(x, y):
    """A Python number takes the other side's dtype."""
    number = isinstance(x, int)
    given = y if number else x
    return [np.asarray(v, given.dtype) if isinstance(v, int) else v for v in (x, y)]


class TWIN:
    """What `ko` is in steps."""

    max, min, flip = np.max, np.min, np.flip
    any = staticmethod(lambda x: np.any(np.asarray(x) != 0))
    all = staticmethod(lambda x: np.all(np.asarray(x) != 0))
    maximum = staticmethod(lambda x, y: np.maximum(*_alike(x, y)))
    minimum = staticmethod(lambda x, y: np.minimum(*_alike(x, y)))
    where = staticmethod(lambda condition, x, y: np.where(condition, *_alike(x, y)))
    astype = staticmethod(lambda x, dtype: cast_saturating(x, "bool" if _dtype(dtype) == bool else str(_dtype(dtype))))
    asarray = staticmethod(lambda x, dtype="int32": np.asarray(x, _dtype(dtype)))
    logical_not = staticmethod(np.logical_not)
    zeros = staticmethod(lambda shape, dtype: np.zeros(shape, _dtype(dtype)))
    ones = staticmethod(lambda shape, dtype: np.ones(shape, _dtype(dtype)))
    clip = staticmethod(lambda x, low, high: np.minimum(np.maximum(x, np.asarray(low, x.dtype)), np.asarray(high, x.dtype)))

    @staticmethod
    def sort(x, axis=-1):
        """NaN last, which NumPy's sort of bfloat16 does not know."""
        wide = np.asarray(x).astype(np.float64) if np.asarray(x).dtype.kind not in "biu" else np.asarray(x)
        return np.sort(wide, axis=axis).astype(np.asarray(x).dtype)

    @staticmethod
    def fori_loop(lower, upper, body, state):
        for i in range(int(lower), int(upper)):
            state = body(np.int64(i), state)
        return state

    @staticmethod
    def while_loop(condition, body, state):
        while condition(state):
            state = body(state)
        return state

    @staticmethod
    def cond(pred, true_fun, false_fun, *operands):
        return (true_fun if pred else false_fun)(*operands)

    @staticmethod
    def switch(index, branches, *operands):
        return branches[min(max(int(index), 0), len(branches) - 1)](*operands)

    @staticmethod
    def scan(f, init, xs=None, length=None, reverse=False):
        count = length if xs is None else len(leaves(xs)[0])
        slices = [None if xs is None else tree_map(lambda x, t=t: x[t], xs) for t in range(count)]
        state, ys = init, []
        for x in reversed(slices) if reverse else slices:
            state, y = f(state, x)
            ys.append(y)
        if not ys:  # of no turns only the type is known
            y = f(init, None if xs is None else tree_map(lambda x: np.zeros(x.shape[1:], x.dtype), xs))[1]
            return init, tree_map(lambda part: np.zeros((0, *np.shape(part)), np.asarray(part).dtype), y)
        return state, tree_map(lambda *parts: np.stack(parts), *(ys[::-1] if reverse else ys))

    @staticmethod
    def associative_scan(f, xs, axis=0, reverse=False, identity=None, segments=None):
        """Chunks left to right; segments restart the prefix, and a restarted prefix takes no carry."""
        xs = tree_map(lambda x: np.moveaxis(x, axis, 0), xs)
        count = len(leaves(xs)[0])
        order = range(count)[::-1] if reverse else range(count)
        first = None if identity is None else tree_map(lambda x: np.full(x.shape[1:], identity, x.dtype), xs)
        prefix = carry = out = None
        outs, restarted = [None] * count, False
        for turn, i in enumerate(order):
            starts = segments is not None and (turn > 0 and bool(segments[i + 1]) if reverse else bool(segments[i]))
            fresh = turn % CHUNK == 0
            restarted = starts or restarted and not fresh
            x = tree_map(lambda part, i=i: part[i], xs)
            previous = first if turn == 0 or starts else out
            prefix = x if fresh or starts else f(prefix, x)
            out = prefix if turn < CHUNK or restarted else f(carry, prefix)
            carry = out if turn % CHUNK == CHUNK - 1 else carry
            outs[i] = out if identity is None else previous
        return tree_map(lambda *parts: np.moveaxis(np.stack(parts), 0, axis), *outs) if count else tree_map(lambda x: np.moveaxis(x, 0, axis), xs)

    @dataclass
    class Monoid:
        zero: Any
        merge: Callable
        wrap: Callable = lambda *elements: elements if len(elements) > 1 else elements[0]
        unwrap: Callable = lambda state: state
        commutative: bool = False
        exact: bool = False

    @staticmethod
    def reduce(inputs, monoid, axis=None, keepdims=False):
        """The elements row-major over the axes, from the left."""
        inputs = np.broadcast_arrays(*inputs)
        rank = inputs[0].ndim
        axes = sorted(a % rank for a in (range(rank) if axis is None else axis))
        kept = [inputs[0].shape[i] for i in range(rank) if i not in axes]
        state = tree_map(lambda part: np.full(kept, part, np.asarray(part).dtype), monoid.zero)
        for place in np.ndindex(*[inputs[0].shape[i] for i in axes]):
            at = dict(zip(axes, place, strict=True))
            key = tuple(at.get(i, slice(None)) for i in range(rank))
            state = monoid.merge(state, monoid.wrap(*[x[key] for x in inputs]))
        return tree_map(lambda x: np.expand_dims(x, tuple(axes)) if keepdims else np.asarray(x), monoid.unwrap(state))


def evaluate(text, names, arrays):
    """What the text means under the twin."""
    return eval(text, {"ko": TWIN, "np": np, **dict(zip(names, arrays, strict=True))})
