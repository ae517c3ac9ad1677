"""FractalTensor against nested Python lists."""

import copy
import dataclasses
import pickle
from typing import get_args, get_origin

import numpy as np
import pytest

import kolam as ko
from kolam import fractal as ops
from kolam import pytree
from kolam.fractal import FractalTensor
from random_nests import Nests, Pair, Point, same

CASES = 300


def plain(value):
    """A FractalTensor as nested lists, also inside tuples; anything else as it is."""
    if isinstance(value, FractalTensor):
        return value.to_list()
    if isinstance(value, Pair):
        return Pair(*map(plain, value))
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    if dataclasses.is_dataclass(value):
        return Point(plain(value.x), plain(value.y))
    return value


def random_nests(seed, with_tuples=True):
    nests = Nests(seed)
    for case in range(CASES):
        make = nests.tuple_maker() if with_tuples and case % 3 == 0 else nests.leaf_maker()
        yield nests, nests.nest(make, 1 + case % 4)


def test_lists_come_back(seed):
    for _, nest in random_nests(seed):
        assert same(FractalTensor(nest).to_list(), nest), nest


def test_elements_and_slices(seed):
    for nests, nest in random_nests(seed):
        xs, length = FractalTensor(nest), len(nest)
        assert len(xs) == length
        assert same([plain(element) for element in xs], nest), nest
        i = nests.random.randrange(-length, length)
        assert same(plain(xs[i]), nest[i])
        bounds = [nests.random.choice([None, *range(-length - 2, length + 3)]) for _ in range(2)]
        part = slice(*bounds, nests.random.choice([None, 1, 2, 3, -1, -2]))
        assert same(xs[part].to_list(), nest[part]), (nest, part)
        assert xs[part].is_same_type(xs)
        places = [nests.random.randrange(-length, length) for _ in range(nests.random.randrange(5))]
        for given in (places, np.array(places, np.int32), ko.asarray(np.array(places, np.int64))):
            assert same(xs[given].to_list(), [nest[place] for place in places]), (nest, places)


def test_equality(seed):
    before = None
    for _, nest in random_nests(seed):
        xs = FractalTensor(nest)
        assert xs == FractalTensor(nest)
        assert xs != before
        assert xs[1:] != xs
        before = xs
    assert FractalTensor([1, 2]) != [1, 2]
    assert FractalTensor([0.0]) == FractalTensor([-0.0])
    assert FractalTensor([np.nan]) != FractalTensor([np.nan])


def test_lists_of_fractal_tensors(seed):
    for _, nest in random_nests(seed):
        xs = FractalTensor(nest)
        rows = FractalTensor([xs, xs[:0], xs[1:]])
        assert same(rows.to_list(), [nest, [], nest[1:]]), nest
        assert rows.depth == xs.depth + 1
        assert rows[0] == xs


def test_offsets_come_back(seed):
    for _, nest in random_nests(seed, with_tuples=False):
        xs = FractalTensor(nest)
        for some in (xs, xs[1:]):
            for index_dtype in (np.int64, np.int32):
                values, *offsets = some.to_offsets(index_dtype)
                assert all(level.dtype == index_dtype and level[0] == 0 for level in offsets)
                assert len(values) == some.numel
                assert FractalTensor.from_offsets(values, *offsets) == some


def test_offsets_are_views_or_copies():
    xs = FractalTensor([[1, 2], [], [3]])
    values, offsets = xs.to_offsets()
    assert not values.flags.writeable and not offsets.flags.writeable
    _, narrow = xs.to_offsets("int32")
    narrow[0] = 7
    assert xs.to_offsets(np.int32)[1].tolist() == [0, 2, 2, 3]


def test_pickle_and_copy(seed):
    for _, nest in random_nests(seed):
        xs = FractalTensor(nest)
        assert pickle.loads(pickle.dumps(xs)) == xs
        assert copy.deepcopy(xs[1:]) == xs[1:]


