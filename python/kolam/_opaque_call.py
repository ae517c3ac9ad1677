"""Calls of Python functions from inside programs."""

from kolam import _kolam

_registered = {}  # function -> what programs call; kept, as compiled programs may call it at any time


def _host_function(f):
    try:
        if f not in _registered:
            _registered[f] = _kolam._HostFunction(f)
        return _registered[f]
    except TypeError:  # not hashable
        return _kolam._HostFunction(f)


def opaque_call(f, inputs, results):
    several = isinstance(results, list)
    values = _kolam._opaque_call(_host_function(f), inputs, results if several else [results])
    return tuple(values) if several else values[0]


opaque_call.__doc__ = (
    _kolam._opaque_call_doc
    + """

`f` takes a kolam.Array for each input and gives an array or a tuple of arrays. `results` is a pair (shape, dtype), or
a list of such pairs where f gives several; then so does the call, as a tuple.
"""
)
