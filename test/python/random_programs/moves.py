"""Entries that move cells of one tensor: every result cell is an operand's, exactly."""

import numpy as np
from random_programs import reference as ref
from random_programs.extents import is_known, plus, times
from random_programs.steps import Entry, Step, require, some_axes


def move(name, pick):
    """`pick(g, x)` gives (arguments as text, dims, numpy function), and perhaps shape -> the slug of an error."""

    def make(g):
        x = g.value()
        arguments, dims, function, *error = pick(g, x)
        text = f"ko.{name}({x.name}{', ' if arguments else ''}{arguments})"
        raises = (lambda a: error[0](a[0].shape)) if error else None
        return Step(text, (x,), x.dtype, tuple(dims), lambda a: ref.widen(function(a[0])), raises=raises)

    return Entry(name, make)


def permute(g, x):
    axes = tuple(int(a) for a in g.rng.permutation(x.rank))
    return f"{axes}", [x.dims[a] for a in axes], lambda a: np.transpose(a, axes)


def transpose(g, x):
    require(x.rank >= 2)
    return "", (*x.dims[:-2], x.dims[-1], x.dims[-2]), lambda a: np.swapaxes(a, -1, -2)


def moveaxis(g, x):
    sources = some_axes(g, x.rank)
    places = tuple(int(a) for a in g.rng.permutation(x.rank)[: len(sources)])
    order = np.moveaxis(np.empty(range(x.rank)), sources, places).shape
    dims = [x.dims[axis] for axis in order]
    return f"{sources}, {places}", dims, lambda a: np.moveaxis(a, sources, places)


def flip(g, x):
    if g.chance(0.2):
        return "", x.dims, np.flip
    axes = some_axes(g, x.rank)
    return f"axis={axes}", x.dims, lambda a: np.flip(a, axes)


def roll(g, x):
    shifts = [int(s) for s in g.rng.integers(-4, 5, size=2)]
    if g.chance(0.2):
        return f"{shifts[0]}", x.dims, lambda a: np.roll(a, shifts[0])
    axes = [g.axis(x.rank) for _ in range(2)]
    if g.chance(0.5):
        return f"{shifts[0]}, axis={axes[0]}", x.dims, lambda a: np.roll(a, shifts[0], axes[0])
    return f"{shifts}, axis={axes}", x.dims, lambda a: np.roll(a, shifts, axes)


def flat(g, x):
    return "(-1,)", (times(*x.dims),), lambda a: a.reshape(-1)


