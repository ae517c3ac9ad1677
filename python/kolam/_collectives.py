"""What the function of a vmap that has a name says of all its instances."""

from kolam import _kolam
from kolam._pytree import flatten, unflatten
from kolam.errors import KolamTypeError


def axis_index(axis_name):
    """The number of the instance, int32, in the function of `vmap(f, axis_name="i")`.

    >>> import kolam as ko
    >>> ko.vmap(lambda x: x + ko.axis_index("i"), axis_name="i")(ko.asarray([10, 10])).tolist()
    [10, 11]

    Of a tuple of names the row-major number. Throws `[unbound-axis]` where no vmap around binds the name, as all that follow.
    """
    index = None
    for name in _names("axis_index", axis_name):
        own = _kolam._vmap_axis_index(name)
        index = own if index is None else index * _kolam._vmap_axis_size([name]) + own
    return index


def axis_size(axis_name):
    """How many instances there are; of a tuple of names their product.

    >>> import kolam as ko
    >>> ko.vmap(lambda x: x / ko.axis_size("i"), axis_name="i")(ko.ones(4)).tolist()
    [0.25, 0.25, 0.25, 0.25]
    """
    return _kolam._vmap_axis_size(_names("axis_size", axis_name))


def psum(x, axis_name):
    """The sum of x over all instances, the same for each; of a pytree, of each array.

    >>> import kolam as ko
    >>> ko.vmap(lambda x: x / ko.psum(x, "i"), axis_name="i")(ko.asarray([1.0, 3.0])).tolist()
    [0.25, 0.75]

    The bits are those of sum(x of all, axis=0). All instances take part, also those that take another branch or have stopped:
    with what they hold. Booleans count as int32, and a number of Python as it is: psum(1, "i") is the number of instances. It
    is linear, and its own transpose. Source: MPI's allreduce; jax.lax.psum.
    """
    names = _names("psum", axis_name)
    if isinstance(x, int | float) and not isinstance(x, bool):
        return x * _kolam._vmap_axis_size(names)
    return _over("psum", x, names)


def pmean(x, axis_name):
    """psum(x) / axis_size: of integers a float.

    >>> import kolam as ko
    >>> ko.vmap(lambda x: x - ko.pmean(x, "i"), axis_name="i")(ko.asarray([1.0, 3.0])).tolist()
    [-1.0, 1.0]
    """
    return _over("pmean", x, _names("pmean", axis_name))


def pmin(x, axis_name):
    """The smallest of all instances; a derivative is shared among those that hold it.

    >>> import kolam as ko
    >>> ko.vmap(lambda x: x - ko.pmin(x, "i"), axis_name="i")(ko.asarray([2, 5])).tolist()
    [0, 3]
    """
    return _over("pmin", x, _names("pmin", axis_name))


def pmax(x, axis_name):
    """The greatest of all instances; a derivative is shared among those that hold it.

    >>> import kolam as ko
    >>> ko.vmap(lambda x: ko.pmax(x, "i"), axis_name="i")(ko.asarray([2, 5])).tolist()
    [5, 5]
    """
    return _over("pmax", x, _names("pmax", axis_name))


def _over(function, x, names):
    structure = flatten(x, leaves := [])
    return unflatten(structure, iter([_kolam._collective(function, leaf, names) for leaf in leaves]))


def _names(function, names):
    found = [names] if isinstance(names, str) else list(names) if isinstance(names, tuple | list) else [None]
    if not found or not all(isinstance(name, str) and name for name in found):
        raise KolamTypeError.make(function, "argument-type", f"argument 'axis_name': expected a text or a tuple of texts, but got {names!r}")
    return found
