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


ROWS = ko.asarray(np.arange(4.0))
AFFINE = {
    "a number": lambda x: 2 * x + 1,
    "an array": lambda x: ko.reshape(2 * x - ROWS, (2, 2)),
    "one of several results": lambda x: (x, ko.ones(4)),
    "a division": lambda x: (x - 3) / 2 * 2 + x,
}


@pytest.mark.parametrize("name", AFFINE)
def test_functions_that_add_numbers_are_not_linear(name):
    function = AFFINE[name]
    with pytest.raises(ko.KolamError, match=r"\[not-linear\] .*: expected a function that is linear in its arguments, but it gives other numbers than 0") as info:
        ko.linear_transpose(function, Y)(ko.pytree.tree_map(ko.ones_like, function(ko.asarray(Y))))
    if name != "a division":
        assert info.value.where[1] == function.__code__.co_firstlineno


LINEAR = {
    "what is taken away again": lambda x: (x + 1) - 1,
    "zeros": lambda x: x + ko.zeros(4),
    "behind zeros": lambda x: ko.concat([ko.zeros(2, dtype=ko.float64), x]),
    "chosen": lambda x: ko.where(ROWS > 1, x, 0),
    "a mean": lambda x: x - ko.mean(x),
    "in zeros": lambda x: ko.zeros(4, dtype=ko.float64).at[1].set(x[0]),
    "in a loop from zeros": lambda x: ko.fori_loop(0, 3, lambda i, s: s + x, ko.zeros(4, dtype=ko.float64)),
    "of no elements": lambda x: x[4:] + 1,
}


@pytest.mark.parametrize("name", LINEAR)
def test_functions_that_add_zeros_are_linear(name):
    like = ko.ones_like(LINEAR[name](ko.asarray(Y)))
    (found,) = ko.linear_transpose(LINEAR[name], Y)(like)
    assert np.sum(np.asarray(found) * Y) == pytest.approx(np.sum(np.asarray(LINEAR[name](ko.asarray(Y)))), abs=1e-12)


def test_a_rule_that_adds_numbers_to_tangents_is_not_linear():
    f = ko.custom_jvp(ko.sin)
    f.defjvp(lambda primals, tangents: (ko.sin(primals[0]) + 1, tangents[0] + 1))
    for call in (lambda: ko.jvp(f, (Y,), (Y,)), lambda: ko.grad(lambda x: ko.sum(f(x)))(Y)):
        with pytest.raises(ko.KolamError, match=r"\[not-linear\] add"):
            call()
