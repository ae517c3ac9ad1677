"""asarray: whatever holds numbers, as an array of Kolam."""

import numpy as np

from kolam import _kolam
from kolam._callables import check_callable
from kolam._namespace import require_device
from kolam.dtypes import as_dtype
from kolam.errors import KolamValueError


def asarray(x, dtype=None, *, device=None, copy=None):
    """The array that `x` holds: an array of any library that speaks DLPack or buffers, a nested list, or a number.

    >>> import kolam as ko
    >>> ko.asarray([[1, 2], [3, 4]]).dtype, ko.asarray([0.5, 2], ko.bfloat16).tolist()
    (kolam.int32, [0.5, 2.0])

    Lists of Python's numbers give bool, int32 or float32 unless `dtype` says otherwise; numbers that it does not hold are
    refused. Memory of other libraries is copied: later writes to it do not show. So `copy=False` is refused for all but
    arrays of Kolam of that dtype.
    """
    require_device("asarray", device)
    if copy is False and not (isinstance(x, _kolam.Array | _kolam.Tensor) and dtype in (None, x.dtype)):
        message = f"argument 'copy': expected None or True, as memory of {type(x).__name__} is copied, but got False"
        raise KolamValueError.make("asarray", "needs-copy", message)
    if dtype is None:
        return _kolam._asarray(x)
    dtype = as_dtype(dtype)
    if isinstance(x, list | tuple | bool | int | float):
        numbers = _numbers(x, dtype)
        if numbers is not None:
            return _kolam._asarray(numbers)
    return _kolam.astype(_kolam._asarray(x), dtype)


def _numbers(nest, dtype):
    """A nested list of Python's numbers as an array of NumPy; None for one that holds anything else, or is none.

    Throws `[scalar-does-not-fit]`: floats are not wrapped into integers, nor numbers rounded to infinity.
    """
    message = f"argument 'x': expected numbers that fit into {dtype.name}"
    try:
        with np.errstate(all="ignore"):
            numbers = np.array(nest, dtype.dtype)
            given = np.array(nest) if dtype.kind != "bool" else numbers
    except OverflowError:
        raise KolamValueError.make("asarray", "scalar-does-not-fit", message) from None
    except (TypeError, ValueError):
        return None  # traced values among them, or a nest that _asarray refuses in its own words
    if given.dtype.kind == "f" and numbers.size and not _fits(given, numbers, dtype):
        raise KolamValueError.make("asarray", "scalar-does-not-fit", message)
    return numbers


def _fits(given, numbers, dtype):
    """Whether floats lie in the range of the dtype."""
    if dtype.kind == "float":
        return bool(np.all(np.isinf(numbers.astype(np.float64)) <= np.isinf(given)))
    limits = np.iinfo(dtype.dtype)
    whole = np.trunc(given)
    return bool(np.all((whole >= float(limits.min)) & (whole < float(limits.max) + (dtype.itemsize < 8))))


array = asarray


def from_dlpack(x, *, device=None, copy=None):
    """The array that an object with `__dlpack__` holds, viewed without a copy where its layout allows.

    >>> import numpy as np, kolam as ko
    >>> ko.from_dlpack(np.arange(3)).tolist()
    [0, 1, 2]

    `copy=True` copies, so that later writes to the memory do not show.
    """
    require_device("from_dlpack", device)
    viewed = _kolam.from_dlpack(x)
    return _kolam._asarray(viewed) if copy else viewed


def fromfunction(f, shape):
    """f called once on arrays of indices: result[i, j, ...] = f(i, j, ...), where argument d holds i[d] in every element.

    >>> import kolam as ko
    >>> ko.fromfunction(lambda i, j: 10 * i + j, (2, 3)).tolist()
    [[0, 1, 2], [10, 11, 12]]

    The indices are int32, or int64 where an extent exceeds 2^31 - 1 or is symbolic.
    """
    check_callable("fromfunction", "f", f, len(shape) if isinstance(shape, tuple | list) else 1)
    return _kolam._fromfunction(lambda places: f(*places), shape)
