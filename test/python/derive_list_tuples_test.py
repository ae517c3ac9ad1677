"""Derivatives of lists of tuples of floats and integers: tangents of integers among them are zeros, elsewhere None."""

import pytest

import kolam as ko
from kolam import fractal as ops
from kolam.fractal import FractalTensor

XS = FractalTensor([1.0, 2.0], dtype="float64")
NS = FractalTensor([5, 6])
ROWS = FractalTensor([[1.0], [2.0, 3.0]], dtype="float64")
NUMBERS = FractalTensor([[5, 6, 7], [8]])  # of other lengths than the floats beside them
PAIRS = ops.zip(XS, NS)
LISTS_OF_PAIRS = FractalTensor([[(1.0, 5)], [(2.0, 6), (3.0, 7)]])

AROUND = pytest.mark.parametrize("around", [lambda f: f, ko.jit, lambda f: ko.jit(f, backend="interpret")], ids=["plain", "jit", "interpret"])


def zeros(xs):
    return ops.forall(lambda x: x * 0, xs)


def doubled(xs):
    return ops.forall(lambda x: x + x, xs)


def total(xs):
    return ops.fold(lambda sum, x: sum + (x if xs.depth == 1 else total(x)), xs, ko.zeros((), dtype=ko.float64))


def by_jvp(f):
    return lambda xs: ko.jvp(f, (xs,), (xs,))[1]


def by_linearize(f):
    return lambda xs: ko.linearize(f, xs)[1](xs)


LISTS_WITH_TUPLES = {
    "zip": (lambda xs: ops.zip(doubled(xs), NS), ops.zip(doubled(XS), zeros(NS))),
    "integers first": (lambda xs: ops.zip(NS, xs), ops.zip(zeros(NS), XS)),
    "enumerate": (ops.enumerate, ops.zip(zeros(FractalTensor([0, 1], dtype="int64")), XS)),
    "tuples in tuples": (lambda xs: ops.zip(ops.zip(NS, NS), xs), ops.zip(ops.zip(zeros(NS), zeros(NS)), XS)),
    "lists of integers of other lengths": (lambda xs: ops.zip(xs, NUMBERS), ops.zip(XS, zeros(NUMBERS))),
    "integers alone": (lambda xs: (xs, ops.zip(NS, NS)), (XS, None)),
    "by itself": (lambda xs: (NUMBERS, xs, NS), (None, XS, None)),
    "lists of tuples of a map": (lambda xs: ops.map(lambda x: ops.zip(NS, xs), xs), (None, FractalTensor([XS, XS]))),
    "lists of tuples of a map, the floats first": (lambda xs: ops.map(lambda x: ops.zip(xs, NS), xs), (FractalTensor([XS, XS]), None)),
    "beside a text": (lambda xs: ("a text", NUMBERS, xs), (None, None, XS)),
}


@AROUND
@pytest.mark.parametrize("way", [by_jvp, by_linearize])
@pytest.mark.parametrize("name", LISTS_WITH_TUPLES)
def test_tangents_of_results(name, way, around):
    function, expected = LISTS_WITH_TUPLES[name]
    assert str(around(way(function))(XS)) == str(expected)


def squares(pairs):
    return ops.map(lambda pair: pair[0] * pair[0] * pair[1], pairs)


@AROUND
@pytest.mark.parametrize("other", [zeros(NS), NS], ids=["zeros", "what is not read"])
def test_tangents_of_arguments_have_the_form_of_those_of_results(other, around):
    tangent = around(lambda t: ko.jvp(squares, (PAIRS,), (t,))[1])(ops.zip(XS, other))
    assert tangent.to_list() == [10, 48]
    again = around(lambda t: ko.jvp(ops.reverse, (PAIRS,), (t,))[1])(ops.zip(XS, other))
    assert again == ops.zip(ops.reverse(XS), zeros(NS))
    assert around(lambda t: ko.linearize(squares, PAIRS)[1](t))(again).to_list() == [20, 24]


