"""NumPy's functions on our arrays: for each, ours with NumPy's parameters and defaults.

A function that is not here is refused by NumPy ("no implementation found"), a parameter that is not here by us: ours of the
same name may mean something else.
"""

import inspect

import numpy as np

import kolam
from kolam.errors import KolamTypeError, KolamValueError


def _cumulative(ours):
    def function(a, axis=None, dtype=None):
        return ours(kolam.reshape(a, (-1,)), 0, dtype) if axis is None else ours(a, axis, dtype)

    return function


def _variance(ours):
    def function(a, axis=None, ddof=0, keepdims=False, *, correction=None):
        return ours(a, axis, correction=ddof if correction is None else correction, keepdims=keepdims)

    return function


def _sum(ours):
    def function(a, axis=None, dtype=None, keepdims=False):
        return ours(a, axis, dtype, keepdims)

    return function


def _reduce(ours):
    def function(a, axis=None, keepdims=False):
        return ours(a, axis, keepdims)

    return function


def _sorted(ours):
    def function(a, axis=-1):
        return ours(kolam.reshape(a, (-1,)), -1) if axis is None else ours(a, axis)

    return function


def _like(ours):
    def function(a, dtype=None):
        return ours(a, dtype)

    return function


def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    return kolam.all(isclose(a, b, rtol, atol, equal_nan))


def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    a, b = kolam.asarray(a), kolam.asarray(b)
    near = kolam.less_equal(kolam.abs(a - b), atol + rtol * kolam.abs(b))
    close = kolam.logical_or(kolam.equal(a, b), kolam.logical_and(near, kolam.isfinite(b)))
    return kolam.logical_or(close, kolam.logical_and(kolam.isnan(a), kolam.isnan(b))) if equal_nan else close


def array_equal(a1, a2):
    a1, a2 = kolam.asarray(a1), kolam.asarray(a2)
    return kolam.all(kolam.equal(a1, a2)) if a1.shape == a2.shape else kolam.asarray(False)


def dot(a, b):
    """Sums over the last dim of `a` and the last but one of `b`: for rank 3 not matmul."""
    a, b = kolam.asarray(a), kolam.asarray(b)
    if a.ndim == 0 or b.ndim == 0:
        return kolam.multiply(a, b)
    return kolam.tensordot(a, b, ([a.ndim - 1], [max(b.ndim - 2, 0)]))


def take(a, indices, axis=None):
    return kolam.take(kolam.reshape(a, (-1,)), indices, 0) if axis is None else kolam.take(a, indices, axis)


def transpose(a, axes=None):
    axes = tuple(reversed(range(kolam.asarray(a).ndim))) if axes is None else axes
    return kolam.permute_dims(a, axes)


def swapaxes(a, axis1, axis2):
    axes = list(range(kolam.asarray(a).ndim))
    axes[axis1], axes[axis2] = axes[axis2], axes[axis1]
    return kolam.permute_dims(a, axes)


def round(a, decimals=0):
    if type(decimals) is not int or decimals != 0:
        raise KolamValueError.make("round", "bad-option", f"argument 'decimals': expected 0, but got {decimals!r}")
    return kolam.round(a)


def ravel(a):
    return kolam.reshape(a, (-1,))


def concatenate(arrays, axis=0):
    return kolam.concat([ravel(x) for x in arrays], 0) if axis is None else kolam.concat(list(arrays), axis)


def vstack(tup):
    return kolam.concat([kolam.atleast_2d(x) for x in tup], 0)


def hstack(tup):
    arrays = [kolam.atleast_1d(x) for x in tup]
    return kolam.concat(arrays, 0 if arrays[0].ndim == 1 else 1)


def stack(arrays, axis=0):
    return kolam.stack(list(arrays), axis)


def size(a, axis=None):
    return a.size if axis is None else a.shape[axis]


def where(condition, x, y):
    return kolam.where(condition, x, y)


def clip(a, a_min=None, a_max=None, *, min=None, max=None):
    return kolam.clip(a, a_min if min is None else min, a_max if max is None else max)


def full_like(a, fill_value, dtype=None):
    return kolam.full_like(a, fill_value, dtype)


def split(ary, indices_or_sections, axis=0):
    return list(kolam.split(ary, indices_or_sections, axis))


def pad(array, pad_width, mode="constant", *, constant_values=0):
    return kolam.pad(array, pad_width, mode, constant_values)


def einsum(*operands):
    return kolam.einsum(*operands)


def meshgrid(*xi, indexing="xy"):
    return kolam.meshgrid(*xi, indexing=indexing)


