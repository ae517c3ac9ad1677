"""jit of methods and other callables, and statics by place."""

import collections
import copy
import dataclasses
import functools
import inspect
import weakref

import numpy as np
import pytest

import kolam as ko

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def test_statics_by_place():
    traces = []

    @functools.partial(ko.jit, static_argnums=(1, -1))
    def function(x, n, *, scale=1, last=2):
        traces.append(n)
        return x[:n] * scale

    for call in (lambda: function(X, 1), lambda: function(X, n=1), lambda: function(X, 1, scale=1), lambda: function(X, 2)):
        call()
    assert traces == [1, 1, 2]  # scale=1 is an argument of its own
    assert ko.jit(lambda x, n: x.reshape(n), static_argnums=1)(X, (3, 2)).shape == (3, 2)
    assert ko.jit(lambda x, n: x.reshape(n), static_argnums=-1)(X, (6,)).shape == (6,)


def test_statics_by_place_in_a_rest():
    traces = []

    @functools.partial(ko.jit, static_argnums=(1, 3))
    def function(x, *rest):
        traces.append(rest[0])
        return x * rest[1] + (rest[2] if rest[0] == "add" else 0)

    for _ in range(2):
        np.testing.assert_array_equal(function(X, "add", X, 3), X * X + 3)
        np.testing.assert_array_equal(function(X, "mul", X, 3), X * X)
    assert traces == ["add", "mul"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"static_argnums": 2}, "argument 'static_argnums': expected numbers of arguments of \\(x, n\\), but got 2"),
        ({"static_argnums": -3}, "but got -3"),
        ({"static_argnums": "x"}, "argument 'static_argnums': expected numbers of arguments, but got 'x'"),
        ({"donate_argnums": 5}, "argument 'donate_argnums': expected numbers"),
        ({"static_argnums": 0, "donate_argnums": 0}, "expected arguments that are not static, but got 'x'"),
    ],
)
def test_bad_places(options, words):
    with pytest.raises(ko.KolamError, match=rf"\[bad-option\].*{words}"):
        ko.jit(lambda x, n: x, **options)


def test_donation_by_place():
    x = ko.asarray(X)
    y = ko.jit(lambda x, y: x + y, donate_argnums=0)(x, 1.0)
    np.testing.assert_array_equal(y, X + 1)
    with pytest.raises(ko.KolamError, match=r"\[donated\]"):
        x + 1
    rest = [ko.asarray(X), ko.asarray(X)]
    ko.jit(lambda *xs: xs[0] + xs[1], donate_argnums=1)(*rest)
    assert rest[0].shape == (2, 3)
    with pytest.raises(ko.KolamError, match=r"\[donated\]"):
        rest[1] + 1


class Model:
    def __init__(self, weight):
        self.weight = weight

    @functools.partial(ko.jit, static_argnums=0)
    def static_self(self, x):
        """Words."""
        return x * self.weight

    @ko.jit
    def plain_self(self, x):
        return x * self.weight

    @staticmethod
    @ko.jit
    def no_self(x):
        return x + 1

    @ko.jit
    @staticmethod
    def static_below(x):
        return x + 2

    @classmethod
    def made(cls):
        return cls(4)


@dataclasses.dataclass
class Affine:
    scale: object
    shift: object = 0

    @ko.jit
    def __call__(self, x):
        return x * self.scale + self.shift

    @ko.jit
    def updated(self, by):
        return dataclasses.replace(self, scale=self.scale + by)


