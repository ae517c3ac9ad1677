"""NumPy's functions on our arrays: ours with NumPy's parameters and defaults, else NumPy's own on a view of the elements.

Reductions of integers give NumPy's dtypes: the sum of int32 is int64, the mean of integers float64. All else promotes by
our rules. What NumPy computes itself is an array of NumPy; a traced value has no elements to give it, and is refused.
"""

import functools
import inspect

import numpy as np

import kolam
from kolam._kolam import Array, Tensor
from kolam.errors import KolamTypeError, KolamValueError


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


def _cumulative(ours):
    def function(a, axis=None, dtype=None):
        a, axis = (kolam.reshape(a, (-1,)), 0) if axis is None else (a, axis)
        return ours(a, axis, dtype=_accumulator(a, dtype))

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
        return ours(_averaged(a), q, axis, method=method, keepdims=keepdims)

    return function


def _positional(ours):
    """Ours, which takes NumPy's arguments in NumPy's order."""
    return ours


def dot(a, b):
    """Sums over the last dim of `a` and the last but one of `b`: for rank 3 not matmul."""
    a, b = kolam.asarray(a), kolam.asarray(b)
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


def concatenate(arrays, axis=0, *, dtype=None):
    arrays = [x if dtype is None else kolam.astype(x, dtype) for x in arrays]
    return kolam.concat([kolam.ravel(x) for x in arrays], 0) if axis is None else kolam.concat(arrays, axis)


def append(arr, values, axis=None):
    return concatenate([arr, values], axis)


def vstack(tup):
    return kolam.concat([kolam.atleast_2d(x) for x in tup], 0)


def hstack(tup):
    arrays = [kolam.atleast_1d(x) for x in tup]
    return kolam.concat(arrays, 0 if arrays[0].ndim == 1 else 1)


def dstack(tup):
    return kolam.concat([kolam.atleast_3d(x) for x in tup], 2)


def column_stack(tup):
    arrays = [kolam.asarray(x) for x in tup]
    return kolam.concat([kolam.reshape(x, (-1, 1)) if x.ndim < 2 else x for x in arrays], 1)


def stack(arrays, axis=0):
    return kolam.stack(list(arrays), axis)


def where(condition, *choices):
    return kolam.where(condition, *choices) if choices else kolam.nonzero(condition)


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
    return kolam.nonzero(kolam.ravel(a))[0]


#: Adapters and the functions of NumPy that they make of ours; `amax:max` where ours has another name.
_ADAPTERS = (
    (_reduce, "all any argmax argmin max amax:max min amin:min ptp nanmax nanmin nanargmax nanargmin"),
    (_sum, "sum prod nansum nanprod"),
    (_mean, "mean nanmean median nanmedian"),
    (_variance, "var std nanvar nanstd"),
    (_cumulative, "cumsum:cumulative_sum cumprod:cumulative_prod nancumsum nancumprod"),
    (_sorted, "sort argsort"),
    (_quantile, "quantile nanquantile percentile"),
    (_like, "zeros_like ones_like empty_like:zeros_like"),
    (
        _positional,
        "allclose argwhere array_equal atleast_1d atleast_2d atleast_3d average bincount broadcast_arrays broadcast_to "
        "convolve copy:asarray correlate corrcoef cov cross diag diagonal diff digitize einsum expand_dims flip "
        "gradient histogram interp isclose isin kron meshgrid moveaxis nan_to_num ndim nonzero polyval ravel repeat roll "
        "rot90 searchsorted shape size squeeze swapaxes tensordot tile trace trapezoid tril triu unique unravel_index",
    ),
)
#: Functions whose parameters are NumPy's in this file.
_HERE = (
    append, clip, column_stack, concatenate, count_nonzero, dot, dstack, flatnonzero, fliplr, flipud, full_like, hstack, outer,
    pad, reshape, round, select, split, stack, take, take_along_axis, transpose, vstack, where,
)  # fmt: skip
_ALIASES = {"around": round, "row_stack": vstack}

#: NumPy's ufuncs that have another name here; those of one name mean the same.
_UFUNCS = {
    "absolute": "abs", "arccos": "acos", "arccosh": "acosh", "arcsin": "asin", "arcsinh": "asinh", "arctan": "atan",
    "arctan2": "atan2", "arctanh": "atanh", "fabs": "abs", "invert": "bitwise_invert", "left_shift": "bitwise_left_shift",
    "right_shift": "bitwise_right_shift", "power": "pow", "rint": "round", "true_divide": "divide", "degrees": "rad2deg",
    "radians": "deg2rad",
}  # fmt: skip
#: What `reduce` and `accumulate` of a ufunc are here.
_REDUCTIONS = {
    "add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min", "logical_and": "all", "logical_or": "any",
}  # fmt: skip
_ACCUMULATIONS = {"add": "cumsum", "multiply": "cumprod"}
#: What `accumulate` is of others, where Kolam has it.
_RUNNING = {"maximum": "cumulative_max", "minimum": "cumulative_min"}
#: Functions of NumPy that write to their first argument.
_WRITERS = ("copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask")


@functools.cache
def functions():
    """NumPy's functions, and ours for each."""
    found = {getattr(np, function.__name__): function for function in _HERE}
    found |= {getattr(np, name): function for name, function in _ALIASES.items() if hasattr(np, name)}
    for adapter, names in _ADAPTERS:
        for entry in names.split():
            name, _, ours = entry.partition(":")
            if hasattr(np, name) and hasattr(kolam, ours or name):
                found[getattr(np, name)] = adapter(getattr(kolam, ours or name))
    return found


