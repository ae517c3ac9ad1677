"""Static arguments of jit: what tells two of them apart."""

import dataclasses

import numpy as np

from kolam.errors import KolamTypeError


class Static:
    """A value that is part of a structure; equal and of one hash for the same values alone. Throws `[unhashable-static]`
    where it is asked for its hash and has none."""

    __slots__ = ("value", "_what")

    def __init__(self, value, what):
        self.value, self._what = value, what

    def __eq__(self, other):
        return isinstance(other, Static) and (self.value is other.value or identity(self.value) == identity(other.value))

    def __hash__(self):
        try:
            return hash(identity(self.value))
        except TypeError:
            raise KolamTypeError.make(
                "pytree", "unhashable-static", f"expected {self._what} to be hashable, but got {self.value!r}"
            ) from None

    def __repr__(self):
        return repr(self.value)


def identity(value):
    """A hashable that is equal for the same values alone.

    Python's == is too coarse, as 1 == 1.0 == True and 0.0 == -0.0, and for NaN, which differs from itself, too fine.
    """
    kind = type(value)
    if kind is float:
        return kind, value.hex()
    if kind is complex:
        return kind, value.real.hex(), value.imag.hex()
    if isinstance(value, np.generic):
        return kind, value.dtype.str, value.tobytes()
    if isinstance(value, tuple):
        return kind, tuple(map(identity, value))
    if isinstance(value, frozenset):
        return kind, frozenset(map(identity, value))
    if dataclasses.is_dataclass(value) and "__eq__" in vars(kind) and kind.__dataclass_params__.eq:
        return kind, tuple(identity(getattr(value, field.name)) for field in dataclasses.fields(value) if field.compare)
    return kind, value
