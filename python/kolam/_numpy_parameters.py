"""Our functions with the parameters, defaults and dtypes of NumPy's: what `functions` finds for each of NumPy's.

Reductions of integers give NumPy's dtypes: the sum of int32 is int64, the mean of integers float64; places and counts are
int64. All else promotes by our rules.
"""

import functools

import numpy as np

import kolam
from kolam.errors import KolamValueError


def _accumulator(a, dtype):
    """The dtype in which NumPy adds and multiplies: of integers narrower than 64 bits, that width."""
    if dtype is not None:
        return dtype
    of = kolam.asarray(a).dtype
    if of.kind in ("bool", "integer"):
        return kolam.int64
    return kolam.uint64 if of.kind == "unsigned" else None


def _averaged(a, dtype=None):
    """`a` as NumPy averages it: integers as float64."""
    a = kolam.asarray(a)
    dtype = kolam.float64 if dtype is None and a.dtype.kind != "float" else dtype
    return a if dtype is None else kolam.astype(a, dtype)


def _floats(a):
    """`a`, or integers as float64. Floats of Python stay as they are: they take the dtype of the arrays beside them."""
    given = kolam.asarray(a)
    return a if given.dtype.kind == "float" else kolam.astype(given, kolam.float64)


def _cumulative(ours):
    def function(a, axis=None, dtype=None):
        a, axis = (kolam.reshape(a, (-1,)), 0) if axis is None else (a, axis)
        return ours(a, axis, dtype=_accumulator(a, dtype))

    return function


def _cumulative_of_one_dim(ours):
    def function(x, /, *, axis=None, dtype=None, include_initial=False):
        return ours(x, axis, dtype=_accumulator(x, dtype), include_initial=include_initial)

    return function


def _variance(ours):
    def function(a, axis=None, dtype=None, *, ddof=0, keepdims=False, correction=None):
        return ours(_averaged(a, dtype), axis, correction=ddof if correction is None else correction, keepdims=keepdims)

    return function


def _mean(ours):
    def function(a, axis=None, dtype=None, *, keepdims=False):
        return ours(_averaged(a, dtype), axis, keepdims=keepdims)

    return function


def _sum(ours):
    def function(a, axis=None, dtype=None, *, keepdims=False):
        return ours(a, axis, dtype=_accumulator(a, dtype), keepdims=keepdims)

    return function


def _reduce(ours):
    def function(a, axis=None, *, keepdims=False):
        return ours(a, axis, keepdims=keepdims)

    return function


def _sorted(ours):
    def function(a, axis=-1, *, stable=None):
        return ours(kolam.reshape(a, (-1,)), -1) if axis is None else ours(a, axis)

    return function


def _like(ours):
    def function(a, dtype=None):
        return ours(a, dtype)

    return function


def _quantile(ours):
    def function(a, q, axis=None, *, method="linear", keepdims=False):
        result = ours(_averaged(a), q, axis, method=method, keepdims=keepdims)
        # These give elements; the others lie between them.
        return kolam.astype(result, kolam.asarray(a).dtype) if method in ("lower", "higher", "nearest") else result

    return function


def _places(ours):
    """Places and counts as NumPy gives them: int64."""

    @functools.wraps(ours, assigned=())
    def function(*positional, **named):
        return _wide(ours(*positional, **named))

    return function


def _wide(places):
    if isinstance(places, tuple | list):
        return type(places)(map(_wide, places))
    return kolam.astype(places, kolam.int64)


def _different(ours):
    """The values that differ, and places and counts as int64."""

    def function(x, /):
        found = ours(x)
        return found._replace(**{name: _wide(getattr(found, name)) for name in found._fields if name != "values"})

    return function


def _of_floats(ours):
    """Ours with integers of the first argument as float64."""

    @functools.wraps(ours, assigned=())
    def function(a, *positional, **named):
        return ours(_floats(a), *positional, **named)

    return function


def _positional(ours):
    """Ours, which takes NumPy's arguments in NumPy's order."""
    return ours


def dot(a, b):
    """Sums over the last dim of `a` and the last but one of `b`: for rank 3 not matmul."""
    a, b = (kolam.asarray(x) for x in _together([a, b]))
    if a.ndim == 0 or b.ndim == 0:
        return kolam.multiply(a, b)
    return kolam.tensordot(a, b, ([a.ndim - 1], [max(b.ndim - 2, 0)]))


def outer(a, b):
    return kolam.outer(kolam.ravel(a), kolam.ravel(b))


def take(a, indices, axis=None):
    return kolam.take(kolam.ravel(a), indices, 0) if axis is None else kolam.take(a, indices, axis)


def take_along_axis(arr, indices, axis=-1):
    return kolam.take_along_axis(arr, indices, axis)


def transpose(a, axes=None):
    return kolam.permute_dims(a, tuple(reversed(range(kolam.ndim(a)))) if axes is None else axes)


def reshape(a, shape=None, *, newshape=None):
    return kolam.reshape(a, newshape if shape is None else shape)


