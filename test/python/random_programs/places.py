"""Entries for cells at places given by integers: take, take_along_axis, integer-array indexing."""

from dataclasses import dataclass
from typing import Callable

import numpy as np
from random_programs import reference as ref
from random_programs.extents import is_known, sliced
from random_programs.pieces import random_slice, slice_text
from random_programs.steps import Entry, Step, broadcast_dims, require
from random_programs.values import INTEGERS


def count_from_end(places, extent):
    """Negative places count from the end once, then places clip."""
    exact = [int(p) for p in np.asarray(places).ravel()]
    exact = [min(max(p + extent if p < 0 else p, 0), extent - 1) for p in exact]
    return np.array(exact, np.int64).reshape(np.shape(places))


def _some_places(g, extent, may_be_empty_list=False):
    """(text, dims, tensor or None, else the list's array)."""
    dims = tuple(g.extent((0, 1, 2, 3, 5)) for _ in range(g.pick([0, 1, 1, 1, 2])))
    if g.chance(0.3) and is_known(*dims) and dims:
        require(0 not in dims or dims == (0,) and may_be_empty_list)
        numbers = g.rng.integers(-4, 6, size=dims).tolist()
        return str(numbers), dims, None, np.array(numbers, int)
    value = g.places(dims, extent)
    return value.name, dims, value, None


def take():
    def make(g):
        x = g.value(least=1)
        axis = g.axis(x.rank)
        extent, place = x.dims[axis], axis % x.rank
        text, dims, value, numbers = _some_places(g, extent)
        require(extent != 0 or 0 in dims)
        operands = (x,) if value is None else (x, value)

        def places(arrays):
            return numbers if value is None else arrays[1]

        def expected(arrays):
            array, given = arrays[0], places(arrays)
            if not given.size:
                shape = array.shape[:place] + given.shape + array.shape[place + 1 :]
                return ref.widen(np.empty(shape, array.dtype))
            return ref.widen(np.take(array, count_from_end(given, array.shape[place]), place))

        def raises(arrays):
            return "index-out-of-range" if arrays[0].shape[place] == 0 and places(arrays).size else None

        option = "" if axis == 0 and g.chance(0.5) else f", axis={axis}"
        if text == "[]":  # a list without numbers has floats' dtype, but in brackets
            text = "np.zeros((0,), np.int32)"
        source = f"{x.name}[{text}]" if axis == 0 and dims and g.chance(0.4) else f"ko.take({x.name}, {text}{option})"
        return Step(source, operands, x.dtype, (*x.dims[:place], *dims, *x.dims[place + 1 :]), expected, raises=raises)

    return Entry("take", make, 3.0)


def take_along_axis():
    def make(g):
        x = g.value(least=1)
        axis = g.axis(x.rank)
        place = axis % x.rank
        dims = [1 if g.chance(0.15) else d for d in x.dims]
        dims[place] = g.extent((0, 1, 2, 5))
        require(x.dims[place] != 0 or 0 in dims)
        fitting = [v for v in g.values if v.dims == x.dims and v.dtype in INTEGERS]
        places = g.pick(fitting) if fitting and g.chance(0.4) else g.places(tuple(dims), x.dims[place])
        out = list(broadcast_dims(*[v.dims[:place] + (1,) + v.dims[place + 1 :] for v in (x, places)]) or require(False))
        out[place] = places.dims[place]

        def expected(arrays):
            array, given = arrays
            shape = list(np.broadcast_shapes(*[a.shape[:place] + (1,) + a.shape[place + 1 :] for a in arrays]))
            wide = np.broadcast_to(array, shape[:place] + [array.shape[place]] + shape[place + 1 :])
            given = np.broadcast_to(given, shape[:place] + [given.shape[place]] + shape[place + 1 :])
            if not given.size:
                return ref.widen(np.empty(given.shape, array.dtype))
            return ref.widen(np.take_along_axis(wide, count_from_end(given, array.shape[place]), place))

        def raises(arrays):
            return "index-out-of-range" if arrays[0].shape[place] == 0 and arrays[1].size else None

        return Step(f"ko.take_along_axis({x.name}, {places.name}, axis={axis})", (x, places), x.dtype, tuple(out), expected, raises=raises)

    return Entry("take_along_axis", make, 2.0)