@AROUND
def test_gradients_and_cotangents(around):
    gradient = around(ko.grad(lambda pairs: total(squares(pairs))))(PAIRS)
    assert gradient == ops.zip(FractalTensor([10.0, 24.0], dtype="float64"), zeros(NS))
    cotangent = around(lambda t: ko.vjp(ops.reverse, PAIRS)[1](t)[0])(gradient)
    assert cotangent == ops.zip(FractalTensor([24.0, 10.0], dtype="float64"), zeros(NS))
    assert around(lambda t: ko.linear_transpose(ops.reverse, PAIRS)(t)[0])(gradient) == cotangent


def test_lists_of_lists_of_tuples():
    def of_lists(pairs):
        return ops.map(lambda row: ops.map(lambda pair: pair[0] * pair[1], row), pairs)

    value, tangent = ko.jvp(of_lists, (LISTS_OF_PAIRS,), (LISTS_OF_PAIRS,))
    assert str(tangent) == str(value)
    _, pulled = ko.vjp(of_lists, LISTS_OF_PAIRS)
    assert str(pulled(value)[0]) == str(FractalTensor([[(25.0, 0)], [(72.0, 0), (147.0, 0)]]))


def test_integers_alone_have_none_among_arguments():
    tree = {"pairs": ops.zip(NS, NS), "xs": XS}
    gradient = ko.grad(lambda tree: total(doubled(tree["xs"])))(tree)
    assert gradient["pairs"] is None and gradient["xs"].to_list() == [2, 2]


@pytest.mark.parametrize("wrong", [XS, NUMBERS], ids=["floats", "another depth"])
def test_what_does_not_stand_for_integers_is_refused(wrong):
    with pytest.raises(ko.KolamError, match=r"\[tangent-mismatch\] tangents\[0\]\[1\]: expected None, as a list<int32\[\]> has no derivative"):
        ko.jvp(squares, (PAIRS,), (ops.zip(XS, wrong),))
    with pytest.raises(ko.KolamError, match=r"tangents\[0\]: expected None, as a list<int32\[\]> has no derivative"):
        ko.jvp(lambda ns, xs: xs, (NS, XS), (NS, XS))


def test_rules_are_given_and_may_give_zeros():
    forward = ko.custom_jvp(lambda pairs: ops.reverse(pairs))
    forward.defjvp(lambda primals, tangents: (ops.reverse(primals[0]), ops.reverse(tangents[0])))
    assert ko.jvp(forward, (PAIRS,), (PAIRS,))[1] == ops.zip(ops.reverse(XS), zeros(NS))
    pairs = ops.zip(ROWS, NUMBERS)
    backward = ko.custom_vjp(lambda pairs: ops.reverse(pairs))
    backward.defvjp(lambda pairs: (ops.reverse(pairs), None), lambda _, cotangent: (ops.reverse(cotangent),))
    for around in (lambda f: f, ko.jit):
        gradient = around(ko.grad(lambda pairs: total(ops.map(lambda pair: total(pair[0]), backward(pairs)))))(pairs)
        assert gradient == ops.zip(ops.forall(lambda x: x * 0 + 1, ROWS), zeros(NUMBERS))


def test_a_rule_of_which_one_of_two_lists_has_no_cotangent():
    backward = ko.custom_vjp(lambda pairs: ops.reverse(pairs))
    backward.defvjp(lambda pairs: (ops.reverse(pairs), None), lambda _, cotangent: (ops.reverse(cotangent),))
    for around in (lambda f: f, ko.jit):
        gradient = around(ko.grad(lambda pairs: total(backward(pairs).components[0])))(ops.zip(XS, ROWS))
        assert gradient == ops.zip(FractalTensor([1.0, 1.0], dtype="float64"), zeros(ROWS))


def test_check_grads():
    ko.check_grads(lambda pairs: ops.zip(squares(pairs), NS), (PAIRS,), order=2)
