"""What makes no FractalTensor is refused by words that name the element, and nothing crashes."""

import dataclasses
import gc
import inspect

import numpy as np
import pytest

import kolam as ko
from kolam import fractal as ops
from kolam.fractal import FractalTensor

X = FractalTensor([[0, 1, 2], [], [3, 4]])
PAIRS = FractalTensor([(1, 2.5)])
ONES = np.ones(2, np.float32)


@dataclasses.dataclass
class Point:
    x: object
    y: object


def holding_itself(*others):
    xs = [*others]
    xs.extend([xs, xs])
    return xs


def nested(depth, make=lambda x: [x]):
    xs = 1
    for _ in range(depth):
        xs = make(xs)
    return xs


def doubled(times, value, cls=list):
    """2^times leaves in few objects."""
    for _ in range(times):
        value = cls((value, value))
    return value


DEEP = "expected at most 64 lists and tuples in one another, but got more"
REFUSED = {
    # the element is named, with what was expected and what came
    "shapes": (lambda: FractalTensor([[ONES], [ONES, np.ones(3, np.float32)]]), TypeError, "list-type",
               "xs[1][1]: expected float32[2], as xs[0][0] is, but got float32[3]"),
    "dtypes": (lambda: FractalTensor([[], [ONES], [np.ones(2)]]), TypeError, "list-type",
               "xs[2][0]: expected float32[2], as xs[1][0] is, but got float64[2]"),
    "a leaf too high": (lambda: FractalTensor([[1, 2], 3]), TypeError, "list-type",
                        "xs[1]: expected a list, as xs[0] is, but got a number"),
    "a leaf too deep": (lambda: FractalTensor([[1, 2], [3, [4]]]), TypeError, "list-type",
                        "xs[1][1]: expected a number, as xs[0][0] is, but got a list"),
    "an array among lists": (lambda: FractalTensor([[1, 2], ONES]), TypeError, "list-type",
                             "xs[1]: expected a list, as xs[0] is, but got an array"),
    "tuples": (lambda: FractalTensor([[(1, 2)], [(1, 2), (1, 2, 3)]]), TypeError, "list-type",
               "xs[1][1]: expected a tuple of 2, as xs[0][0] is, but got a tuple of 3"),
    "kinds of tuples": (lambda: FractalTensor([Point(1, 2), (1, 2)]), TypeError, "list-type",
                        "xs[1]: expected a Point, as xs[0] is, but got a tuple of 2"),
    "within tuples": (lambda: FractalTensor([[Point(1, [ONES])], [Point(1, [ONES, 3])]]), TypeError, "list-type",
                      "xs[1][0].y[1]: expected float32[2], as xs[0][0].y[0] is, but got a number"),
    "numbers of tuples": (lambda: FractalTensor([(1, ONES), (1, [ONES])]), TypeError, "list-type",
                          "xs[1][1]: expected an array, as xs[0][1] is, but got a list"),
    "empty tuples": (lambda: FractalTensor([[()]]), TypeError, "list-type", "xs[0][0]: expected at least one array in a tuple"),
    "lists of lists": (lambda: FractalTensor([X, X[0]]), TypeError, "list-type",
                       "xs[1]: expected list<list<int32[]>>, as xs[0] is, but got list<int32[]>"),
    "lists and numbers": (lambda: FractalTensor([X, 1]), TypeError, "list-type",
                          "xs[1]: expected a FractalTensor, as xs[0] is, but got a number"),
    "strings": (lambda: FractalTensor([[1], ["a"]]), TypeError, "not-an-array", "xs[1][0]: expected an array"),
    "nothing": (lambda: FractalTensor([(1, None)]), TypeError, "not-an-array", "xs[0][1]: expected an array"),
    "objects": (lambda: FractalTensor([np.array([None])]), TypeError, "unsupported-dtype", "xs[0]: expected elements of a dtype"),
    "large integers": (lambda: FractalTensor([[1], [2**40]]), ValueError, "scalar-does-not-fit", "xs[1][0]: expected integers"),
    "small dtypes": (lambda: FractalTensor([1, 300], dtype="int8"), ValueError, "scalar-does-not-fit", "xs[1]: expected numbers"),
    # the whole
    "an array": (lambda: FractalTensor(ONES), TypeError, "list-type", "FractalTensor.from_offsets takes the rows"),
    "a tuple": (lambda: FractalTensor(([1], [2])), TypeError, "list-type", "expected a nested list, but got a tuple of 2"),
    "no type": (lambda: FractalTensor([[], []]), TypeError, "list-type", "expected leaf_shape"),
    "no leaf shape": (lambda: FractalTensor([], leaf_shape=3), TypeError, "argument-type", "argument 'leaf_shape'"),
    "leaf shape": (lambda: FractalTensor([1], leaf_shape=(2,)), TypeError, "list-type",
                   "xs[0]: expected shape [2], as leaf_shape says, but got []"),
    "negative leaf shape": (lambda: FractalTensor([], leaf_shape=(-1,)), ValueError, "extent-negative", "argument 'leaf_shape'"),
    "huge leaf shape": (lambda: FractalTensor([], leaf_shape=(2**40, 2**40)), ValueError, "extent-overflow", "'leaf_shape'"),
    "depth": (lambda: FractalTensor([[1]], depth=1), ValueError, "list-depth",
              "argument 'depth': expected 2, the depth of the list, but got 1"),
    "no depth": (lambda: FractalTensor([], depth=2.0, leaf_shape=()), TypeError, "argument-type", "argument 'depth'"),
    "depth of none": (lambda: FractalTensor([], depth=10**9, leaf_shape=()), ValueError, "list-depth", "from 1 to 64"),
    "no dtype": (lambda: FractalTensor([1], dtype="soup"), TypeError, "unsupported-dtype", "soup"),
    # nests that do not end, or nearly so
    "deep lists": (lambda: FractalTensor(nested(20000)), ValueError, "list-depth", DEEP),
    "deep tuples": (lambda: FractalTensor([nested(20000, lambda x: (x,))]), ValueError, "list-depth", DEEP),
    "deep points": (lambda: FractalTensor([nested(20000, lambda x: Point(x, 1))]), ValueError, "list-depth", DEEP),
    "deep in a list": (lambda: FractalTensor([1, nested(20000)]), ValueError, "list-depth", DEEP),
    "itself": (lambda: FractalTensor(holding_itself()), ValueError, "list-depth", DEEP),
    "itself, later": (lambda: FractalTensor(holding_itself([], 1)), ValueError, "list-depth", DEEP),
    "itself in a tuple": (lambda: FractalTensor(holding_itself((holding_itself(),))), ValueError, "list-depth", DEEP),
    "more than memory": (lambda: FractalTensor(doubled(60, 1)), MemoryError, "out-of-memory", "a nested list needs"),
    "tuples for more than memory": (lambda: FractalTensor([doubled(60, 1, tuple)]), MemoryError, "out-of-memory", "nested list"),
    # offsets
    "decreasing": (lambda: FractalTensor.from_offsets(ONES, np.array([0, 2, 1])), ValueError, "list-offsets",
                   "offsets of level 1: expected at least 2, the offset before, at place 2, but got 1"),
    "negative": (lambda: FractalTensor.from_offsets(ONES, np.array([-1, 2])), ValueError, "list-offsets", "expected at least 0"),
    "too large": (lambda: FractalTensor.from_offsets(ONES, np.array([0, 2**62])), ValueError, "list-offsets",
                  "expected at most 2, the number of leaves, at place 1, but got 4611686018427387904"),
    "beyond the next": (lambda: FractalTensor.from_offsets(ONES, np.array([0, 2]), np.array([0, 2])), ValueError, "list-offsets",
                        "offsets of level 1: expected at most 1, the number of lists of level 2, at place 1, but got 2"),
    "floats": (lambda: FractalTensor.from_offsets(ONES, np.array([0.0, 2.0])), ValueError, "list-offsets", "but got float64[2]"),
    "matrices": (lambda: FractalTensor.from_offsets(ONES, np.zeros((2, 2), int)), ValueError, "list-offsets", "int64[2, 2]"),
    "no offsets": (lambda: FractalTensor.from_offsets(ONES, np.zeros(0, int)), ValueError, "list-offsets", "at least one entry"),
    "too many levels": (lambda: FractalTensor.from_offsets(ONES, *[[0, 1]] * 20000), ValueError, "list-depth", "but got 20001"),
    "a scalar": (lambda: FractalTensor.from_offsets(1.5), ValueError, "list-offsets", "expected leaves of rank at least 1"),
    "no values": (lambda: FractalTensor.from_offsets(None), TypeError, "not-an-array", "argument 'values'"),
    "offsets of none": (lambda: FractalTensor.from_offsets(ONES, None), TypeError, "not-an-array", "argument 'offsets'"),
    "too many for 32 bits": (lambda: FractalTensor.from_offsets(np.zeros((2**31, 0)), np.array([0, 2**31])).to_offsets(np.int32),
                             ValueError, "list-offsets", "expected at most 2147483647 leaves for int32, but got 2147483648"),
    "offset dtype": (lambda: X.to_offsets(np.uint32), TypeError, "argument-type", "argument 'index_dtype': expected int64 or int32"),
    "offsets of tuples": (lambda: PAIRS.to_offsets(), TypeError, "list-type", "expected a list of arrays"),
    # places
    "beyond": (lambda: X[3], IndexError, "list-index", "expected a place from -3 to 2, but got 3"),
    "before": (lambda: X[-4], IndexError, "list-index", "but got -4"),
    "far": (lambda: X[2**80], IndexError, "list-index", "expected a place from -3 to 2"),
    "in an empty list": (lambda: X[1][0], IndexError, "list-index", "index: [list-index] expected a list with elements, but got an empty one"),
    "the first of none": (lambda: ops.first(X[1]), IndexError, "list-index", "first: [list-index] expected a list with elements"),
    "the last of none": (lambda: ops.last(X[1]), IndexError, "list-index", "last: [list-index] expected a list with elements"),
    "two places": (lambda: ops.index(X, np.array([1, 1])), TypeError, "bad-index", "argument 'index': expected one integer, but got int64[2]"),
    "a number that does not fit": (lambda: ops.reduce(ops.add, FractalTensor([1.0], dtype=np.float32), 1e300), ValueError,
                                   "scalar-does-not-fit", "reduce: [scalar-does-not-fit] argument 'initializer': expected a number that kolam.float32 holds, but got 1e+300"),
    "gathered beyond": (lambda: X[[0, -4]], IndexError, "list-index", "but got -4"),
    "gathered far": (lambda: X[np.array([2**64 - 1], np.uint64)], TypeError, "bad-index", "that int64 holds, in one dim, but got uint64[1]"),
    "a string": (lambda: X["a"], TypeError, "argument-type", "argument 'index': expected an integer, but got a str"),
    "a bool": (lambda: X[True], TypeError, "argument-type", "expected an integer, but got a bool"),
    "a float": (lambda: X[np.array(1.5)], TypeError, "argument-type", "argument 'index'"),
    "two dims": (lambda: X[np.zeros((1, 1), int)], TypeError, "bad-index", "in one dim, but got int64[1, 1]"),
    "masks": (lambda: X[[True, False, True]], TypeError, "bad-index", "but got bool[3]"),
    "ragged places": (lambda: X[[[1, 2], [3]]], ValueError, "ragged-nest", "argument 'index'"),
    "slices of strings": (lambda: X["a":], TypeError, "argument-type", "argument 'start': expected an integer, but got 'a'"),
    "step 0": (lambda: X[::0], ValueError, "bad-step", "index: [bad-step] expected a step other than 0, but got 0"),
    # queries
    "width 0": (lambda: X.width_by_depth(0), ValueError, "list-depth", "argument 'd': expected 1 to 2, or -2 to -1, but got 0"),
    "width 3": (lambda: X.width_by_depth(-3), ValueError, "list-depth", "but got -3"),
    "widths": (lambda: X.width_by_depth(1.0), TypeError, "argument-type", "argument 'd': expected an integer"),
    "lengths": (lambda: X[0].lengths, ValueError, "list-depth", "expected a list of lists"),
    "rows": (lambda: np.asarray(X), ValueError, "list-depth", "expected a list of depth 1"),
    "rows of tuples": (lambda: np.asarray(PAIRS), TypeError, "list-type", "expected a list of arrays"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refusal(name):
    call, cls, slug, words = REFUSED[name]
    with pytest.raises(ko.KolamError) as info:
        call()
    error = info.value
    assert isinstance(error, cls)
    assert error.slug == slug
    assert words in str(error)
    assert error.where[0] == __file__


def test_the_line_is_the_users():
    line = inspect.currentframe().f_lineno + 2
    with pytest.raises(ko.KolamError) as info:
        FractalTensor([[1], 2])
    assert info.value.where == (__file__, line)


def test_values_do_not_change():
    with pytest.raises(TypeError):
        X[0] = 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        X.parts = None
    with pytest.raises(TypeError):
        hash(X)


def test_a_traced_list_outlives_its_trace():
    kept = []
    ko.jit(lambda xs: kept.append(xs) or xs)(ops.FractalTensor([[1.0, 2.0], [3.0]]))
    gc.collect()
    (xs,) = kept
    assert repr(xs) == "traced list<list<float32[]>>" and xs.depth == 2 and xs.leaf_shape == ()
    for use in (lambda: ops.len(xs), lambda: ops.first(xs), lambda: ops.map(lambda row: row, xs), lambda: xs[1:]):
        with pytest.raises(RuntimeError, match=r"\[escaped-tracer\]"):
            use()
    with pytest.raises(TypeError, match=r"\[traced-value\]"):
        xs.to_list()
