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
    refused, but for a float alone without a `dtype`, which may round to infinity. Memory of other libraries is copied: later writes to it do not show. So `copy=False` is refused for all but
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
    # A number of Python that is traced has no dtype yet.
    return _kolam.astype(x if isinstance(x, _kolam.Tensor) else _kolam._asarray(x), dtype)


def _numbers(nest, dtype):
    """A nested list of Python's numbers as an array of NumPy; None for one that holds anything else, or is none.

    Throws `[scalar-does-not-fit]`: floats are not wrapped into integers, nor numbers rounded to infinity.
    """
    message = f"argument 'x': expected numbers that fit into {dtype.name}"
    try:
        with np.errstate(all="ignore"):
            given = np.array(nest)
            if given.dtype.kind == "f" and dtype.kind not in ("float", "bool") and np.isnan(given).any():
                raise OverflowError
            numbers = np.array(nest, dtype.dtype)
    except OverflowError:
        raise KolamValueError.make("asarray", "scalar-does-not-fit", message) from None
    except (TypeError, ValueError):
        return None  # traced values among them, or a nest that _asarray refuses in its own words
    is_checked = dtype.kind != "bool" and (given.dtype.kind == "f" or dtype.kind == "float")
    if is_checked and numbers.size and not _fits(given, numbers, dtype):
        raise KolamValueError.make("asarray", "scalar-does-not-fit", message)
    return numbers


def _fits(given, numbers, dtype):
    """Whether numbers lie in the range of the dtype."""
    if dtype.kind == "float":
        return bool(np.all(np.isinf(numbers.astype(np.float64)) <= np.isinf(given.astype(np.float64))))
    limits = np.iinfo(dtype.dtype)
    whole = np.trunc(given)
    return bool(np.all((whole >= float(limits.min)) & (whole < float(limits.max) + (dtype.itemsize < 8))))


array = asarray


def from_dlpack(x, /, *, device=None, copy=None):
    """The array that an object with `__dlpack__` holds, without a copy where its memory lies as Kolam's does.

    >>> import numpy as np, kolam as ko
    >>> given = np.arange(4.0)
    >>> view = ko.from_dlpack(given)
    >>> given[0] = 7
    >>> view.tolist(), ko.from_dlpack(given[::2]).tolist()
    ([7.0, 1.0, 2.0, 3.0], [7.0, 2.0])

    What is not contiguous in row-major order, as `given[::2]`, is copied. `copy=True` always copies; `copy=False` never
    does, and throws `[needs-copy]` where it would have to. A view shows what its owner writes later, so nothing may be
    written while a run reads it. `device` is None or "cpu". Throws `[not-an-array]`, `[bad-dlpack]` where the capsule
    makes no sense or was used before, and `[unsupported-dtype]`.
    """
    require_device("from_dlpack", device)
    return _kolam._from_dlpack(x, copy)


def fromfunction(f, shape):
    """f called once on arrays of indices: result[i, j, ...] = f(i, j, ...), where argument d holds i[d] in every element.

    >>> import kolam as ko
    >>> ko.fromfunction(lambda i, j: 10 * i + j, (2, 3)).tolist()
    [[0, 1, 2], [10, 11, 12]]

    The indices are int32, or int64 where an extent exceeds 2^31 - 1 or is symbolic.
    """
    check_callable("fromfunction", "f", f, len(shape) if isinstance(shape, tuple | list) else 1)
    return _kolam._fromfunction(lambda places: f(*places), shape)
