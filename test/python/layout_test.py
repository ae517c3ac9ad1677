"""The data dimension: what is inferred, how it shows, and what is refused."""

import itertools
import json
import random
import re
from pathlib import Path

import pytest
from layout_found import ALL, A, B, S, refused, shape

import kolam as ko


# What is found, and how it shows.


def test_captured_arrays_are_constant():
    w = ko.ones((4, 16))
    r = ko.layout.infer(lambda x: ko.matmul(w, x), shape(16, 8), inputs={"x": 0})
    assert (r.inputs, r.outputs) == ([0], [0])
    assert r.ops[0].text == "contract [16! 8] -> [4! 8]"
    assert (r.ops[0].variant, r.ops[0].cost, r.ops[0].where[0]) == ("dot", "compute", __file__)


def test_document_of_a_conflict():
    w = ko.ones((4, 16))

    def f(x):
        y = ko.matmul(w, x)
        return ko.reshape(y, (32,))

    error = refused(f, (16, 8), profiles=["seed"])
    assert "no data dimension satisfies these 2 operations" in str(error)
    assert "allow_dynamic_weights=True (total" in str(error)
    assert len({call.where[1] for call in error.core}) == 2
    assert ko.layout.infer(f, shape(16, 8), allow_dynamic_weights=True).outputs == [0]


def test_text_dot_and_json():
    r = ko.layout.infer(lambda x: ko.tanh(x) + x.T, shape(B, B), mode="repair")
    assert f"total {r.total}" in str(r) and "relayout [8! 8] to [8 8!]" in str(r)
    assert r.as_dot().startswith("digraph layout {") and "tanh" in r.as_dot()
    assert json.loads(r.as_json())["total"] == r.total


def test_programs_of_the_page(capsys):
    page = (Path(__file__).parents[2] / "docs/data_dimension.md").read_text()
    names, programs = {}, re.findall(r"```python\n(.*?)```\n```\n(.*?)```", page, re.S)
    assert len(programs) == 2
    for program, printed in programs:
        exec(compile(program, "f.py", "exec"), names)
        assert capsys.readouterr().out.strip() == printed.strip()


def test_nanoseconds():
    r = ko.layout.infer(lambda x: ko.tanh(x), shape(1000, 1000), costs="cpu")
    assert r.outputs == [1] and r.total > 1000


# Brute force over what as_json holds.


def least_of_all(problem):
    """The least total over all rows and relayouts, op by op."""
    values, ops, best = problem["values"], problem["ops"], [float("inf")]

    def visit(number, total, made, at_hand):
        if total >= best[0]:
            return
        if number == len(ops):
            best[0] = total
            return
        op = ops[number]
        for row in op["rows"]:
            cost, hand = row["time"], at_hand
            for value, asked in zip(op["operands"], row["dims"], strict=False):
                if (asked == -1 and values[value]["shape"]) or (value, asked) in hand:
                    continue
                dims = values[value]["dims"]
                moves = values[value]["relayouts"][dims.index(made[value]) * len(dims) + dims.index(asked)] if problem["mode"] == "repair" else None
                if moves is None:
                    break
                cost, hand = cost + moves, hand | {(value, asked)}
            else:
                results = dict(zip(op["results"], row["dims"][len(op["operands"]) :], strict=True))
                visit(number + 1, total + cost, {**made, **results}, hand | set(results.items()))

    visit(0, 0, {}, frozenset())
    return best[0]


def random_program(rng):
    """A function of two arrays of up to 8 ops, and its shapes."""
    ops = [(rng.randrange(7), rng.randrange(100), rng.randrange(100)) for _ in range(rng.randint(1, 8))]
    extents = rng.sample([2, 3, 40, 64], 2)

    def f(x, y):
        values = [x, y]
        for kind, a, b in ops:
            a, b = values[a % len(values)], values[b % len(values)]
            if kind in (0, 1):
                values.append(a + (b if a.shape == b.shape else b.T))
            elif kind == 2:
                values.append(a.T)
            elif kind == 3:
                values.append(ko.tanh(a))
            elif kind == 4:
                values.append(a - ko.mean(a, axis=1, keepdims=True))
            elif kind == 5:
                values.append(ko.matmul(a, ko.ones((a.shape[1], a.shape[1]))))
            else:
                values.append(ko.concat([a[1:], a[:1]], axis=0))
        return values[-1]

    return f, [shape(*extents), shape(*extents)]


