"""Calls about diagonals and sizes: diag, diagonal, trace, tril, norm, count_nonzero, one_hot, roll."""

import numpy as np
from random_composites.cases import DTYPES, FLOATS, INTEGERS, NUMBERS, Call, float_of, sum_of, wide


def diagonal(d):
    name = d.pick(["diag", "diagonal", "trace", "tril", "triu"])
    k = d.pick([0, 0, 1, -1, 2, -3, 9])
    if name == "diag":
        x = d.array(d.pick(DTYPES), d.shape(1, 2))
        return Call(f"ko.diag(x0, {k})", d.arrays, [np.diag(x, k)], [str(x.dtype)])
    x = d.array(d.pick(DTYPES if name != "trace" else NUMBERS), d.shape(2, 4), special=0.4 if name != "trace" else 0.2)
    if name in ("tril", "triu"):
        return Call(f"ko.{name}(x0, {k})", d.arrays, [getattr(np, name)(x, k)], [str(x.dtype)])
    first, second = (int(axis) - (x.ndim if d.chance(0.3) else 0) for axis in d.rng.permutation(x.ndim)[:2])
    text = f"ko.{name}(x0, {k}, {first}, {second})"
    if name == "diagonal":
        return Call(text, d.arrays, [np.diagonal(x, k, first, second)], [str(x.dtype)])
    dtype = sum_of(x.dtype)
    cells = wide(x) if dtype in FLOATS else x.astype(dtype)
    size = np.trace(np.nan_to_num(np.abs(wide(x).astype(float)), posinf=0), k, first, second)
    return Call(text, d.arrays, [np.trace(cells, k, first, second, dtype=cells.dtype)], [dtype], size if dtype in FLOATS else None)


def norm(d):
    rank = d.pick([1, 2, 2, 3])
    shape = tuple(max(extent, 1) for extent in d.shape(rank, rank))
    x = d.array(d.pick(("int8", "int32", *FLOATS)), shape, special=0.15)
    keepdims = d.chance(0.4)
    if rank > 1 and d.chance(0.4):
        axis = tuple(int(a) for a in d.rng.permutation(rank)[:2])
        order = d.pick(["fro", 1, -1, np.inf, -np.inf, None])
    else:
        axis, order = d.axis(rank), d.pick([None, 0, 1, 2, 3, -2, np.inf, -np.inf, 0.5])
    with np.errstate(all="ignore"):
        out = np.linalg.norm(wide(x).astype(float), order, axis, keepdims)
    text = f"ko.norm(x0, {order!r}, {axis}, {keepdims})".replace("inf", "ko.inf")
    return Call(text, d.arrays, [out], [float_of(x.dtype)], np.nan_to_num(np.abs(out), posinf=0))


def counted(d):
    x = d.array(d.pick(DTYPES), d.shape(0, 4))
    axis, keepdims = d.axes(x.ndim), d.chance(0.4)
    out = np.count_nonzero(x, axis=axis, keepdims=keepdims)
    return Call(f"ko.count_nonzero(x0, axis={axis}, keepdims={keepdims})", d.arrays, [out], ["places"])


def one_hot(d):
    x, depth = d.array(d.pick(INTEGERS), d.shape(0, 3)), d.pick([0, 1, 4])
    out = x[..., None].astype(object) == np.arange(depth)
    return Call(f"ko.one_hot(x0, {depth})", d.arrays, [np.asarray(out, float)], ["float32"])


def moved(d):
    x = d.array(d.pick(DTYPES), d.shape(1, 4))
    axis, shift = d.axis(x.ndim), d.pick([0, 1, -2, 11])
    if d.chance(0.5):
        return Call(f"ko.roll(x0, {shift}, {axis})", d.arrays, [np.roll(x, shift, axis)], [str(x.dtype)])
    repeats = d.pick([0, 1, 3])
    return Call(f"ko.repeat(x0, {repeats}, {axis})", d.arrays, [np.repeat(x, repeats, axis)], [str(x.dtype)])


STRUCTURE = [diagonal, diagonal, norm, counted, one_hot, moved]
