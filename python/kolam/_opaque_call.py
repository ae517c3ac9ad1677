"""Calls of Python functions from inside programs."""

from kolam import _kolam
from kolam.errors import KolamTypeError

_registered = {}  # function -> what programs call; kept, as compiled programs may call it at any time


def _host_function(f):
    try:
        if f not in _registered:
            _registered[f] = _kolam._HostFunction(f)
        return _registered[f]
    except TypeError:  # not hashable
        return _kolam._HostFunction(f)


def opaque_call(f, inputs, results):
    """results = f(*inputs), computed by a function of Python each time the program runs.

    >>> import kolam as ko
    >>> import numpy as np
    >>> @ko.jit
    ... def ranks(x):
    ...     return ko.opaque_call(lambda x: np.unique(np.asarray(x), return_inverse=True)[1], [x], (x.shape, ko.int64))
    >>> ranks(ko.asarray([5.0, 2.5, 7.0])).tolist()
    [1, 0, 2]

    The way out for what has no function here: a table in another library, a print, a solver. `f` takes a kolam.Array for each
    input and gives an array or a tuple of arrays. `results` is a pair (shape, dtype), or a list of such pairs where f gives
    several; then so does the call, as a tuple. Nothing fuses with it, nothing is assumed of it, and it runs exactly where it
    stands in the program, also where its results are not used. Throws when the program runs: `[host-function-result]` where f
    gives anything else, and what f throws. JAX's pure_callback and io_callback are of this kind.
    """
    if not callable(f):
        raise KolamTypeError.make("opaque_call", "argument-type", f"argument 'f': expected a function, but got {f!r}")
    if not isinstance(inputs, list | tuple):
        raise KolamTypeError.make(
            "opaque_call", "argument-type", f"argument 'inputs': expected a list of arrays, as in [x], but got {inputs!r}"
        )
    several = isinstance(results, list)
    for result in results if several else [results]:
        if not isinstance(result, tuple) or len(result) != 2 or not isinstance(result[0], tuple | list):
            raise KolamTypeError.make(
                "opaque_call", "argument-type",
                f"argument 'results': expected (shape, dtype), as in ((2, 3), kolam.float32), but got {result!r}",
            )  # fmt: skip
    values = _kolam._opaque_call(_host_function(f), inputs, results if several else [results])
    return tuple(values) if several else values[0]