@pytest.mark.parametrize("mode", ["strict", "repair"])
def test_random_programs_beside_all_choices(mode):
    for seed in range(60):
        rng = random.Random(seed)
        f, shapes = random_program(rng)
        options = {"mode": mode, "profile": rng.choice(ALL), "allow_dynamic_weights": rng.random() < 0.5}
        try:
            r = ko.layout.infer(f, *shapes, **options)
        except ko.KolamError as error:
            assert error.slug == "data-dimension" and mode == "strict", seed
            continue
        assert r.exact and r.total == least_of_all(json.loads(r.as_json())), seed
        assert r.total >= sum(op.time for op in r.ops) + sum(move.time for move in r.relayouts), seed


# Bad input.


@pytest.mark.parametrize(
    "options, words",
    [
        ({"inputs": {"x": 2}}, "expected a dim from -2 to 1, but got 2"),
        ({"inputs": {"x": "a b"}}, "a '!' behind one word"),
        ({"inputs": {"x": "a! b!"}}, "one '!'"),
        ({"inputs": {"x": "a! a"}}, "every name once"),
        ({"inputs": {"x": "a b c!"}}, "2 words"),
        ({"inputs": {"z": 0}}, "one of the arguments x"),
        ({"inputs": {"x": 0}, "constants": ["x"]}, "a constant"),
        ({"outputs": {1: 0}}, "one of 1 results"),
        ({"outputs": {0: "c!"}}, "2 words"),
        ({"constants": ["w"]}, "one of the arguments x"),
    ],
)
def test_wrong_pins(options, words):
    with pytest.raises(ko.KolamError, match=r"\[layout-pin\]") as caught:
        ko.layout.infer(lambda x: ko.tanh(x), shape(A, B), **options)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "options, known", [({"profile": "vollo"}, "seed, vollo27, relaxed"), ({"mode": "soft"}, "strict, repair"), ({"costs": "gpu"}, "blocks, cpu")]
)
def test_unknown_options(options, known):
    with pytest.raises(ko.KolamError, match=r"\[layout-option\]") as caught:
        ko.layout.infer(lambda x: ko.tanh(x), shape(A, B), **options)
    assert known in str(caught.value)


@pytest.mark.parametrize("options", [{"profile": 3}, {"inputs": ["x"]}, {"inputs": {"x": 0.5}}, {"outputs": {"y": 0}}, {"constants": [1.5]}])
def test_wrong_types(options):
    with pytest.raises(ko.KolamError, match=r"\[argument-type\]"):
        ko.layout.infer(lambda x: ko.tanh(x), shape(A, B), **options)


def test_empty_and_unit_extents():
    assert ko.layout.infer(lambda x: ko.tanh(x), shape(0, 1)).outputs == [1]
    assert ko.layout.infer(lambda x: ko.reshape(x, (0,)), shape(0, 3), mode="repair").exact
    assert ko.layout.infer(lambda x, y: x * y, S((), "float32"), shape(1)).inputs == [None, 0]


def test_all_constant():
    r = ko.layout.infer(lambda x: ko.matmul(x, ko.ones((3, 3))), shape(3, 3), constants=["x"])
    assert (r.inputs, r.outputs, r.ops, r.total) == ([None], [None], [], 0)


def test_every_op_conflicts():
    f = lambda x: itertools.accumulate([x] * 6, lambda s, _: ko.reshape(s + s.T, (B, B)))
    error = refused(lambda x: list(f(x))[-1], (B, B))
    assert len(error.core) >= 1