def round(a, decimals=0):
    if type(decimals) is not int or decimals != 0:
        raise KolamValueError.make("numpy.round", "bad-option", f"argument 'decimals': expected 0, but got {decimals!r}")
    return kolam.round(a)


def _together(arrays):
    """The arrays; numbers of Python and lists of them at the dtype that the arrays beside them give."""
    is_plain = [isinstance(x, bool | int | float | list | tuple) for x in arrays]
    if not any(is_plain) or all(is_plain):
        return arrays
    dtype = kolam.result_type(*arrays)
    return [kolam.asarray(x, dtype) if plain else x for x, plain in zip(arrays, is_plain, strict=True)]


def concatenate(arrays, axis=0, *, dtype=None):
    arrays = [x if dtype is None else kolam.astype(x, dtype) for x in _together(arrays)]
    return kolam.concat([kolam.ravel(x) for x in arrays], 0) if axis is None else kolam.concat(arrays, axis)


def append(arr, values, axis=None):
    return concatenate([arr, values], axis)


def vstack(tup):
    return kolam.concat([kolam.atleast_2d(x) for x in _together(tup)], 0)


def hstack(tup):
    arrays = [kolam.atleast_1d(x) for x in _together(tup)]
    return kolam.concat(arrays, 0 if arrays[0].ndim == 1 else 1)


def dstack(tup):
    return kolam.concat([kolam.atleast_3d(x) for x in _together(tup)], 2)


def column_stack(tup):
    arrays = [kolam.asarray(x) for x in _together(tup)]
    return kolam.concat([kolam.reshape(x, (-1, 1)) if x.ndim < 2 else x for x in arrays], 1)


def stack(arrays, axis=0):
    return kolam.stack(list(arrays), axis)


def where(condition, *choices):
    return kolam.where(condition, *choices) if choices else _wide(kolam.nonzero(condition))


def clip(a, a_min=None, a_max=None, *, min=None, max=None):
    return kolam.clip(a, a_min if min is None else min, a_max if max is None else max)


def full_like(a, fill_value, dtype=None):
    return kolam.full_like(a, fill_value, dtype=dtype)


def split(ary, indices_or_sections, axis=0):
    return list(kolam.split(ary, indices_or_sections, axis))


def pad(array, pad_width, mode="constant", *, constant_values=0):
    return kolam.pad(array, pad_width, mode, constant_values)


def select(condlist, choicelist, default=0):
    result = default
    for condition, choice in zip(reversed(condlist), reversed(choicelist), strict=True):
        result = kolam.where(condition, choice, result)
    return result


def fliplr(m):
    return kolam.flip(m, 1)


def flipud(m):
    return kolam.flip(m, 0)


def count_nonzero(a, axis=None, *, keepdims=False):
    return kolam.astype(kolam.count_nonzero(a, axis, keepdims), kolam.int64)


def flatnonzero(a):
    return _wide(kolam.nonzero(kolam.ravel(a))[0])


def argsort(a, axis=-1, *, stable=None):
    return _wide(_sorted(kolam.argsort)(a, axis))


def trace(a, offset=0, axis1=0, axis2=1, dtype=None):
    return kolam.trace(a, offset, axis1, axis2, dtype=_accumulator(a, dtype))


def average(a, axis=None, weights=None, *, keepdims=False):
    a = _averaged(a)
    weights = None if weights is None else _together([a, weights])[1]
    return kolam.average(a, axis, weights, keepdims=keepdims)


def cov(m, y=None, rowvar=True, bias=False, ddof=None):
    return kolam.cov(_variables(m, y, rowvar), rowvar, correction=(0 if bias else 1) if ddof is None else ddof)


def corrcoef(x, y=None, rowvar=True):
    return kolam.corrcoef(_variables(x, y, rowvar), rowvar)


def _variables(m, y, rowvar):
    """Both sets of variables, those of `y` behind those of `m`."""
    if y is None:
        return _averaged(m)
    y = kolam.asarray(y, kolam.float64) if isinstance(y, list | tuple) else y
    rows = [x if rowvar or x.ndim == 1 else kolam.matrix_transpose(x) for x in map(_averaged, (m, y))]
    both = kolam.concat([kolam.atleast_2d(x) for x in rows], 0)
    return both if rowvar else kolam.matrix_transpose(both)


def bincount(x, /, weights=None, minlength=0):
    if weights is None:
        return _wide(kolam.bincount(x, minlength=minlength))
    return kolam.bincount(x, kolam.astype(weights, kolam.float64), minlength)


def histogram(a, bins=10, range=None, density=None, weights=None):
    counts, edges = kolam.histogram(_floats(a) if kolam.ndim(bins) == 0 else a, bins, range, weights, bool(density))
    if density:
        return kolam.astype(counts, kolam.float64), edges
    return kolam.astype(counts, kolam.int64 if weights is None else kolam.asarray(weights).dtype), edges


def unique(ar, return_index=False, return_inverse=False, return_counts=False, *, equal_nan=True):
    found = kolam.unique(ar, return_index, return_inverse, return_counts, equal_nan=equal_nan)
    return (found[0], *map(_wide, found[1:])) if isinstance(found, tuple) else found


