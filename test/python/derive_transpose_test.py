"""linear_transpose: of trees, integers and lists, beside the matrix of the function."""

import numpy as np
import pytest

import kolam as ko
from kolam import fractal
from kolam.fractal import FractalTensor

RNG = np.random.default_rng(11)
X, Y = RNG.standard_normal((2, 3)), RNG.standard_normal(4)
I = np.array([2, 0, 2], np.int32)  # noqa: E741


def dot(x, y):
    """The scalar product of two trees of arrays; None is zero."""
    return sum(np.sum(np.asarray(a) * np.asarray(b)) for a, b in zip(leaves(x), leaves(y), strict=True) if a is not None and b is not None)


def leaves(tree):
    return ko.pytree.tree_leaves(tree, is_leaf=lambda part: part is None)


def function(tree, i, y):
    return {"rows": tree["x"][0][i] * 2, "sum": ko.sum(tree["x"]) + y[1:3], "i": i + 1}


def test_of_trees_with_integers_and_none():
    tree = {"x": X, "nothing": None}
    cotangent = {"rows": RNG.standard_normal(3), "sum": RNG.standard_normal(2), "i": None}
    found = ko.linear_transpose(function, tree, I, Y)(cotangent)
    assert found[0]["nothing"] is None and found[1] is None
    value = function({"x": ko.asarray(X)}, ko.asarray(I), ko.asarray(Y))
    assert dot({"x": X, "nothing": None}, found[0]) + dot(Y, found[2]) == pytest.approx(dot(value, cotangent))


def test_no_cotangent_is_zero():
    transposed = ko.linear_transpose(function, {"x": X}, I, Y)
    given = RNG.standard_normal(2)
    partly = transposed({"rows": None, "sum": given, "i": None})
    whole = transposed({"rows": np.zeros(3), "sum": given, "i": None})
    assert np.array_equal(np.asarray(partly[0]["x"]), np.asarray(whole[0]["x"])) and np.asarray(partly[2]).tolist() == [0, *given, 0]
    assert not np.asarray(transposed(None)[0]["x"]).any()


def test_of_shapes_alone():
    found = ko.linear_transpose(lambda x: x[1:] * 3, ko.ShapeDtypeStruct((3,), "float32"))(np.array([1, 2], np.float32))
    assert found[0].tolist() == [0, 3, 6]


def test_of_lists():
    xs = FractalTensor([[1.0, 2.0], [], [3.0]])

    def sums(xs, factor):
        return fractal.map(lambda row: fractal.fold(lambda total, x: total + factor * x, row, ko.zeros(())), xs)

    found, _ = ko.linear_transpose(lambda xs, n: sums(xs, ko.astype(n, ko.float32)), xs, np.int32(3))(FractalTensor([10.0, 20.0, 30.0]))
    assert str(found) == str(FractalTensor([[30.0, 30.0], [], [90.0]]))
