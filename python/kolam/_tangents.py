"""Trees of tangents and cotangents, beside the values that they belong to."""

from kolam import _kolam
from kolam._pytree import flatten, leaf_paths, part_paths, split
from kolam._transformed import as_array, is_float, is_list
from kolam._vmap import parts_like
from kolam.errors import KolamValueError


def alongside(given, structure, values, path, function):
    """One leaf of `given` for each of `values`, whose structure is `structure`: None for zero, and for what is no float.

    None stands for a whole part too. Throws `[tangent-mismatch]` with the path of the part that does not fit, from `path` on, as a
    list does not that has other lengths.
    """


    def refuse(place, message):
        return KolamValueError.make(function, "tangent-mismatch", f"{place}: {message}")

    leaves = leaves_like(given, structure, values, path, refuse)
    for leaf, value, place in zip(leaves, values, leaf_paths(structure, path), strict=True):
        if leaf is not None and is_list(leaf):  # of traced ones the run says it
            _kolam._list_require_lengths_of(value, leaf, "tangent-mismatch", place, function)
    return leaves


def leaves_like(given, structure, values, path, refuse):
    """The same, where `refuse(path, message)` makes the error; lists may have any lengths."""
    leaves = spread(given, structure, path, refuse)
    for leaf, value, place in zip(leaves, values, leaf_paths(structure, path), strict=True):
        if leaf is not None and not is_float(value):
            raise refuse(place, f"expected None, as {described(value)} has no derivative, but got {described(leaf)}")
        if leaf is not None and _depth(leaf) != _depth(value):
            raise refuse(place, f"expected {described(value)}, but got {described(leaf)}")
    return [None if leaf is None else as_array(leaf) for leaf in leaves]


def spread(given, structure, path, refuse):
    """The parts of `given` at the leaves of `structure`; None for all leaves of a part that is None."""
    if given is None:
        return [None] * structure.num_leaves
    is_container = split(given) is not None
    if structure.kind == "leaf" and not is_container:
        return [given]
    parts = None if structure.kind in ("leaf", "none") or not is_container else parts_like(given, structure)
    if parts is None:
        raise refuse(path, f"expected the structure {structure}, but got {flatten(given, [])}")
    found = []
    for part, inner, name in zip(parts, structure.parts, part_paths(structure), strict=True):
        found += spread(part, inner, path + name, refuse)
    return found


def _depth(leaf):
    return leaf.depth if is_list(leaf) else 0


def described(value):
    """A value as errors say it: dtype and shape of an array."""
    if is_list(value):
        return f"a {value.type}"
    if hasattr(value, "shape"):
        value = as_array(value)
        return f"{value.dtype.name}{list(value.shape)}"
    return repr(value)