@dataclass
class Item:
    """One item of an index."""

    text: str
    dims: tuple  # of the places; of anything else what it leaves of its dim
    get: Callable  # arrays -> places, a slice or None
    is_place: bool = False
    takes_dim: bool = True


def _items(g, x, operands):
    """Items for the leading dims of `x`; tensors among them are appended to `operands`."""
    items = []
    for extent in x.dims[: int(g.rng.integers(1, x.rank + 1))]:
        kind = g.pick(["array", "array", "array", "slice", "integer", "new", "mask"])
        if kind == "mask" and is_known(extent) and 0 < extent <= 20:
            mask = [g.chance(0.5) for _ in range(extent)]
            where = np.flatnonzero(mask)
            items.append(Item(str(mask), where.shape, lambda arrays, n=where: n, is_place=True))
            continue
        if kind == "new":
            items.append(Item("None", (1,), lambda arrays: None, takes_dim=False))
        if kind in ("array", "new", "mask"):
            require(extent != 0)
            text, dims, value, numbers = _some_places(g, extent, may_be_empty_list=True)
            number = len(operands)
            operands += [] if value is None else [value]
            items.append(Item(text, dims, (lambda arrays, i=number: arrays[i]) if value else (lambda arrays, n=numbers: n), is_place=True))
        elif kind == "integer" and is_known(extent) and extent:
            place = int(g.rng.integers(-extent, extent))
            items.append(Item(str(place), (), lambda arrays, n=np.array(place): n, is_place=True))
        else:
            item = random_slice(g) if kind == "slice" else slice(None)
            items.append(Item(slice_text(item), (sliced(extent, item),), lambda arrays, s=item: s))
    return items


def _result_dims(items, rest):
    """Places broadcast together; their dims stand where the first stood, or in front where something lies between them."""
    common = broadcast_dims(*[item.dims for item in items if item.is_place])
    require(common is not None)
    at = [i for i, item in enumerate(items) if item.is_place]
    apart = any(b - a > 1 for a, b in zip(at, at[1:], strict=False))
    dims = list(common) if apart else []
    for i, item in enumerate(items):
        if not item.is_place:
            dims += item.dims
        elif i == at[0] and not apart:
            dims += common
    return (*dims, *rest)


def index_arrays():
    """x[i, :, j], by NumPy's rule; without places of rank 1 or more it is plain indexing."""

    def make(g):
        x = g.value(least=1)
        operands = [x]
        items = _items(g, x, operands)
        require(any(item.is_place and not item.text.lstrip("-").isdigit() for item in items))
        used = [item for item in items if item.takes_dim]
        dims = _result_dims(items, x.dims[len(used) :])
        texts = [item.text for item in items] + ["..."] * g.chance(0.3)

        def places(arrays):
            """(item, what it gives, the extent of its dim) for all that take a dim."""
            return [(item, item.get(arrays), extent) for item, extent in zip(used, arrays[0].shape, strict=False)]

        def expected(arrays):
            given = iter(count_from_end(p, extent) if item.is_place else p for item, p, extent in places(arrays))
            return ref.widen(arrays[0][tuple(next(given) if item.takes_dim else None for item in items)])

        def raises(arrays):
            empty = any(item.is_place and extent == 0 and p.size for item, p, extent in places(arrays))
            return "index-out-of-range" if empty else None

        def promises(arrays):
            """NumPy refuses a place in an empty dim also where there are no cells to take; with symbols that is no error."""
            given = [p for item, p, _ in places(arrays) if item.is_place]
            return not raises(arrays) or 0 not in np.broadcast_shapes(*(p.shape for p in given))

        return Step(f"{x.name}[{', '.join(texts)}]", tuple(operands), x.dtype, dims, expected, raises=raises, promises=promises)

    return Entry("index_arrays", make, 4.0)


PLACES = [take(), take_along_axis(), index_arrays()]
