"""Bad input of kolam.layout.infer: pins that cannot be, states whose D turns, graphs whose every op conflicts, large ones."""

import json
import random

import pytest
from layout_conflict_test import fits
from layout_found import A, B, C, S, infer, refused, shape

import kolam as ko


def wrong_pin(f, *shapes, **options):
    with pytest.raises(ko.KolamError, match=r"\[layout-pin\]") as caught:
        ko.layout.infer(f, *map(lambda s: shape(*s), shapes), **options)
    return str(caught.value)


@pytest.mark.parametrize("at", [2, -3, 100, "a b c!", "a! b c", "a"])
@pytest.mark.parametrize("where", ["inputs", "outputs"])
def test_pins_out_of_range_and_of_another_rank(where, at):
    text = wrong_pin(lambda x: ko.tanh(x), (A, B), **{where: {"x" if where == "inputs" else 0: at}})
    assert ("from -2 to 1" if isinstance(at, int) else "2 words") in text


@pytest.mark.parametrize("options", [{"inputs": {"y": 0}}, {"inputs": {1: 0}}, {"inputs": {-1: 0}}, {"outputs": {-1: 0}}, {"outputs": {7: 0}}, {"constants": [3]}])
def test_pins_of_what_is_not_there(options):
    assert "one of" in wrong_pin(lambda x: ko.tanh(x), (A, B), **options)


def test_pins_of_constants():
    w = ko.ones((A, B))
    for f, options in [
        (lambda x: ko.tanh(x), {"inputs": {"x": 0}, "constants": ["x"]}),
        (lambda x: ko.tanh(x), {"outputs": {0: 0}, "constants": ["x"]}),
        (lambda x: (ko.tanh(x), w), {"outputs": {1: 0}}),
    ]:
        assert "but got a constant" in wrong_pin(f, (A, B), **options)


def test_pins_of_rank_0():
    for options in ({"inputs": {"x": 0}}, {"outputs": {0: 0}}):
        with pytest.raises(ko.KolamError, match=r"\[layout-pin\].*rank"):
            ko.layout.infer(lambda x: ko.tanh(x), S((), "float32"), **options)


def test_the_core_names_the_pin_that_is_against_the_rules():
    f = lambda x: ko.tanh(x)
    error = refused(f, (A, B), inputs={"x": 0}, outputs={0: 1})
    assert [(call.kind, call.name) for call in error.core] == [("input", "x"), ("op", "tanh"), ("output", "0")]
    assert "input x given as [4 8!] (total" in str(error) and "output 0 given as [4! 8] (total" in str(error)
    error = refused(lambda x: ko.sum(x, axis=0), (A, B), inputs={"x": "rows! columns"})
    assert [(call.kind, call.name) for call in error.core] == [("input", "x"), ("op", "reduce")]
    error = refused(lambda x: ko.expand_dims(x, 1), (A,), outputs={0: 1})
    assert [call.kind for call in error.core] == ["op", "output"]


@pytest.mark.parametrize("words", ["", "!", "a! !", "a! a", "a! b!", "a b", "a!! b", "a b !"])
def test_wrong_names(words):
    for where in ("inputs", "outputs"):
        wrong_pin(lambda x: ko.tanh(x), (A, B), **{where: {0: words}})


def test_extents_0_and_1_and_rank_0():
    for extents in ((0, 3), (3, 0), (0, 0), (1, 1), (1, 5)):
        for d in (0, 1):
            assert infer(lambda x: ko.tanh(x) * 2, extents, inputs={"x": d}).outputs == [d]
    assert infer(lambda x: ko.sum(x, axis=1), (0, 3), inputs={"x": 0}).outputs == [0]
    assert infer(lambda x: ko.reshape(x, (1, 3, 1)), (3, 1), inputs={"x": 0}).outputs == [1]
    assert infer(lambda x, y: ko.matmul(x, y), (A, 0), (0, C), inputs={"x": 0, "y": 0}, allow_dynamic_weights=True).outputs == [0]
    r = ko.layout.infer(lambda x, y: x * y + 1, S((), "float32"), S((), "float32"))
    assert (r.inputs, r.outputs, r.total) == ([None, None], [None], 0)


def test_both_sides_constant():
    for f in (lambda x, y: ko.matmul(x, y), lambda x, y: x + y.T, lambda x, y: ko.reshape(x, (A * A,))):
        r = ko.layout.infer(f, shape(A, A), shape(A, A), constants=["x", "y"])
        assert (r.inputs, r.outputs, r.ops, r.total, r.exact) == ([None, None], [None], [], 0, True)


def test_states_whose_d_turns():
    loops = [
        lambda x: ko.fori_loop(0, 5, lambda i, s: s.T, x),
        lambda x: ko.while_loop(lambda s: s[0, 0] < 1, lambda s: s.T, x),
        lambda x: ko.scan(lambda s, _: (s.T, s[0, 0]), x, ko.zeros(5))[0],
        lambda x: ko.fori_loop(0, 5, lambda i, s: (s[1], s[0].T), (x, x))[0],
    ]
    for f in loops:
        error = refused(f, (B, B))
        assert any(call.name in ("for", "while", "scan", "transpose") for call in error.core)
        r = ko.layout.infer(f, shape(B, B), mode="repair")
        assert r.exact and r.relayouts


def test_every_op_conflicts():
    def f(x):
        for _ in range(6):
            x = ko.reshape(x + x.T, (B, B))
        return x

    error = refused(f, (B, B))
    problem = json.loads(ko.layout.infer(f, shape(B, B), mode="repair").as_json())
    names = [call.name for call in error.core]
    assert names == ["transpose", "add"] and not fits(problem, {call.where[1] for call in error.core})


def layers(count):
    def f(x):
        for _ in range(count // 4):
            x = x + ko.tanh(ko.matmul(ko.ones((B, B)), ko.exp(x)))
        return x

    return f


def test_ten_thousand_ops():
    r = infer(layers(10_000), (B, A), profiles=["seed"])
    assert len(r.ops) == 10_000 and r.exact and r.outputs == [0]
    # Each of them contradicts the pin; a few are shown.
    error = refused(layers(10_000), (B, A), profiles=["seed"], inputs={"x": 1})
    assert [call.name for call in error.core] == ["x", "exp", "contract"]


@pytest.mark.parametrize("turns", [0, 0.02, 0.1])
def test_random_graphs_of_ten_thousand_ops_are_exact(turns):
    rng = random.Random(3)

    def f(x):
        values = [x]
        for _ in range(10_000):
            a, b = (values[-rng.randint(1, min(12, len(values)))] for _ in range(2))
            values.append(a.T if rng.random() < turns else a + b if rng.random() < 0.9 else ko.tanh(a))
        return values[-1]

    assert infer(f, (B, B), profiles=["relaxed"], mode="repair" if turns else "strict").exact