def interp(x, xp, fp, left=None, right=None):
    return kolam.interp(_floats(x), xp, _floats(fp), left, right)


def vander(x, N=None, increasing=False):
    x = kolam.asarray(x)
    is_wide = x.dtype.kind == "float" or x.dtype == kolam.uint64
    return kolam.vander(x if is_wide else kolam.astype(x, kolam.int64), N, increasing)


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    return kolam.nan_to_num(x, nan, posinf, neginf)


def cross(a, b, *, axis=-1):
    return kolam.cross(a, b, axis)


def inner(a, b):
    a, b = (kolam.asarray(x) for x in _together([a, b]))
    return kolam.tensordot(a, b, ([-1], [-1])) if a.ndim and b.ndim else kolam.multiply(a, b)


def vdot(a, b, /):
    a, b = _together([a, b])
    return kolam.vecdot(kolam.ravel(a), kolam.ravel(b))


#: Adapters and the functions of NumPy that they make of ours; `amax:max` where ours has another name.
_ADAPTERS = (
    (_reduce, "all any max amax:max min amin:min ptp nanmax nanmin"),
    (lambda ours: _places(_reduce(ours)), "argmax argmin nanargmax nanargmin"),
    (_places, "argwhere digitize nonzero searchsorted unravel_index"),
    (_of_floats, "gradient histogram_bin_edges sinc trapezoid"),
    (_cumulative_of_one_dim, "cumulative_prod cumulative_sum"),
    (_different, "unique_all unique_counts unique_inverse"),
    (_sum, "sum prod nansum nanprod"),
    (_mean, "mean nanmean median nanmedian"),
    (_variance, "var std nanvar nanstd"),
    (_cumulative, "cumsum:cumulative_sum cumprod:cumulative_prod nancumsum nancumprod"),
    (_sorted, "sort"),
    (_quantile, "quantile nanquantile percentile nanpercentile"),
    (_like, "zeros_like ones_like empty_like:zeros_like"),
    (
        _positional,
        "allclose array_equal astype atleast_1d atleast_2d atleast_3d broadcast_arrays broadcast_to convolve copy:asarray correlate diag "
        "diagonal diff einsum expand_dims flip isclose isin kron matrix_transpose meshgrid moveaxis ndim polyval ravel repeat roll rot90 shape size "
        "squeeze swapaxes tensordot tile tril triu unique_values unstack",
    ),
)
#: Functions of numpy.linalg, as `functions` has those of numpy.
_OF_LINALG = {
    "cross": lambda x1, x2, /, *, axis=-1: kolam.cross(x1, x2, axis),
    "diagonal": lambda x, /, *, offset=0: kolam.diagonal(x, offset, -2, -1),
    "matmul": lambda x1, x2, /: kolam.matmul(x1, x2),
    "matrix_norm": lambda x, /, *, keepdims=False, ord="fro": kolam.norm(_averaged(x), ord, (-2, -1), keepdims),
    "matrix_transpose": lambda x, /: kolam.matrix_transpose(x),
    "norm": lambda x, ord=None, axis=None, keepdims=False: kolam.norm(_averaged(x), ord, axis, keepdims),
    "outer": lambda x1, x2, /: kolam.outer(x1, x2),
    "tensordot": lambda x1, x2, /, *, axes=2: kolam.tensordot(x1, x2, axes),
    "trace": lambda x, /, *, offset=0, dtype=None: trace(x, offset, -2, -1, dtype),
    "vecdot": lambda x1, x2, /, *, axis=-1: kolam.vecdot(x1, x2, axis),
    "vector_norm": lambda x, /, *, axis=None, keepdims=False, ord=2: kolam.norm(
        _averaged(kolam.ravel(x) if axis is None and not keepdims else x), ord, axis, keepdims
    ),
}  # fmt: skip
#: Functions whose parameters are NumPy's in this file.
_HERE = (
    append, argsort, average, bincount, clip, column_stack, concatenate, corrcoef, count_nonzero, cov, cross, dot, dstack,
    flatnonzero, fliplr, flipud, full_like, histogram, hstack, inner, interp, nan_to_num, outer, pad, reshape, round, select,
    split, stack, take, take_along_axis, trace, transpose, unique, vander, vdot, vstack, where,
)  # fmt: skip
_ALIASES = {"around": round, "row_stack": vstack}


@functools.cache
def functions():
    """NumPy's functions, and ours for each."""
    found = {getattr(np, function.__name__): function for function in _HERE}
    found |= {getattr(np, name): function for name, function in _ALIASES.items() if hasattr(np, name)}
    found |= {getattr(np.linalg, name): function for name, function in _OF_LINALG.items() if hasattr(np.linalg, name)}
    for adapter, names in _ADAPTERS:
        for entry in names.split():
            name, _, ours = entry.partition(":")
            if hasattr(np, name) and hasattr(kolam, ours or name):
                found[getattr(np, name)] = adapter(getattr(kolam, ours or name))
    return found
