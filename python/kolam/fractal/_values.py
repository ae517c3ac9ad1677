"""Values of bodies: what the elements of lists are, and the lists that results become."""

import itertools

import kolam
from kolam import _kolam, _pytree as pytree
from kolam._words import with_article
from kolam.errors import KolamError, KolamTypeError
from kolam.fractal._lists import FractalTensor, Iterator, named_parts
from kolam.fractal._parts import ListOf, element, is_list, lists_of

_LIST = "list<"


class Bound:
    """One element of a part, where its list is asked for it."""

    __slots__ = ("value", "depth")

    def __init__(self, value, depth):
        self.value, self.depth = value, depth

    def sublist(self, _):
        return self.value

    def leaf(self, _):
        return self.value


def as_list(function, xs, argument="xs"):
    """`xs` as a FractalTensor; refuses all but lists, and tuples, named tuples and dataclasses of lists."""
    if isinstance(xs, FractalTensor):
        return xs
    if (fields := _list_of_fields(xs)) is not None:
        return fields
    raise KolamTypeError.make(
        function, "not-a-list", f"argument '{argument}': expected a FractalTensor, but got {with_article(type(xs).__name__)}{_hint(xs)}"
    )


def _list_of_fields(xs):
    """A tuple, named tuple or dataclass of lists as the list of such values; None for anything else."""
    taken = pytree.split(xs)
    if taken is None or taken[0] not in ("tuple", "namedtuple", "dataclass"):
        return None
    leaves = []
    structure = pytree.flatten(xs, leaves, lambda part: isinstance(part, FractalTensor))
    if not leaves or not all(isinstance(leaf, FractalTensor) for leaf in leaves):
        return None
    fields = FractalTensor.from_parts(pytree.unflatten(structure, iter([leaf.parts for leaf in leaves])))
    _kolam._list_zip([list_parts(fields)])  # throws
    return fields


def _hint(xs):
    """What makes a list of something else."""
    if isinstance(xs, tuple) and any(isinstance(part, FractalTensor) for part in xs):
        return "; zip(*xs) reads lists side by side"
    if isinstance(xs, list):
        return "; FractalTensor(xs) makes one of it"
    return "; unbind(x) gives the rows of a tensor" if hasattr(xs, "shape") else ""


class _Zipped(list):
    """Lists, and how the user reaches each, as errors say it: `xs[1]`."""

    __slots__ = ("paths",)


def list_parts(xs):
    """The lists that `xs` holds, in order."""
    if is_list(xs.parts):
        return [xs.parts]
    paths, lists = zip(*named_parts(xs.parts, "xs"), strict=True)
    zipped = _Zipped(lists)
    zipped.paths = paths
    return zipped


def element_from(parts, values):
    """The element whose parts, in the order of the lists, are `values`."""
    values = iter(values)
    bound = pytree.map_leaves(lambda inner: Bound(next(values), inner.depth), parts)
    return element(bound, 0, FractalTensor.from_parts)


def element_structure(parts):
    """The structure of an element."""
    return flatten(element_from(parts, [object() for _ in lists_of(parts)]))[1]


def with_lists(parts, lists):
    """`parts` with other lists."""
    lists = iter(lists)
    return pytree.map_leaves(lambda _: next(lists), parts)


def read_as(xs, lists):
    """`xs` with other elements, by the lists of its parts."""
    return type(xs).from_parts(with_lists(xs.parts, lists))


def grouped_as(xs, lists):
    """A list of lists of what `xs` holds, by the lists of its parts."""
    parts = with_lists(xs.parts, lists)
    return FractalTensor.from_parts(parts if is_list(parts) else ListOf(parts))


def describe_lists(xs):
    """The types of the parts of a list, in the tuples that they are in."""
    return _describe_parts(xs.parts)


def flatten(value):
    """(leaves, structure) of what a body takes or gives."""
    leaves = []
    structure = pytree.flatten(value, leaves)
    return leaves, structure


def unflatten(structure, leaves):
    """The value of a structure with these leaves."""
    return pytree.unflatten(structure, iter(leaves))


def deepen(structure, lists):
    """The lists of all results of a body, from the structure of one: a tuple becomes a tuple of lists."""
    if structure is pytree.LEAF:
        return FractalTensor.from_parts(next(lists))
    cls = _class_of(structure)
    if cls is Iterator:
        return tuple(_list_of(part, lists) for part in structure.parts[0].parts)
    if cls is FractalTensor:
        return _list_of(structure.parts[0], lists)
    if structure.kind == "none":
        return None
    parts = [deepen(part, lists) for part in structure.parts]
    return pytree.assemble(structure.kind, structure.detail, parts)


def describe(structure, leaves=None):
    """A structure's text, the same for equal ones; a list of tuples counts as a tuple of lists. With `leaves` their types
    stand in their places: `(float32[2], list<int32[]>)`."""
    return _describe_structure(structure, itertools.repeat("*") if leaves is None else map(_type_text, leaves))


def _describe_structure(structure, texts):
    if structure is pytree.LEAF:
        return next(texts)
    cls = _class_of(structure)
    if cls is FractalTensor or cls is Iterator:
        return _lists_text(structure.parts[0], texts)
    if cls is ListOf:
        return _list_text(structure.parts[0], texts)
    parts = [_describe_structure(part, texts) for part in structure.parts]
    return pytree.text_of(structure.kind, structure.detail, parts)


def _lists_text(parts, texts):
    """A list of what has these parts: of tuples, a tuple of lists."""
    if parts is pytree.LEAF or _class_of(parts) is ListOf:
        return _list_text(parts, texts)
    return pytree.text_of(parts.kind, parts.detail, [_lists_text(part, texts) for part in parts.parts])


def _list_text(parts, texts):
    """A list of what has these parts, whose types are those of lists."""
    if parts is pytree.LEAF:
        text = next(texts)
        return text if text.startswith(_LIST) else f"list({text})"
    elements = (text[len(_LIST) : -1] if text.startswith(_LIST) else text for text in texts)
    return f"list({_describe_structure(parts, elements)})"


def _type_text(leaf):
    """`float32[2]`, `list<float32[2]>`, or what else a body gave."""
    if is_list(leaf):
        return leaf.type
    try:
        array = kolam.asarray(leaf)
    except KolamError:
        return f"a {type(leaf).__name__}"
    return f"{array.dtype.name}{list(array.shape)}"


def _describe_parts(parts):
    if isinstance(parts, ListOf):
        return f"lists of {_describe_parts(parts.parts)}"
    if is_list(parts):
        return parts.type
    kind, detail, given = pytree.split(parts)
    return pytree.text_of(kind, detail, [_describe_parts(part) for part in given])


def _class_of(structure):
    return structure.detail[0] if structure.kind == "dataclass" else None


def _list_of(parts, lists):
    """A list of lists whose parts have this structure."""
    inner = pytree.unflatten(parts, lists)
    return FractalTensor.from_parts(inner if is_list(inner) else ListOf(inner))
