"""The methods and attributes that arrays have in NumPy: each is the function of the same name."""

import kolam
from kolam._kolam import Array, Tensor

#: Methods, with the function each calls.
METHODS = {
    name: name
    for name in (
        "all any argmax argmin argsort astype clip cumulative_prod cumulative_sum max mean min prod repeat reshape round "
        "sort squeeze std sum take var"
    ).split()
} | {"cumsum": "cumulative_sum", "cumprod": "cumulative_prod", "transpose": "permute_dims", "dot": "matmul"}


def _method(function, name):
    def method(self, *positional, **named):
        return function(self, *positional, **named)

    method.__name__ = name
    method.__doc__ = f"kolam.{function.__name__} of this array.\n\n{function.__doc__}"
    return method


def attach():
    """Gives the methods to arrays and traced values."""
    for name, function in METHODS.items():
        if not hasattr(kolam, function):
            continue
        method = _method(getattr(kolam, function), name)
        for cls in (Array, Tensor):
            setattr(cls, name, method)
