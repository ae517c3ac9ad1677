"""vmap: a function of one instance, for many at once."""

import operator

from kolam import _kolam
from kolam._pytree import LEAF, flatten, part_names, unflatten
from kolam._transformed import Transformed, is_list, transformed
from kolam.errors import KolamTypeError, KolamValueError


def vmap(fun, in_axes=0, out_axes=0, axis_name=None, axis_size=None):
    """`fun` for many instances at once: slice i of each result is, bit by bit, what `fun` gives for the slices i.

    >>> import kolam as ko
    >>> ko.vmap(lambda x, w: w @ x, in_axes=(0, None))(ko.ones((3, 2)), ko.ones((4, 2))).shape
    (3, 4)

    `in_axes` says which axis of each argument counts the instances: an int, None for an argument that is the same for all
    and comes as it is, or a tuple of these, one for each argument by place, in which a pytree may say it for the parts of
    an argument. Arguments by name are mapped over their axis 0, but for those that hold no arrays. `out_axes`, alike, says
    where the results are stacked; None where they are the same for all. `fun` is called once, on traced slices: products
    become one product, loops run until the last instance stops. Functions of the host and lists run one instance after the
    other. Numbers of Python come as they are; outside of `jit` others trace `fun` anew. It may be used inside `jit`, around it
    and around itself; extents may be dynamic. `axis_size` is needed where nothing is mapped. Inside, `axis_name` is what
    `axis_index`, `psum`, `pmean`, `pmin` and `pmax` mean the instances by.
    Throws `[batch-axis]` where nothing is mapped, where there is no such axis, where extents differ, where a result that
    `out_axes` says to be the same for all is not, and where one of them has another structure than what it stands for.
    """
    if not callable(fun):
        raise KolamTypeError.make("vmap", "argument-type", f"argument 'fun': expected a function, but got {fun!r}")
    if axis_name is not None and not (isinstance(axis_name, str) and axis_name):
        raise KolamTypeError.make("vmap", "argument-type", f"argument 'axis_name': expected a text, but got {axis_name!r}")
    if isinstance(in_axes, list):
        in_axes = tuple(in_axes)
    if not (in_axes is None or _is_axis(in_axes) or isinstance(in_axes, tuple)):
        raise _refuse(
            f"argument 'in_axes': expected an int, None or a tuple of one each for the arguments, but got {in_axes!r}"
        )
    name = getattr(fun, "__name__", "fun")

    def mapped(*args, **named):
        if isinstance(in_axes, tuple) and len(in_axes) != len(args):
            raise _refuse(
                f"argument 'in_axes': expected {len(args)} entries, one for each argument of {name} by place, but got {in_axes!r}"
            )
        structure = flatten((args, named), leaves := [])
        axes = _axes_of("in_axes", in_axes, structure.parts[0], "args")
        axes += [0 if _is_array(leaf) or _is_number(leaf) else None for leaf in leaves[len(axes) :]]
        inputs = _inputs(leaves, axes, structure)
        results = []

        def body(slices):
            slices = iter(slices)
            given = [leaf if axis is None else next(slices) for leaf, axis in zip(leaves, axes, strict=True)]
            positional, keywords = unflatten(structure, iter(given))
            found = []
            results.append(flatten(fun(*positional, **keywords), found))
            stacked = _axes_of("out_axes", out_axes, results[-1], "result")
            return list(zip(found, stacked, _paths(results[-1], "result"), strict=True))

        arrays = _kolam._vmap(body, inputs, axis_size, axis_name or "")
        return unflatten(results[0], iter(arrays))

    options = ("vmap", in_axes, out_axes, axis_name, axis_size)
    return transformed(fun, options, lambda: Transformed(fun, mapped, lambda leaf: _is_array(leaf) or is_list(leaf)))


def _inputs(leaves, axes, structure):
    """(array, axis, how the user reaches it) of those that are mapped."""
    names = _paths(structure.parts[0], "args") + _paths(structure.parts[1], "kwargs")
    inputs = []
    for leaf, axis, name in zip(leaves, axes, names, strict=True):
        if axis is None:
            continue
        if isinstance(leaf, _kolam.List | _kolam.TracedList):
            raise _refuse(
                f"{name}: expected an array to map over, but got a list; in_axes=None leaves it whole, fractal.map maps over lists"
            )
        if not _is_array(leaf):
            rank = "a number" if _is_number(leaf) else f"a {type(leaf).__name__}"
            raise _refuse(
                f"{name}: expected an array with an axis {axis} to map over, but got {rank}; in_axes=None leaves it as it is"
            )
        inputs.append((leaf, axis, name))
    return inputs


def _is_array(leaf):
    return hasattr(leaf, "shape") or hasattr(leaf, "__dlpack__") or hasattr(leaf, "__array__")


def _is_number(leaf):
    return isinstance(leaf, int | float)


def _is_axis(axes):
    return not isinstance(axes, bool) and hasattr(axes, "__index__")


def _axes_of(option, axes, structure, path):
    """An axis, or None, for each leaf of a structure that `axes` is a prefix of."""
    if axes is None or _is_axis(axes):
        return [None if axes is None else operator.index(axes)] * structure.num_leaves
    if structure is LEAF or structure.kind == "leaf":
        raise _refuse(
            f"argument '{option}': expected an int or None for {path or 'an argument'}, which is no container, but got {axes!r}"
        )
    parts = parts_like(axes, structure)
    if parts is None:
        raise _refuse(f"argument '{option}': expected an int, None or a container like {structure}, but got {axes!r}")
    names = part_names(structure.kind, structure.detail, len(structure.parts))
    found = []
    for part, inner, name in zip(parts, structure.parts, names, strict=True):
        found += _axes_of(option, part, inner, path + name)
    return found


def parts_like(axes, structure):
    """The parts of `axes` in the order of the structure's; None where they are of another kind. A list may be a tuple."""
    count, kind = len(structure.parts), structure.kind
    if isinstance(axes, dict):
        keys = structure.detail[1] if kind == "dict" else ()
        return [axes[key] for key in keys] if kind == "dict" and set(axes) == set(keys) else None
    if isinstance(axes, list | tuple):
        return list(axes) if kind in ("tuple", "list", "namedtuple") and len(axes) == count else None
    flatten(axes, held := [], lambda part: part is not axes)  # a dataclass, or of a registered class
    return held if len(held) == count and type(axes) is _class_of(structure) else None


def _class_of(structure):
    return structure.detail[0] if structure.kind in ("dataclass", "node") else None


def _paths(structure, path):
    if structure.kind == "leaf":
        return [path]
    found = []
    for name, part in zip(part_names(structure.kind, structure.detail, len(structure.parts)), structure.parts, strict=True):
        found += _paths(part, path + name)
    return found


def _refuse(message):
    return KolamValueError.make("vmap", "batch-axis", message)