def _ours_of(function):
    """Our function for a ufunc of NumPy, or None."""
    name = _UFUNCS.get(function.__name__, function.__name__)
    return getattr(kolam, name, None) if getattr(np, function.__name__, None) is function else None


def ufunc(function, method, inputs, options):
    """What a ufunc of NumPy, or a method of one, gives for arrays of ours."""
    options = {
        name: value for name, value in options.items()
        if value is not np._NoValue and (value is not None or name == "axis" and method == "reduce")
    }  # fmt: skip
    if method == "at" and isinstance(inputs[0], Array | Tensor):
        _refuse_writing(f"numpy.{function.__name__}.at", {"add": "add", "multiply": "multiply"}.get(function.__name__, "set"))
    if method == "outer" and not options and len(inputs) == 2 and (ours := _ours_of(function)):
        x, y = map(kolam.asarray, inputs)
        return ours(kolam.reshape(x, (*x.shape, *[1] * y.ndim)), y)
    if method == "accumulate" and function.__name__ in _RUNNING and set(options) <= {"axis"} and len(inputs) <= 2:
        if ours := getattr(kolam, _RUNNING[function.__name__], None):
            return ours(inputs[0], inputs[1] if len(inputs) > 1 else options.get("axis", 0))
    if method == "__call__" and not options and (ours := _ours_of(function)):
        return ours(*inputs)
    table = {"reduce": _REDUCTIONS, "accumulate": _ACCUMULATIONS}.get(method, {})
    if function.__name__ in table and getattr(np, function.__name__, None) is function:
        ours = functions()[getattr(np, table[function.__name__])]
        axis = inputs[1:] or (options.pop("axis", 0),)
        if set(options) <= set(inspect.signature(ours).parameters):
            return ours(inputs[0], *axis, **options)
        options["axis"], inputs = axis[0], inputs[:1]
    return _by_numpy(function.__name__, getattr(function, method), inputs, options)


#: What ours refuses of calls that NumPy may answer.
_BEYOND_OURS = ("call-mismatch", "bad-option", "argument-type", "not-an-array", "unsupported-dtype", "dtype-mismatch", "unknown-mode")


def _refuse_writing(function, verb="set"):
    raise KolamTypeError.make(
        function, "immutable-array", f"expected an array of NumPy to write to, but got one of Kolam, which never changes; "
        f"write x = x.at[i].{verb}(v), or x = kolam.where(mask, v, x)",
    )  # fmt: skip


def call(function, positional, named):
    """What a function of NumPy gives for arrays of ours."""
    if function.__name__ in _WRITERS and positional and isinstance(positional[0], Array | Tensor):
        _refuse_writing(f"numpy.{function.__name__}")
    named = {name: value for name, value in named.items() if value is not np._NoValue}
    for name in ("out", "order", "copy", "kind"):  # what asks for nothing
        if named.get(name, 0) is None:
            del named[name]
    ours = functions().get(function)
    if ours is None or not _takes(ours, positional, named):
        return _by_numpy(function.__name__, function, positional, named)
    try:
        return ours(*positional, **named)
    except (KolamTypeError, KolamValueError) as error:
        # An option or an operand that ours does not have.
        if error.slug not in _BEYOND_OURS or _is_traced((positional, named)):
            raise
        return _by_numpy(function.__name__, function, positional, named)


def _takes(ours, positional, named):
    """Whether a function has parameters for these arguments; of the library's own, calls tell."""
    try:
        inspect.signature(ours).bind(*positional, **named)
    except TypeError:
        return False
    except ValueError:
        return True
    return True


def _is_traced(value):
    """Whether there are traced values in nested arguments."""
    if isinstance(value, dict):
        return any(map(_is_traced, value.values()))
    return any(map(_is_traced, value)) if isinstance(value, tuple | list) else isinstance(value, Tensor)


def _for_numpy(value):
    """Nested arguments with arrays of NumPy in place of ours."""
    if isinstance(value, Array):
        return np.asarray(value)
    if isinstance(value, dict):
        return {key: _for_numpy(item) for key, item in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(_for_numpy, value))
    return type(value)(map(_for_numpy, value)) if isinstance(value, tuple | list) else value


def _by_numpy(name, function, positional, named):
    """NumPy's own answer. Refuses traced values, and results that are to be written into our arrays."""
    out = named.get("out")
    if any(isinstance(one, Array) for one in (out if isinstance(out, tuple) else (out,))):
        raise KolamTypeError.make(
            f"numpy.{name}", "immutable-array", "argument 'out': expected an array of NumPy, but got one of Kolam, which "
            "never changes; write x = f(x)",
        )  # fmt: skip
    if _is_traced((positional, named)):
        from kolam import _hints

        ours = _UFUNCS.get(name, name)
        if out is not None:
            lacks, written = "a traced value is written nowhere", "write x = x + y in place of x += y and of out="
        elif ours in kolam.__all__:
            lacks, written = "only NumPy has these options", f"kolam.{ours} has others"
        else:
            lacks = "only NumPy has this function"
            written = _hints.hint(name, kolam.__all__) or f"kolam.opaque_call calls numpy.{name} while the program runs"
        raise KolamTypeError.make(
            f"numpy.{name}", "traced-value", f"expected arrays, but got a traced value: {lacks}; {written}"
        )
    return function(*_for_numpy(positional), **_for_numpy(named))