def reshape(g, x):
    count = times(*x.dims)
    if not is_known(count):  # whether rows come out even only the run can tell
        rows = g.pick([1, 2, 3])
        uneven = lambda shape: "shape-mismatch" if times(*shape) % rows else None  # noqa: E731
        return f"({rows}, -1)", (rows, f"({count} // {rows})"), lambda a: a.reshape(rows, a.size // rows), uneven
    divisors = [d for d in range(1, count + 1) if count % d == 0] or [0]
    first = g.pick(divisors)
    dims = (first, count // first if first else 3)
    return f"{dims}", dims, lambda a: a.reshape(dims)


def expand(g, x):
    axis = g.axis(x.rank + 1)
    place = axis % (x.rank + 1)
    return f"axis={axis}", (*x.dims[:place], 1, *x.dims[place:]), lambda a: np.expand_dims(a, axis)


def squeeze(g, x):
    ones = [i for i, d in enumerate(x.dims) if d == 1]
    require(ones)
    if g.chance(0.3):
        return "", [d for d in x.dims if d != 1], lambda a: np.squeeze(a, tuple(ones))
    axis = g.pick(ones)
    return f"axis={axis}", x.dims[:axis] + x.dims[axis + 1 :], lambda a: np.squeeze(a, axis)


def tile(g, x):
    counts = tuple(int(c) for c in g.rng.integers(0, 3, size=max(0, x.rank + g.pick([-1, 0, 0, 1]))))
    rank = max(x.rank, len(counts))
    wide_counts, wide_dims = (1,) * (rank - len(counts)) + counts, (1,) * (rank - x.rank) + x.dims
    return f"{counts}", [times(d, c) for d, c in zip(wide_dims, wide_counts, strict=True)], lambda a: np.tile(a, counts)


def repeat(g, x):
    count = int(g.rng.integers(0, 4))
    if g.chance(0.2):
        return f"{count}", (times(*x.dims, count),), lambda a: np.repeat(a, count)
    axis = g.axis(x.rank)
    dims = list(x.dims)
    if g.chance(0.3):
        return _repeat_each(g, x, axis)
    dims[axis] = times(dims[axis], count)
    return f"{count}, axis={axis}", dims, lambda a: np.repeat(a, count, axis)


def _repeat_each(g, x, axis):
    """A count for every cell; a symbolic extent is compared when the program runs."""
    extent, place, dims = x.dims[axis], axis % x.rank, list(x.dims)
    counts = [int(c) for c in g.rng.integers(0, 3, size=extent if is_known(extent) else g.pick([2, 3]))]
    require(0 < len(counts) <= 20 and (is_known(extent) or len(counts) > 1))
    dims[axis] = sum(counts)
    return (
        f"{counts}, axis={axis}", dims, lambda a: np.repeat(a, counts, axis),
        lambda shape: None if shape[place] == len(counts) else "shape-mismatch",
    )  # fmt: skip


def pad(g, x):
    require(x.rank)
    mode = g.pick(["constant", "constant", "edge", "reflect", "wrap"])
    widths = [tuple(int(w) for w in g.rng.integers(0, 3, size=2)) for _ in x.dims]
    if g.chance(0.2):
        widths = [(2, 2)] * x.rank

    def error(shape):
        """Modes other than constant find no cells in an empty dim."""
        empty = any(extent == 0 and any(width) for extent, width in zip(shape, widths, strict=True))
        return "empty-dim" if mode != "constant" and empty else None

    require(not error(x.dims))
    dims = [plus(d, b + e) for d, (b, e) in zip(x.dims, widths, strict=True)]
    text = f"{2 if set(widths) == {(2, 2)} else widths}, mode='{mode}'"
    if mode != "constant" or g.chance(0.5):
        return text, dims, lambda a: np.pad(a, widths, mode=mode), error
    number = True if x.dtype == "bool" else 3
    return f"{text}, constant_values={number}", dims, lambda a: np.pad(a, widths, constant_values=number)


def broadcast(g, x):
    front = [int(d) for d in g.rng.integers(0, 4, size=g.rng.integers(0, 3))]
    own = [int(g.rng.integers(0, 4)) if d == 1 else d for d in x.dims]
    texts = [str(d) for d in front] + [str(d) if is_known(d) else f"{x.name}.shape[{i}]" for i, d in enumerate(own)]
    ones = [d if old == 1 else -1 for d, old in zip(own, x.dims, strict=True)]

    def function(a):
        return np.broadcast_to(a, [*front, *[e if d < 0 else d for d, e in zip(ones, a.shape, strict=True)]])

    return f"({', '.join(texts)}{',' if len(texts) == 1 else ''})", (*front, *own), function


def triangle(function):
    def pick(g, x):
        require(x.rank >= 2)
        k = int(g.rng.integers(-2, 3))
        return f"k={k}", x.dims, lambda a: function(a, k)

    return pick


PICKS = [
    ("permute_dims", permute), ("matrix_transpose", transpose), ("moveaxis", moveaxis), ("flip", flip), ("roll", roll), ("reshape", flat),
    ("reshape", reshape), ("expand_dims", expand), ("squeeze", squeeze), ("tile", tile), ("repeat", repeat), ("pad", pad),
    ("broadcast_to", broadcast), ("tril", triangle(np.tril)), ("triu", triangle(np.triu)),
]  # fmt: skip
MOVES = [move(name, pick) for name, pick in PICKS]
