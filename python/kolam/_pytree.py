"""Pytrees as Kolam takes them apart: a structure, and a list of leaves. `kolam.pytree` is what users see."""

import collections
import dataclasses

from kolam._kolam import _DEEPEST as DEEPEST
from kolam._words import with_article
from kolam.errors import KolamTypeError, KolamValueError
from kolam._pytree_types import find_node
from kolam._statics import Static


class Structure:
    """What is left of a value when its leaves are taken out; hashable, and equal for equal structures."""

    __slots__ = ("kind", "detail", "parts", "_hash")

    def __init__(self, kind, detail, parts):
        self.kind, self.detail, self.parts, self._hash = kind, detail, parts, None

    def __hash__(self):
        if self._hash is None:
            self._hash = hash((self.kind, self.detail, self.parts))
        return self._hash

    def __eq__(self, other):
        return isinstance(other, Structure) and (
            self is other or (self.kind, self.detail, self.parts) == (other.kind, other.detail, other.parts)
        )

    def __repr__(self):
        return text_of(self.kind, self.detail, [repr(part) for part in self.parts])

    def __reduce__(self):
        return _structure, (self.kind, self.detail, self.parts)

    @property
    def num_leaves(self):
        """How many leaves a value of this structure has."""
        return 1 if self.kind == "leaf" else sum(part.num_leaves for part in self.parts)

    def children(self):
        """The structures of the parts."""
        return list(self.parts)

    def unflatten(self, leaves):
        """As `tree_unflatten`."""
        from kolam.pytree import tree_unflatten

        return tree_unflatten(self, leaves)


def _structure(kind, detail, parts):
    return LEAF if kind == "leaf" else NONE if kind == "none" else Structure(kind, detail, parts)


LEAF = Structure("leaf", None, ())
NONE = Structure("none", None, ())


def _is_namedtuple(value):
    return isinstance(value, tuple) and hasattr(value, "_fields")


def _split_dict(value):
    """((the type, the keys, the factory of a defaultdict), parts)."""
    kind, keys, factory = type(value), tuple(value), None
    if kind is collections.defaultdict:
        factory = value.default_factory
    elif kind is not dict and kind is not collections.OrderedDict:
        raise KolamTypeError.make(
            "pytree", "argument-type",
            f"expected a dict, an OrderedDict or a defaultdict, but got {with_article(kind.__name__)}; "
            "kolam.pytree.register_pytree_node says how others are taken apart",
        )  # fmt: skip
    if kind is not collections.OrderedDict:
        try:
            keys = tuple(sorted(keys))
        except TypeError:
            pass  # keys without an order keep their own
    return (kind, keys, factory), [value[key] for key in keys]


def _split_dataclass(value):
    """((the type, the names of the parts) and, where some fields are static, (their names, their values)), parts."""
    names, static = [], []
    for field in dataclasses.fields(value):
        (static if field.metadata.get("static", False) else names).append(field.name)
    detail = (type(value), tuple(names))
    if static:
        held = Static(tuple(getattr(value, name) for name in static), f"the static fields of a {type(value).__name__}")
        detail += (tuple(static), held)
    return detail, [getattr(value, name) for name in names]


def split(value):
    """(kind, detail, parts) of a container; None for a leaf."""
    if type(value) is tuple:
        return "tuple", None, value
    if type(value) is list:
        return "list", None, value
    if (node := find_node(type(value))) is not None:
        return "node", *node.split(value)
    if isinstance(value, dict):
        return "dict", *_split_dict(value)
    if _is_namedtuple(value):
        return "namedtuple", type(value), value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return "dataclass", *_split_dataclass(value)
    return None


def flatten(value, leaves, is_leaf=None, room=DEEPEST):
    """Appends the leaves of `value` to the list `leaves`; returns its structure. Throws `[ragged-nest]` where more than
    `room` containers lie in one another."""
    if is_leaf is not None and is_leaf(value):
        leaves.append(value)
        return LEAF
    if value is None:
        return NONE
    taken = split(value)
    if taken is None:
        leaves.append(value)
        return LEAF
    if room == 0:
        raise KolamValueError.make(
            "pytree", "ragged-nest",
            f"expected at most {DEEPEST} containers in one another, but got more (one that holds itself?)",
        )  # fmt: skip
    kind, detail, parts = taken
    return Structure(kind, detail, tuple([flatten(part, leaves, is_leaf, room - 1) for part in parts]))


def part_names(kind, detail, count):
    """How the parts of a container are reached: `[0]`, `['key']`, `.field`."""
    if kind == "namedtuple":
        return [f".{name}" for name in detail._fields]
    if kind == "dataclass":  # some show their parts as their own
        return getattr(detail[0], "_part_paths", None) or [f".{name}" for name in detail[1]]
    if kind == "node":
        return find_node(detail[0]).part_names(count)
    return [f"[{key!r}]" for key in (detail[1] if kind == "dict" else range(count))]


