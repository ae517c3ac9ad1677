"""Lists to tensors and back."""

from kolam import _kolam
from kolam.errors import KolamTypeError
from kolam.fractal._lists import FractalTensor
from kolam.fractal._parts import is_list
from kolam.fractal._values import as_list, describe_lists


def flatten(xs, axis=0):
    """All leaves in order, joined along an axis of theirs: a tensor. Leaves of rank 0 give a vector.

    >>> from kolam import fractal as ops
    >>> ops.flatten(ops.FractalTensor([[1, 2], [3]])).tolist()
    [1, 2, 3]

    Throws `[axis-out-of-range]`, and `[list-type]` for lists of tuples.
    """
    return _kolam._list_flatten_leaves(_of_tensors("flatten", xs), axis)


def stack(xs, axis=0):
    """The tensors of a list of depth 1 as one, along a new axis.

    >>> from kolam import fractal as ops
    >>> ops.stack(ops.FractalTensor([1, 2])).tolist()
    [1, 2]

    Throws `[list-depth]`, `[axis-out-of-range]`, and `[list-type]` for lists of tuples.
    """
    return _kolam._list_stack(_of_tensors("stack", xs), axis)


def unbind(x, axis=0):
    """The slices of a tensor along an axis, without it: a list.

    >>> from kolam import fractal as ops
    >>> ops.unbind(ops.reshape(ops.arange(4), (2, 2)), axis=1).to_list()
    [array([0, 2], dtype=int32), array([1, 3], dtype=int32)]

    Throws `[axis-out-of-range]`.
    """
    return FractalTensor.from_parts(_kolam._list_unbind(_tensor("unbind", x), axis))


def slices(x, axis=0):
    """The slices of a tensor along an axis, which stays with extent 1: a list.

    >>> from kolam import fractal as ops
    >>> ops.slices(ops.zeros(3, 4), axis=1).leaf_shape
    (3, 1)

    Throws `[axis-out-of-range]`.
    """
    return FractalTensor.from_parts(_kolam._list_slices(_tensor("slices", x), axis))


def _tensor(function, x):
    if isinstance(x, FractalTensor):
        raise KolamTypeError.make(
            function, "not-an-array", f"argument 'x': expected an array, but got {describe_lists(x)}, which is a list already"
        )
    return x


def _of_tensors(function, xs):
    """The only part of a list."""
    xs = as_list(function, xs)
    if not is_list(xs.parts):
        raise KolamTypeError.make(
            function, "list-type", f"argument 'xs': expected a list of tensors, but got tuples of them: {describe_lists(xs)}"
        )
    return xs.parts
