"""The functions of `kolam.pytree` under the short names that `jax.tree` has: `tree.map(f, params)`."""

from kolam.pytree import tree_all as all
from kolam.pytree import tree_flatten as flatten
from kolam.pytree import tree_flatten_with_path as flatten_with_path
from kolam.pytree import tree_leaves as leaves
from kolam.pytree import tree_leaves_with_path as leaves_with_path
from kolam.pytree import tree_map as map
from kolam.pytree import tree_map_with_path as map_with_path
from kolam.pytree import tree_reduce as reduce
from kolam.pytree import tree_structure as structure
from kolam.pytree import tree_transpose as transpose
from kolam.pytree import tree_unflatten as unflatten

__all__ = [
    "all", "flatten", "flatten_with_path", "leaves", "leaves_with_path", "map", "map_with_path", "reduce", "structure",
    "transpose", "unflatten",
]  # fmt: skip


def __getattr__(name):
    """Names that are not here: those of other libraries are told what to write."""
    from kolam import _hints

    raise _hints.unknown_name("kolam.tree", name, __all__)


def __dir__():
    return __all__
