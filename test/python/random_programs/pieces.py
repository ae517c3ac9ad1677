"""Entries that take tensors apart and put them together: indexing, concat, stack, split."""

import numpy as np
from random_programs import reference as ref
from random_programs.cells import common_dtype
from random_programs.extents import is_known, is_symbol, plus, sliced, times
from random_programs.steps import Entry, Step, join


def random_slice(g):
    bounds = [int(b) if g.chance(0.7) else None for b in g.rng.integers(-5, 6, size=2)]
    return slice(*bounds, g.pick([None, None, -1, 2, 3, -2, -3]))


def slice_text(item):
    parts = [item.start, item.stop] + ([item.step] if item.step is not None else [])
    return ":".join("" if part is None else str(part) for part in parts)


def indexing():
    def make(g):
        x = g.value()
        items, texts, dims, places = [], [], [], []
        for dim, extent in enumerate(x.dims[: int(g.rng.integers(0, x.rank + 1))]):
            kind = g.pick(["all", "integer", "slice", "slice", "reverse", "new"])
            if kind == "new":
                items.append(None), texts.append("None"), dims.append(1)
            if kind == "integer" and extent:
                place = int(g.rng.integers(-extent, extent)) if is_known(extent) else g.pick([-2, -1, 0, 1])
                items.append(place), texts.append(str(place)), places.append((dim, place))
                continue
            item = {"slice": random_slice(g), "reverse": slice(None, None, -1)}.get(kind, slice(None))
            items.append(item), texts.append(slice_text(item)), dims.append(sliced(extent, item))
        items.append(Ellipsis), texts.append("...")
        used = sum(item is not None and item is not Ellipsis for item in items)
        key = tuple(items)

        def raises(arrays):
            outside = any(not -arrays[0].shape[dim] <= place < arrays[0].shape[dim] for dim, place in places)
            return "index-out-of-range" if outside else None

        return Step(
            f"{x.name}[{', '.join(texts)}]", (x,), x.dtype, tuple(dims) + x.dims[used:], lambda a: ref.widen(a[0][key]), raises=raises
        )

    return Entry("index", make, 4.0)


def concat():
    def make(g):
        x = g.value(least=1)
        flat = g.chance(0.15)
        axis = g.axis(x.rank)
        operands = [x]
        for _ in range(g.pick([0, 1, 1, 2])):
            dims = list(x.dims)
            dims[axis] = g.pick([dims[axis], g.extent()])
            same = g.chance(0.8) or x.dtype == "bool"
            dtype = x.dtype if same else g.value(accepts=lambda v: v.dtype != "bool").dtype
            fitting = [v for v in g.values if v.dtype == dtype and v.dims == tuple(dims)]
            operands.append(g.pick(fitting) if fitting and g.chance(0.5) else g.input(dtype, dims))
        dtype = common_dtype([v.dtype for v in operands])
        if flat:
            dims, text = (plus(*[times(*v.dims) for v in operands]),), "None"
        else:
            dims, text = list(x.dims), str(axis)
            dims[axis] = plus(*[v.dims[axis] for v in operands])
        return Step(
            f"ko.concat([{join(operands)}], axis={text})", tuple(operands), dtype, tuple(dims),
            lambda a: np.concatenate([ref.at_dtype(b, dtype) for b in a], None if flat else axis),
        )  # fmt: skip

    return Entry("concat", make, 1.5)


def stack():
    def make(g):
        x = g.value()
        operands = [x, *[g.like(x) for _ in range(g.pick([0, 1, 2]))]]
        axis = g.axis(x.rank + 1)
        dims = list(x.dims)
        dims.insert(axis % (x.rank + 1), len(operands))
        return Step(
            f"ko.stack([{join(operands)}], axis={axis})", tuple(operands), x.dtype, tuple(dims), lambda a: ref.widen(np.stack(a, axis)),
        )  # fmt: skip

    return Entry("stack", make)


def _equal_part(g, x, axis):
    extent, place, dims = x.dims[axis], axis % x.rank, list(x.dims)
    count = g.pick([k for k in range(1, extent + 2) if extent % k == 0]) if is_known(extent) else g.pick([1, 2, 3])
    which = int(g.rng.integers(count))
    dims[axis] = extent // count if is_known(extent) else f"({extent} // {count})"
    return Step(
        f"ko.split({x.name}, {count}, axis={axis})[{which}]", (x,), x.dtype, tuple(dims),
        lambda a: ref.widen(np.split(a[0], count, axis)[which]), raises=lambda a: "uneven-split" if a[0].shape[place] % count else None,
    )  # fmt: skip


def parts():
    """One part of split or unstack."""

    def make(g):
        x = g.value(least=1)
        axis = g.axis(x.rank)
        extent, dims = x.dims[axis], list(x.dims)
        if g.chance(0.3) and is_known(extent) and extent:
            which = int(g.rng.integers(extent))
            del dims[axis]
            text = f"ko.unstack({x.name}, axis={axis})[{which}]"
            return Step(text, (x,), x.dtype, tuple(dims), lambda a: ref.widen(np.take(a[0], which, axis)))
        if g.chance(0.4):
            return _equal_part(g, x, axis)
        given = bounds = sorted(int(b) for b in g.rng.integers(-3, 6, size=g.pick([1, 2])))
        which = int(g.rng.integers(len(bounds) + 1))
        item = slice(([None, *bounds])[which], ([*bounds, None])[which])
        dims[axis] = sliced(extent, item)
        key = (slice(None),) * (axis % x.rank) + (item,)
        text = f"ko.split({x.name}, {given}, axis={axis})[{which}]"
        return Step(text, (x,), x.dtype, tuple(dims), lambda a: ref.widen(a[0][key]))

    return Entry("split", make)


def unequal_symbols():
    """Extents under different symbols, which only the run can compare; 1 does not stretch there."""

    def make(g):
        x = g.value(least=1, most=2, accepts=lambda v: v.dtype != "bool" and is_symbol(v.dims[0]))
        y = g.input(x.dtype, (g.pick([s for s in (*g.symbols, 2, 3) if s != x.dims[0]]), *x.dims[1:]))
        text, dims, function = g.pick([
            ("{x} + {y}", x.dims, lambda a, b: a + b), ("ko.where({x} > {y}, {x}, {y})", x.dims, lambda a, b: np.where(a > b, a, b)),
            ("ko.stack([{x}, {y}])", (2, *x.dims), lambda a, b: np.stack([a, b])),
            ("ko.zip_map_reduce(lambda a, b: a - b, [{x}, {y}])", x.dims, lambda a, b: a - b),
            ("ko.scan(lambda c, r: (c, r[0] * r[1]), 0, ({x}, {y}))[1]", x.dims, lambda a, b: a * b),
        ])  # fmt: skip
        return Step(
            text.format(x=x.name, y=y.name), (x, y), x.dtype, dims, lambda a: ref.widen(function(*a)),
            raises=lambda a: None if a[0].shape == a[1].shape else "shape-mismatch",
        )  # fmt: skip

    return Entry("unequal symbols", make, 0.5)


PIECES = [indexing(), concat(), stack(), parts(), unequal_symbols()]
