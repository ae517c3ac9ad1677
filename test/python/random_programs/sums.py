"""Entries that combine cells along axes: reductions and running sums."""

import numpy as np
from random_programs import reference as ref
from random_programs.extents import extent_at, is_known, plus, times
from random_programs.steps import Entry, Step, require, some_axes
from random_programs.values import NUMBERS, float_dtype, is_float, is_narrow, numpy_dtype, sum_dtype

# Sums of n terms lie within so many machine epsilons of the sum of magnitudes.
SUM = 8


def axes_and_dims(g, x, keepdims):
    """(axes counted from the front, their text, the dims of the result, the extents that vanish)."""
    if x.rank == 0 or g.chance(0.3):
        axes, text = tuple(range(x.rank)), "None"
    else:
        given = some_axes(g, x.rank)
        axes = tuple(sorted(a % x.rank for a in given))
        text = str(given if len(given) > 1 or g.chance(0.3) else given[0])
    dims = tuple(1 if i in axes else d for i, d in enumerate(x.dims) if i not in axes or keepdims)
    return axes, text, dims, [x.dims[i] for i in axes]


def is_refused(shape, axes):
    """Whether there is nothing to choose from: also where no results are wanted, as in NumPy."""
    return any(shape[a] == 0 for a in axes)


def require_cells(dims, axes):
    """Leaves out what is refused when the program is made."""
    require(not is_refused(dims, axes))


def product(a, axes, keepdims):
    """The product, or None where rounding or its order may matter much: overflow and underflow on the way."""
    out = np.prod(a, axis=axes, keepdims=keepdims, dtype=a.dtype)
    if a.dtype.kind != "f":
        return out
    size = np.abs(a)
    most = np.prod(np.maximum(size, 1), axis=axes, keepdims=keepdims)
    least = np.prod(np.where(size > 0, np.minimum(size, 1), 1), axis=axes, keepdims=keepdims)
    return out if np.all(most < 1e30) and np.all(least > 1e-30) else None


def total(a, axes, keepdims):
    return np.sum(a, axis=axes, keepdims=keepdims, dtype=a.dtype)


def summing(name, function):
    """sum and prod, in the dtype of sums or a given one."""

    def make(g):
        x = g.value()
        keepdims = g.chance(0.4)
        axes, text, dims, _ = axes_and_dims(g, x, keepdims)
        dtype, option = sum_dtype(x.dtype), ""
        if g.chance(0.2):
            dtype = g.pick(NUMBERS)
            option = f", dtype='{dtype}'"

        def expected(arrays):
            wide = ref.cast_saturating(arrays[0], dtype)
            return function(ref.widen(wide) if is_float(dtype) else wide, axes, keepdims)

        def within(arrays, epsilon):
            size = np.abs(ref.widen(ref.cast_saturating(arrays[0], dtype)).astype(np.float64))
            return max(SUM, _count(size, axes)) * epsilon * function(size, axes, keepdims)

        return Step(
            f"ko.{name}({x.name}, axis={text}, keepdims={keepdims}{option})", (x,), dtype, dims, expected,
            within=within if is_float(dtype) else None, tame=int(is_float(dtype)),
        )  # fmt: skip

    return Entry(name, make, 1.5)


def extreme(name, function):
    def make(g):
        x, keepdims = g.value(NUMBERS), g.chance(0.4)
        axes, text, dims, _ = axes_and_dims(g, x, keepdims)
        require_cells(x.dims, axes)
        return Step(
            f"ko.{name}({x.name}, axis={text}, keepdims={keepdims})", (x,), x.dtype, dims,
            lambda a: function(ref.widen(a[0]), axis=axes, keepdims=keepdims),
            raises=lambda a: "empty-reduction" if is_refused(a[0].shape, axes) else None,
        )  # fmt: skip

    return Entry(name, make)


def truth(name, function):
    def make(g):
        x, keepdims = g.value(), g.chance(0.4)
        axes, text, dims, _ = axes_and_dims(g, x, keepdims)
        return Step(
            f"ko.{name}({x.name}, axis={text}, keepdims={keepdims})", (x,), "bool", dims,
            lambda a: function(a[0] != 0, axis=axes, keepdims=keepdims),
        )  # fmt: skip

    return Entry(name, make)


def place_of(function, array, axes, keepdims):
    """argmin or argmax over axes: the place counts their cells row-major."""
    kept = [i for i in range(array.ndim) if i not in axes]
    count = times(*[array.shape[i] for i in axes])
    rows = np.transpose(array, (*kept, *axes)).reshape([array.shape[i] for i in kept] + [count])
    out = function(rows, axis=-1)
    return np.expand_dims(out, axes) if keepdims else out


def place_dtype(extents):
    return "int32" if is_known(times(*extents)) else "int64"


def argument(name, function):
    def make(g):
        x, keepdims = g.value(), g.chance(0.4)
        axes, text, dims, reduced = axes_and_dims(g, x, keepdims)
        require_cells(x.dims, axes)
        return Step(
            f"ko.{name}({x.name}, axis={text}, keepdims={keepdims})", (x,), place_dtype(reduced), dims,
            lambda a: place_of(function, ref.widen(a[0]), axes, keepdims),
            raises=lambda a: "empty-reduction" if is_refused(a[0].shape, axes) else None,
        )  # fmt: skip

    return Entry(name, make)


