"""What the functions on lists check of their arguments."""

import operator

import numpy as np

from kolam._words import with_article
from kolam.errors import KolamError, KolamTypeError


def integer(function, argument, given):
    """A number that is known now; refuses bools."""
    if isinstance(given, bool) or not hasattr(given, "__index__"):
        raise KolamTypeError.make(
            function, "argument-type", f"argument '{argument}': expected an integer, but got {with_article(type(given).__name__)}"
        )
    try:
        return operator.index(given)
    except KolamError:
        raise
    except TypeError as error:
        raise KolamTypeError.make(function, "argument-type", f"argument '{argument}': {error}") from None


def bounded(number):
    """An integer within int64: what lies beyond is as far away as its ends."""
    return max(-(2**63), min(number, 2**63 - 1))


def as_int64(given):
    """Python's integers in a list as an array of int64, which lengths and places are; anything else as it is."""
    if isinstance(given, list | tuple) and all(type(number) is int for number in given):
        return np.array([bounded(number) for number in given], np.int64)
    return given
