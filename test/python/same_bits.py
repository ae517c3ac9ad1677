"""Native code beside the interpreter, bit by bit.

-0 is not 0, and a NaN is no number. Which NaN is another matter: sign and payload of one that arithmetic gives are unspecified,
as in IEEE 754 and LLVM; processors take them from an operand, and compilers swap operands. An element that is only moved keeps its
bits, those of a NaN too: `moves=True` compares them.
"""

import re

import numpy as np
import pytest

import kolam as ko


def arrays_of(results):
    """The arrays of nested tuples, in order."""
    if isinstance(results, tuple | list):
        return [array for part in results for array in arrays_of(part)]
    return [np.asarray(results)]


def is_nan(array):
    return np.isnan(array.astype(np.float64)) if array.dtype.kind not in "biu" else np.zeros(array.shape, bool)


def bits_of(array):
    """The elements' bits as unsigned integers."""
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}").reshape(array.shape)


def different_bits(a, b, moves=False):
    """Where two arrays of one dtype and shape differ; unless `moves`, one NaN is as good as another."""
    assert (a.dtype, a.shape) == (b.dtype, b.shape), f"{a.dtype}{a.shape} is not {b.dtype}{b.shape}"
    different = bits_of(a) != bits_of(b)
    return different if moves else different & ~(is_nan(a) & is_nan(b))


def require_same_bits(function, *arguments, moves=False, may_refuse=False, **options):
    """Compiles and runs `function`; gives its arrays, or None where both backends refuse the arguments and `may_refuse` says that
    they may.

    Raises AssertionError where the backends differ, with the first elements that do.
    """
    try:
        expected = ko.jit(function, backend="interpret", **options)(*arguments)
    except ko.KolamError as refused:
        if not may_refuse:
            raise
        with pytest.raises(type(refused), match=re.escape(str(refused))):
            ko.jit(function, **options)(*arguments)
        return None
    found, expected = arrays_of(ko.jit(function, **options)(*arguments)), arrays_of(expected)
    for number, (ours, theirs) in enumerate(zip(found, expected, strict=True)):
        wrong = different_bits(ours, theirs, moves)
        places = np.argwhere(wrong)[:5].tolist()
        assert not wrong.any(), f"result {number} at {places}: native {ours[wrong][:5]}, interpreter {theirs[wrong][:5]}"
    return found


def ways_to_read(x):
    """Pairs (read, array) of which `read(array)`, inside a program, is `x`, of one dim or more: at an address that no vector is
    aligned to, back to front, with steps, inside of more, in another order of dims; the last gives the first row again and again."""
    behind = np.empty(x.size + 1, x.dtype)[1:].reshape(x.shape)
    behind[...] = x
    yield lambda y: y, behind
    yield lambda y: ko.flip(y, axis=0), np.flip(x, 0)
    yield lambda y: y[..., ::-3], np.repeat(np.flip(x, -1), 3, -1)
    yield lambda y: y[2:-1], np.concatenate([x[:1], x[:1], x, x[-1:]]) if len(x) else np.empty((3, *x.shape[1:]), x.dtype)
    yield lambda y: ko.permute_dims(y, tuple(range(x.ndim))[::-1]), np.ascontiguousarray(x.T)
    yield lambda y: ko.broadcast_to(y, x.shape), x[:1]