def averaging(name, function, tolerance, has_correction=False):
    """mean, var, std, logsumexp: floats; integers and booleans become float32. `function(a, axes)` and `tolerance(a, axes, epsilon)`
    keep dims."""

    def make(g):
        x, keepdims = g.value(), g.chance(0.4)
        axes, text, dims, _ = axes_and_dims(g, x, keepdims)
        dtype, correction = float_dtype(x.dtype), g.pick([0, 0, 1, 0.5, 3]) if has_correction else 0
        option = f", correction={correction}" if correction else ""
        extra = (correction,) if has_correction else ()

        def fold(array):
            return array if keepdims else np.squeeze(array, axes)

        return Step(
            f"ko.{name}({x.name}, axis={text}, keepdims={keepdims}{option})", (x,), dtype, dims,
            lambda a: fold(function(ref.at_dtype(a[0], dtype), axes, *extra)),
            within=lambda a, epsilon: fold(tolerance(ref.at_dtype(a[0], dtype), axes, *extra, epsilon)), tame=1,
        )  # fmt: skip

    return Entry(name, make)


def _sum(a, axes):
    return np.sum(a, axis=axes, keepdims=True)


def _count(a, axes):
    return float(times(*[extent_at(a.shape[i], {}) for i in axes]))


def mean(a, axes):
    return _sum(a, axes) / _count(a, axes) if _count(a, axes) else np.full_like(_sum(a, axes), np.nan)


def mean_error(a, axes, epsilon):
    return SUM * epsilon * mean(np.abs(a), axes)


def variance(a, axes, correction):
    return _sum(np.square(a - mean(a, axes)), axes) / np.float64(max(_count(a, axes) - correction, 0))


def variance_error(a, axes, correction, epsilon):
    """Of sum((x - m)^2): each square is off by what x - m is, which is off by roundings of x and of the mean."""
    distance = np.abs(a - mean(a, axes))
    off = SUM * epsilon * mean(np.abs(a), axes) + epsilon * np.abs(a)
    squares = _sum(2 * distance * off + off * off + SUM * epsilon * distance * distance, axes)
    return squares / np.float64(max(_count(a, axes) - correction, 0))


def deviation(a, axes, correction):
    return np.sqrt(variance(a, axes, correction))


def deviation_error(a, axes, correction, epsilon):
    """|sqrt(v + e) - sqrt(v)| <= min(sqrt(e), e / sqrt(v)), and a rounding."""
    root, error = deviation(a, axes, correction), variance_error(a, axes, correction, epsilon)
    return np.where(root > 0, np.minimum(np.sqrt(error), error / np.where(root > 0, root, 1)), np.sqrt(error)) + epsilon * root


def logsumexp(a, axes):
    top = np.max(a, axis=axes, keepdims=True, initial=-np.inf)
    shift = np.where(np.isfinite(top), top, 0)
    return np.log(_sum(np.exp(a - shift), axes)) + shift


def logsumexp_error(a, axes, epsilon):
    """Exponents are off by a rounding of x - m, the sum by its share, the result by roundings of both parts."""
    size = np.max(np.abs(a), axis=axes, keepdims=True, initial=0)
    return epsilon * (SUM + 3 * size)


def cumulative(name, function):
    """Left to right in the result's dtype, narrow floats in float32: NumPy's very bits."""

    def make(g):
        x = g.value(least=1)
        axis = g.axis(x.rank)
        dtype, options = sum_dtype(x.dtype), "" if x.rank == 1 and g.chance(0.3) else f", axis={axis}"
        axis %= x.rank
        if g.chance(0.2):
            dtype = g.pick(NUMBERS)
            options += f", dtype='{dtype}'"
        dims, initial = list(x.dims), g.chance(0.3)
        if initial:
            options += ", include_initial=True"
            dims[axis] = plus(dims[axis], 1)

        def expected(arrays):
            array = ref.cast_saturating(arrays[0], dtype)
            out = function.accumulate(array.astype(np.float32) if is_narrow(dtype) else array, axis=axis, dtype=None if is_narrow(dtype) else array.dtype)
            out = out.astype(numpy_dtype(dtype))
            if initial:
                shape = list(out.shape)
                shape[axis] = 1
                out = np.concatenate([np.full(shape, function.identity, out.dtype), out], axis)
            return out

        return Step(f"ko.{name}({x.name}{options})", (x,), dtype, tuple(dims), expected)

    return Entry(name, make, 1.5)


SUMS = [
    summing("sum", total), summing("prod", product), extreme("min", np.min), extreme("max", np.max), truth("any", np.any), truth("all", np.all),
    argument("argmin", np.argmin), argument("argmax", np.argmax), averaging("mean", mean, mean_error),
    averaging("var", variance, variance_error, has_correction=True), averaging("std", deviation, deviation_error, has_correction=True),
    averaging("logsumexp", logsumexp, logsumexp_error), cumulative("cumulative_sum", np.add), cumulative("cumulative_prod", np.multiply),
]  # fmt: skip