def test_methods():
    model, other = Model(2), Model(3)
    for _ in range(2):
        np.testing.assert_array_equal(model.static_self(X), X * 2)
        np.testing.assert_array_equal(other.static_self(X), X * 3)
    np.testing.assert_array_equal(Model.static_self(model, X), X * 2)
    np.testing.assert_array_equal(model.no_self(X), X + 1)
    np.testing.assert_array_equal(model.static_below(X), X + 2)
    assert model.static_self.__name__ == "static_self" and model.static_self.__doc__ == "Words."
    assert str(inspect.signature(model.static_self)) == "(x)" and "mul" in model.static_self.lower(X).as_text()
    assert model.static_self == model.static_self and model.static_self != other.static_self
    assert "nest" in model.static_self.explain(X) and model.static_self.cost(X)["flops"] == 6
    with pytest.raises(ko.KolamError, match=r"\[not-an-array\] argument 'self'.*static_argnames='self'.*register"):
        model.plain_self(X)


def test_a_pytree_as_self():
    affine = Affine(np.float32(2))
    np.testing.assert_array_equal(affine(X), X * 2)
    again = affine.updated(1)
    assert isinstance(again, Affine)
    np.testing.assert_array_equal(again(X), X * 3)  # no new trace is needed for new values
    assert Affine.__call__.cache_size == 2  # an array of NumPy, then one that int + float made: both f32 scalars, two depths of int


def test_bound_methods_and_other_callables():
    model = Model(5)
    bound = ko.jit(model.made().static_self)
    np.testing.assert_array_equal(bound(X), X * 4)
    raw = ko.jit(functools.partial(lambda x, n: x * n, n=3))
    np.testing.assert_array_equal(raw(X), X * 3)
    np.testing.assert_array_equal(functools.partial(ko.jit(lambda a, b: a - b), 1)(X), 1 - X)

    class Callable:
        lower = "mine"

        def __init__(self):
            self.cost = "mine too"

        def __call__(self, x):
            return x + 1

    made = ko.jit(Callable())
    np.testing.assert_array_equal(made(X), X + 1)
    assert callable(made.cost) and callable(made.lower)
    Point = collections.namedtuple("Point", "x y")
    point = ko.jit(Point)(X, y=1)
    assert isinstance(point, Point) and point.y.item() == 1
    assert ko.jit(lambda f, x: f(x), static_argnums=0)(ko.tanh, 0.0).item() == 0
    with pytest.raises(ko.KolamError, match="write @classmethod above @jit"):
        ko.jit(classmethod(lambda cls, x: x))
    with pytest.raises(ko.KolamError, match=r"options of jit have names"):
        ko.jit(0)


def test_signatures_wraps_and_weak_references():
    @ko.jit
    def function(x, n: int = 2):
        """Words."""
        return x * n

    assert str(inspect.signature(function)) == "(x, n: int = 2)" and function.__doc__ == "Words."

    @functools.wraps(function)
    def around(*args):
        return function(*args)

    assert around.__name__ == "function" and around(1).item() == 2
    assert weakref.ref(function)() is function
    assert copy.deepcopy(function) is function and copy.copy(function) is function
    assert copy.deepcopy({"f": function})["f"] is function


def test_deepcopy_of_an_instance_takes_its_methods_along():
    class Trainer:
        def __init__(self):
            self.rate = 1
            self.step = ko.jit(self.apply)

        def apply(self, x):
            return x * self.rate

    trainer = Trainer()
    other = copy.deepcopy(trainer)
    other.rate = 7
    assert other.step(1).item() == 7 and trainer.step(1).item() == 1


def test_unhashable_statics_say_what_to_write():
    function = ko.jit(lambda x, n: x, static_argnums=1)

    class Compared:
        def __eq__(self, other):
            return True

    for value, words in [([1], "write a tuple"), ({}, "a tuple of its items"), (X, "not static, or a tuple"), (Compared(), "needs __hash__")]:
        with pytest.raises(ko.KolamError, match=rf"\[unhashable-static\] argument 'n'.*{words}"):
            function(X, value)


def test_static_objects_are_told_apart_by_identity():
    traces = []

    @functools.partial(ko.jit, static_argnums=1)
    def function(x, thing):
        traces.append(thing)
        return x + 1

    one, two = object(), object()
    for thing in (one, two, one, two, len, len):
        function(X, thing)
    assert traces == [one, two, len]
