"""Functions that callers pass: what must be true of them before they are called."""

import functools
import inspect

from kolam.errors import KolamTypeError


def check_callable(function, argument, body, count, named=()):
    """Raises unless `body` is a function that takes `count` arguments by place, and those of the names `named`."""
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
        arguments += "".join(f" and '{name}'" for name in named)
        message = f"argument '{argument}': expected a function of {arguments}, but got one of {signature}"
        raise KolamTypeError.make(function, "call-mismatch", message) from None


def checks_arguments(function):
    """`function`, whose calls with too few, too many or repeated arguments throw `[call-mismatch]`.

    A function of the user's takes what is passed by other names; what it is called with it refuses in its own words.
    """
    signature = inspect.signature(function)

    @functools.wraps(function)
    def checked(*positional, **named):
        try:
            signature.bind(*positional, **named)
        except TypeError as error:
            raise KolamTypeError.make(
                function.__name__, "call-mismatch", f"expected {function.__name__}{signature}: {error}"
            ) from None
        return function(*positional, **named)

    return checked
