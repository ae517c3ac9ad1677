"""Entries of random list programs: loops that carry lists, branches that give them, and slices at bounds that are data."""

from list_types import List, Tensor, elements_of, fresh, key, list_of, merged, size
from list_values import Value


def _has_tuples(of):
    return _has_tuples(of.element) if isinstance(of, List) else not isinstance(of, Tensor)


def part_by_data(g, x, room):
    bounds = ["", "i1", "i3", "n", "-n", f"ops.len({x.text}) - 1", g.integer(-3, 3)]
    start, stop, step = g.pick(bounds), g.pick(bounds), g.pick(["", 1, 2, 3, -1, -2])
    return Value(f"({x.text})[{start}:{stop}:{step}]", elements_of(x.of, 0, x.of.most))


def _shortened(g, state):
    return g.pick(["{0}[1:]", "{0}[:-2]", "{0}[: ops.len({0}) // 2]", "{0}[1:-1]", "ops.reverse({0}[2:])"]).format(state)


def while_shorter(g, x, room):
    """A list that gets shorter until it is short enough."""
    if _has_tuples(x.of):
        return None
    state, least = g.name(), g.pick([0, 1, 2, 4, "n"])
    text = f"ko.while_loop(lambda {state}: ops.len({state}) > {least}, lambda {state}: {_shortened(g, state)}, {x.text})"
    return Value(text, elements_of(x.of, 0, x.of.most))


def _of_its_type(g, x):
    return g.other(lambda of: key(of) == key(x.of), x)


def while_longer(g, x, room):
    """A list that gets longer, beside a counter."""
    y = _of_its_type(g, x)
    of = list_of(merged(x.of.element, y.of.element), x.of.least, x.of.most + 3 * y.of.most)
    if _has_tuples(x.of) or size(of) > room:
        return None
    state = g.name()
    step = f"(ops.join({state}[0], {y.text}), {state}[1] + 1)"
    text = f"ko.while_loop(lambda {state}: {state}[1] < n, lambda {state}: {step}, ({x.text}, c(0, 'int64')))[0]"
    return Value(text, of)


def fori_longer(g, x, room):
    """As many times as data says, in a map as many times as an element is long."""
    y = _of_its_type(g, x)
    of = list_of(merged(x.of.element, y.of.element), x.of.least, x.of.most + 2 * y.of.most)
    if _has_tuples(x.of) or size(of) > room:
        return None
    i, state = g.name(), g.name()
    turns = f"ko.minimum(ops.len({x.text}), 2)"
    return Value(f"ko.fori_loop(0, {turns}, lambda {i}, {state}: ops.join({y.text}, {state}), {x.text})", of)


def fori_rows(g, x, room):
    """A list of lists that grows by a row a turn."""
    form = g.pick(["{0}", "{0}[{1}:]", "{0}[:{1}]"])
    of = list_of(fresh(x.of) if form == "{0}" else elements_of(x.of, 0, x.of.most), 0, 3)
    if _has_tuples(x.of) or size(of) > room:
        return None
    i, state = g.name(), g.name()
    row = form.format(f"({x.text})", i)
    return Value(f"ko.fori_loop(0, n, lambda {i}, {state}: ops.join({state}, ops.repeat({row}, 1)), ops.repeat({x.text}, 0))", of)


def branch(g, x, room):
    y = _of_its_type(g, x)
    if _has_tuples(x.of):
        return None
    first, second = (g.pick(["{}", "ops.reverse({})", "({})[1:]"]).format(value.text) for value in (x, y))
    of = list_of(merged(x.of.element, y.of.element), 0, max(x.of.most, y.of.most))
    condition = g.pick([f"ops.len({x.text}) > {g.integer(0, 6)}", "n > 1", f"ops.len({x.text}) > ops.len({y.text})"])
    return Value(f"ko.cond({condition}, lambda: {first}, lambda: {second})", of)


ENTRIES = [part_by_data, while_shorter, while_longer, fori_longer, fori_rows, branch]