def broadcast_arrays(*args):
    return kolam.broadcast_arrays(*args)


#: NumPy's function -> ours. A lambda names NumPy's parameters where ours have other names.
FUNCTIONS = {
    np.all: _reduce(kolam.all), np.any: _reduce(kolam.any), np.argmax: _reduce(kolam.argmax),
    np.argmin: _reduce(kolam.argmin), np.max: _reduce(kolam.max), np.amax: _reduce(kolam.max),
    np.min: _reduce(kolam.min), np.amin: _reduce(kolam.min), np.sum: _sum(kolam.sum), np.prod: _sum(kolam.prod),
    np.mean: _reduce(kolam.mean), np.var: _variance(kolam.var), np.std: _variance(kolam.std),
    np.cumsum: _cumulative(kolam.cumulative_sum), np.cumprod: _cumulative(kolam.cumulative_prod),
    np.sort: _sorted(kolam.sort), np.argsort: _sorted(kolam.argsort),
    np.allclose: allclose, np.isclose: isclose, np.array_equal: array_equal,
    np.dot: dot, np.outer: lambda a, b: kolam.outer(ravel(a), ravel(b)),
    np.tensordot: lambda a, b, axes=2: kolam.tensordot(a, b, axes), np.einsum: einsum,
    np.take: take, np.take_along_axis: lambda arr, indices, axis=-1: kolam.take_along_axis(arr, indices, axis),
    np.transpose: transpose, np.swapaxes: swapaxes,
    np.moveaxis: lambda a, source, destination: kolam.moveaxis(a, source, destination),
    np.reshape: lambda a, shape: kolam.reshape(a, shape), np.ravel: ravel,
    np.squeeze: lambda a, axis=None: kolam.squeeze(a, axis),
    np.expand_dims: lambda a, axis: kolam.expand_dims(a, axis),
    np.broadcast_to: lambda array, shape: kolam.broadcast_to(array, shape), np.broadcast_arrays: broadcast_arrays,
    np.concatenate: concatenate, np.stack: stack, np.vstack: vstack, np.hstack: hstack, np.split: split,
    np.atleast_1d: lambda ary: kolam.atleast_1d(ary), np.atleast_2d: lambda ary: kolam.atleast_2d(ary),
    np.flip: lambda m, axis=None: kolam.flip(m, axis), np.roll: lambda a, shift, axis=None: kolam.roll(a, shift, axis),
    np.repeat: lambda a, repeats, axis=None: kolam.repeat(a, repeats, axis), np.tile: lambda A, reps: kolam.tile(A, reps),
    np.pad: pad, np.tril: lambda m, k=0: kolam.tril(m, k), np.triu: lambda m, k=0: kolam.triu(m, k),
    np.where: where, np.clip: clip, np.round: round, np.around: round, np.meshgrid: meshgrid,
    np.zeros_like: _like(kolam.zeros_like), np.ones_like: _like(kolam.ones_like),
    np.empty_like: _like(kolam.zeros_like), np.full_like: full_like,
    np.ndim: lambda a: a.ndim, np.shape: lambda a: a.shape, np.size: size,
}  # fmt: skip

#: NumPy's ufuncs that have another name here; those of one name mean the same, but for the ones that map to None.
UFUNCS = {
    "absolute": "abs", "arccos": "acos", "arccosh": "acosh", "arcsin": "asin", "arcsinh": "asinh", "arctan": "atan",
    "arctan2": "atan2", "arctanh": "atanh", "invert": "bitwise_invert", "left_shift": "bitwise_left_shift",
    "right_shift": "bitwise_right_shift", "power": "pow", "rint": "round",
    "true_divide": "divide",
}  # fmt: skip


def ufunc(function):
    """Our function for a ufunc of NumPy, or None."""
    name = UFUNCS.get(function.__name__, function.__name__)
    return getattr(kolam, name, None) if getattr(np, function.__name__, None) is function else None


def call(function, positional, named):
    """Calls ours for a function of NumPy; NotImplemented where there is none."""
    ours = FUNCTIONS.get(function)
    if ours is None:
        return NotImplemented
    named = {name: value for name, value in named.items() if value is not np._NoValue}
    for name in ("out", "order", "copy"):  # what asks for nothing
        if named.get(name, 0) is None:
            del named[name]
    try:
        inspect.signature(ours).bind(*positional, **named)
    except TypeError as error:
        name = function.__name__
        raise KolamTypeError.make(
            f"numpy.{name}", "call-mismatch", f"expected {name}{inspect.signature(ours)} on arrays of Kolam: {error}"
        ) from None
    return ours(*positional, **named)
