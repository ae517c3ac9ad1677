"""Lists to tensors and back."""

import kolam
from kolam import _kolam
from kolam.errors import KolamIndexError, KolamTypeError, KolamValueError
from kolam.fractal.access import describe_lists
from kolam.fractal.arguments import integer
from kolam.fractal.lists import FractalTensor
from kolam.fractal.parts import is_list
from kolam.fractal.values import as_list


def flatten(xs, axis=0):
    """All leaves in order, joined along an axis of theirs: a tensor. Leaves of rank 0 give a vector.

    >>> from kolam import fractal as ops
    >>> ops.flatten(ops.FractalTensor([[1, 2], [3]])).tolist()
    [1, 2, 3]

    Throws `[axis-out-of-range]`, and `[list-type]` for lists of tuples.
    """
    leaves = _leaves("flatten", xs)
    rank = max(leaves.ndim - 1, 1)
    axis = _axis("flatten", axis, rank)
    if leaves.ndim == 1:
        return leaves
    shape = list(leaves.shape[1:])
    shape[axis] = leaves.shape[0] * shape[axis]
    return _kolam.reshape(_kolam.moveaxis(leaves, 0, axis), tuple(shape))


def stack(xs, axis=0):
    """The tensors of a list of depth 1 as one, along a new axis.

    >>> from kolam import fractal as ops
    >>> ops.stack(ops.FractalTensor([1, 2])).tolist()
    [1, 2]

    Throws `[list-depth]`, `[axis-out-of-range]`, and `[list-type]` for lists of tuples.
    """
    xs = as_list("stack", xs)
    if xs.depth != 1:
        raise KolamValueError.make("stack", "list-depth", f"expected a list of tensors, but got {describe_lists(xs)}")
    leaves = _leaves("stack", xs)
    return _kolam.moveaxis(leaves, 0, _axis("stack", axis, leaves.ndim))


def unbind(x, axis=0):
    """The slices of a tensor along an axis, without it: a list.

    >>> from kolam import fractal as ops
    >>> ops.unbind(ops.reshape(ops.arange(4), (2, 2)), axis=1).to_list()
    [array([0, 2], dtype=int32), array([1, 3], dtype=int32)]

    Throws `[axis-out-of-range]`.
    """
    return FractalTensor.from_parts(_kolam._list_pack(_rows("unbind", x, axis)[0], []))


def slices(x, axis=0):
    """The slices of a tensor along an axis, which stays with extent 1: a list.

    >>> from kolam import fractal as ops
    >>> ops.slices(ops.zeros(3, 4), axis=1).leaf_shape
    (3, 1)

    Throws `[axis-out-of-range]`.
    """
    rows, axis = _rows("slices", x, axis)
    return FractalTensor.from_parts(_kolam._list_pack(_kolam.expand_dims(rows, 1 + axis), []))


def _rows(function, x, axis):
    """The slices along an axis as rows of the leading dim, and the axis counted from the front."""
    if isinstance(x, FractalTensor):
        raise KolamTypeError.make(
            function, "not-an-array", f"argument 'x': expected an array, but got {describe_lists(x)}, which is a list already"
        )
    x = kolam.asarray(x)
    axis = _axis(function, axis, x.ndim)
    return _kolam.moveaxis(x, axis, 0), axis


def _leaves(function, xs):
    xs = as_list(function, xs)
    if not is_list(xs.parts):
        raise KolamTypeError.make(
            function, "list-type", f"expected a list of tensors, but got tuples of them: {describe_lists(xs)}"
        )
    return _kolam._list_unpack(xs.parts)[0]


def _axis(function, given, rank):
    axis = integer(function, "axis", given)
    if not -rank <= axis < rank:
        raise KolamIndexError.make(
            function, "axis-out-of-range",
            f"argument 'axis': expected an axis from {-rank} to {rank - 1}, but got {axis}" if rank else
            f"argument 'axis': expected a tensor with axes, but got a scalar",
        )  # fmt: skip
    return axis % rank
