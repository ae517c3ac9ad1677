"""Pytrees: registered classes, and the functions over them."""

import collections
import dataclasses

import numpy as np
import pytest

import kolam as ko
from kolam import pytree


class Interval:
    def __init__(self, low, high, unit="m"):
        self.low, self.high, self.unit = low, high, unit


pytree.register_pytree_node(Interval, lambda i: ((i.low, i.high), i.unit), lambda unit, parts: Interval(*parts, unit))


@pytree.register_pytree_node_class
class Scale:
    def __init__(self, by):
        self.by = by

    def tree_flatten(self):
        return (self.by,), None

    @classmethod
    def tree_unflatten(cls, _, children):
        return cls(*children)


@pytree.register_dataclass
@dataclasses.dataclass
class Layer:
    weight: object
    name: str = dataclasses.field(metadata={"static": True}, default="dense")


@dataclasses.dataclass
class Marked:
    x: object
    axis: int = dataclasses.field(metadata={"static": True}, default=0)


def test_registered_classes_are_arguments_results_and_states():
    traces = []

    @ko.jit
    def widen(interval, scale):
        traces.append(interval.unit)
        return Interval(interval.low * scale.by, interval.high * scale.by, interval.unit)

    for _ in range(2):
        wide = widen(Interval(np.float32(1), np.float32(2)), Scale(3))
    assert (wide.low.item(), wide.high.item(), wide.unit) == (3, 6, "m")
    assert traces == ["m"]
    widen(Interval(np.float32(1), np.float32(2), "km"), Scale(3))  # another static part
    assert traces == ["m", "km"]
    last = ko.fori_loop(0, 3, lambda i, s: Scale(s.by + s.by), Scale(np.int32(1)))
    assert last.by.item() == 8


def test_static_fields_of_dataclasses_are_part_of_the_trace():
    traces = []

    @ko.jit
    def total(marked):
        traces.append(marked.axis)
        return dataclasses.replace(marked, x=ko.sum(marked.x, axis=marked.axis))

    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    for axis in (0, 1, 0, 1):
        result = total(Marked(x, axis))
        np.testing.assert_array_equal(result.x, x.sum(axis))
        assert result.axis == axis
    assert traces == [0, 1]
    doubled = ko.jit(lambda layer: Layer(layer.weight * 2, layer.name))(Layer(x, "out"))
    assert doubled.name == "out" and doubled.weight.shape == (2, 3)


def test_static_parts_must_be_hashable():
    with pytest.raises(ko.KolamError, match=r"\[unhashable-static\] expected the static fields of a Marked to be hashable"):
        ko.jit(lambda m: m.x)(Marked(1, [0]))


def test_a_class_may_be_registered_after_calls_with_it():
    @dataclasses.dataclass
    class Late:
        x: object
        name: object

    first = ko.jit(lambda late: late.x * late.name)
    assert first(Late(2, 3)).item() == 6
    pytree.register_dataclass(Late, ["x"], ["name"])
    assert ko.jit(lambda late: late.x * late.name)(Late(2, 3)).item() == 6
    assert first(Late(2, 4)).item() == 8 and first(Late(2, 5)).item() == 10
    assert pytree.tree_leaves(Late(2, 3)) == [2]


def test_static_classes_have_no_leaves():
    @pytree.register_static
    class Mode(str):
        pass

    assert pytree.tree_leaves([Mode("a"), 1]) == [1]
    f = ko.jit(lambda x, mode: x + 1 if mode == "up" else x - 1)
    assert f(1, Mode("up")).item() == 2 and f(1, Mode("down")).item() == 0


