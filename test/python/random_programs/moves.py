"""Entries that move cells: every result cell is an operand's, exactly."""

import numpy as np
from random_programs import reference as ref
from random_programs.steps import Entry, Step, join, some_axes
from random_programs.values import DTYPES


def unary_shape(name, pick):
    """`pick(g, x)` gives (arguments as text, dims, numpy function), or None."""

    def make(g):
        x = g.value(DTYPES)
        picked = x and pick(g, x)
        if not picked:
            return None
        arguments, dims, function = picked
        return Step(
            f"ko.{name}({x.name}{', ' if arguments else ''}{arguments})", (x,), x.dtype, dims,
            lambda a: ref.widen(function(a[0])),
        )  # fmt: skip

    return Entry(name, make)


def permute(g, x):
    axes = tuple(int(a) for a in g.rng.permutation(x.rank))
    return f"{axes}", tuple(x.dims[a] for a in axes), lambda a: np.transpose(a, axes)


def flip(g, x):
    axes = some_axes(g, x.rank)
    return axes and (f"axis={axes}", x.dims, lambda a: np.flip(a, axes))


def roll(g, x):
    if not x.rank:
        return None
    axis, shift = int(g.rng.integers(x.rank)), int(g.rng.integers(-4, 5))
    return f"{shift}, axis={axis}", x.dims, lambda a: np.roll(a, shift, axis)


def flat(g, x):
    if x.rank and not all(isinstance(d, int) for d in x.dims):
        return None
    count = int(np.prod(x.dims, dtype=int))
    return "(-1,)", (count,), lambda a: a.reshape(-1)


