"""What dtypes hold and what they give together: finfo, iinfo, isdtype, result_type, can_cast is C++'s."""

import typing

import ml_dtypes
import numpy as np

import kolam
from kolam import _kolam
from kolam._kolam import Array, Tensor
from kolam.dtypes import DTYPES, DType, as_dtype
from kolam.errors import KolamTypeError, KolamValueError

_SIGNED, _UNSIGNED, _FLOATS = {"integer"}, {"unsigned"}, {"float"}
#: Kinds of the array API as the kinds of dtypes; there are no complex ones.
KINDS = {
    "bool": {"bool"}, "signed integer": _SIGNED, "unsigned integer": _UNSIGNED, "integral": _SIGNED | _UNSIGNED,
    "real floating": _FLOATS, "complex floating": set(), "numeric": _SIGNED | _UNSIGNED | _FLOATS,
}  # fmt: skip


class FloatInfo(typing.NamedTuple):
    """What `finfo` tells."""

    bits: int
    eps: float  #: 1 + eps is the next number after 1
    max: float
    min: float
    smallest_normal: float
    dtype: DType


class IntegerInfo(typing.NamedTuple):
    """What `iinfo` tells."""

    bits: int
    max: int
    min: int
    dtype: DType


def _dtype_of(function, given, kinds, expected):
    dtype = given.dtype if isinstance(given, Array | Tensor) else as_dtype(given)
    if dtype.kind not in kinds:
        raise KolamTypeError.make(function, "dtype-mismatch", f"argument 'type': expected {expected}, but got {dtype.name}")
    return dtype


def finfo(type, /):
    """The limits of a float dtype, or of the dtype of an array of floats.

    >>> import kolam as ko
    >>> ko.finfo(ko.float16).max, ko.finfo(ko.float32).eps == 2**-23
    (65504.0, True)
    """
    dtype = _dtype_of("finfo", type, _FLOATS, "a float dtype")
    info = ml_dtypes.finfo(dtype.dtype)
    smallest = info.smallest_normal
    return FloatInfo(8 * dtype.itemsize, float(info.eps), float(info.max), float(info.min), float(smallest), dtype)


def iinfo(type, /):
    """The limits of an integer dtype, or of the dtype of an array of integers.

    >>> import kolam as ko
    >>> ko.iinfo("int8").min, ko.iinfo(ko.uint16).max
    (-128, 65535)
    """
    dtype = _dtype_of("iinfo", type, _SIGNED | _UNSIGNED, "an integer dtype")
    info = np.iinfo(dtype.dtype)
    return IntegerInfo(8 * dtype.itemsize, int(info.max), int(info.min), dtype)


def isdtype(dtype, kind):
    """Whether a dtype is of a kind: "bool", "signed integer", "unsigned integer", "integral", "real floating", "numeric",
    another dtype, or one of a tuple of these. No dtype is "complex floating".

    >>> import kolam as ko
    >>> ko.isdtype(ko.bfloat16, "real floating"), ko.isdtype(ko.int8, ("bool", ko.int16))
    (True, False)
    """
    dtype = as_dtype(dtype)
    if isinstance(kind, tuple):
        return any(isdtype(dtype, one) for one in kind)
    if isinstance(kind, str) and kind in KINDS:
        return dtype.kind in KINDS[kind]
    if isinstance(kind, str) and " " in kind:
        raise KolamValueError.make(
            "isdtype", "bad-option", f"argument 'kind': expected a dtype or one of {', '.join(map(repr, KINDS))}, but got {kind!r}"
        )
    return dtype is as_dtype(kind)


def _is_dtype(given):
    """Whether an argument stands for a dtype, not for a value."""
    return isinstance(given, DType | str | type | np.dtype) or (
        type(given).__module__ == "torch" and type(given).__name__ == "dtype"
    )


def result_type(*arrays_and_dtypes):
    """The dtype of a result of arrays, dtypes and numbers: what a function of all of them would give.

    Integers with floats give the float, signed with unsigned integers the next wider signed ones, bfloat16 with float16
    gives float32; a number takes the dtype beside it within its kind.

    >>> import kolam as ko
    >>> ko.result_type(ko.int8, ko.uint8), ko.result_type(ko.int8, 1.5), ko.result_type(ko.float64, ko.zeros(2))
    (kolam.int16, kolam.float32, kolam.float64)
    """
    operands = (_kolam._asarray(np.zeros((), as_dtype(x).dtype)) if _is_dtype(x) else x for x in arrays_and_dtypes)
    return DTYPES[_kolam.result_type(*operands)]


def can_cast(from_, to, /):
    """Whether a dtype, or the dtype of an array, promotes to another: whether every value has its place there.

    >>> import kolam as ko
    >>> ko.can_cast(ko.int8, ko.int16), ko.can_cast(ko.int32, ko.uint32)
    (True, False)
    """
    return bool(_kolam.can_cast(from_.dtype if isinstance(from_, Array | Tensor) else as_dtype(from_), as_dtype(to)))


__all__ = ["can_cast", "finfo", "iinfo", "isdtype", "result_type"]
