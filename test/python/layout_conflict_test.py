"""What contradicts where no data dimension fits: minimal cores of the user's calls, and repairs."""

import json

import numpy as np
import pytest
from layout_found import infer, refused, shape
from layout_vectors_test import sliding_window_step

import kolam as ko


def fits(problem, lines):
    """Whether the ops of these lines have rows that agree on one D of each value."""
    ops = [op for op in problem["ops"] if op["where"] and op["where"][1] in lines]

    def choose(left, d):
        if not left:
            return True
        op, rest = left[0], left[1:]
        values = op["operands"] + op["results"]
        for row in op["rows"]:
            asked = dict(d)
            if all(dim == -1 or asked.setdefault(value, dim) == dim for value, dim in zip(values, row["dims"], strict=True)) and choose(rest, asked):
                return True
        return False

    return choose(ops, {})


@pytest.mark.parametrize("profile", ["seed", "vollo27"])
def test_a_step_of_window_attention(profile):
    shapes = [(512,), *[(512, 512)] * 3, *[(8, 128, 64)] * 2]
    options = {"constants": ["wq", "wk", "wv"], "allow_dynamic_weights": True}
    first = sliding_window_step.__code__.co_firstlineno
    q, k, v, keys, values, turned, scores, weights, out, result = range(first + 2, first + 12)
    error = refused(sliding_window_step, *shapes, profiles=[profile], **options)
    assert [call.where[1] for call in error.core] == [q, k, keys, turned, scores]
    # Another one has 7 calls; it too needs each of them.
    repaired = infer(sliding_window_step, *shapes, profiles=[profile], mode="repair", **options)
    problem = json.loads(repaired.as_json())
    for core in ([q, k, keys, turned, scores], [k, keys, turned, scores, weights, out, result]):
        assert not fits(problem, core)
        assert all(fits(problem, [line for line in core if line != left]) for left in core)
    relaxed = infer(sliding_window_step, *shapes, profiles=["relaxed"], **options)
    assert relaxed.outputs == [0] and not relaxed.relayouts
    assert f'profile="relaxed" (total {relaxed.total})' in str(error)
    moves = [int(text.split("(total ")[1].split(")")[0]) for text in str(error).split(";") if "a relayout of" in text]
    assert repaired.relayouts and repaired.total <= min(moves)


def test_slices_stacked_along_a_dim_of_their_own():
    c = ko.ones((6, 8))

    def written(x, y):
        return y * x[:, None] + c

    def by_hand(x, y):
        return y * ko.stack([x[i : i + 1] for i in range(6)], 0) + c

    shapes, options = [(6,), (6, 8)], {"inputs": {"y": 1}}
    error = refused(written, *shapes, **options)
    for profile in ("seed", "vollo27", "relaxed"):
        total = ko.layout.infer(by_hand, *map(lambda s: shape(*s), shapes), profile=profile, **options).total
        error = refused(written, *shapes, profiles=[profile], **options)
        line = written.__code__.co_firstlineno + 1
        assert f"slices of [6!] stacked along a dim of their own, at layout_conflict_test.py:{line} (total {total})" in str(error)


def test_slices_stacked_then_repeated():
    error = refused(lambda x, y: y + x, (8,), (4, 8), inputs={"x": 0, "y": 0})
    assert "slices of [8!] stacked along a dim of their own" in str(error)


def test_nothing_is_stacked_where_it_does_not_help():
    error = refused(lambda x: ko.reshape(x, (4, 40)), (4, 8, 5), inputs={"x": 1})
    assert "stacked" not in str(error)


def test_long_dims_are_not_stacked():
    error = refused(lambda x, y: y * x[:, None], (2000,), (2000, 4), inputs={"y": 1})
    assert "repairs: " in str(error) and "stacked" not in str(error)


# One member for each call of the user.


def core_of(f, *shapes, **options):
    with pytest.raises(ko.KolamError, match=r"\[data-dimension\]") as caught:
        ko.layout.infer(f, *map(lambda s: shape(*s), shapes), **options)
    return caught.value.core


def test_functions_that_python_composes_are_one_member():
    for f, made in [
        (lambda x: np.select([x > 2, x > 1], [x, x * 2], x * 3), ["where", "where"]),
        (lambda x: np.nan_to_num(x), ["equal", "equal", "isnan", "where", "where", "where"]),
    ]:
        core = core_of(lambda x, f=f: ko.reshape(f(x), (4, 40)), (4, 8, 5), inputs={"x": 1})
        assert [call.name for call in core if call.kind == "op"] == [*made, "reshape"]


def test_each_turn_of_a_loop_is_a_call():
    def f(x):
        for _ in range(2):
            x = ko.layout.pin(ko.flip(x, axis=0), 1)
        return ko.layout.pin(x, 0)

    core = core_of(f, (4, 8))
    assert [call.kind for call in core] == ["pin", "pin"]