def reshape(g, x):
    if not all(isinstance(d, int) for d in x.dims):
        return None
    count = int(np.prod(x.dims, dtype=int))
    divisors = [d for d in range(1, count + 1) if count % d == 0] or [0]
    first = int(g.rng.choice(divisors))
    dims = (first, count // first if first else 3)
    return f"{dims}", dims, lambda a: a.reshape(dims)


def expand(g, x):
    axis = int(g.rng.integers(x.rank + 1))
    return f"axis={axis}", x.dims[:axis] + (1,) + x.dims[axis:], lambda a: np.expand_dims(a, axis)


def squeeze(g, x):
    ones = [i for i, d in enumerate(x.dims) if d == 1]
    if not ones:
        return None
    axis = int(g.rng.choice(ones))
    return f"axis={axis}", x.dims[:axis] + x.dims[axis + 1 :], lambda a: np.squeeze(a, axis)


def tile(g, x):
    counts = tuple(int(c) for c in g.rng.integers(0, 3, size=x.rank))
    if not all(isinstance(d, int) for d in x.dims):
        return None
    return f"{counts}", tuple(d * c for d, c in zip(x.dims, counts, strict=True)), lambda a: np.tile(a, counts)


def repeat(g, x):
    known = [i for i, d in enumerate(x.dims) if isinstance(d, int)]
    if not known:
        return None
    axis, count = int(g.rng.choice(known)), int(g.rng.integers(0, 4))
    dims = x.dims[:axis] + (x.dims[axis] * count,) + x.dims[axis + 1 :]
    return f"{count}, axis={axis}", dims, lambda a: np.repeat(a, count, axis)


def pad(g, x):
    if not x.rank or not all(isinstance(d, int) for d in x.dims):
        return None
    mode = str(g.rng.choice(["constant", "edge", "reflect", "wrap"]))
    if mode != "constant" and 0 in x.dims or mode == "reflect" and 1 in x.dims:
        return None
    widths = [tuple(int(w) for w in g.rng.integers(0, 3, size=2)) for _ in x.dims]
    dims = tuple(d + b + e for d, (b, e) in zip(x.dims, widths, strict=True))
    return f"{widths}, mode='{mode}'", dims, lambda a: np.pad(a, widths, mode=mode)


def broadcast(g, x):
    front = tuple(int(d) for d in g.rng.integers(0, 4, size=g.rng.integers(0, 3)))
    dims = front + tuple(int(g.rng.integers(0, 4)) if d == 1 else d for d in x.dims)
    if not all(isinstance(d, int) for d in dims):
        return None
    return f"{dims}", dims, lambda a: np.broadcast_to(a, dims)


def triangle(function):
    def pick(g, x):
        k = int(g.rng.integers(-2, 3))
        return (f"k={k}", x.dims, lambda a: function(a, k)) if x.rank >= 2 else None

    return pick


def indexing():
    def make(g):
        x = g.value(DTYPES)
        if x is None:
            return None
        items, texts, dims = [], [], []
        for extent in x.dims[: int(g.rng.integers(0, x.rank + 1))]:
            kind = g.rng.choice(["all", "integer", "slice", "reverse", "step", "new"])
            if kind == "new":
                items.append(None), texts.append("None"), dims.append(1)
                kind = "all"
            if kind == "all" or not isinstance(extent, int) and kind in ("integer", "slice", "step"):
                items.append(slice(None)), texts.append(":"), dims.append(extent)
            elif kind == "reverse":
                items.append(slice(None, None, -1)), texts.append("::-1"), dims.append(extent)
            elif kind == "integer" and extent:
                place = int(g.rng.integers(-extent, extent))
                items.append(place), texts.append(str(place))
            else:
                bounds = [int(b) if g.rng.random() < 0.7 else None for b in g.rng.integers(-5, 6, size=2)]
                step = int(g.rng.choice([-3, -2, 2, 3])) if kind == "step" else None
                item = slice(*bounds, step)
                items.append(item), dims.append(len(range(*item.indices(extent))))
                texts.append(":".join("" if part is None else str(part) for part in (item.start, item.stop, item.step)))
        items.append(Ellipsis), texts.append("...")
        used = sum(item is not None and item is not Ellipsis for item in items)
        key = tuple(items)
        return Step(
            f"{x.name}[{', '.join(texts)}]", (x,), x.dtype, tuple(dims) + x.dims[used:], lambda a: ref.widen(a[0][key])
        )

    return Entry("index", make, 3.0)


def joining(name):
    def make(g):
        x = g.value(DTYPES)
        if x is None or not x.rank and name == "concat":
            return None
        count = int(g.rng.integers(1, 4))
        others = [g.like(x) for _ in range(count - 1)]
        operands = [x, *others]
        if name == "stack":
            axis = int(g.rng.integers(x.rank + 1))
            dims, function = x.dims[:axis] + (count,) + x.dims[axis:], np.stack
        else:
            known = [i for i, d in enumerate(x.dims) if isinstance(d, int)]
            if not known:
                return None
            axis = int(g.rng.choice(known))
            dims, function = x.dims[:axis] + (x.dims[axis] * count,) + x.dims[axis + 1 :], np.concatenate
        return Step(
            f"ko.{name}([{join(operands)}], axis={axis})", tuple(operands), x.dtype, dims,
            lambda a: ref.widen(function(a, axis)),
        )  # fmt: skip

    return Entry(name, make)


def sorting(name):
    def make(g):
        x = g.value(DTYPES, lambda v: v.rank >= 1)
        if x is None:
            return None
        axis = int(g.rng.integers(x.rank))
        if name == "sort":
            return Step(
                f"ko.sort({x.name}, axis={axis})", (x,), x.dtype, x.dims,
                lambda a: np.sort(ref.widen(a[0]), axis=axis, kind="stable"),
            )  # fmt: skip
        dtype = "int32" if isinstance(x.dims[axis], int) else "int64"
        return Step(
            f"ko.argsort({x.name}, axis={axis})", (x,), dtype, x.dims,
            lambda a: np.argsort(ref.widen(a[0]), axis=axis, kind="stable"),
        )  # fmt: skip

    return Entry(name, make)
