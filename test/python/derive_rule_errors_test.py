"""Functions with rules of their own that do not fit: captures that are differentiated, rules that give other trees."""

import inspect
import pathlib

import numpy as np
import pytest

import kolam as ko

HERE = pathlib.Path(__file__).name
V = np.ones(3, np.float32)
PAIR = {"a": V, "b": [V, V]}


def raised(call):
    with pytest.raises(ko.KolamError) as info:
        call()
    assert HERE in str(info.value), f"no line of the user's: {info.value}"
    return info.value


def by_vjp(function, fwd=None, bwd=None):
    custom = ko.custom_vjp(function)
    custom.defvjp(fwd or (lambda *args: (function(*args), args)), bwd or (lambda kept, v: (v,)))
    return custom


def by_jvp(function, rule=None):
    custom = ko.custom_jvp(function)
    custom.defjvp(rule or (lambda primals, tangents: (function(*primals), tangents[0])))
    return custom


@pytest.mark.parametrize("custom", [by_vjp, by_jvp])
@pytest.mark.parametrize("mode", ["grad", "jvp", "in a loop"])
def test_a_capture_that_is_differentiated(custom, mode):
    def outer(x, scale):
        f = custom(lambda x: x * scale)
        if mode == "in a loop":
            return ko.sum(ko.fori_loop(0, 2, lambda i, h: f(h), x))
        return ko.sum(f(x))

    if mode == "jvp":
        found = raised(lambda: ko.jvp(outer, (V, V), (V, V)))
    else:
        found = raised(lambda: ko.grad(outer, argnums=(0, 1))(V, V))
    assert found.slug == "closed-over"
    words = "expected derivatives to arguments alone, but got a captured float32[3] that is differentiated; make it an argument of the function"
    assert f"custom_{custom.__name__[-3:]}: {words}" in str(found)


@pytest.mark.parametrize("custom", [by_vjp, by_jvp])
def test_the_line_is_that_of_the_call(custom):
    def outer(x):
        nonlocal line
        f = custom(lambda y: y * x)
        line = inspect.currentframe().f_lineno + 1
        y = f(ko.sin(x))
        return ko.sum(y)

    line = 0
    found = raised(lambda: ko.grad(outer)(V))
    assert f"{HERE}:{line}" in str(found), str(found)


@pytest.mark.parametrize("custom", [by_vjp, by_jvp])
def test_captures_that_are_constant(custom):
    def outer(x, scale):
        return ko.sum(custom(lambda x: x * scale)(x)) + ko.sum(custom(lambda x: x * ko.stop_gradient(scale))(x))

    assert ko.grad(outer)(V, 3 * V).tolist() == [2, 2, 2]

    def stopped(x, scale):
        scale = ko.stop_gradient(scale)
        return ko.sum(custom(lambda x: x * scale)(x))

    assert [g.tolist() for g in ko.grad(stopped, argnums=(0, 1))(V, 3 * V)] == [[1, 1, 1], [0, 0, 0]]


def with_rule(function, argument, **rules):
    """The gradient of what a function with these rules gives, all its floats summed."""

    def loss(x):
        return sum((ko.sum(leaf) for leaf in ko.pytree.tree_leaves(custom(x))), ko.zeros(()))

    custom = (by_jvp if "rule" in rules else by_vjp)(function, **rules)
    return lambda: ko.grad(loss)(argument)


def pair(x):
    return {"a": x, "b": 2 * x}


