"""Calls over windows: reduce_window and pooling, by brute force."""

import numpy as np
from random_composites.cases import FLOATS, Call, float_of, sum_of, wide
from pooling_test import windows


def _window(d, rank):
    """(extents, window, strides, padding, dilation) of windows that fit."""
    extents, window, strides, padding, dilation = [], [], [], [], []
    for _ in range(rank):
        window.append(d.pick([1, 2, 3]))
        dilation.append(d.pick([1, 1, 2]))
        strides.append(d.pick([1, 2, 3]))
        padding.append((d.pick([0, 0, 1]), d.pick([0, 0, 1])))
        extents.append(dilation[-1] * (window[-1] - 1) + d.pick([1, 2, 5]))
    return extents, tuple(window), tuple(strides), tuple(padding), tuple(dilation)


def _identity(name, dtype):
    if name in ("max", "min"):
        limits = (np.inf, -np.inf) if dtype.kind not in "iu" else (np.iinfo(dtype).max, np.iinfo(dtype).min)
        return limits[name == "max"]
    return 0 if name == "sum" else 1


def window(d):
    rank = d.pick([1, 2, 2, 3])
    extents, length, strides, padding, dilation = _window(d, rank)
    pools = d.chance(0.5)
    lead = [d.pick([1, 2]) for _ in range(2)] if pools else [d.pick([0, 1, 2])] * d.pick([0, 1])
    x = d.array(d.pick(("int8", "int32", "uint64", *FLOATS)), (*lead, *extents), special=0.25)
    name = d.pick(["max_pool", "avg_pool"]) if pools else d.pick(["max", "min", "sum", "prod"])
    options = f"strides={strides}, padding={padding}, dilation={dilation}"
    geometry = (length, strides, padding, dilation)
    cells = wide(x)
    size = windows(np.nan_to_num(np.abs(cells.astype(float)), posinf=0), *geometry, 0).sum(-1)
    with np.errstate(all="ignore"):
        if name == "avg_pool":
            counts = d.chance(0.5)
            total = windows(cells.astype(float), *geometry, 0).sum(-1)
            number = windows(np.ones(x.shape), *geometry, 0).sum(-1) if not counts else np.prod(length)
            text = f"ko.avg_pool(x0, {length}, {options}, count_include_pad={counts})"
            return Call(text, d.arrays, [total / number], [float_of(x.dtype)], size)
        kind = name if name != "max_pool" else "max"
        text = f"ko.max_pool(x0, {length}, {options})" if pools else f"ko.reduce_window(x0, {length}, '{name}', {options})"
        dtype = str(x.dtype) if kind in ("max", "min") else sum_of(x.dtype)
        if kind in ("sum", "prod") and dtype not in FLOATS:
            cells = cells.astype(dtype)
        found = windows(cells, *geometry, _identity(kind, cells.dtype))
        if kind in ("max", "min"):
            return Call(text, d.arrays, [getattr(found, kind)(-1)], [dtype])
        return Call(text, d.arrays, [getattr(found, kind)(-1, dtype=found.dtype)], [dtype], size if dtype in FLOATS else None)


WINDOWS = [window]