@pytest.mark.parametrize(
    ("register", "words"),
    [
        (lambda: pytree.register_pytree_node(Interval, None, None), "argument 'flatten_func': expected a function"),
        (lambda: pytree.register_pytree_node(Interval, tuple, list), "expected a class that is not registered yet, but got Interval"),
        (lambda: pytree.register_pytree_node(dict, tuple, list), "expected a class of your own, but got dict"),
        (lambda: pytree.register_pytree_node_class(int), "expected a class with the method tree_flatten"),
        (lambda: pytree.register_dataclass(Marked, ["x"], []), r"expected the fields \['axis', 'x'\] of Marked"),
        (lambda: pytree.register_dataclass(Exception), "expected data_fields and meta_fields"),
        (lambda: pytree.register_static(3), "expected a class, but got 3"),
    ],
)
def test_bad_registrations(register, words):
    with pytest.raises(ko.KolamError, match=rf"\[bad-pytree-type\] {words}"):
        register()


def test_a_flatten_function_gives_a_pair():
    class Odd:
        pass

    pytree.register_pytree_node(Odd, lambda odd: [1, 2, 3], lambda aux, parts: Odd())
    with pytest.raises(ko.KolamError, match=r"\[bad-pytree-type\] expected the flatten function of Odd to give a pair"):
        pytree.tree_leaves(Odd())


def test_none_is_empty_and_dicts_are_sorted():
    Point = collections.namedtuple("Point", "x y")
    tree = {"b": [1, None], "a": collections.OrderedDict(z=2, y=3), "c": Point(4, collections.defaultdict(int, k=5))}
    assert pytree.tree_leaves(tree) == [2, 3, 1, 4, 5]
    assert pytree.tree_leaves([None, 1], is_leaf=lambda x: x is None) == [None, 1]
    leaves, structure = pytree.tree_flatten(tree)
    assert pytree.tree_unflatten(structure, leaves) == tree
    assert structure.num_leaves == 5 and structure == pytree.tree_structure(tree) and len({structure, pytree.tree_structure(tree)}) == 1
    doubled = pytree.tree_map(lambda x: 2 * x, tree)
    assert doubled["c"].y.default_factory is int and list(doubled["a"]) == ["z", "y"] and doubled["b"] == [2, None]
    traced = ko.jit(lambda t: t)(tree)
    assert pytree.tree_map(lambda x: x.item(), traced) == tree


def test_tree_map_of_several_trees():
    assert pytree.tree_map(lambda x, y: (x, y), {"a": 1, "b": 2}, {"b": [3, 4], "a": None}) == {"a": (1, None), "b": (2, [3, 4])}
    for other, words in [({"a": 1}, r"expected \{'a': \.\.\., 'b': \.\.\.\} at the top"), (3, "but got a leaf"), ([1, 2], r"but got \[")]:
        with pytest.raises(ko.KolamError, match=rf"\[pytree-mismatch\].*{words}"):
            pytree.tree_map(lambda x, y: x, {"a": 1, "b": 2}, other)
    with pytest.raises(ko.KolamError, match=r"\[pytree-mismatch\] expected \(\.\.\., \.\.\.\) at \['a'\]"):
        pytree.tree_map(lambda x, y: x, {"a": (1, 2)}, {"a": (1, 2, 3)})


def test_the_other_functions():
    tree = {"a": 1, "b": [2, 3]}
    assert pytree.tree_reduce(lambda x, y: x + y, tree) == 6 and pytree.tree_reduce(lambda x, y: x + y, (), 0) == 0
    assert pytree.tree_all(tree) and not pytree.tree_all([0, 1])
    assert [pytree.keystr(path) for path, _ in pytree.tree_leaves_with_path((tree, Layer(7)))] == [
        "[0]['a']", "[0]['b'][0]", "[0]['b'][1]", "[1].weight",
    ]  # fmt: skip
    assert pytree.tree_map_with_path(lambda path, x, y: (pytree.keystr(path), x, y), [1], [2]) == [("[0]", 1, 2)]
    assert ko.tree.map is pytree.tree_map and ko.tree.leaves(tree) == [1, 2, 3]
    for wrong in ([1], [1, 2, 3, 4]):
        with pytest.raises(ko.KolamError, match=r"\[pytree-mismatch\] expected 3 leaves"):
            pytree.tree_unflatten(pytree.tree_structure(tree), wrong)
    with pytest.raises(ko.KolamError, match=r"\[pytree-mismatch\] expected leaves or an initializer"):
        pytree.tree_reduce(max, [])