#: name: (call, words)
REFUSED = {
    "fwd gives another tree": (with_rule(pair, V, fwd=lambda x: ((x, 2 * x), None), bwd=lambda kept, v: (v["a"],)),
                               "fwd, value: expected the structure {'a': *, 'b': *}, but got (*, *)"),
    "fwd gives other keys": (with_rule(pair, V, fwd=lambda x: ({"a": x, "c": x}, None), bwd=lambda kept, v: (v["a"],)),
                             "expected the structure {'a': *, 'b': *}, but got {'a': *, 'c': *}"),
    "bwd gives another tree": (with_rule(lambda t: t["a"] + t["b"][0], PAIR, bwd=lambda kept, v: ((v, [v, v]),)),
                               "bwd, cotangents[0]: expected the structure {'a': *, 'b': [*, *]}, but got (*, [*, *])"),
    "bwd gives a part of another tree": (with_rule(lambda t: t["a"] + t["b"][0], PAIR, bwd=lambda kept, v: ({"a": v, "b": [v]},)),
                                         'bwd, cotangents[0]["b"]: expected the structure [*, *], but got [*]'),
    "the rule's value is another tree": (with_rule(pair, V, rule=lambda p, t: ((p[0], p[0]), pair(t[0]))),
                                         "the rule, value: expected the structure {'a': *, 'b': *}, but got (*, *)"),
    "the rule's tangent is another tree": (with_rule(pair, V, rule=lambda p, t: (pair(p[0]), (t[0], t[0]))),
                                           "the rule, tangent: expected the structure {'a': *, 'b': *}, but got (*, *)"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_other_trees(name):
    call, words = REFUSED[name]
    found = raised(call)
    assert found.slug == "custom-rule" and words in str(found), str(found)


def halved(kept, v):
    return (v[:1],)


def test_errors_name_the_function_and_the_line_of_the_rule():
    def clipped(x):
        return x * 1

    for found, rule in (
        (raised(lambda: ko.grad(lambda x: ko.sum(by_vjp(clipped, bwd=halved)(x)))(V)), halved),
        (raised(lambda: ko.grad(lambda x: ko.sum(by_vjp(clipped, bwd=lambda kept, v: halved(kept, v) * 2)(x)))(V)), None),
    ):
        assert str(found).startswith("custom_vjp: [custom-rule] bwd"), str(found)
        assert "\n  in bwd of clipped, at " in str(found)
        if rule:
            assert str(found).endswith(f"{HERE}:{rule.__code__.co_firstlineno}")
    inner = by_jvp(clipped, rule=lambda p, t: t[0])
    outer = raised(lambda: ko.grad(lambda x: ko.sum(by_jvp(lambda x: inner(x), rule=lambda p, t: ko.jvp(inner, p, t))(x)))(V))
    assert str(outer).count("\n  in ") == 1 and "in the rule of clipped" in str(outer)


def test_a_tangent_of_an_integer_result():
    def parts(x):
        return x * 2, ko.argmax(x)

    good = by_jvp(parts, rule=lambda p, t: (parts(*p), (t[0] * 5, None)))
    assert ko.jvp(lambda x: good(x)[0], (V,), (V,))[1].tolist() == [5, 5, 5]
    wrong = by_jvp(parts, rule=lambda p, t: (parts(*p), (t[0], t[0])))
    found = raised(lambda: ko.jvp(lambda x: wrong(x)[0], (V,), (V,)))
    assert found.slug == "custom-rule" and "the rule, tangent[1]: expected None, as int32[] has no derivative, but got float32[3]" in str(found)


def test_none_among_tangents_of_several_results_is_zero():
    f = by_jvp(lambda x: (x, x * 2, x * 3), rule=lambda p, t: ((p[0], p[0] * 2, p[0] * 3), (None, t[0] * 7, None)))
    tangents = ko.jvp(f, (V,), (V,))[1]
    assert [tangent.tolist() for tangent in tangents] == [[0, 0, 0], [7, 7, 7], [0, 0, 0]]


def by_jvps(function, *rules, **options):
    custom = ko.custom_jvp(function, **options)
    custom.defjvps(*rules)
    return custom


def part(tangent, value, *args):
    return tangent


def scaled(x, y):
    return x * y


def pair_of(x, y):
    return {"a": x, "b": y}


#: name: (function, rules, options, words, whose)
REFUSED_PARTS = {
    "one rule of two": (scaled, (part,), {}, "the rule, defjvps: expected 2 rules, one for each argument, but got 1", "the rule"),
    "three rules of two": (scaled, (part, part, None), {}, "the rule, defjvps: expected 2 rules, one for each argument, but got 3", "the rule"),
    "no rules": (scaled, (), {}, "the rule, defjvps: expected 2 rules, one for each argument, but got 0", "the rule"),
    "a rule for a fixed argument": (scaled, (part, part), {"nondiff_argnums": 1},
                                    "the rule, defjvps: expected 1 rule, one for each argument that is not among 'nondiff_argnums', but got 2", "the rule"),
    "another tree": (pair_of, (lambda t, *rest: {"a": t, "b": t}, lambda t, *rest: (t, t)), {},
                     "defjvps[1], tangent: expected the structure {'a': *, 'b': *}, but got (*, *)", "defjvps[1]"),
    "another shape": (scaled, (lambda t, *rest: t[:1], None), {}, "expected float32[3], but got float32[1]", "the rule"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED_PARTS)
def test_rules_of_single_arguments(name):
    function, rules, options, words, whose = REFUSED_PARTS[name]
    custom = by_jvps(function, *rules, **options)
    gradient = ko.grad(lambda x, y: sum(map(ko.sum, ko.pytree.tree_leaves(custom(x, y)))), argnums=(0,) if options else (0, 1))
    found = raised(lambda: gradient(V, V))
    assert found.slug == "custom-rule" and str(found).startswith("custom_jvp: [custom-rule] ") and words in str(found), str(found)
    assert f"in {whose} of {function.__name__}, at " in str(found), str(found)


def test_a_rule_that_is_no_function():
    with pytest.raises(ko.errors.KolamTypeError, match=r"defjvps: \[argument-type\] .*expected a function, but got 3"):
        by_jvps(scaled, part, 3)
