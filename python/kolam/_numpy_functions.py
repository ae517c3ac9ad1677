"""NumPy's functions on our arrays: ours with NumPy's parameters (_numpy_parameters.py), else NumPy's own on the elements.

What NumPy computes itself is an array of NumPy; a traced value has no elements to give it, and is refused.
"""

import inspect

import numpy as np

import kolam
from kolam._kolam import Array, Tensor
from kolam._numpy_parameters import functions
from kolam.errors import KolamIndexError, KolamTypeError, KolamValueError

#: NumPy's ufuncs that have another name here; those of one name mean the same.
_UFUNCS = {
    "absolute": "abs", "arccos": "acos", "arccosh": "acosh", "arcsin": "asin", "arcsinh": "asinh", "arctan": "atan",
    "arctan2": "atan2", "arctanh": "atanh", "fabs": "abs", "invert": "bitwise_invert", "left_shift": "bitwise_left_shift",
    "right_shift": "bitwise_right_shift", "power": "pow", "rint": "round", "true_divide": "divide", "degrees": "rad2deg",
    "radians": "deg2rad",
}  # fmt: skip
#: What ufuncs of numbers are of booleans alone.
_OF_BOOLEANS = {"add": "logical_or", "maximum": "logical_or", "multiply": "logical_and", "minimum": "logical_and"}
#: What `reduce` and `accumulate` of a ufunc are here.
_REDUCTIONS = {
    "add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min", "logical_and": "all", "logical_or": "any",
}  # fmt: skip
_ACCUMULATIONS = {"add": "cumsum", "multiply": "cumprod"}
#: What `accumulate` is of others, where Kolam has it.
_RUNNING = {"maximum": "cumulative_max", "minimum": "cumulative_min"}
#: Functions of NumPy that write to their first argument.
_WRITERS = ("copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask")


def _ours_of(function):
    """Our function for a ufunc of NumPy, or None."""
    if getattr(np, function.__name__, None) is not function:
        return None
    name = _UFUNCS.get(function.__name__, function.__name__)
    ours = getattr(kolam, name, None)
    if name.startswith("logical_"):
        return lambda *inputs: ours(*map(_truth, inputs))
    if name in _OF_BOOLEANS:
        return lambda *inputs: (getattr(kolam, _OF_BOOLEANS[name]) if all(map(_is_boolean, inputs)) else ours)(*inputs)
    return ours


def _truth(x):
    """Whether the elements are not 0."""
    return x if _is_boolean(x) else kolam.not_equal(x, 0)


def _is_boolean(x):
    return (x.dtype if hasattr(x, "dtype") else kolam.asarray(x).dtype) == kolam.bool


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
        return _ours_or_numpys(ours, function.__name__, function, inputs, {}, kept=_PROMOTION)
    table = {"reduce": _REDUCTIONS, "accumulate": _ACCUMULATIONS}.get(method, {})
    if function.__name__ in table and getattr(np, function.__name__, None) is function:
        ours = functions()[getattr(np, table[function.__name__])]
        axis = inputs[1:] or (options.pop("axis", 0),)
        options["axis"], inputs = axis[0], inputs[:1]
        if set(options) <= set(inspect.signature(ours).parameters):
            return _ours_or_numpys(ours, function.__name__, getattr(function, method), inputs, options)
    return _by_numpy(function.__name__, getattr(function, method), inputs, options)


#: Errors of ours that stand: what they tell is no option or dtype that only NumPy has.
_STAND = ("donated", "immutable-array", "traced-value")
#: And of ufuncs, which operators call: NumPy would promote by rules of its own.
_PROMOTION = ("no-promotion", "scalar-does-not-fit")
#: Errors of ours of options and dtypes.
_BEYOND_OURS = (
    "call-mismatch", "bad-option", "argument-type", "not-an-array", "unsupported-dtype", "dtype-mismatch", "unknown-mode", "rank-mismatch",
)  # fmt: skip


def _ours_or_numpys(ours, name, function, positional, named, kept=()):
    """What our function gives. What it refuses of arrays NumPy's computes, or refuses in its own words."""
    try:
        return ours(*positional, **named)
    except (KolamTypeError, KolamValueError, KolamIndexError) as error:
        if error.slug in _STAND or error.slug in kept:
            raise
        if _is_traced((positional, named)):
            if error.slug in _BEYOND_OURS:
                raise _with_a_way_out(error, f"{getattr(function, '__module__', None) or 'numpy'}.{name}") from None
            raise
    return _by_numpy(name, function, positional, named)


def _with_a_way_out(error, name):
    """The error, with what to write in a traced function."""
    where, _, words = str(error).partition("\n")[0].partition(": [")
    cast = "cast with kolam.astype, or " if "dtype" in error.slug else ""
    hint = f"NumPy takes this of arrays only: {cast}let kolam.opaque_call call {name} while the program runs"
    return type(error).make(where, error.slug, words.partition("] ")[2] + "; " + hint)


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
    return _ours_or_numpys(ours, function.__name__, function, positional, named)


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
            lacks = "only NumPy has these options"
            written = f"kolam.{ours} has others, and kolam.opaque_call calls numpy.{name} while the program runs"
        else:
            lacks = "only NumPy has this function"
            written = _hints.hint(name, kolam.__all__) or f"kolam.opaque_call calls numpy.{name} while the program runs"
        raise KolamTypeError.make(
            f"numpy.{name}", "traced-value", f"expected arrays, but got a traced value: {lacks}; {written}"
        )
    return function(*_for_numpy(positional), **_for_numpy(named))
