"""Entries that normalise: softmax and its kin, norms, cross entropy. How far results may lie off follows from the
equations, term by term, with SUM roundings for every sum."""

import numpy as np
from random_programs import reference as ref
from random_programs.steps import Entry, Step, join, some_axes
from random_programs.sums import SUM, mean, mean_error
from random_programs.values import FLOATS, INTEGERS, NUMBERS, float_dtype


def _axes(g, x):
    """(axes from the front, text of the option)."""
    if g.chance(0.4):
        return (x.rank - 1,), ""
    axes = some_axes(g, x.rank)
    return tuple(sorted(a % x.rank for a in axes)), f", axis={axes if len(axes) > 1 or g.chance(0.3) else axes[0]}"


def centred(a, axes):
    """x - max(x), where a maximum that is not finite is left out."""
    top = np.max(a, axis=axes, keepdims=True, initial=-np.inf)
    return a - np.where(np.isfinite(top), top, 0)


def softmax(a, axes):
    powers = np.exp(centred(a, axes))
    return powers / np.sum(powers, axis=axes, keepdims=True)


def softmax_error(a, axes, epsilon):
    """A power is off by a rounding of its exponent, their sum by its share of that."""
    distance = np.abs(centred(a, axes))
    share = np.sum(softmax(a, axes) * distance, axis=axes, keepdims=True)
    return epsilon * softmax(a, axes) * (SUM + distance + share)


def log_softmax(a, axes):
    out = centred(a, axes)
    return out - np.log(np.sum(np.exp(out), axis=axes, keepdims=True))


def log_softmax_error(a, axes, epsilon):
    distance = np.abs(centred(a, axes))
    share = np.sum(softmax(a, axes) * distance, axis=axes, keepdims=True)
    return epsilon * (SUM + 2 * distance + share)


def over_axes(name, function, error):
    def make(g):
        x = g.value(least=1)
        axes, option = _axes(g, x)
        dtype = float_dtype(x.dtype)
        return Step(
            f"ko.{name}({x.name}{option})", (x,), dtype, x.dims, lambda a: function(ref.at_dtype(a[0], dtype), axes),
            within=lambda a, epsilon: error(ref.at_dtype(a[0], dtype), axes, epsilon), tame=1,
        )  # fmt: skip

    return Entry(name, make, 1.5)


def norm(name):
    """layer_norm, (x - mean) / sqrt(var + e) w + b, and rms_norm, which takes no mean and no b."""

    def make(g):
        x = g.value(NUMBERS, least=1)
        axes, option = _axes(g, x)
        operands, options = [x], ""
        for parameter in ("weight", "bias")[: g.pick([0, 1, 2]) if name == "layer_norm" else g.pick([0, 1])]:
            operands.append(g.input(g.pick(FLOATS), [x.dims[a] for a in axes]))
            options += f", {parameter}={operands[-1].name}"
        smallest = g.pick([1e-5, 1e-5, 1e-3, 0.5])
        options += option + (f", epsilon={smallest}" if smallest != 1e-5 else "")
        dtype = float_dtype(x.dtype)

        def parts(arrays):
            """(x, x - mean, the denominator, weight, bias)"""
            a, *rest = [ref.at_dtype(b, dtype if i == 0 else operands[i].dtype) for i, b in enumerate(arrays)]
            shape = [a.shape[i] if i in axes else 1 for i in range(a.ndim)]
            weight, bias, *_ = [b.reshape(shape) for b in rest] + [np.float64(1), np.float64(0)][len(rest) :]
            distance = a - mean(a, axes) if name == "layer_norm" else a
            return a, distance, np.sqrt(mean(distance * distance, axes) + smallest), weight, bias

        def expected(arrays):
            _, distance, root, weight, bias = parts(arrays)
            return distance / root * weight + bias

        def within(arrays, epsilon):
            a, distance, root, weight, bias = parts(arrays)
            off = mean_error(a, axes, epsilon) + epsilon * np.abs(a) if name == "layer_norm" else np.zeros_like(a)
            square_off = mean(2 * np.abs(distance) * off + off * off, axes) + SUM * epsilon * root * root
            ratio_off = off / root + np.abs(distance) / root * (square_off / (2 * root * root) + 4 * epsilon)
            return np.abs(weight) * ratio_off + 4 * epsilon * (np.abs(distance / root * weight) + np.abs(bias))

        return Step(f"ko.{name}({x.name}{options})", tuple(operands), dtype, x.dims, expected, within=within, tame=len(operands))

    return Entry(name, make, 1.5)


def cross_entropy():
    def make(g):
        x = g.value(NUMBERS, least=1)
        axis = g.axis(x.rank)
        option = "" if axis % x.rank == x.rank - 1 else f", axis={axis}"
        axis %= x.rank
        dims, dtype = x.dims[:axis] + x.dims[axis + 1 :], float_dtype(x.dtype)
        by_class = g.chance(0.6)
        labels = g.places(dims, x.dims[axis]) if by_class else g.like(x, g.pick(FLOATS))

        def odds(arrays):
            a, given = ref.at_dtype(arrays[0], dtype), arrays[1]
            if not by_class:
                return a, ref.widen(given)
            classes = np.arange(a.shape[axis]).reshape([-1 if i == axis else 1 for i in range(a.ndim)])
            return a, (np.expand_dims(given, axis).astype(object) == classes).astype(np.float64)

        def expected(arrays):
            a, p = odds(arrays)
            loss = -np.sum(np.where(p == 0, 0, p * log_softmax(a, (axis,))), axis)
            return np.where(np.sum(p, axis) == 0, np.nan, loss) if by_class else loss  # NaN where a label is no class

        def within(arrays, epsilon):
            a, p = odds(arrays)
            off = log_softmax_error(a, (axis,), epsilon) + SUM * epsilon * np.abs(log_softmax(a, (axis,)))
            return np.sum(np.where(p == 0, 0, np.abs(p) * off), axis)

        return Step(
            f"ko.cross_entropy({join((x, labels))}{option})", (x, labels), dtype, dims, expected, within=within, tame=1 if by_class else 2
        )

    return Entry("cross_entropy", make)


NORMS = [
    over_axes("softmax", softmax, softmax_error), over_axes("log_softmax", log_softmax, log_softmax_error), norm("layer_norm"),
    norm("rms_norm"), cross_entropy(),
]  # fmt: skip

