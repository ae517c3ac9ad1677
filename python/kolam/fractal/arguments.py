"""What the functions on lists check of their arguments."""

import operator

from kolam.errors import KolamError, KolamTypeError


def integer(function, argument, given):
    """A number that is known now; refuses bools."""
    if isinstance(given, bool) or not hasattr(given, "__index__"):
        raise KolamTypeError.make(
            function, "argument-type", f"argument '{argument}': expected an integer, but got a {type(given).__name__}"
        )
    try:
        return operator.index(given)
    except KolamError:
        raise
    except TypeError as error:
        raise KolamTypeError.make(function, "argument-type", f"argument '{argument}': {error}") from None
