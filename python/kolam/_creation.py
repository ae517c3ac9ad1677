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
    if device is not None and str(device) != "cpu":
        message = f"argument 'device': expected None or 'cpu', but got {device!r}"
        raise KolamValueError.make("from_dlpack", "unknown-device", message)
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
