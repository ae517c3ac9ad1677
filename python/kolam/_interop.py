"""NumPy, DLPack and PyTorch: their arrays become ours, their functions work on ours."""

import ml_dtypes
import numpy as np

from kolam import _numpy_functions, _torch_functions
from kolam._kolam import Array, Tensor
from kolam.dtypes import DTYPES, as_dtype
from kolam.errors import KolamTypeError

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
OURS = {dtype.dtype for dtype in DTYPES}


def as_plain(given):
    """What an array-like object holds, as the C++ half can read it.

    None where `given` is no array; (None, its dtype) where its elements are none of ours; else an object with a buffer
    and the dtype to read it as (or None).
    """
    if not isinstance(given, np.ndarray | np.generic):
        if isinstance(given, type):
            return None  # the class of an array is none
        if getattr(given, "requires_grad", False) is True:
            _torch_functions.require_no_gradients("asarray", [given])
            given = given.detach()
        if hasattr(given, "__dlpack__"):
            return given, None
        # A FractalTensor of depth 1 has rows, and yet is no array: when traced it could not be one.
        if not (hasattr(given, "__array__") or hasattr(given, "__array_interface__")) or hasattr(given, "leaf_shape"):
            return None
        given = np.asarray(given)
    array = np.asarray(given)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if array.dtype not in OURS:
        return None, array.dtype
    if array.dtype == BFLOAT16:
        # Its buffer has no format: numpy hands the bits over as another type.
        return array.view(np.uint16), as_dtype("bfloat16")
    return array, None


def dlpack_capsule(given, copy):
    """The capsule that a DLPack exporter gives; `copy` is None, or False where it must not copy."""
    if not hasattr(given, "__dlpack__"):
        raise TypeError(f"{type(given).__name__} has no __dlpack__")
    if hasattr(given, "__dlpack_device__"):
        kind, _ = given.__dlpack_device__()
        if kind != 1:
            raise BufferError(f"its memory is that of device {kind} in DLPack's numbers, not of the CPU")
    options = {"max_version": (1, 0)} | ({} if copy is None else {"copy": copy})
    try:
        return given.__dlpack__(**options)
    except TypeError:  # from before these keywords
        return given.__dlpack__()


def array_interface(self):
    """NumPy's array interface: where the elements lie. It holds as long as the array lives and is not donated."""
    if self.dtype == BFLOAT16:
        raise AttributeError("bfloat16 is no dtype of NumPy's own")
    return to_numpy(self).__array_interface__ | {"strides": None}


def to_numpy(self, dtype=None, copy=None):
    """The elements as a numpy array; without a copy, and read-only, where dtype and `copy` allow."""
    array = np.asarray(memoryview(self._memory))
    if self.dtype == BFLOAT16:
        array = array.view(BFLOAT16)
    if dtype is not None and np.dtype(dtype) != array.dtype:
        if copy is False:
            raise ValueError("a conversion needs a copy")
        return array.astype(dtype)
    return array.copy() if copy else array


def array_ufunc(self, ufunc, method, *inputs, **options):
    """numpy.exp(x) and its kin, on arrays and inside jit."""
    return _numpy_functions.ufunc(ufunc, method, inputs, options)


def array_function(self, function, types, positional, named):
    """numpy.sum(x) and its kin: our function, with NumPy's parameters."""
    return _numpy_functions.call(function, positional, named)


def torch_function(cls, function, types, positional=(), named=None):
    """torch.relu(x) and its kin, where PyTorch is installed: our function, with PyTorch's parameters."""
    return _torch_functions.call(function, positional, named)


def format_traced(self, spec):
    """A traced value in an f-string: its dtype and shape, as it has no digits."""
    if spec:
        raise KolamTypeError.make(
            "format", "traced-value",
            "expected an array, but got a traced value, whose elements only the running program knows; "
            "return it from the traced function",
        )  # fmt: skip
    return str(self)


def attach():
    """Gives the protocols to our classes."""
    Array.__array__ = to_numpy
    Array.__array_interface__ = property(array_interface)
    Array.__format__ = lambda self, spec: format(self.item() if spec else str(self), spec)
    Tensor.__format__ = format_traced
    # A value never changes.
    Tensor.__copy__ = lambda self: self
    Tensor.__deepcopy__ = lambda self, memo: self
    for cls in (Array, Tensor):
        cls.__array_ufunc__ = array_ufunc
        cls.__array_function__ = array_function
        cls.__torch_function__ = classmethod(torch_function)
