"""Calls that count and combine by number: segments, bincount, histogram, digitize, searchsorted, interp."""

import numpy as np
from random_composites.cases import FLOATS, NUMBERS, WIDE_FLOATS, Call, float_of, sum_of, wide


def segment(d):
    name = d.pick(["sum", "prod", "min", "max", "mean"])
    shape = d.shape(1, 4)
    lead = shape[: d.pick(range(1, len(shape) + 1))]
    x = d.array(d.pick(NUMBERS), shape, special=0.25)
    segments = d.pick([0, 1, 3, 6])
    ids = d.given(d.rng.integers(-2 if d.chance(0.5) else 0, segments + 2, lead).astype(d.pick(["int8", "int32", "int64", "uint64"])))
    kind = str(x.dtype)
    dtype = sum_of(kind) if name in ("sum", "prod") else float_of(kind) if name == "mean" else kind
    if x.dtype.kind in "iu":
        limits = np.iinfo(kind)
        least, most = limits.max, limits.min
    else:
        least, most = np.inf, -np.inf
    cells = wide(x) if dtype in FLOATS else x.astype(dtype)
    size = np.zeros((segments, *shape[len(lead) :]))
    out = np.full(size.shape, {"prod": 1, "min": least, "max": most}.get(name, 0), cells.dtype if name != "mean" else np.float64)
    count = np.zeros(segments)
    combine = {"sum": np.add, "mean": np.add, "prod": np.multiply, "min": np.minimum, "max": np.maximum}[name]
    with np.errstate(all="ignore"):
        for place in np.ndindex(lead):
            s = int(ids[place])
            if 0 <= s < segments:
                out[s], count[s] = combine(out[s], cells[place]), count[s] + 1
                size[s] += np.nan_to_num(np.abs(wide(x)[place].astype(float)), posinf=0)
        if name == "mean":
            out = out / count.reshape(-1, *[1] * (out.ndim - 1))
    if name in ("min", "max"):
        size = None
    return Call(f"ko.segment_{name}(x0, x1, {segments})", d.arrays, [out], [dtype], size)


def bincount(d):
    length = d.pick([0, 1, 4, 9])
    x = d.given(d.rng.integers(-1, 8, d.pick([0, 1, 5, 30])).astype(d.pick(["int8", "int32", "int64"])))
    inside = (x >= 0) & (x < length)
    if d.chance(0.5):
        w = d.array(d.pick(("int32", *FLOATS)), x.shape, special=0.2)
        out, size = np.zeros(length), np.zeros(length)
        np.add.at(out, x[inside], wide(w)[inside])
        np.add.at(size, x[inside], np.nan_to_num(np.abs(wide(w)[inside]), posinf=0))
        return Call(f"ko.bincount(x0, x1, length={length})", d.arrays, [out], [float_of(w.dtype)], size)
    return Call(f"ko.bincount(x0, length={length})", d.arrays, [np.bincount(x[inside], minlength=length)[:length]], ["int32"])


def histogram(d):
    dtype = d.pick(("int8", "int32", *WIDE_FLOATS))
    x = d.array(dtype, d.shape(0, 3), special=0.3)
    edges = d.given(np.sort(np.round(d.rng.normal(size=d.pick([2, 3, 6])) * 3).astype(float_of(dtype))))
    cells = wide(x).ravel()
    with np.errstate(invalid="ignore"):
        counts = [np.sum((cells >= a) & (cells < b)) for a, b in zip(edges[:-1], edges[1:], strict=True)]
    counts[-1] += np.sum(cells == edges[-1])
    # An element on the last edge lies in the last bin, an element on an edge in the bin behind it.
    return Call("ko.histogram(x0, x1)", d.arrays, [np.array(counts), edges], ["int32", str(edges.dtype)])


def by_order(d):
    dtype = d.pick(NUMBERS)
    edges = np.sort(d.values(dtype, d.pick([(0,), (1,), (4,), (9,)]), special=0.2))
    x = d.array(dtype, d.shape(0, 3))
    function = d.pick(["searchsorted", "searchsorted", "digitize", "isin"])
    if function == "isin":
        d.given(d.rng.permutation(edges).reshape(d.pick([(-1,), (1, -1)])))
        invert = d.chance(0.4)
        return Call(f"ko.isin(x0, x1, invert={invert})", d.arrays, [np.isin(wide(x), wide(edges), invert=invert)], ["bool"])
    right = d.chance(0.5)
    if function == "digitize" and edges.size and not np.isnan(wide(edges).astype(float)).any():
        d.given(edges)
        if d.chance(0.3) and (wide(edges)[0] != wide(edges)[-1]):
            d.arrays[-1] = edges[::-1].copy()
        return Call(f"ko.digitize(x0, x1, right={right})", d.arrays, [np.digitize(wide(x), wide(d.arrays[-1]), right)], ["places"])
    side = "right" if right else "left"
    expected = np.searchsorted(wide(edges), wide(x), side)
    d.given(edges)
    if d.chance(0.3):
        order = d.rng.permutation(edges.size)
        d.arrays[-1] = edges[order]
        d.given(np.argsort(wide(edges[order]), kind="stable").astype("int32"))
        return Call(f"ko.searchsorted(x1, x0, side='{side}', sorter=x2)", d.arrays, [expected], ["places"])
    return Call(f"ko.searchsorted(x1, x0, side='{side}')", d.arrays, [expected], ["places"])


def interp(d):
    dtype = d.pick(WIDE_FLOATS)
    points = d.pick([1, 2, 6])
    x = d.array(dtype, d.shape(0, 3), special=0.3 if points > 1 else 0)  # NumPy gives NaN no NaN where there is one point
    xp = d.given(np.cumsum(np.round(d.rng.random(points) * 3 + 0.1, 1)).astype(dtype) - 3)
    fp = d.array(dtype, (points,), special=0)
    options = d.pick([{}, {}, {"left": -5.0}, {"right": 7.0}, {"left": 0.0, "right": 1.5}])
    text = "".join(f", {name}={value}" for name, value in options.items())
    return Call(f"ko.interp(x0, x1, x2{text})", d.arrays, [np.interp(wide(x), wide(xp), wide(fp), **options)], [dtype], np.abs(wide(fp)).sum() * 10)


SEGMENTS = [segment, segment, bincount, histogram, by_order, by_order, interp]