def test_widths():
    xs = FractalTensor([[[1, 2], [3]], [[4]]])
    assert [xs.width_by_depth(d) for d in (1, 2, 3)] == [[2, 1, 1], [2, 1], [2]]
    assert [xs.width_by_depth(d) for d in (-3, -2, -1)] == [[2, 1, 1], [2, 1], [2]]
    assert xs.lengths == [2, 1]
    assert (xs.depth, xs.numel, xs.dtype, xs.leaf_shape) == (3, 4, ko.int32, ())
    assert [xs[1:].width_by_depth(d) for d in (1, 2, 3)] == [[1], [1], [1]]


def test_tuples_of_lists():
    vector = np.ones(2, np.float32)
    xs = FractalTensor([[Pair(vector, 1)], [], [Pair(vector, 2), Pair(vector, 3)]])
    assert (xs.depth, xs.lengths) == (2, [1, 0, 2])
    assert xs.dtype == Pair(ko.float32, ko.int32)
    assert xs.leaf_shape == Pair((2,), ())
    assert xs.numel == Pair(3, 3)
    assert isinstance(xs[2], FractalTensor)
    assert xs[2].parts.second.depth == 1
    assert isinstance(xs[2][0], Pair)
    ys = FractalTensor([([1, 2], 3), ([], 4)])
    assert ys.depth == 1
    assert [plain(element) for element in ys] == [([1, 2], 3), ([], 4)]


def test_a_fractal_tensor_is_a_pytree():
    xs = FractalTensor([([1, 2], 3), ([], 4)])
    lists, structure = pytree.tree_flatten({"xs": xs})
    assert [inner.type for inner in lists] == ["list<list<int32[]>>", "list<int32[]>"]
    assert pytree.tree_unflatten(structure, lists) == {"xs": xs}


def test_values_are_viewed():
    values = np.arange(12, dtype=np.float32).reshape(6, 2)
    xs = FractalTensor.from_offsets(values, np.array([0, 2, 2, 6]))
    for view in (xs.to_offsets()[0], xs.to_list()[0][1], xs[2][3], xs[1:][1][0], xs[2]):
        assert np.shares_memory(np.asarray(view), values)
    rows = np.asarray(FractalTensor.from_offsets(values))
    assert np.shares_memory(rows, values)
    assert rows.shape == (6, 2)
    assert not rows.flags.writeable


def test_memory_outlives_its_owner():
    values = np.arange(1000.0)
    xs = FractalTensor.from_offsets(values, np.array([0, 999, 1000]))[1]
    del values
    assert xs.to_list() == [999.0]


def test_offsets_that_change_later():
    offsets = np.array([0, 2, 4])
    xs = FractalTensor.from_offsets(np.arange(4), offsets)
    offsets[:] = 2**62
    assert xs.to_list() == [[0, 1], [2, 3]]


def test_offsets_as_arrow_has_them():
    xs = FractalTensor.from_offsets(np.arange(7), np.array([1, 3], np.int32), np.array([0, 1, 2, 2, 5], np.int32))
    assert xs.to_list() == [[[1], []]]
    assert [part.tolist() for part in xs.to_offsets()] == [[1], [0, 2], [0, 1, 1]]


def test_values_in_any_memory():
    columns = np.arange(12).reshape(3, 4).T
    assert FractalTensor.from_offsets(columns, [0, 4]).to_list()[0][1].tolist() == [1, 5, 9]
    assert FractalTensor.from_offsets(columns[::-2, ::-1])[0].tolist() == [11, 7, 3]
    assert FractalTensor.from_offsets(np.arange(8), np.arange(0, 9, 1)[::2]).lengths == [2, 2, 2, 2]
    ours = ko.arange(6)
    assert np.shares_memory(np.asarray(FractalTensor.from_offsets(ours, [0, 6])[0]), np.asarray(ours))


def test_leaf_dtypes():
    assert FractalTensor([1, 2]).dtype == ko.int32
    assert FractalTensor([True]).dtype == ko.bool
    assert FractalTensor([1, 2.5]).dtype == ko.float32
    assert FractalTensor([1, 2**40], dtype=np.int64).to_list() == [1, 2**40]
    mixed = FractalTensor([np.ones(2, np.float32), np.ones(2, np.float64)], dtype="bf16")
    assert (mixed.dtype, mixed.leaf_shape) == (ko.bfloat16, (2,))
    assert FractalTensor([[ko.bfloat16.dtype.type(1.5)]]).to_list() == [[1.5]]
    assert FractalTensor([ko.zeros(3), np.zeros(3, np.float32)]).leaf_shape == (3,)


