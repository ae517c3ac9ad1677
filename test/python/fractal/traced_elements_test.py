"""FractalTensors of what a program computes: tensors and lists of it, beside arrays and lists of the host."""

import collections

import numpy as np
import pytest
from both import run

import kolam as ko
from kolam import fractal as ops
from kolam.fractal import FractalTensor

A, B = np.float32([1, 2]), np.float32([3, 4])
X, Y = FractalTensor([1, 2]), FractalTensor([3])
Pair = collections.namedtuple("Pair", "left right")

MADE = {
    "tensors": (lambda a, b: FractalTensor([a, b]), (A, B), [[1, 2], [3, 4]]),
    "rows": (lambda a, b: FractalTensor([[a], [], [b, a + b]]), (A, B), [[[1, 2]], [], [[3, 4], [4, 6]]]),
    "deep rows": (lambda a: FractalTensor([[[a], []], [], [[a, -a]]]), (A,), [[[[1, 2]], []], [], [[[1, 2], [-1, -2]]]]),
    "beside arrays": (lambda a: FractalTensor([[a], [B, ko.asarray(B)]]), (A,), [[[1, 2]], [[3, 4], [3, 4]]]),
    "beside numbers": (lambda a: FractalTensor([ko.sum(a), 5.0]), (A,), [3, 5]),
    "of another dtype": (lambda a: FractalTensor([ko.sum(a), 5.0], dtype="int32"), (A,), [3, 5]),
    "tuples": (lambda a, b: FractalTensor([(a, ko.sum(b)), (b, ko.sum(a))]), (A, B), [([1, 2], 7), ([3, 4], 3)]),
    "named tuples": (lambda a, b: FractalTensor([[Pair(a, b)], [Pair(B, a)]]), (A, B), [[Pair([1, 2], [3, 4])], [Pair([3, 4], [1, 2])]]),
    "lists": (lambda xs, ys: FractalTensor([xs, ys, xs]), (X, Y), [[1, 2], [3], [1, 2]]),
    "rows of lists": (lambda xs, ys: FractalTensor([[xs], [], [ys, X]]), (X, Y), [[[1, 2]], [], [[3], [1, 2]]]),
    "deep rows of lists": (lambda xs: FractalTensor([[[xs], []], [], [[xs]]]), (X,), [[[[1, 2]], []], [], [[[1, 2]]]]),
    "lists of tuples": (lambda xs: FractalTensor([ops.zip(xs, ops.reverse(xs)), ops.zip(xs, xs)]), (X,),
                        [[(1, 2), (2, 1)], [(1, 1), (2, 2)]]),
    "none": (lambda xs: ops.join(FractalTensor([], dtype="int32", leaf_shape=()), xs), (X,), [1, 2]),
    "none in a tuple": (lambda a: FractalTensor([(a[0], [])], leaf_shape=()), (A,), [(1, [])]),
    "none in a body": (
        lambda xs: ops.map(lambda _: ops.map(lambda y: y, FractalTensor([], dtype="int32", leaf_shape=())), xs), (X,), [[], []]
    ),
    "none as a state": (
        lambda xs: ops.fold(ops.join, xs, initializer=FractalTensor([], dtype="int32", leaf_shape=())),
        (FractalTensor([[1], [2]]),), [1, 2],
    ),
    "in a body": (lambda xs: ops.map(lambda x: FractalTensor([[x], [x, x + 1]]), xs), (X,), [[[1], [1, 2]], [[2], [2, 3]]]),
    "in a scan": (lambda xs: ops.fold(lambda s, x: FractalTensor([s[1], x]), xs, initializer=FractalTensor([0, 0])), (X,), [1, 2]),
}  # fmt: skip


def as_pairs(value):
    """Named tuples as tuples, which is how comparison takes them."""
    if isinstance(value, list):
        return [as_pairs(x) for x in value]
    return tuple(as_pairs(x) for x in value) if isinstance(value, tuple) else value


@pytest.mark.parametrize("name", MADE)
def test_lists_of_traced_elements(name):
    make, arguments, expected = MADE[name]
    assert as_pairs(run(make, *arguments)) == as_pairs(expected)


def test_tuples_keep_their_class():
    made = ko.jit(lambda a: FractalTensor([Pair(a, a)]))(A)
    assert type(made[0]) is Pair


REFUSED = {
    "shapes": (lambda a, b: FractalTensor([[a], [a], [b[:1]]]), (A, B),
               "xs[2][0]: expected float32[2], as xs[0][0] is, but got float32[1]"),
    "dtypes": (lambda a: FractalTensor([[], [a, ko.astype(a, ko.int32)]]), (A,),
               "xs[1][1]: expected float32[2], as xs[1][0] is, but got int32[2]"),
    "an array": (lambda a: FractalTensor([a, np.ones(3, np.float32)]), (A,), "xs[1]: expected float32[2], as xs[0] is, but got float32[3]"),
    "a number": (lambda a: FractalTensor([a, 1.5]), (A,), "xs[1]: expected float32[2], as xs[0] is, but got a number"),
    "tuples": (lambda a, b: FractalTensor([[(a, b)], [(a, b[0])]]), (A, B),
               "xs[1][0][1]: expected float32[2], as xs[0][0][1] is, but got float32[]"),
    "a list": (lambda a, xs: FractalTensor([[a], [xs]]), (A, X), "xs[1][0]: expected an array, as xs[0][0] is, but got a FractalTensor"),
    "lists": (lambda xs: FractalTensor([[xs], [Y, FractalTensor([1.5])]]), (X,),
              "xs[1][1]: expected list<int32[]>, as xs[0][0] is, but got list<float32[]>"),
    "depths": (lambda xs: FractalTensor([xs, FractalTensor([xs])]), (X,),
               "xs[1]: expected list<int32[]>, as xs[0] is, but got list<list<int32[]>>"),
    "a shape asked for": (lambda a: FractalTensor([a], leaf_shape=(3,)), (A,), "xs[0]: expected shape [3], as leaf_shape says, but got [2]"),
}  # fmt: skip


@pytest.mark.parametrize("backend", ["cpu", "interpret"])
@pytest.mark.parametrize("name", REFUSED)
def test_elements_that_do_not_fit(name, backend):
    make, arguments, words = REFUSED[name]
    with pytest.raises(TypeError) as info:
        ko.jit(make, backend=backend)(*arguments)
    assert info.value.slug == "list-type" and f"FractalTensor: [list-type] {words}" in str(info.value)
    assert info.value.where[0] == __file__


def test_rows_of_one_length_stack_to_known_shapes():
    def stacked(a, b):
        rows = ops.map(ops.stack, FractalTensor([[a, b], [b, a], [a, a]]))
        assert rows.leaf_shape == (2, 2)
        return rows

    assert run(stacked, A, B) == [[[1, 2], [3, 4]], [[3, 4], [1, 2]], [[1, 2], [1, 2]]]


def test_an_extent_that_only_the_run_knows():
    made = ko.jit(lambda x: FractalTensor([x.shape[0], ko.asarray(7, ko.int64)]), dynamic={"x": [0]})
    assert made(A).to_list() == [2, 7] and made(np.ones(5, np.float32)).to_list() == [5, 7]
    rows = ko.jit(lambda x: ops.map(ko.sum, FractalTensor([x, x + 1])), dynamic={"x": [0]})
    assert rows(A).to_list() == [3, 5]
