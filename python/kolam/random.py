"""Random numbers as functions of a key: the same key gives the same numbers, on every machine, inside and outside of jit."""

from kolam._kolam import random as _random

#: What is here: the functions of the library.
__all__ = sorted(name for name in dir(_random) if name[0] != "_")
globals().update({name: getattr(_random, name) for name in __all__})


def __getattr__(name):
    from kolam import _hints

    raise _hints.unknown_name("kolam.random", name, __all__)


def __dir__():
    return __all__
