"""The different values of an array: the array API's functions with their named results, and NumPy's unique."""

import typing

from kolam import _kolam
from kolam.errors import KolamTypeError


class UniqueAllResult(typing.NamedTuple):
    """What `unique_all` gives."""

    values: typing.Any
    indices: typing.Any
    inverse_indices: typing.Any
    counts: typing.Any


class UniqueCountsResult(typing.NamedTuple):
    """What `unique_counts` gives."""

    values: typing.Any
    counts: typing.Any


class UniqueInverseResult(typing.NamedTuple):
    """What `unique_inverse` gives."""

    values: typing.Any
    inverse_indices: typing.Any


def unique_all(x, *, size=None, fill_value=None):
    """The different values, sorted; where each stands first; the place of each element's value; how often each stands.

    >>> import kolam as ko
    >>> [part.tolist() for part in ko.unique_all(ko.asarray([3, 1, 3]))]
    [[1, 3], [1, 0], [1, 0, 1], [1, 2]]

    Every NaN is a value of its own. Under `jit` the extents are known to the running program only; `size` asks for so
    many, the first ones where there are more, and `fill_value` (the smallest value unless given), counted 0 times, behind
    the last one where there are fewer.
    """
    return UniqueAllResult(*_kolam.unique_all(x, size, fill_value))


def unique_counts(x, *, size=None, fill_value=None):
    """The different values, sorted, and how often each stands; options as in `unique_all`.

    >>> import kolam as ko
    >>> [part.tolist() for part in ko.unique_counts(ko.asarray([3, 1, 3]), size=3, fill_value=9)]
    [[1, 3, 9], [1, 2, 0]]
    """
    return UniqueCountsResult(*_kolam.unique_counts(x, size, fill_value))


def unique_inverse(x, *, size=None, fill_value=None):
    """The different values, sorted, and for each element the place of its value; options as in `unique_all`.

    >>> import kolam as ko
    >>> values, places = ko.unique_inverse(ko.asarray([[3, 1], [3, 3]]))
    >>> values[places].tolist()
    [[3, 1], [3, 3]]
    """
    return UniqueInverseResult(*_kolam.unique_inverse(x, size, fill_value))


def unique_values(x, *, size=None, fill_value=None):
    """The different values, sorted; options as in `unique_all`.

    >>> import kolam as ko
    >>> ko.unique_values(ko.asarray([3, 1, 3])).tolist()
    [1, 3]
    """
    return _kolam.unique_values(x, size, fill_value)


def unique(
    x, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True, size=None, fill_value=None
):
    """NumPy's function: the different values, sorted, and a tuple of them and of what else is asked for.

    >>> import kolam as ko
    >>> values, counts = ko.unique(ko.asarray([2, 1, 2]), return_counts=True)
    >>> values.tolist(), counts.tolist()
    ([1, 2], [1, 2])

    All NaN are one value, unless `equal_nan` is False. `size` and `fill_value` as in `unique_all`.
    """
    if axis is not None:
        raise KolamTypeError.make(
            "unique", "bad-option", f"argument 'axis': expected None, but got {axis!r}: rows are not yet compared as a whole"
        )
    options = (x, size, fill_value, equal_nan)
    if return_index or (return_inverse and return_counts):
        values, *parts = _kolam.unique_all(*options)
        chosen = [part for part, is_asked in zip(parts, (return_index, return_inverse, return_counts), strict=True) if is_asked]
    elif return_inverse:
        values, *chosen = _kolam.unique_inverse(*options)
    elif return_counts:
        values, *chosen = _kolam.unique_counts(*options)
    else:
        return _kolam.unique_values(*options)
    return (values, *chosen)


__all__ = ["unique", "unique_all", "unique_counts", "unique_inverse", "unique_values"]
