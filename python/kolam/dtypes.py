"""Element types: kolam.float32 and its kin, equal to the dtypes of NumPy that they are."""

import builtins

import ml_dtypes
import numpy as np

from kolam.errors import KolamTypeError


class DType:
    """The type of an array's elements.

    Equal to, and accepted in place of, the numpy dtype of the same name:

    >>> import numpy as np, kolam as ko
    >>> ko.float32 == np.float32, np.zeros(2, ko.int8).dtype, ko.asarray([1.5]).dtype
    (True, dtype('int8'), kolam.float32)
    """

    __slots__ = ("dtype", "name", "itemsize", "kind")

    def __init__(self, name):
        #: The numpy dtype; numpy reads this attribute where it wants a dtype.
        self.dtype = np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)
        self.name = name
        self.itemsize = self.dtype.itemsize
        #: "bool", "integer", "unsigned" or "float"
        self.kind = {"b": "bool", "i": "integer", "u": "unsigned"}.get(self.dtype.kind, "float")

    def __repr__(self):
        return f"kolam.{self.name}"

    def __eq__(self, other):
        if isinstance(other, DType):
            return self is other
        try:
            return self.dtype == np.dtype(other)
        except TypeError:
            return False

    def __hash__(self):
        return hash(self.dtype)

    def __reduce__(self):
        return self.name  # the module's object of that name


NAMES = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "bfloat16", "float32", "float64",
)  # fmt: skip
#: In the order of the C++ enumeration.
DTYPES = tuple(DType(name) for name in NAMES)
SHORT_NAMES = ("bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64")

_BY_NUMPY = {dtype.dtype: dtype for dtype in DTYPES}
_BY_NAME = dict(zip(NAMES + SHORT_NAMES, DTYPES + DTYPES, strict=True))
_BY_PYTHON = {builtins.bool: "bool", builtins.int: "int32", builtins.float: "float32"}


def as_dtype(given):
    """The DType that `given` names: one of ours, of numpy's or PyTorch's, its name, or bool, int or float."""
    if isinstance(given, DType):
        return given
    if isinstance(given, str) and given in _BY_NAME:
        return _BY_NAME[given]
    if isinstance(given, type) and given in _BY_PYTHON:
        return _BY_NAME[_BY_PYTHON[given]]
    if type(given).__module__ == "torch" and (name := str(given).removeprefix("torch.")) in _BY_NAME:
        return _BY_NAME[name]
    try:
        found = _BY_NUMPY.get(np.dtype(given).newbyteorder("="))
    except TypeError:
        found = None
    if found is None:
        raise KolamTypeError.make("dtype", "unsupported-dtype", f"expected a dtype of Kolam, but got {given!r}")
    return found


globals().update(_BY_NAME)
__all__ = ["DType", *_BY_NAME]
