"""gather and scatter, window by window, as the design defines them."""

import numpy as np
from random_programs.values import BFLOAT16


def _starts(places, columns, rank, at):
    """The start of a window along every dim; dims without an index start at 0."""
    start = [0] * rank
    for column, dim in enumerate(columns):
        start[dim] = int(places[(*at, column)])
    return start


def _limits(shape, window):
    return [extent - length for extent, length in zip(shape, window, strict=True)]


def _is_inside(start, limits):
    return all(0 <= first <= limit for first, limit in zip(start, limits, strict=True))


def _box(start, window):
    return tuple(slice(first, first + length) for first, length in zip(start, window, strict=True))


def windows_inside(shape, window, places, columns, batched):
    """Whether every window lies inside."""
    limits = _limits(shape[batched:], window)
    return all(_is_inside(_starts(places, columns, len(limits), at), limits) for at in np.ndindex(places.shape[:-1]))


def fill_of(dtype):
    """What stands for a window that is not inside."""
    if dtype.kind == "f" or dtype == BFLOAT16:
        return np.nan
    if dtype == bool:
        return True
    return np.iinfo(dtype).min if dtype.kind == "i" else np.iinfo(dtype).max


def gather(x, places, columns, window, batched, mode):
    """result[n..., o...] = x[start(n) + o]; the first `batched` dims of x and of places are shared."""
    out = np.empty((*places.shape[:-1], *window), x.dtype)
    limits = _limits(x.shape[batched:], window)
    for at in np.ndindex(places.shape[:-1]):
        start, source = _starts(places, columns, len(limits), at), x[(*at[:batched], ...)]
        if mode == "wrap":
            extents = [max(extent, 1) for extent in source.shape]
            cells = [(first % extent + np.arange(length)) % extent for first, length, extent in zip(start, window, extents, strict=True)]
            out[at] = source[np.ix_(*cells)]
        elif mode == "fill" and not _is_inside(start, limits):
            out[at] = fill_of(x.dtype)
        else:
            out[at] = source[_box([min(max(first, 0), limit) for first, limit in zip(start, limits, strict=True)], window)]
    return out


COMBINERS = {
    "kUpdate": lambda a, b: b, "kAdd": lambda a, b: a + b, "kMul": lambda a, b: a * b,
    "kMin": lambda a, b: np.where(b < a, b, a), "kMax": lambda a, b: np.where(b > a, b, a),
}  # fmt: skip


def scatter(operand, update, places, columns, combine, batched, mode):
    """for each batch n, row-major, and each o: result[start(n) + o] = combine(result[start(n) + o], update[n, o])."""
    out = operand.copy()
    window = update.shape[places.ndim - 1 :]
    limits = _limits(operand.shape[batched:], window)
    for at in np.ndindex(places.shape[:-1]):
        start, target, given = _starts(places, columns, len(limits), at), out[(*at[:batched], ...)], update[at]
        if mode == "clip":
            start = [min(max(first, 0), limit) for first, limit in zip(start, limits, strict=True)]
        if not _is_inside(start, limits):
            if mode != "element":
                continue
            below = [max(-first, 0) for first in start]
            above = [min(length, extent - first) for first, length, extent in zip(start, window, target.shape, strict=True)]
            given = given[tuple(slice(low, max(low, high)) for low, high in zip(below, above, strict=True))]
            start = [first + low for first, low in zip(start, below, strict=True)]
            if 0 in given.shape:
                continue
        box = _box(start, given.shape)
        target[box] = np.asarray(combine(target[box], given)).astype(operand.dtype)
    return out


def hits_once(shape, window, places, columns, batched):
    """Whether no cell is hit twice."""
    hits = scatter(np.zeros(shape, int), np.ones((*places.shape[:-1], *window), int), places, columns, COMBINERS["kAdd"], batched, "drop")
    return bool(np.all(hits <= 1))