def part_paths(structure):
    """How the parts of a value of this structure are reached from it; keys of a dict that are texts in double quotes."""
    if structure.kind == "dict":
        return [f'["{key}"]' if isinstance(key, str) else f"[{key!r}]" for key in structure.detail[1]]
    return part_names(structure.kind, structure.detail, len(structure.parts)) if structure.parts else []


def leaf_paths(structure, path=""):
    """How each leaf of a value of this structure is reached from the value, which is called `path`."""
    if structure.kind == "leaf":
        return [path]
    return [leaf for part, name in zip(structure.parts, part_paths(structure), strict=True) for leaf in leaf_paths(part, path + name)]


def text_of(kind, detail, parts):
    """A container as the texts of its parts, with the names that tell it from others: `Point(x=*, y=*)`, `{'a': *}`."""
    if kind in ("leaf", "none"):
        return "*" if kind == "leaf" else "None"
    if kind == "tuple":
        return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
    if kind == "list":
        return f"[{', '.join(parts)}]"
    if kind == "dict":
        cls, keys, _ = detail
        items = "{" + ", ".join(f"{key!r}: {part}" for key, part in zip(keys, parts, strict=True)) + "}"
        return items if cls is dict else f"{cls.__name__}({items})"
    if kind == "node":
        cls, static = detail
        return f"{cls.__name__}({', '.join([*parts, *([] if static.value is None else [f'static {static.value!r}'])])})"
    cls, names, *static = (detail, detail._fields) if kind == "namedtuple" else detail
    texts = [f"{name}={part}" for name, part in zip(names, parts, strict=True)]
    if static:
        texts += [f"{name}={value!r}" for name, value in zip(static[0], static[1].value, strict=True)]
    return f"{cls.__name__}({', '.join(texts)})"


def unflatten(structure, leaves):
    """The value of a structure whose leaves come from the iterator `leaves`."""
    kind, detail = structure.kind, structure.detail
    if kind == "leaf":
        return next(leaves)
    if kind == "none":
        return None
    parts = [unflatten(part, leaves) for part in structure.parts]
    if kind == "list":
        return parts
    if kind == "tuple":
        return tuple(parts)
    if kind == "namedtuple":
        return detail(*parts)
    if kind == "dict":
        cls, keys, factory = detail
        items = zip(keys, parts, strict=True)
        return collections.defaultdict(factory, items) if cls is collections.defaultdict else cls(items)
    if kind == "node":
        return find_node(detail[0]).join(detail[1], parts)
    cls, names, *static = detail
    if getattr(cls, "_is_none_without_parts", False) and parts == [None]:
        return None
    # Without __init__, which may compute or check what traced values cannot answer.
    value = object.__new__(cls)
    for name, part in zip(names, parts, strict=True):
        object.__setattr__(value, name, part)
    if static:
        for name, part in zip(static[0], static[1].value, strict=True):
            object.__setattr__(value, name, part)
    return value


def assemble(kind, detail, parts):
    """The container that `split` took apart, with other parts."""
    return unflatten(Structure(kind, detail, (LEAF,) * len(parts)), iter(parts))


def map_leaves(function, value):
    """`value` with `function` applied to its leaves."""
    leaves = []
    structure = flatten(value, leaves)
    return unflatten(structure, iter([function(leaf) for leaf in leaves]))


def flatten_up_to(structure, value, function, path=""):
    """The parts of `value` that stand where `structure` has leaves. Throws `[pytree-mismatch]`."""
    if structure is LEAF or structure.kind == "leaf":
        return [value]
    taken = ("none", None, ()) if value is None else split(value)
    if taken is None or not _agrees(structure, *taken):
        found = "a leaf" if taken is None else text_of(taken[0], taken[1], ["..."] * len(taken[2]))
        expected = text_of(structure.kind, structure.detail, ["..."] * len(structure.parts))
        raise KolamValueError.make(
            function, "pytree-mismatch", f"expected {expected} at {path or 'the top'}, but got {found}"
        )
    parts = taken[2]
    if structure.kind == "dict":
        parts = [value[key] for key in structure.detail[1]]
    names = part_names(structure.kind, structure.detail, len(structure.parts))
    found = []
    for inner, part, name in zip(structure.parts, parts, names, strict=True):
        found += flatten_up_to(inner, part, function, path + name)
    return found


def _agrees(structure, kind, detail, parts):
    if structure.kind != kind or len(structure.parts) != len(parts):
        return False
    if kind == "dict":  # the orders of keys may differ
        return structure.detail[0] is detail[0] and set(structure.detail[1]) == set(detail[1])
    return structure.detail == detail
