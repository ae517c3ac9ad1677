"""Leaves that are lists, as the arrays that programs take for them."""

from kolam import _kolam


def depths_of(leaves):
    """How deep the lists among leaves are, 0 for the others; None where there are none."""
    lists = (_kolam.List, _kolam.TracedList)
    depths = tuple(leaf.depth if isinstance(leaf, lists) else 0 for leaf in leaves)
    return depths if any(depths) else None


def packed(values, depths):
    """The leaves of arrays and tensors, where lists are their leaves and offsets."""
    values = iter(values)
    if depths is None:
        yield from values
        return
    for depth in depths:
        value = next(values)
        yield _kolam._list_pack(value, [next(values) for _ in range(depth - 1)]) if depth else value


def unpacked(leaves):
    """Lists as their leaves and offsets."""
    parts = []
    for leaf in leaves:
        parts += _kolam._list_unpack(leaf) if isinstance(leaf, _kolam.List | _kolam.TracedList) else [leaf]
    return parts
