"""Both backends: a function of lists runs at once, interpreted and native, and all three agree."""

import dataclasses

import numpy as np
from list_types import has_equal_bits

import kolam as ko
from kolam.fractal import FractalTensor


def run(f, *arguments):
    """What `f` gives on either backend and at once, as nested lists."""
    native, meant, now = ko.jit(f)(*arguments), ko.jit(f, backend="interpret")(*arguments), f(*arguments)
    assert has_equal_bits(native, meant) and has_equal_bits(now, meant), (native, meant, now)
    return plain(native)


def plain(value):
    """Lists as nested Python lists, arrays as nested lists and numbers, also inside tuples."""
    if isinstance(value, FractalTensor):
        return _numbers(value.to_list())
    if isinstance(value, tuple):
        return type(value)(*map(plain, value)) if hasattr(value, "_fields") else tuple(map(plain, value))
    if dataclasses.is_dataclass(value):
        return type(value)(*[plain(getattr(value, field.name)) for field in dataclasses.fields(value)])
    return np.asarray(value).tolist()


def _numbers(value):
    if isinstance(value, list):
        return [_numbers(x) for x in value]
    return tuple(map(_numbers, value)) if isinstance(value, tuple) else np.asarray(value).tolist()
