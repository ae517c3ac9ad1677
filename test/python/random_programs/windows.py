"""Entries for windows at places given by data: gather and scatter."""

from dataclasses import dataclass

import numpy as np
from random_programs import reference as ref
from random_programs import window_reference as by_window
from random_programs.extents import extent_at, is_known, is_symbol, most_cells
from random_programs.steps import Entry, Step, join, require
from random_programs.twin import TWIN
from random_programs.values import DTYPES, INTEGERS, NUMBERS, Value


@dataclass
class Windows:
    """Which dims of an operand are indexed, and where."""

    batched: int
    columns: list  # dims counted from `batched`
    lengths: list  # of the window along these dims
    places: Value = None

    def window(self, dims):
        """The extents of a window in an operand of those dims, or of that shape."""
        out = list(dims[self.batched :])
        for dim, length in zip(self.columns, self.lengths, strict=True):
            out[dim] = length
        return out

    def options(self, mode):
        return (f", batched_dims={self.batched}" if self.batched else "") + f", mode='{mode}'"

    def fit(self, shape):
        return all(length <= extent for length, extent in zip(self.window(shape), shape[self.batched :], strict=True))

    def are_inside(self, shape, places):
        return by_window.windows_inside(shape, self.window(shape), places, self.columns, self.batched)

    def error(self, shape, places, mode):
        if not self.fit(shape):
            return "window-too-large"
        return "index-out-of-range" if mode == "check" and not self.are_inside(shape, places) else None


WIDTHS = [7, 15, 16, 17, 31, 33, 48, 64, 65, 100, 130]


def operand(g, dtypes):
    """Now and then one of rows that fill registers, and parts of one more."""
    if g.chance(0.6):
        return g.value(dtypes)
    outer = [g.extent((1, 2, 3, 5, 9)) for _ in range(g.pick([1, 1, 2]))]
    return g.input(g.pick(dtypes), (*outer, g.pick(WIDTHS)))


def make_windows(g, x):
    batched = int(g.rng.integers(0, x.rank + 1)) if g.chance(0.3) else 0
    free = x.dims[batched:]
    rows = len(free) > 1 and g.chance(0.3)  # windows that cover all dims but the first
    columns = [0] if rows else [int(d) for d in g.rng.permutation(len(free))[: int(g.rng.integers(0, len(free) + 1))]]
    lengths = []
    for dim in columns:
        known = is_known(free[dim])
        lengths.append(min(free[dim], g.pick([0, 1, 1, 1, 2, 3, free[dim]])) if known else g.pick([0, 1, 1, 2]))
    return Windows(batched, columns, lengths)


def make_places(g, x, w, inside):
    """Where windows start: `inside` asks for whole windows."""
    free = [x.dims[w.batched + dim] for dim in w.columns]
    dims = (*x.dims[: w.batched], *[g.extent((0, 1, 2, 3, 5)) for _ in range(g.pick([0, 1, 1, 1, 2]))], len(w.columns))
    require(most_cells(dims[:-1]) <= 300)
    if not inside:
        return g.places(dims, free[0] if free else 1)
    dtype = g.pick(INTEGERS)

    def fill(rng, shape, sizes):
        highest = [extent_at(d, sizes) - n for d, n in zip(free, w.lengths, strict=True)]
        return rng.integers(0, np.clip(np.array(highest, np.int64), 0, min(np.iinfo(dtype).max, 2**62)) + 1, size=shape).astype(dtype)

    return g.input(dtype, dims, fill)


def gather():
    def make(g):
        x = operand(g, DTYPES)
        mode = g.pick(["clip", "clip", "fill", "wrap", "promise", "check"])
        w = make_windows(g, x)
        w.places = make_places(g, x, w, inside=mode == "promise" or mode == "check" and g.chance(0.8))
        dims = [g.axis(x.rank - w.batched, dim) for dim in w.columns]
        return Step(
            f"ko.gather({join((x, w.places))}, {dims}, {w.lengths}{w.options(mode)})", (x, w.places), x.dtype,
            (*w.places.dims[:-1], *w.window(x.dims)),
            lambda a: ref.widen(by_window.gather(a[0], a[1], w.columns, w.window(a[0].shape), w.batched, mode)),
            raises=lambda a: w.error(a[0].shape, a[1], mode), promises=lambda a: mode != "promise" or w.are_inside(a[0].shape, a[1]),
        )  # fmt: skip

    return Entry("gather", make, 5.0)


COMBINERS = ["lambda a, b: a * 2 + b", "lambda a, b: ko.maximum(a - b, b)", "lambda a, b: ko.where(a > b, a, b - a)"]


def _distinct_places(g, x, w):
    """Places of windows that do not meet, where that is easily said: one dim, windows side by side."""
    require(w.batched == 0 and len(w.columns) == 1)
    extent, length = x.dims[w.columns[0]], w.lengths[0]
    require(is_known(extent, length) and 0 < length <= extent)
    dtype, most = g.pick(INTEGERS[2:]), min(extent // length, 5)
    dims = (int(g.rng.integers(0, most + 1)), 1)
    return g.input(dtype, dims, lambda rng, shape, sizes: (length * rng.permutation(extent // length)[: shape[0]]).reshape(shape).astype(dtype))


def scatter():
    def make(g):
        op = g.pick(["kUpdate", "kAdd", "kMul", "kMin", "kMax", "function"])
        x = operand(g, DTYPES if op == "kUpdate" else NUMBERS)
        mode = g.pick(["drop", "drop", "element", "clip", "promise", "check"])
        w, unique = make_windows(g, x), g.chance(0.2)
        if unique:
            w.places = _distinct_places(g, x, w)
        else:
            w.places = make_places(g, x, w, inside=mode == "promise" or mode == "check" and g.chance(0.8))
        update_dims = (*w.places.dims[:-1], *w.window(x.dims))
        require(all(is_known(d) or is_symbol(d) for d in update_dims) and most_cells(update_dims) <= 5000)
        updates = [g.input(x.dtype, update_dims)]
        operands = [x]
        if op != "function" and g.chance(0.15):  # several at once
            operands.append(g.like(x, g.pick(DTYPES if op == "kUpdate" else NUMBERS)))
            updates.append(g.input(operands[1].dtype, update_dims))
        which = int(g.rng.integers(len(operands)))
        function = g.pick(COMBINERS)
        combine = eval(function, {"ko": TWIN}) if op == "function" else by_window.COMBINERS[op]
        several = len(operands) > 1

        def promises(arrays):
            shape, places = arrays[0].shape, arrays[-1]
            once = not unique or by_window.hits_once(shape, w.window(shape), places, w.columns, w.batched)
            return once and (mode != "promise" or w.are_inside(shape, places))

        def expected(arrays):
            return ref.widen(by_window.scatter(arrays[which], arrays[len(operands) + which], arrays[-1], w.columns, combine, w.batched, mode))

        given = (f"({join(operands)}), ({join(updates)})" if several else join((x, *updates))) + f", {w.places.name}"
        dims = [g.axis(x.rank - w.batched, dim) for dim in w.columns]
        name = function if op == "function" else repr(op)
        options = (", unique_indices=True" if unique else "") + w.options(mode)
        return Step(
            f"ko.scatter({given}, {dims}, {name}{options})" + (f"[{which}]" if several else ""), (*operands, *updates, w.places),
            operands[which].dtype, x.dims, expected, raises=lambda a: w.error(a[0].shape, a[-1], mode), promises=promises,
        )  # fmt: skip

    return Entry("scatter", make, 5.0)


WINDOWS = [gather(), scatter()]
