"""Values of bodies: what the elements of lists are, and the lists that results become."""

from kolam import pytree
from kolam.errors import KolamTypeError
from kolam.fractal.lists import FractalTensor
from kolam.fractal.parts import ListOf, element, is_list, lists_of


class Iterator(FractalTensor):
    """What zip gives: lists of one length, read as a list of tuples.

    Its elements are tuples, as xs[0] shows; unpacking gives the lists back: `xs, ys = zip(xs, ys)`.
    """

    __slots__ = ()

    def __iter__(self):
        return iter(self.components)

    @property
    def components(self):
        """The lists that were zipped."""
        return tuple(FractalTensor.from_parts(part) for part in self.parts)


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
    """`xs` as a FractalTensor; refuses all but lists."""
    if isinstance(xs, FractalTensor):
        return xs
    raise KolamTypeError.make(
        function, "not-a-list", f"argument '{argument}': expected a FractalTensor, but got a {type(xs).__name__}"
    )


def element_from(parts, values):
    """The element whose parts, in the order of the lists, are `values`."""
    values = iter(values)
    bound = _replace(parts, lambda inner: Bound(next(values), inner.depth))
    return element(bound, 0, FractalTensor.from_parts)


def with_lists(parts, lists):
    """`parts` with other lists."""
    lists = iter(lists)
    return _replace(parts, lambda _: next(lists))


def _replace(parts, function):
    leaves = []
    structure = pytree.flatten(parts, leaves)
    return pytree.unflatten(structure, iter([function(leaf) for leaf in leaves]))


def flatten(value):
    """(leaves, structure) of what a body takes or gives."""
    leaves = []
    structure = pytree.flatten(value, leaves)
    return leaves, structure


def unflatten(structure, leaves):
    return pytree.unflatten(structure, iter(leaves))


def _class_of(structure):
    return structure.detail[0] if structure.kind == "dataclass" else None


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


def _list_of(parts, lists):
    """A list of lists whose parts have this structure."""
    inner = pytree.unflatten(parts, lists)
    return FractalTensor.from_parts(inner if is_list(inner) else ListOf(inner))


def describe(structure):
    """A structure's text; a zip counts as a tuple of lists."""
    if structure is pytree.LEAF:
        return "*"
    cls = _class_of(structure)
    if cls is Iterator:
        return _text("tuple", [f"list({describe(part)})" for part in structure.parts[0].parts])
    if cls is FractalTensor:
        return f"list({describe(structure.parts[0])})"
    return _text(structure.kind, [describe(part) for part in structure.parts])


def _text(kind, parts):
    return f"({', '.join(parts)})" if kind == "tuple" else f"{kind}({', '.join(parts)})"


def list_parts(xs):
    return lists_of(xs.parts)
