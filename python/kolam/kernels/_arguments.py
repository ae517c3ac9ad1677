"""What the kernels ask of their arguments, and what they say where it does not hold."""

from numbers import Integral

import kolam
from kolam import pallas as pl
from kolam.errors import KolamTypeError, KolamValueError

FLOATS = ("float",)
INTEGERS = ("integer", "unsigned")
NUMBERS = FLOATS + INTEGERS


def describe(x):
    """`float32[2, 3]`."""
    return f"{x.dtype.name}[{', '.join(map(str, x.shape))}]"


def bind_dims(function, **given):
    """The extents that letters stand for: `bind_dims("matmul", x=(x, "m k"), y=(y, "k n"))` is {"m": ..., "k": ..., "n": ...}.

    Raises `[rank-mismatch]` for an array of other rank, `[shape-mismatch]` for two extents of one letter.
    """
    extents = {}
    for name, (x, letters) in given.items():
        dims = letters.split()
        if x.ndim != len(dims):
            raise KolamValueError.make(
                function, "rank-mismatch", f"argument '{name}': expected dims [{', '.join(dims)}], but got {describe(x)}; reshape it to {len(dims)} dims"
            )
        for dim, (letter, extent) in enumerate(zip(dims, x.shape, strict=True)):
            if extents.setdefault(letter, extent) != extent:
                raise KolamValueError.make(
                    function, "shape-mismatch",
                    f"argument '{name}': expected extent {extents[letter]} in dim {dim} of [{', '.join(dims)}], as {letter} is before, "
                    f"but got {extent} of {describe(x)}",
                )  # fmt: skip
    return extents


def require_kind(function, kinds, **given):
    """Raises `[dtype-mismatch]` for an array whose dtype is of none of these kinds."""
    for name, x in given.items():
        if x.dtype.kind not in kinds:
            words = {FLOATS: "floats", INTEGERS: "integers", NUMBERS: "numbers"}[kinds]
            advice = "kolam.int32" if kinds == INTEGERS else "kolam.float32"
            raise KolamTypeError.make(function, "dtype-mismatch", f"argument '{name}': expected {words}, but got {describe(x)}; write {name}.astype({advice})")


def is_integer(value):
    """Whether it is an integer of Python or NumPy, and no boolean."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def require_count(function, **given):
    """Raises `[bad-block]` for what is no integer of at least 1."""
    for name, count in given.items():
        if not is_integer(count) or count < 1:
            raise KolamValueError.make(function, "bad-block", f"argument '{name}': expected an integer of at least 1, but got {count!r}")


def require_function(function, **given):
    """Raises `[argument-type]` for what can't be called; None passes."""
    for name, value in given.items():
        if value is not None and not callable(value):
            raise KolamTypeError.make(
                function, "argument-type", f"argument '{name}': expected a function of an array, such as kolam.relu, or None, but got {value!r}"
            )


def block_of(extent, most):
    """The size of blocks along a dim: as asked for, or all elements where those are fewer."""
    return max(1, min(extent, most)) if isinstance(extent, int) else most


def is_empty(*extents):
    """Whether one is surely 0, so that there is nothing to do."""
    return any(isinstance(extent, int) and extent == 0 for extent in extents)


def in_whole_blocks(x, *blocks):
    """x with zeros behind each dim of a known extent up to whole blocks: blocks that data choose lie inside then.

    A block of 1 leaves a dim as it is.
    """
    behind = [pl.align_to(extent, block) - extent if isinstance(extent, int) else 0 for extent, block in zip(x.shape, blocks, strict=True)]
    return kolam.pad(x, [(0, width) for width in behind]) if any(behind) else x


def within(number, count):
    """`number`, clipped to the numbers below `count`."""
    return kolam.minimum(kolam.maximum(number, 0), count - 1)


def sums_of(dtype):
    """The dtype in which elements are computed and summed: float32 for narrower floats."""
    return kolam.float32 if dtype.kind == "float" and dtype.itemsize < 4 else dtype
