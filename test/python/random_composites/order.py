"""Calls that go by order or leave out NaN: running extremes, medians, quantiles, nan*, diff, the different values."""

import warnings

import numpy as np
from random_composites.cases import DTYPES, FLOATS, NUMBERS, Call, float_of, sum_of, wide


def quiet(function, *arguments, **options):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return function(*arguments, **options)


def _size(x, axis, keepdims):
    return np.sum(np.nan_to_num(np.abs(wide(x).astype(float)), posinf=0), axis=axis, keepdims=keepdims)


def running(d):
    x = d.array(d.pick(NUMBERS), d.shape(1, 4))
    axis, reverse, name = d.axis(x.ndim), d.chance(0.4), d.pick(["max", "min"])
    function = np.maximum if name == "max" else np.minimum
    cells = np.flip(wide(x), axis) if reverse else wide(x)
    out = function.accumulate(cells, axis) if x.size else cells
    out = np.flip(out, axis) if reverse else out
    return Call(f"ko.cumulative_{name}(x0, {axis}, reverse={reverse})", d.arrays, [out], [str(x.dtype)])


def quantile(d):
    shape = tuple(max(extent, 1) for extent in d.shape(1, 3))
    x = d.array(d.pick(("int8", "int32", *FLOATS)), shape, special=0)
    axis, keepdims, method = d.axes(x.ndim), d.chance(0.4), d.pick(["linear", "lower", "higher", "nearest", "midpoint"])
    ignores = d.chance(0.5)
    if str(x.dtype) in FLOATS and d.chance(0.6):
        x[d.rng.random(shape) < 0.2] = np.nan
    prefix, size = ("nan" if ignores else ""), _size(x, axis, keepdims)
    if d.chance(0.4):
        out = quiet(getattr(np, f"{prefix}median"), wide(x), axis=axis, keepdims=keepdims)
        return Call(f"ko.{prefix}median(x0, axis={axis}, keepdims={keepdims})", d.arrays, [out], [float_of(x.dtype)], size)
    q = d.given(np.array(d.pick([0.0, 0.25, 0.5, 1.0]) if d.chance(0.4) else [0.25, 0.0, 1.0, 0.5], d.pick(["float32", "float64"])))
    out = quiet(getattr(np, f"{prefix}quantile"), wide(x), wide(q), axis=axis, method=method, keepdims=keepdims)
    options = f"axis={axis}, method='{method}', keepdims={keepdims}"
    return Call(f"ko.{prefix}quantile(x0, x1, {options})", d.arrays, [out], [float_of(x.dtype)], size)


def without_nan(d):
    name = d.pick(["nansum", "nanprod", "nanmean", "nanvar", "nanstd", "nanmax", "nanmin", "nanargmax", "nanargmin"])
    shape = d.shape(0, 4)
    if name[3:] in ("max", "min", "argmax", "argmin"):
        shape = tuple(max(extent, 1) for extent in shape)
    x = d.array(d.pick(("int8", "int32", *FLOATS)), shape)
    places = name.startswith("nanarg")
    axis, keepdims = d.axes(x.ndim, ("none", "one") if places else ("none", "one", "some")), d.chance(0.4)
    text = f"ko.{name}(x0, axis={axis}, keepdims={keepdims})"
    cells = wide(x)
    if places:
        is_nan = np.isnan(cells.astype(float))
        # The place of each value in the order, and NaN behind all of them.
        order = np.unique(cells, return_inverse=True)[1].reshape(x.shape)
        order = np.where(is_nan, -1, order if name == "nanargmax" else order.max() - order)
        empty = is_nan.all(axis=axis, keepdims=keepdims)
        return Call(text, d.arrays, [np.where(empty, -1, np.argmax(order, axis=axis, keepdims=keepdims))], ["places"])
    if name in ("nanmax", "nanmin"):
        return Call(text, d.arrays, [quiet(getattr(np, name), cells, axis=axis, keepdims=keepdims)], [str(x.dtype)])
    kind = sum_of(x.dtype) if name in ("nansum", "nanprod") else float_of(x.dtype)
    if kind not in FLOATS:
        return Call(text, d.arrays, [getattr(np, name)(x, axis=axis, keepdims=keepdims, dtype=kind)], [kind])
    out, size = quiet(getattr(np, name), cells, axis=axis, keepdims=keepdims), _size(x, axis, keepdims)
    return Call(text, d.arrays, [out], [kind], size * size + size if name in ("nanvar", "nanstd", "nanprod") else size)


