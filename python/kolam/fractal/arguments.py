"""What the functions on lists check of their arguments."""

import operator

from kolam.errors import KolamError, KolamTypeError, KolamValueError


def integer(function, argument, given, least=None):
    """A number that is known now, at least `least`; refuses bools."""
    if isinstance(given, bool) or not hasattr(given, "__index__"):
        raise KolamTypeError.make(
            function, "argument-type", f"argument '{argument}': expected an integer, but got a {type(given).__name__}"
        )
    try:
        number = operator.index(given)
    except KolamError:
        raise
    except TypeError as error:
        raise KolamTypeError.make(function, "argument-type", f"argument '{argument}': {error}") from None
    if least is not None and number < least:
        raise KolamValueError.make(
            function, "list-argument", f"argument '{argument}': expected at least {least}, but got {number}"
        )
    return number
