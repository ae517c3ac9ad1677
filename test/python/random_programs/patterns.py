"""Entries for zip_map_reduce, with random bodies, and for reduce with monoids of several kinds."""

import numpy as np
from random_programs import reference as ref
from random_programs.bodies import Body
from random_programs.extents import is_known, most_cells
from random_programs.steps import Entry, Step, broadcast_dims, join, require, some_axes
from random_programs.sums import SUM, is_refused, place_dtype, place_of, product, require_cells, total
from random_programs.twin import evaluate
from random_programs.values import DTYPES, FLOATS, INTEGERS, NUMBERS, float_dtype, is_float, sum_dtype

NAMES = ("sum", "ADD", "prod", "Mul", "min", "max", "mean", "any", "all", "argmin", "argmax")


def _count(cells, axes):
    return np.prod([cells.shape[a] for a in axes], dtype=float)


class Reduction:
    """A named reduction over axes: what it gives and how far off it may lie."""

    def __init__(self, name, axes, keepdims, extents, given):
        self.name = {"add": "sum", "mul": "prod"}.get(name.lower(), name.lower())
        self.axes, self.keepdims, self.given = axes, keepdims, given
        self.dtype = {
            "sum": sum_dtype(given), "prod": sum_dtype(given), "min": given, "max": given, "mean": float_dtype(given), "any": "bool",
            "all": "bool", "argmin": place_dtype(extents), "argmax": place_dtype(extents),
        }[self.name]  # fmt: skip

    def refuses_empty(self):
        return self.name in ("min", "max", "argmin", "argmax")

    def is_rounded(self):
        return self.name in ("sum", "prod", "mean") and is_float(self.dtype)

    def of(self, cells):
        axes, keep = self.axes, {"axis": self.axes, "keepdims": self.keepdims}
        if self.name in ("argmin", "argmax"):
            return place_of(getattr(np, self.name), ref.widen(cells), axes, self.keepdims)
        if self.name in ("any", "all"):
            return getattr(np, self.name)(ref.cast_saturating(cells, "bool"), **keep)
        wide = ref.widen(ref.cast_saturating(cells, self.dtype))
        # Rounded sums are compared where nothing overflows.
        if self.is_rounded() and not np.all(np.abs(wide) < 1e4):
            return None
        if self.name in ("sum", "prod"):
            return (total if self.name == "sum" else product)(wide, axes, self.keepdims)
        return np.sum(wide, **keep) / np.float64(_count(cells, axes)) if self.name == "mean" else getattr(np, self.name)(wide, **keep)

    def within(self, cells, epsilon):
        wide = np.abs(ref.widen(ref.cast_saturating(cells, self.dtype)))
        count = np.float64(_count(cells, self.axes))
        if self.name == "prod":
            return max(SUM, count) * epsilon * product(wide, self.axes, self.keepdims)
        size = np.sum(wide, axis=self.axes, keepdims=self.keepdims)
        return SUM * epsilon * (size / count if self.name == "mean" else size)


def zip_map_reduce():
    def make(g):
        first = g.value(DTYPES, lambda v: most_cells(v.dims) <= 8000)
        operands = [first]
        for _ in range(g.pick([0, 1, 1, 2])):
            operands.append(g.partner(operands, DTYPES))
        space = broadcast_dims(*[v.dims for v in operands])
        require(space is not None)
        rank, names = len(space), "abc"[: len(operands)]
        outer = [g.value(most=1, accepts=lambda v: v.rank == 0 or is_known(*v.dims) and v.dims[0])] if g.chance(0.3) else []
        body = Body(g, names, operands, outer, rank)
        cells = [body.cell(g.pick([1, 2, 3])) for _ in range(g.pick([1, 1, 1, 2]))]
        which = int(g.rng.integers(len(cells)))
        cell, reduction, options, dims = cells[which], None, "", space
        if g.chance(0.65):
            name = g.pick(NAMES if len(cells) == 1 else NAMES[:-2])
            require(name not in ("min", "max") or all(c.dtype != "bool" for c in cells))
            keepdims = g.chance(0.4)
            axes = None if rank == 0 or g.chance(0.2) else some_axes(g, rank)
            options = f", reduce={name!r}" + (f", axis={axes if len(axes) > 1 else axes[0]}" if axes else "") + (", keepdims=True" if keepdims else "")
            axes = tuple(range(rank)) if axes is None else tuple(sorted(a % rank for a in axes))
            extents = [space[a] for a in axes]
            reduction = Reduction(name, axes, keepdims, extents, cell.dtype)
            if reduction.refuses_empty():
                require_cells(space, axes)
            dims = tuple(1 if i in axes else d for i, d in enumerate(space) if i not in axes or keepdims)

        def space_of(arrays):
            return np.broadcast_shapes(*[a.shape for a in arrays[: len(names)]])

        def all_cells(arrays):
            shape = space_of(arrays)
            inputs = [np.broadcast_to(a, shape) for a in arrays[: len(names)]]
            with np.errstate(all="ignore"):
                return np.broadcast_to(cell.meaning([*inputs, *arrays[len(names) :]], shape), shape)

        def raises(arrays):
            shape = space_of(arrays)
            refused = reduction is not None and reduction.refuses_empty() and is_refused(shape, reduction.axes)
            return "empty-reduction" if refused else None

        texts = ", ".join(c.text for c in cells)
        text = f"ko.zip_map_reduce(lambda {', '.join(names)}: {f'({texts})' if len(cells) > 1 else texts}, [{join(operands)}]{options})"
        return Step(
            text + (f"[{which}]" if len(cells) > 1 else ""), (*operands, *outer), reduction.dtype if reduction else cell.dtype, dims,
            lambda a: reduction.of(all_cells(a)) if reduction else ref.widen(all_cells(a)),
            within=(lambda a, epsilon: reduction.within(all_cells(a), epsilon)) if reduction and reduction.is_rounded() else None, raises=raises,
        )  # fmt: skip

    return Entry("zip_map_reduce", make, 7.0)