def running_without_nan(d):
    name = d.pick(["nancumsum", "nancumprod"])
    x = d.array(d.pick(("int32", *FLOATS)), d.shape(1, 3))
    axis, kind = d.axis(x.ndim), str(x.dtype)
    out = getattr(np, name)(wide(x), axis=axis, dtype=None if kind in FLOATS else kind)
    size = np.nan_to_num(np.abs(out), posinf=0) * 4 if name == "nancumprod" else _size(x, None, False)
    if kind in ("float16", "bfloat16"):
        size = size * 1e5  # every running sum is rounded
    return Call(f"ko.{name}(x0, {axis})", d.arrays, [out], [kind], size)


def diff(d):
    x = d.array(d.pick(DTYPES), d.shape(1, 4))
    n, axis = d.pick([0, 1, 1, 2, 3]), d.axis(x.ndim)
    options, text = {}, ""
    for name in ("prepend", "append") if n else ():  # NumPy leaves them out of no differences
        if d.chance(0.2):
            shape = list(x.shape)
            shape[axis] = d.pick([0, 1, 2])
            options[name] = wide(d.array(str(x.dtype), tuple(shape)))
            text += f", {name}=x{len(d.arrays) - 1}"
    kind = str(x.dtype)
    with np.errstate(all="ignore"):
        if kind in ("float16", "float32", "bfloat16"):  # each difference is rounded
            parts = [options.get("prepend"), wide(x), options.get("append")] if n else [wide(x)]
            out = np.concatenate([part.astype(x.dtype) for part in parts if part is not None], axis)
            for _ in range(n):
                out = np.diff(out.astype(np.float64), axis=axis).astype(x.dtype)
        else:
            out = np.diff(x, n, axis, **{name: value.astype(x.dtype) for name, value in options.items()})
    return Call(f"ko.diff(x0, {n}, {axis}{text})", d.arrays, [out], [kind])


def different(d):
    x = d.array(d.pick(DTYPES), d.shape(0, 3))
    cells = wide(x)
    name = d.pick(["values", "counts", "inverse", "all"])
    values, first, inverse, counts = np.unique(cells, True, True, True, equal_nan=False)
    kept = {"values": [], "counts": [counts], "inverse": [inverse.reshape(x.shape)], "all": [first, inverse.reshape(x.shape), counts]}[name]
    text = f"ko.unique_{name}(x0)"
    if name in ("values", "counts") and x.size and d.chance(0.5):
        size = d.pick([0, 2, 9])
        lacks = max(size - values.size, 0)
        parts = [np.concatenate([values[:size], np.ones(lacks, values.dtype)])]
        parts += [np.concatenate([counts[:size], np.zeros(lacks, int)])] if kept else []
        fill = "True" if x.dtype == bool else "1"
        return Call(f"{text[:-1]}, size={size}, fill_value={fill})", d.arrays, parts, [str(x.dtype), *["places"] * len(kept)])
    return Call(text, d.arrays, [values, *kept], [str(x.dtype), *["places"] * len(kept)], has_free_extent=True)


def found(d):
    x = d.array(d.pick(DTYPES), d.shape(1, 4))
    coordinates = np.nonzero(x)
    name, text = d.pick(["nonzero", "argwhere", "flatnonzero"]), ""
    size = None if d.chance(0.4) else d.pick([0, 1, 4, 60])
    fill = d.pick([0, -1, 9])
    if size is not None:
        text = f", size={size}, fill_value={fill}"
    flat = np.flatnonzero(x)

    def cut(line):
        return line if size is None else np.concatenate([line[:size], np.full(max(size - line.size, 0), fill)])

    parts = [cut(line) for line in coordinates]
    expected = {"nonzero": parts, "argwhere": [np.stack(parts, 1)], "flatnonzero": [cut(flat)]}[name]
    return Call(f"ko.{name}(x0{text})", d.arrays, expected, ["places"] * len(expected), has_free_extent=size is None)


ORDER = [running, quantile, quantile, without_nan, without_nan, running_without_nan, diff, different, found]
