"""Calls of statistics and numerical formulas: average, cov, ptp, gradient, trapezoid, cross, nan_to_num, heaviside, isclose."""

import numpy as np
from random_composites.cases import FLOATS, NUMBERS, WIDE_FLOATS, Call, float_of, wide


def _magnitude(x):
    return np.sum(np.nan_to_num(np.abs(wide(x).astype(float)), posinf=0))


def average(d):
    shape = tuple(max(extent, 1) for extent in d.shape(1, 3))
    x, axis, keepdims = d.array(d.pick(("int8", "int32", *FLOATS)), shape, special=0.2), d.axis(len(shape)), d.chance(0.4)
    weights = d.given(np.round(d.rng.random(shape if d.chance(0.5) else shape[axis]) + 0.5, 1).astype("float32"))
    dtype = str(x.dtype) if str(x.dtype) == "float64" else "float32"
    with np.errstate(all="ignore"):
        out = np.average(wide(x).astype(float), axis, wide(weights), keepdims=keepdims)
    return Call(f"ko.average(x0, {axis}, x1, {keepdims})", d.arrays, [out], [dtype], _magnitude(x))


def covariance(d):
    x = d.array(d.pick(("int8", *WIDE_FLOATS)), (d.pick([1, 3]), d.pick([2, 3, 8])), special=0)
    rowvar, correction = d.chance(0.6), d.pick([0, 1])
    if not rowvar:
        x = d.arrays[0] = np.ascontiguousarray(x.T)
    out = np.cov(wide(x).astype(float), rowvar=rowvar, ddof=correction)
    out = out if x.shape[0 if rowvar else 1] > 1 else np.reshape(out, (1, 1))
    return Call(f"ko.cov(x0, {rowvar}, {correction})", d.arrays, [out], [float_of(x.dtype)], _magnitude(x) ** 2)


def spread(d):
    x = d.array(d.pick(NUMBERS), tuple(max(extent, 1) for extent in d.shape(0, 4)))
    axis, keepdims = d.axes(x.ndim), d.chance(0.4)
    with np.errstate(all="ignore"):
        out = np.ptp(wide(x), axis, keepdims=keepdims)
    return Call(f"ko.ptp(x0, {axis}, {keepdims})", d.arrays, [out], [str(x.dtype)], None if x.dtype.kind in "iu" else 0)


def neighbours(d):
    shape = tuple(extent + 2 for extent in d.shape(1, 3))
    x, axis = d.array(d.pick(("int32", *WIDE_FLOATS)), shape, special=0.2 if d.chance(0.5) else 0), d.axis(len(shape))
    cells = wide(x).astype(float)
    dtype = float_of(x.dtype)
    with np.errstate(all="ignore"):
        if d.chance(0.5):
            return Call(f"ko.gradient(x0, 0.5, axis={axis})", d.arrays, [np.gradient(cells, 0.5, axis=axis)], [dtype], np.float64(40))
        area = np.trapezoid(wide(x), dx=0.5, axis=axis)  # sums of neighbouring integers wrap
        return Call(f"ko.trapezoid(x0, dx=0.5, axis={axis})", d.arrays, [area], [dtype], _magnitude(x))


def cross(d):
    shape = d.shape(0, 2)
    axis = d.axis(len(shape) + 1)
    whole = list(shape)
    whole.insert(axis % (len(shape) + 1), 3)
    dtype = d.pick(("int8", "int32", *WIDE_FLOATS))
    x, y = d.array(dtype, tuple(whole), special=0), d.array(dtype, tuple(whole), special=0)
    return Call(f"ko.cross(x0, x1, {axis})", d.arrays, [np.cross(x, y, axis=axis)], [dtype], 100 if dtype in FLOATS else None, needs_extents=True)


def cleaned(d):
    x = d.array(d.pick(("int32", *FLOATS)), d.shape(0, 3))
    options = d.pick([{}, {"nan": 2.0}, {"posinf": 9.0}, {"nan": 1.0, "posinf": 4.0, "neginf": -4.0}])
    if str(x.dtype) == "int32":
        options = {}
    text = "".join(f", {name}={value}" for name, value in options.items())
    if str(x.dtype) == "bfloat16":
        most = float(np.asarray(0x7F7F, np.uint16).view(x.dtype))
        out = np.nan_to_num(wide(x), **{"posinf": most, "neginf": -most} | options)
    else:
        out = np.nan_to_num(x, **options)
    return Call(f"ko.nan_to_num(x0{text})", d.arrays, [out], [str(x.dtype)])


def stepped(d):
    x = d.array(d.pick(WIDE_FLOATS), d.shape(0, 3))
    y = d.array(str(x.dtype), ())
    return Call("ko.heaviside(x0, x1)", d.arrays, [np.heaviside(x, y)], [str(x.dtype)])


def close(d):
    x = d.array(d.pick(("int32", *WIDE_FLOATS)), d.shape(0, 3))
    y = d.given(np.where(d.rng.random(x.shape) < 0.5, x, d.values(str(x.dtype), x.shape)).astype(x.dtype))
    equal_nan = d.chance(0.5)
    with np.errstate(all="ignore"):
        out = np.isclose(wide(x), wide(y), rtol=0.1, atol=0.5, equal_nan=equal_nan)
    return Call(f"ko.isclose(x0, x1, 0.1, 0.5, {equal_nan})", d.arrays, [out], ["bool"])


def unravelled(d):
    shape = tuple(max(extent, 1) for extent in d.shape(1, 3))
    x = d.given(d.rng.integers(0, np.prod(shape), d.shape(0, 2)).astype(d.pick(["int32", "int64", "uint64"])))
    return Call(f"ko.unravel_index(x0, {shape})", d.arrays, list(np.unravel_index(x.astype(int), shape)), [str(x.dtype)] * len(shape))


STATISTICS = [average, covariance, spread, neighbours, cross, cleaned, stepped, close, unravelled]
