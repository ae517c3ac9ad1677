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

    __slots__ = ("dtype", "name", "itemsize", "kind", "__weakref__")

    def __init__(self, name):
        #: The numpy dtype; numpy reads this attribute where it wants a dtype.
        self.dtype = np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)
        self.name = name
        self.itemsize = self.dtype.itemsize
        #: "bool", "integer", "unsigned" or "float"
        self.kind = {"b": "bool", "i": "integer", "u": "unsigned"}.get(self.dtype.kind, "float")

    def __call__(self, *values, **named):
        """An array of this dtype, as numpy.float32(1) is: rank 0 of a number. One that does not fit is refused.

        >>> import kolam as ko
        >>> ko.float32(1), ko.int8([1, 2])
        (Array(1., dtype=float32), Array([1, 2], dtype=int8))
        """
        from kolam import asarray  # which is made with dtypes

        if len(values) != 1 or named:
            got = f"an argument {next(iter(named))!r}" if named else f"{len(values)} arguments"
            raise KolamTypeError.make(self.name, "call-mismatch", f"expected {self.name}(x), but got {got}")
        return asarray(values[0], self)

    def __repr__(self):
        return f"kolam.{self.name}"

    def __eq__(self, other):
        return self is (other if isinstance(other, DType) else _found(other))

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
#: What Python's own types are, as numbers of them are; so are their names.
_BY_PYTHON = {builtins.bool: "bool", builtins.int: "int32", builtins.float: "float32"}
_BY_PYTHON_NAME = {"int": "int32", "float": "float32", "uint": "uint32"}


def _found(given):
    """The DType that `given` names; None where it names none, whatever it is."""
    if isinstance(given, str):
        given = _BY_PYTHON_NAME.get(given, given)
        if given in _BY_NAME:
            return _BY_NAME[given]
    elif isinstance(given, type):
        if given in _BY_PYTHON:
            return _BY_NAME[_BY_PYTHON[given]]
        if given.__module__ == "builtins":
            return None
    elif type(given).__module__ == "torch":
        return _BY_NAME.get(str(given).removeprefix("torch."))
    try:
        if not isinstance(given, type | str | np.dtype) and (not hasattr(given, "dtype") or hasattr(given, "shape")):
            return None
        return _BY_NUMPY.get(np.dtype(given).newbyteorder("="))
    except Exception:  # whatever a foreign object raises, it names no dtype of ours
        return None


def as_dtype(given):
    """The DType that `given` names: one of ours, of numpy's or PyTorch's, its name, or bool, int (int32) or float (float32)."""
    found = given if isinstance(given, DType) else _found(given)
    if found is None:
        raise KolamTypeError.make("dtype", "unsupported-dtype", f"expected a dtype of Kolam, but got {given!r}")
    return found


globals().update(_BY_NAME)
__all__ = ["DType", *_BY_NAME]


def __getattr__(name):
    """Names that are not here: those of other libraries are told what to write."""
    from kolam import _hints

    raise _hints.unknown_name("kolam.dtypes", name, __all__)


def __dir__():
    return __all__
