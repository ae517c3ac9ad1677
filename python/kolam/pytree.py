"""Pytrees: arrays inside tuples, lists, dicts, named tuples, dataclasses and registered classes.

None is a pytree without leaves. The keys of a dict come sorted where they have an order; an OrderedDict keeps its own.
"""

import functools

from kolam.errors import KolamValueError
from kolam._pytree import Structure as PyTreeDef
from kolam._pytree import flatten as _flatten
from kolam._pytree import flatten_up_to, part_names
from kolam._pytree import unflatten as _unflatten
from kolam._pytree_types import register_dataclass, register_pytree_node, register_pytree_node_class, register_static

__all__ = [
    "PyTreeDef", "keystr", "map", "register_dataclass", "register_pytree_node", "register_pytree_node_class", "register_static",
    "tree_all", "tree_flatten", "tree_flatten_with_path", "tree_leaves", "tree_leaves_with_path", "tree_map",
    "tree_map_with_path", "tree_reduce", "tree_structure", "tree_transpose", "tree_unflatten",
]  # fmt: skip

for _function in (register_dataclass, register_pytree_node, register_pytree_node_class, register_static):
    _function.__module__ = __name__  # where users find them


def tree_flatten(tree, is_leaf=None):
    """(the leaves in order, the structure without them).

    >>> from kolam import pytree
    >>> pytree.tree_flatten({"b": [1, 2], "a": None})
    ([1, 2], {'a': None, 'b': [*, *]})

    `is_leaf(part)` says which parts stay whole.
    """
    leaves = []
    structure = _flatten(tree, leaves, is_leaf)
    return leaves, structure


def tree_unflatten(treedef, leaves):
    """The value of a structure with these leaves. Throws `[pytree-mismatch]` where it has another number of them.

    >>> from kolam import pytree
    >>> pytree.tree_unflatten(pytree.tree_structure((0, [0])), [1, 2])
    (1, [2])
    """
    leaves = list(leaves)
    if len(leaves) != treedef.num_leaves:
        raise KolamValueError.make(
            "tree_unflatten", "pytree-mismatch", f"expected {treedef.num_leaves} leaves for {treedef}, but got {len(leaves)}"
        )
    return _unflatten(treedef, iter(leaves))


def tree_leaves(tree, is_leaf=None):
    """The leaves in order.

    >>> from kolam import pytree
    >>> pytree.tree_leaves((1, [2, None, {"x": 3}]))
    [1, 2, 3]
    """
    return tree_flatten(tree, is_leaf)[0]


def tree_structure(tree, is_leaf=None):
    """What is left when the leaves are taken out; equal and of one hash for equal structures.

    >>> from kolam import pytree
    >>> pytree.tree_structure((1, [2])) == pytree.tree_structure((3, [4]))
    True
    """
    return tree_flatten(tree, is_leaf)[1]


def tree_map(f, tree, *rest, is_leaf=None):
    """f of each leaf, in the structure of `tree`; of several trees f of the leaves at one place.

    >>> from kolam import pytree
    >>> pytree.tree_map(lambda x, y: x + y, {"a": 1, "b": (2,)}, {"a": 10, "b": (20,)})
    {'a': 11, 'b': (22,)}

    Where `tree` has a leaf, `rest` may have whole trees. Throws `[pytree-mismatch]`.
    """
    leaves, structure = tree_flatten(tree, is_leaf)
    columns = [leaves, *(flatten_up_to(structure, other, "tree_map") for other in rest)]
    return _unflatten(structure, iter([f(*row) for row in zip(*columns, strict=True)]))


map = tree_map  # as jax.tree.map; the builtin's name is not used below


_MISSING = object()


def tree_reduce(function, tree, initializer=_MISSING, is_leaf=None):
    """The leaves combined from the left.

    >>> from kolam import pytree
    >>> pytree.tree_reduce(lambda total, x: total + x, {"a": 1, "b": [2, 3]})
    6
    """
    leaves = tree_leaves(tree, is_leaf)
    if initializer is _MISSING:
        if not leaves:
            raise KolamValueError.make("tree_reduce", "pytree-mismatch", "expected leaves or an initializer, but got neither")
        return functools.reduce(function, leaves)
    return functools.reduce(function, leaves, initializer)


def tree_all(tree, is_leaf=None):
    """Whether all leaves are true.

    >>> from kolam import pytree
    >>> pytree.tree_all([True, {"x": False}])
    False
    """
    return all(tree_leaves(tree, is_leaf))


def tree_transpose(outer_treedef, inner_treedef, pytree_to_transpose):
    """A tree of trees with the two structures exchanged.

    >>> from kolam import pytree
    >>> outer, inner = pytree.tree_structure([0, 0]), pytree.tree_structure({"x": 0})
    >>> pytree.tree_transpose(outer, inner, [{"x": 1}, {"x": 2}])
    {'x': [1, 2]}

    Throws `[pytree-mismatch]`.
    """
    rows = [
        flatten_up_to(inner_treedef, part, "tree_transpose")
        for part in flatten_up_to(outer_treedef, pytree_to_transpose, "tree_transpose")
    ]
    columns = zip(*rows, strict=True) if rows else [()] * inner_treedef.num_leaves
    return _unflatten(inner_treedef, iter([_unflatten(outer_treedef, iter(column)) for column in columns]))


def tree_flatten_with_path(tree, is_leaf=None):
    """As `tree_flatten`, with pairs (path, leaf); a path is a tuple of texts: `("['a']", "[0]", ".weight")`.

    >>> from kolam import pytree
    >>> pytree.tree_flatten_with_path({"a": [7]})[0]
    [(("['a']", '[0]'), 7)]
    """
    leaves, structure = tree_flatten(tree, is_leaf)
    return list(zip(_paths(structure), leaves, strict=True)), structure


def tree_leaves_with_path(tree, is_leaf=None):
    """The pairs alone.

    >>> from kolam import pytree
    >>> [pytree.keystr(path) for path, leaf in pytree.tree_leaves_with_path({"a": [7, 8]})]
    ["['a'][0]", "['a'][1]"]
    """
    return tree_flatten_with_path(tree, is_leaf)[0]


def tree_map_with_path(f, tree, *rest, is_leaf=None):
    """As `tree_map`, of f(path, leaf, ...).

    >>> from kolam import pytree
    >>> pytree.tree_map_with_path(lambda path, x: f"{pytree.keystr(path)}={x}", {"a": 1})
    {'a': "['a']=1"}
    """
    paths = iter(_paths(tree_structure(tree, is_leaf)))
    return tree_map(lambda *leaves: f(next(paths), *leaves), tree, *rest, is_leaf=is_leaf)


def keystr(path):
    """A path as one text, as Python would reach the leaf.

    >>> from kolam import pytree
    >>> pytree.keystr(("['a']", ".weight"))
    "['a'].weight"
    """
    return "".join(path)


def _paths(structure, path=()):
    if structure.kind == "leaf":
        return [path]
    names = part_names(structure.kind, structure.detail, len(structure.parts))
    found = []
    for name, part in zip(names, structure.parts, strict=True):
        found += _paths(part, (*path, name))
    return found


def __getattr__(name):
    """Names that are not here: those of other libraries are told what to write."""
    from kolam import _hints

    raise _hints.unknown_name("kolam.pytree", name, __all__)


def __dir__():
    return __all__
