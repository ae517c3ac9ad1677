"""Functions that callers pass: what must be true of them before they are called."""

import functools
import inspect
import sys
import types

from kolam.errors import KolamTypeError


def check_callable(function, argument, body, count, named=(), of=""):
    """Raises unless `body` is a function that takes `count` arguments by place, and those of the names `named`.

    `of` says behind the number what they are.
    """
    if not callable(body):
        message = f"argument '{argument}': expected a function, but got {body!r}"
        raise KolamTypeError.make(function, "argument-type", message)
    try:
        signature = inspect.signature(body)
    except (TypeError, ValueError):
        return  # a built-in function that does not tell
    try:
        signature.bind(*range(count), **dict.fromkeys(named))
    except TypeError:
        arguments = f"{count} argument" + ("s" if count != 1 else "")
        arguments += of and f" ({of})"
        arguments += "".join(f" and '{name}'" for name in named)
        message = f"argument '{argument}': expected a function of {arguments}, but got one of {signature}"
        raise KolamTypeError.make(function, "call-mismatch", message) from None


def require_given(function, **arguments):
    """Raises where one of them is None."""
    for name, value in arguments.items():
        if value is None:
            message = f"argument '{name}': expected an array, a nested list or a number, but got None"
            raise KolamTypeError.make(function, "not-an-array", message)


def checks_arguments(function):
    """`function`, whose calls with too few, too many, repeated or unknown arguments throw `[call-mismatch]`.

    A function of the user's takes what is passed by other names; what it is called with it refuses in its own words.
    """

    @functools.wraps(function)
    def checked(*positional, **named):
        try:
            return function(*positional, **named)
        except TypeError:
            refused = _mismatch(function, positional, named)
            if refused is None:
                raise
        raise refused from None

    return checked


def _mismatch(function, positional, named):
    """The error of a call that does not fit the function's parameters; None for one that does."""
    signature = inspect.signature(function)
    try:
        signature.bind(*positional, **named)
    except TypeError as error:
        words = f"expected {function.__name__}{signature}: {error}"
    else:
        return None
    parameters = signature.parameters
    takes_all = any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values())
    if len(positional) > 2 and "xs" in parameters and "f" in parameters:
        words += f"; several lists go as one: {function.__name__}(f, fractal.zip(xs, ys)), whose f takes a tuple"
    if unknown := [] if takes_all else [name for name in named if name not in parameters]:
        from kolam import _hints  # only errors need it

        hint = _hints.keyword_hint(unknown[0], list(parameters))
        words += hint and f"; {hint}"
    return KolamTypeError.make(function.__name__, "call-mismatch", words)


def check_arguments_of(names):
    """Puts `checks_arguments` around the public functions of the package among `names`, also where they are defined."""
    for name, thing in list(names.items()):
        if isinstance(thing, types.FunctionType) and name[0] != "_" and not hasattr(thing, "__wrapped__"):
            names[name] = checked = checks_arguments(thing)
            setattr(sys.modules[thing.__module__], thing.__name__, checked)
