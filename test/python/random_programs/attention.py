"""Attention with masks of every kind: arrays, functions of the indices, windows, segments, and all of them together."""

import numpy as np
from random_programs import reference as ref
from random_programs.extents import is_known, most_cells
from random_programs.norms import centred
from random_programs.steps import Entry, Step, join, require
from random_programs.sums import SUM
from random_programs.values import FLOATS, INTEGERS, float_dtype

FUNCTIONS = ("i - j < 3", "(i + j + h) % 2 == 0", "(j <= i + b) & (j != 1)", "j % 3 != 1", "i < 0")


def _masks(g, q, dtype, batch, s, t):
    """(operands, text of the options, arrays of the operands and the shape of the scores -> (shown, added))."""
    operands, options, parts = [], "", []

    def draw(name, dims):
        operands.append(g.input(name, dims))
        return operands[-1].name, len(operands) - 1

    kind = g.pick(["none", "none", "bool", "float", "function"])
    if kind == "function":
        body = g.pick(FUNCTIONS)
        options += f", mask=lambda b, h, i, j: {body}"
        function = eval(f"lambda b, h, i, j: {body}")  # one text for both

        def by_function(arrays, shape):
            lead = (1, 1, *shape[:-2])[-max(2, len(shape) - 2) :]
            b = np.arange(int(np.prod(lead[:-1]))).reshape(*lead[:-1], 1, 1, 1)
            h, i = np.arange(lead[-1]).reshape(-1, 1, 1), np.arange(shape[-2])[:, None]
            return np.broadcast_to(function(b, h, i, np.arange(shape[-1])), (*lead, *shape[-2:])).reshape(shape), 0.0

        parts.append(by_function)
    elif kind != "none":
        dims = g.pick([(s, t), (1, t), (s, 1), (*batch, s, t), (*(1 for _ in batch), s, t)])
        name, place = draw("bool" if kind == "bool" else dtype, dims)
        options += f", mask={name}"
        if kind == "bool":
            parts.append(lambda arrays, shape: (arrays[place], 0.0))
        else:
            parts.append(lambda arrays, shape: (True, ref.widen(arrays[place])))
    left, right = None, None
    if g.chance(0.3):
        left, right = g.pick([(1, 1), (0, 0), (2, 5), (None, 1), (3, None)])
        options += f", window={left}" if left == right else f", window=({left}, {right})"
    if g.chance(0.35):
        right = 0
        options += ", causal=True"

    def by_distance(arrays, shape):
        i, j = np.arange(shape[-2])[:, None], np.arange(shape[-1])
        return (left is None or i - j <= left) & np.asarray(right is None or j - i <= right), 0.0

    parts.append(by_distance)
    if g.chance(0.25):
        lead = batch[:-1] if g.chance(0.5) else ()
        queries, own = draw("int32", (*lead, s))
        keys, theirs = (queries, own) if s == t and g.chance(0.5) else draw("int8", (*lead, t))
        options += f", segment_ids={queries}" if keys == queries else f", segment_ids=({queries}, {keys})"

        def by_segment(arrays, shape):
            same = arrays[own].astype(object)[..., :, None] == arrays[theirs].astype(object)[..., None, :]
            return np.asarray(same if len(shape) == 2 else np.expand_dims(same, -3), bool), 0.0

        parts.append(by_segment)

    def shown_and_added(arrays, shape):
        shown, added = np.ones(shape, bool), np.zeros(shape)
        for part in parts:
            seen, more = part(arrays, shape)
            shown, added = shown & seen & (np.asarray(more) != -np.inf), added + more
        return shown, added

    return operands, options, shown_and_added


def attention():
    def make(g):
        q = g.value(FLOATS + INTEGERS[:1], least=2, most=4)
        batch, (s, d) = q.dims[:-2], q.dims[-2:]
        t, e = g.extent((0, 1, 3, 8, 130)), g.extent((1, 2, 8, 17))
        dtype = float_dtype(q.dtype)

        def keys(width):
            if g.chance(0.2):
                return g.input(q.dtype, (t, width))
            lead = batch
            if batch and is_known(batch[-1]) and batch[-1] > 1 and g.chance(0.5):
                groups = g.pick([n for n in range(1, batch[-1]) if batch[-1] % n == 0])
                lead = (*batch[:-1], groups)
            return g.input(q.dtype, (*lead, t, width))

        k, v = keys(d), keys(e)
        masks, options, shown_and_added = _masks(g, q, dtype, batch, s, t)
        scale = g.pick([None, None, 0.5])
        options += f", scale={scale}" if scale else ""
        require(most_cells((*batch, s, d, t)) <= 50_000 and most_cells((*batch, s, t, e)) <= 50_000)

        def parts(arrays):
            """(q, k transposed, v), the heads of k and v repeated"""
            a, b, c = (ref.at_dtype(x, dtype) for x in arrays[:3])
            if a.ndim > 2:
                b, c = (np.repeat(x, a.shape[-3] // x.shape[-3], axis=-3) if x.ndim > 2 and x.shape[-3] else x for x in (b, c))
            return a, np.swapaxes(b, -1, -2), c

        def scores(arrays):
            """(the scores, how large the terms are that they are sums of, what is shown)"""
            a, b, _ = parts(arrays)
            factor = scale or 1 / np.sqrt(np.float64(a.shape[-1]))
            out, size = np.matmul(a, b) * factor, np.matmul(np.abs(a), np.abs(b)) * factor
            shown, added = shown_and_added(arrays[3:], out.shape)
            return np.where(shown, out + np.where(shown, added, 0), -np.inf), size + np.where(shown, np.abs(added), 0), shown

        def weights(out):
            powers = np.exp(centred(out, (-1,)))
            total = np.sum(powers, -1, keepdims=True)
            return np.where(total == 0, 0, powers / np.where(total == 0, 1, total))

        def found(w, shown, values):
            """What has no weight has no part."""
            clean = np.where(np.isfinite(values), values, 0)
            return np.matmul(w, clean) + np.matmul(shown.astype(np.float64), values - clean) if not np.isfinite(values).all() else np.matmul(w, clean)

        def expected(arrays):
            out, _, shown = scores(arrays)
            return found(weights(out), shown, parts(arrays)[2])

        def within(arrays, epsilon):
            out, size, _ = scores(arrays)
            off = np.max(size, -1, keepdims=True, initial=0) * SUM * epsilon
            distance = np.where(np.isfinite(out), np.abs(centred(out, (-1,))), 0)
            off = 2 * off + epsilon * (6 * SUM + 2 * np.max(distance, -1, keepdims=True, initial=0))
            return np.matmul(weights(out) * off, np.abs(parts(arrays)[2]))

        text = f"ko.attention({join((q, k, v))}{options})"
        tame = 3 + sum(m.dtype == dtype for m in masks[:1])
        return Step(text, (q, k, v, *masks), dtype, (*batch, s, e), expected, within=within, tame=tame)

    return Entry("attention", make, 1.5)


ATTENTION = [attention()]
