"""Looking into running programs: `debug.print` and `debug.callback` run when the program does."""

import builtins
import string

import numpy as np

from kolam import _kolam
from kolam._list_leaves import depths_of, packed, unpacked
from kolam._pytree import flatten, unflatten
from kolam.errors import KolamTypeError, KolamValueError

__all__ = ["callback", "print"]


def callback(callback, *args, ordered=True, **named):
    """Calls `callback(*args, **named)` with the values each time the program comes there; what it gives is not used.

    >>> import kolam as ko
    >>> seen = []
    >>> @ko.jit
    ... def double(x):
    ...     ko.debug.callback(lambda x: seen.append(x.item()), x)
    ...     return x + x
    >>> double(1).item(), double(2).item(), seen
    (2, 4, [1, 2])

    Calls come in the order of the program, also in loops and branches. Arguments are pytrees; arrays come as kolam.Array,
    lists as FractalTensor, all else as it was when the function was traced. Outside of traced functions it is called at once. What it raises ends the
    run.
    """
    if not callable(callback):
        raise KolamTypeError.make(
            "debug.callback", "argument-type", f"argument 'callback': expected a function, but got {callback!r}"
        )
    _call("debug.callback", lambda positional, keywords: callback(*positional, **keywords), args, named)


def print(fmt, *args, ordered=True, **named):
    """Prints `fmt.format(*args, **named)` with the values each time the program comes there.

    >>> import kolam as ko
    >>> @ko.jit
    ... def double(x):
    ...     ko.debug.print("x = {x}, twice {}", x + x, x=x)
    ...     return x + x
    >>> y = double(1.5)
    x = 1.5, twice 3.0
    >>> ko.debug.print("{:.3f}", ko.asarray(0.12345))
    0.123

    Lines come in the order of the program, also in loops and branches. Arrays are formatted as NumPy's. Throws
    `[bad-format]` where the text has no such argument, and where it leaves some out.
    """
    if not isinstance(fmt, str):
        raise KolamTypeError.make("debug.print", "argument-type", f"argument 'fmt': expected a text, but got {fmt!r}")
    _check_format(fmt, args, named)
    _call("debug.print", lambda positional, keywords: _print(fmt, positional, keywords), args, named)


def _print(fmt, positional, named):
    plain = lambda leaf: np.asarray(leaf)[()] if isinstance(leaf, _kolam.Array) else leaf  # scalars as NumPy's
    structure = flatten((positional, named), leaves := [])
    positional, named = unflatten(structure, iter([plain(leaf) for leaf in leaves]))
    builtins.print(_Values().vformat(fmt, positional, named), flush=True)


class _Values(string.Formatter):
    """Prints numbers of NumPy with the digits of their own dtype."""

    def format_field(self, value, format_spec):
        return str(value) if isinstance(value, np.generic) and not format_spec else super().format_field(value, format_spec)


class _Fields(string.Formatter):
    """Finds the arguments that a text asks for."""

    def __init__(self):
        self.used = set()

    def get_value(self, key, args, kwargs):
        self.used.add(key)
        return super().get_value(key, args, kwargs)

    def get_field(self, field_name, args, kwargs):
        first, _ = string._string.formatter_field_name_split(field_name)
        return self.get_value(first, args, kwargs), first

    def format_field(self, value, format_spec):
        return ""

    def convert_field(self, value, conversion):
        return value


def _check_format(fmt, args, named):
    fields = _Fields()
    try:
        fields.vformat(fmt, args, named)
    except (KeyError, IndexError, ValueError) as error:
        reason = f"there is no argument {error}" if isinstance(error, KeyError) else str(error)
        message = f"argument 'fmt': expected fields for the arguments, but {reason} in {fmt!r}"
        raise KolamValueError.make("debug.print", "bad-format", message) from None
    unused = [key for key in (*range(len(args)), *named) if key not in fields.used]
    if unused:
        hint = "" if fields.used else "; write ko.debug.print('x = {}', x), as an f-string is made when the function is traced"
        message = f"argument 'fmt': expected a field for each argument, but got none for {unused[0]!r} in {fmt!r}{hint}"
        raise KolamValueError.make("debug.print", "bad-format", message)


def _call(name, function, args, named):
    structure = flatten((args, named), leaves := [])
    places = [place for place, leaf in enumerate(leaves) if _is_value(leaf)]
    inputs = [leaves[place] for place in places]
    depths = depths_of(inputs)

    def run(*arrays):
        given = list(leaves)
        for place, value in zip(places, packed(arrays, depths), strict=True):
            given[place] = value
        function(*unflatten(structure, iter(given)))
        return []

    leaves = [None if place in places else leaf for place, leaf in enumerate(leaves)]
    _kolam._debug_callback(name, run, unpacked(inputs))


def _is_value(leaf):
    return isinstance(leaf, _kolam.Array | _kolam.Tensor | _kolam.TracedList | np.ndarray)


def __getattr__(name):
    """Names that are not here: those of other libraries are told what to write."""
    from kolam import _hints

    raise _hints.unknown_name("kolam.debug", name, __all__)


def __dir__():
    return __all__
