"""Pytrees: arrays inside tuples, lists, dicts, named tuples and dataclasses, flattened and put back."""

import collections
import dataclasses

from kolam._kolam import _DEEPEST as DEEPEST
from kolam.errors import KolamTypeError, KolamValueError


class Structure:
    """What is left of a value when its leaves are taken out; hashable, and equal for equal structures."""

    __slots__ = ("kind", "detail", "parts", "_hash")

    def __init__(self, kind, detail, parts):
        self.kind, self.detail, self.parts = kind, detail, parts
        self._hash = hash((kind, detail, parts))

    def __hash__(self):
        return self._hash

    def __eq__(self, other):
        return (
            isinstance(other, Structure)
            and self._hash == other._hash
            and (self.kind, self.detail, self.parts) == (other.kind, other.detail, other.parts)
        )

    def __repr__(self):
        return text_of(self.kind, self.detail, [repr(part) for part in self.parts])


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
            "pytree", "argument-type", f"expected a dict, an OrderedDict or a defaultdict, but got a {kind.__name__}"
        )
    if kind is not collections.OrderedDict:
        try:
            keys = tuple(sorted(keys))
        except TypeError:
            pass  # keys without an order keep their own
    return (kind, keys, factory), [value[key] for key in keys]


def split(value):
    """(kind, detail, parts) of a container; None for a leaf."""
    if type(value) is tuple:
        return "tuple", None, value
    if type(value) is list:
        return "list", None, value
    if isinstance(value, dict):
        return "dict", *_split_dict(value)
    if _is_namedtuple(value):
        return "namedtuple", type(value), value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = tuple(field.name for field in dataclasses.fields(value))
        return "dataclass", (type(value), names), [getattr(value, name) for name in names]
    return None


def flatten(value, leaves, is_leaf=None, room=DEEPEST):
    """Appends the leaves of `value` to the list `leaves`; returns its structure. Throws `[ragged-nest]` where more than
    `room` containers lie in one another."""
    if value is None:
        return NONE
    taken = None if is_leaf is not None and is_leaf(value) else split(value)
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
    if kind == "dataclass":
        return [f".{name}" for name in detail[1]]
    return [f"[{key!r}]" for key in (detail[1] if kind == "dict" else range(count))]


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
    cls, names = (detail, detail._fields) if kind == "namedtuple" else detail
    return f"{cls.__name__}({', '.join(f'{name}={part}' for name, part in zip(names, parts, strict=True))})"


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
    cls, names = detail
    # Without __init__, which may compute or check what traced values cannot answer.
    value = object.__new__(cls)
    for name, part in zip(names, parts, strict=True):
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