# Exactly associative, so that any grouping gives the same bits. {d} is the dtype of the first input.
MONOIDS = [
    # Composition of maps x -> p x + q: not commutative.
    (INTEGERS, 1, "ko.Monoid(zero=(ko.asarray(1, '{d}'), ko.asarray(0, '{d}')), wrap=lambda x: (x, x + 1), "
     "merge=lambda s, t: (s[0] * t[0], s[1] * t[0] + t[1]), unwrap=lambda s: s[1], exact=True)"),
    (INTEGERS, 2, "ko.Monoid(zero=(ko.asarray(1, '{d}'), ko.asarray(0, '{d}')), wrap=lambda x, y: (x, y), "
     "merge=lambda s, t: (s[0] * t[0], s[1] * t[0] + t[1]), unwrap=lambda s: s[0] ^ s[1])"),
    # The last element that is positive, else 0.
    (NUMBERS, 1, "ko.Monoid(zero=(ko.asarray(0, 'int32'), ko.asarray(0, '{d}')), wrap=lambda x: (ko.astype(x > 0, 'int32'), ko.where(x > 0, x, 0)), "
     "merge=lambda s, t: (ko.maximum(s[0], t[0]), ko.where(t[0] > 0, t[1], s[1])), unwrap=lambda s: ko.where(s[0] > 0, s[1], 0))"),
    # How many, and the sum of squares.
    (INTEGERS, 1, "ko.Monoid(zero=(ko.asarray(0, 'int32'), ko.asarray(0, '{d}')), wrap=lambda x: (ko.asarray(1, 'int32'), x * x), "
     "merge=lambda s, t: (s[0] + t[0], s[1] + t[1]), unwrap=lambda s: s[1] - ko.astype(s[0], '{d}'), commutative=True, exact=True)"),
    (FLOATS, 1, "ko.Monoid(zero=(ko.asarray(-np.inf, '{d}'), ko.asarray(-np.inf, '{d}')), wrap=lambda x: (x, -x), "
     "merge=lambda s, t: (ko.maximum(s[0], t[0]), ko.maximum(s[1], t[1])), unwrap=lambda s: s[0] + s[1], commutative=True, exact=True)"),
]  # fmt: skip


def monoid_reduce():
    def make(g):
        dtypes, count, text = g.pick(MONOIDS)
        x = g.value(dtypes, lambda v: most_cells(v.dims) <= 1500)
        operands = [x, *[g.like(x) for _ in range(count - 1)]]
        keepdims = g.chance(0.4)
        axes = None if x.rank == 0 or g.chance(0.2) else some_axes(g, x.rank)
        options = (f", axis={axes}" if axes else "") + (", keepdims=True" if keepdims else "")
        axes = tuple(range(x.rank)) if axes is None else tuple(sorted(a % x.rank for a in axes))
        dims = tuple(1 if i in axes else d for i, d in enumerate(x.dims) if i not in axes or keepdims)
        text = f"ko.reduce([{join(operands)}], {text.format(d=x.dtype)}{options})"
        return Step(text, tuple(operands), x.dtype, dims, lambda a: ref.widen(np.asarray(evaluate(text, [v.name for v in operands], a))))

    return Entry("reduce", make, 2.0)


PATTERNS = [zip_map_reduce(), monoid_reduce()]