def test_empty_lists():
    xs = FractalTensor([[], []], depth=3, dtype=np.int8, leaf_shape=(2,))
    assert (xs.depth, xs.dtype, xs.leaf_shape, xs.numel) == (3, ko.int8, (2,), 0)
    assert xs.to_list() == [[], []]
    assert xs[0].depth == 2
    assert FractalTensor([], leaf_shape=()).dtype == ko.float32
    assert FractalTensor([([], 1)], leaf_shape=()).to_list() == [([], 1)]
    assert FractalTensor([1])[:0].is_same_type(FractalTensor([2]))
    assert not FractalTensor([], leaf_shape=())


def test_types():
    xs = FractalTensor([[np.ones((1, 2), np.float32)]])
    assert xs.is_same_type(FractalTensor([[], [np.zeros((1, 2), np.float32)] * 3]))
    for other in ([[np.ones((1, 2))]], [[np.ones(2, np.float32)]], [np.ones((1, 2), np.float32)]):
        assert not xs.is_same_type(FractalTensor(other))
    assert not xs.is_same_type(5)
    assert xs.element_type == FractalTensor[ops.Tensor]
    assert FractalTensor([[1]]).element_type == FractalTensor[int]
    assert FractalTensor([1.5]).element_type == ops.Tensor
    assert FractalTensor([(1, [1.5])]).element_type == tuple[int, FractalTensor[ops.Tensor]]
    assert FractalTensor([[Pair(1, 2)]]).element_type == FractalTensor[Pair]


def test_annotations():
    def f(x: FractalTensor[FractalTensor[ops.Tensor]], params: ops.StaticList[tuple[ops.Tensor], 3]) -> FractalTensor[int]:
        return x

    assert get_origin(f.__annotations__["x"]) is FractalTensor
    assert get_args(f.__annotations__["params"]) == (tuple[ops.Tensor], 3)
    assert get_args(f.__annotations__["return"]) == (int,)


def test_repr():
    assert repr(FractalTensor([[0, 1, 2], [], [3]])) == "list<list<int32[]>>\n[[0 1 2]\n []\n [3]]"
    assert repr(FractalTensor([(1, [Pair(1.5, 2)])])) == (
        "[0]: list<int32[]>\n[1]\n[1][:].first: list<list<float32[]>>\n[[1.5]]\n[1][:].second: list<list<int32[]>>\n[[2]]"
    )
    assert len(repr(FractalTensor([[i] * i for i in range(500)]))) < 300


def test_repr_of_leaves_without_elements():
    nothing = np.zeros((0, 3), np.float32)
    assert repr(FractalTensor([nothing] * 2)) == "list<float32[0, 3]>\n[[] []]"
    assert repr(FractalTensor([[nothing], [], [nothing] * 3])) == (
        "list<list<float32[0, 3]>>\n[[[]]\n\n\n []\n\n\n [[] [] []]]"
    )
    assert repr(FractalTensor.from_offsets(np.zeros((2**33, 0), np.int8))) == "list<int8[0]>\n[[] [] [] ... [] [] []]"


@pytest.mark.parametrize("backend", ["cpu", "interpret"])
def test_elements_are_arrays(backend):
    xs = FractalTensor([[np.arange(3.0)], [np.ones(3)]])
    assert ko.jit(ko.sum, backend=backend)(xs[0][0]).item() == 3


def test_lists_as_elements_have_the_dtype_and_the_leaves_that_are_asked_for():
    xs = FractalTensor([1, 2])
    assert FractalTensor([xs], dtype="float32") == FractalTensor([[1.0, 2.0]])
    assert FractalTensor([(xs, 1)], dtype="int8").dtype == (ko.int8, ko.int8)
    for make in (lambda: FractalTensor([xs], leaf_shape=(3,)), lambda: ko.jit(lambda xs: FractalTensor([xs], dtype="int8"))(xs)):
        with pytest.raises(ko.KolamError) as info:
            make()
        assert info.value.slug == "list-type" and "xs[0]: expected " in str(info.value)
