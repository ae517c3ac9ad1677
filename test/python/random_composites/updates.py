"""Calls that read and write at places: x.at[...] with its modes, put_along_axis, take_along_axis."""

import numpy as np
from random_composites.cases import DTYPES, NUMBERS, Call, wide

COMBINERS = {"set": lambda a, b: b, "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "min": np.minimum, "max": np.maximum}
SLICES = [("1:", slice(1, None)), ("::-1", slice(None, None, -1)), (":2", slice(None, 2)), ("::2", slice(None, None, 2))]
MODES = [None, "drop", "fill", "clip", "promise_in_bounds"]


def _places(d, shape, extent, mode):
    """Places of an axis; outside only where the mode says what becomes of them."""
    reach = 0 if mode == "promise_in_bounds" else 3
    places = d.rng.integers(-extent - reach, extent + reach, shape) if extent or reach else np.zeros(shape, int)
    return places.astype(d.pick(["int8", "int32", "int64"]))


def _place(place, extent, mode):
    """Counted from the end once, then clipped, or None outside."""
    place = int(place) + (extent if place < 0 else 0)
    if 0 <= place < extent:
        return place
    return min(max(place, 0), extent - 1) if mode == "clip" else None


def _fill_of(dtype):
    if dtype == bool:
        return True
    if dtype.kind == "i":
        return np.iinfo(dtype).min
    return np.iinfo(dtype).max if dtype.kind == "u" else np.nan


def _index(d, shape, mode):
    """(text, the places along the leading axes, the slice behind them, which may be left out)."""
    count = d.pick([1, 1, 2]) if len(shape) > 1 else 1
    of_places = d.pick([(), (1,), (3,), (2, 2), (0,), (6,)])
    names, places = [], []
    for extent in shape[:count]:
        places.append(d.given(_places(d, of_places, extent, mode)))
        names.append(f"x{len(d.arrays) - 1}")
    rest = slice(None)
    if len(shape) > count and d.chance(0.5):
        text, rest = d.pick(SLICES)
        names.append(text)
    return ", ".join(names), places, rest


def _cells(shape, places, mode):
    """For each place of the index the leading coordinates that it means, or None outside."""
    for at in np.ndindex(places[0].shape):
        found = [_place(line[at], extent, mode) for line, extent in zip(places, shape, strict=False)]
        yield at, None if None in found else tuple(found)


def _shape(d):
    return tuple(max(extent, 1) for extent in d.shape(1, 3))


def update(d):
    mode, name = d.pick(MODES), d.pick(list(COMBINERS))
    shape = _shape(d)
    x = d.array(d.pick(DTYPES if name == "set" else NUMBERS), shape)
    text, places, rest = _index(d, shape, mode)
    row = x[(*[0] * len(places), rest)] if len(shape) > len(places) else x[(0,) * len(places)]
    full = (*places[0].shape, *row.shape)
    value = d.array(str(x.dtype), full[int(d.rng.integers(0, len(full) + 1)) :])
    values, out = np.broadcast_to(value, full), x.copy()
    with np.errstate(all="ignore"):
        for at, cell in _cells(shape, places, mode):
            if cell is None:
                continue
            where = (*cell, rest) if len(shape) > len(places) else cell
            combined = COMBINERS[name](wide(out[where]), wide(values[at]))
            out[where] = np.asarray(combined).astype(x.dtype)  # one rounding each
    option = "" if mode is None else f", mode='{mode}'"
    size = 0.1 if name in ("add", "subtract", "multiply") else None
    if size and str(x.dtype) in ("float16", "bfloat16"):  # every step may be rounded
        size = np.nan_to_num(np.abs(wide(out).astype(float)), posinf=0) * 1e5 + 1e4
    return Call(f"x0.at[{text}].{name}(x{len(d.arrays) - 1}{option})", d.arrays, [out], [str(x.dtype)], size)


def reading(d):
    mode = d.pick(["fill", "clip", "promise_in_bounds"])
    shape = _shape(d)
    x = d.array(d.pick(DTYPES), shape)
    text, places, rest = _index(d, shape, mode)
    row = x[(*[0] * len(places), rest)] if len(shape) > len(places) else x[(0,) * len(places)]
    fill = d.pick([None, 1]) if mode == "fill" else None
    out = np.empty((*places[0].shape, *np.shape(row)), x.dtype)
    for at, cell in _cells(shape, places, mode):
        where = None if cell is None else (*cell, rest) if len(shape) > len(places) else cell
        out[at] = (_fill_of(x.dtype) if fill is None else fill) if cell is None else x[where]
    option = f"mode='{mode}'" + ("" if fill is None else f", fill_value={fill if x.dtype != bool else True}")
    return Call(f"x0.at[{text}].get({option})", d.arrays, [out], [str(x.dtype)])


def along_axis(d):
    x = d.array(d.pick(DTYPES), _shape(d))
    axis = d.axis(x.ndim)
    shape = list(x.shape)
    shape[axis] = d.pick([0, 1, 2, 5])
    indices = d.given(_places(d, tuple(shape), x.shape[axis], None))
    extent = x.shape[axis]
    if d.chance(0.5):
        inside = np.clip(np.where(indices < 0, indices.astype(int) + extent, indices), 0, extent - 1)
        return Call(f"ko.take_along_axis(x0, x1, {axis})", d.arrays, [np.take_along_axis(x, inside, axis)], [str(x.dtype)])
    values = d.array(str(x.dtype), tuple(shape) if d.chance(0.7) else ())
    out = x.copy()
    for at in np.ndindex(*shape):
        place = _place(indices[at], extent, None)
        if place is not None:
            where = list(at)
            where[axis] = place
            out[tuple(where)] = np.broadcast_to(values, shape)[at]
    return Call(f"ko.put_along_axis(x0, x1, x2, {axis})", d.arrays, [out], [str(x.dtype)])


UPDATES = [update, update, update, reading, along_axis]
