"""asarray: whatever holds numbers, as an array of Kolam."""

import numpy as np

from kolam import _kolam
from kolam._callables import check_callable
from kolam.dtypes import as_dtype
from kolam.errors import KolamValueError


def asarray(x, dtype=None):
    """The array that `x` holds: an array of any library that speaks DLPack or buffers, a nested list, or a number.

    >>> import kolam as ko
    >>> ko.asarray([[1, 2], [3, 4]]).dtype, ko.asarray([0.5, 2], ko.bfloat16).tolist()
    (kolam.int32, [0.5, 2.0])

    Lists of Python's numbers give bool, int32 or float32 unless `dtype` says otherwise. Memory of other libraries is
    copied: later writes to it do not show.
    """
    if dtype is None:
        return _kolam._asarray(x)
    dtype = as_dtype(dtype)
    if isinstance(x, list | tuple | bool | int | float):
        try:
            return _kolam._asarray(np.array(x, dtype.dtype))
        except OverflowError:
            message = f"argument 'x': expected numbers that fit into {dtype.name}"
            raise KolamValueError.make("asarray", "scalar-does-not-fit", message) from None
        except (TypeError, ValueError):
            pass  # traced values among them, or a nest that _asarray refuses in its own words
    return _kolam.astype(_kolam._asarray(x), dtype)


array = asarray


def fromfunction(f, shape):
    """f called once on arrays of indices: result[i, j, ...] = f(i, j, ...), where argument d holds i[d] in every element.

    >>> import kolam as ko
    >>> ko.fromfunction(lambda i, j: 10 * i + j, (2, 3)).tolist()
    [[0, 1, 2], [10, 11, 12]]

    The indices are int32, or int64 where an extent exceeds 2^31 - 1 or is symbolic.
    """
    check_callable("fromfunction", "f", f, len(shape) if isinstance(shape, tuple | list) else 1)
    return _kolam._fromfunction(lambda places: f(*places), shape)
