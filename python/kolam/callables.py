"""Functions that callers pass: what must be true of them before they are called."""

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
