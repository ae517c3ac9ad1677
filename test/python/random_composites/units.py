"""Calls of activations and losses, beside their equations."""

import numpy as np
from linear_units_test import LOSSES, UNITS
from random_composites.cases import FLOATS, Call, float_of, wide


def unit(d):
    # What cancels in float32 has tests of its own.
    name = d.pick(sorted(set(UNITS) - {"tanh_shrink", "squareplus", "sinc", "logit", "erfc"}))
    x = d.array(d.pick(("int8", "int32", *FLOATS)), d.shape(0, 4))
    with np.errstate(all="ignore"):
        out = UNITS[name](wide(x).astype(float)) if x.size else np.zeros(x.shape)
    return Call(f"ko.{name}(x0)", d.arrays, [out], [float_of(x.dtype)], 1e-2)


def loss(d):
    name, reduction = d.pick(sorted(LOSSES)), d.pick(["none", "sum", "mean"])
    dtype, shape = d.pick(FLOATS), d.shape(0, 3)
    x = d.array(dtype, shape, special=0)
    y = d.given(np.round(d.rng.random(shape), 2).astype(x.dtype))
    with np.errstate(all="ignore"):
        each = LOSSES[name](wide(x), wide(y))
        out = each if reduction == "none" else np.sum(each) if reduction == "sum" else np.sum(each) / np.float64(each.size)
    size = np.sum(np.abs(each)) + 10
    if dtype in ("float16", "bfloat16"):
        size = size * {"float16": 2.0**12, "bfloat16": 2.0**15}[dtype]  # what is between may be rounded
    return Call(f"ko.{name}(x0, x1, reduction='{reduction}')", d.arrays, [out], [dtype], size)


def cross_entropy(d):
    dtype, shape = d.pick(("float32", "float64")), tuple(max(extent, 1) for extent in d.shape(1, 3))
    x, axis = d.array(dtype, shape, special=0), d.axis(len(shape))
    rest = np.delete(shape, axis)
    labels = d.given(d.rng.integers(-1, shape[axis] + 1, rest).astype(d.pick(["int8", "int32", "int64"])))
    outside = (labels < 0) | (labels >= shape[axis])
    chosen = np.expand_dims(np.where(outside, 0, labels), axis)
    logs = wide(x) - np.log(np.sum(np.exp(wide(x)), axis, keepdims=True))
    name = d.pick(["cross_entropy", "nll_loss"])
    values = logs if name == "cross_entropy" else wide(x)
    out = np.where(outside, np.nan, -np.squeeze(np.take_along_axis(values, chosen, axis), axis))
    option = "" if name == "cross_entropy" else ", reduction='none'"
    return Call(f"ko.{name}(x0, x1, axis={axis}{option})", d.arrays, [out], [dtype], np.abs(wide(x)).max() + 1)


UNITS_AND_LOSSES = [unit, loss, cross_entropy]
