"""Trees of tangents and cotangents, beside the values that they belong to."""

from kolam import _kolam
from kolam._pytree import assemble, flatten, leaf_paths, part_paths, split, unflatten
from kolam._transformed import as_array, is_float, is_list
from kolam._vmap import parts_like
from kolam.errors import KolamValueError


def beside(structure, values, of_floats):
    """The tree of tangents beside `values`, whose structure is `structure`, from those of the floats among them.

    None for what is no float, as in `joined`.
    """
    of_floats = iter(of_floats)
    return joined(structure, values, [next(of_floats) if is_float(value) else None for value in values])


def joined(structure, values, tangents):
    """The same from a tangent, or None, for each of `values`.

        (ns, xs)                    (None, dxs)
        zip(ns, xs)                 zip(zeros like ns, dxs)
        zip(ns, ns)                 None

    A list of tuples has no place for None: there it is zeros, of the value's dtype and lengths, or None is all of the list.
    """
    return _joined(structure, iter(zip(tangents, values, strict=True)))


def _joined(structure, pairs):
    if structure.kind == "leaf":
        return next(pairs)[0]
    if _is_list(structure):
        own = [next(pairs) for _ in range(structure.num_leaves)]
        if all(tangent is None for tangent, _ in own):
            return None
        return unflatten(structure, iter([_zeros(value) if tangent is None else tangent for tangent, value in own]))
    if structure.kind == "none":
        return None
    return assemble(structure.kind, structure.detail, [_joined(part, pairs) for part in structure.parts])


def _is_list(structure):
    """Whether a structure is that of a list, of arrays or of tuples."""
    return structure.kind == "dataclass" and getattr(structure.detail[0], "_is_none_without_parts", False)


def _zeros(value):
    """A list of zeros of the dtype and the lengths of this one, which only a run may know: `zeros` takes no such extents."""
    array, *offsets = _kolam._list_unpack(value)
    return _kolam._list_pack(_kolam.astype(_kolam.less(array, array), array.dtype), offsets)


def in_tuples(structure):
    """Whether each leaf of a structure is among the lists of a list of tuples."""
    if _is_list(structure):
        return [structure.parts[0].kind != "leaf"] * structure.num_leaves
    if structure.kind == "leaf":
        return [False]
    return [leaf for part in structure.parts for leaf in in_tuples(part)]


def alongside(given, structure, values, path, function):
    """One leaf of `given` for each of `values`, whose structure is `structure`: None for zero, and for what is no float.

    None stands for a whole part too; what stands for integers in a list of tuples is not read. Throws `[tangent-mismatch]` with the
    path of the part that does not fit, from `path` on, as a list does not that has other lengths.
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
    for number, (place, is_one) in enumerate(zip(leaf_paths(structure, path), in_tuples(structure), strict=True)):
        leaf, value = leaves[number], values[number]
        if is_one and not is_float(value) and is_list(leaf) and (leaf.depth, leaf.dtype) == (value.depth, value.dtype):
            leaf = leaves[number] = None  # the zeros of `joined`
        if leaf is not None and not is_float(value):
            raise refuse(place, f"expected None, as {described(value)} has no derivative, but got {described(leaf)}")
        if leaf is not None and (_depth(leaf) != _depth(value) or is_list(leaf) and not is_float(leaf)):
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
