"""Entries shaped like the left sides of rewrite rules, and like what only looks so: chains of moves, neutral operands, casts there
and back."""

import numpy as np
from random_programs import reference as ref
from random_programs.extents import is_known, sliced
from random_programs.moves import PICKS
from random_programs.pieces import random_slice, slice_text
from random_programs.steps import Entry, Step, require
from random_programs.twin import evaluate
from random_programs.values import DTYPES, FLOATS, INTEGERS, NUMBERS, Value


def _slice(g, x):
    require(x.rank)
    dim, item = int(g.rng.integers(x.rank)), random_slice(g)
    key = (slice(None),) * dim + (item,)
    text = f"{x.name}[{', '.join([':'] * dim + [slice_text(item)])}]"
    return text, (*x.dims[:dim], sliced(x.dims[dim], item), *x.dims[dim + 1 :]), lambda a: a[key]


def _move(g, x):
    name, pick = g.pick(PICKS)
    arguments, dims, function, *error = pick(g, x)
    require(not error or is_known(*x.dims))
    return f"ko.{name}({x.name}{', ' if arguments else ''}{arguments})", dims, function


def chain():
    """Two or three moves, one after the other; now and then the same one twice."""

    def make(g):
        x = g.value()
        inner, functions = x, []
        for _ in range(g.pick([2, 2, 3])):
            text, dims, function = (_slice if g.chance(0.3) else _move)(g, inner)
            inner, functions = Value(text, x.dtype, tuple(dims)), [*functions, function]

        def expected(arrays):
            out = arrays[0]
            for function in functions:
                out = function(out)
            return ref.widen(out)

        return Step(inner.name, (x,), x.dtype, inner.dims, expected)

    return Entry("chain", make, 4.0)


TEMPLATES = [
    (NUMBERS, "-(-{x})"), (("bool", *INTEGERS), "~~{x}"), (("bool",), "ko.logical_not(ko.logical_not({x}))"), (NUMBERS, "{x} * 1"),
    (NUMBERS, "1 * {x}"), (NUMBERS, "{x} + 0"), (NUMBERS, "0 + {x}"), (NUMBERS, "{x} - 0"), (NUMBERS, "0 - {x}"), (NUMBERS, "{x} * 0"),
    (FLOATS, "{x} / 1"), (FLOATS, "1 / {x}"), (FLOATS, "1 / (1 / {x})"), (FLOATS, "{x} + ko.asarray(-0.0, {x}.dtype)"),
    (FLOATS, "{x} - ko.asarray(-0.0, {x}.dtype)"), (NUMBERS, "{x} - {x}"), (NUMBERS, "({x} + {y}) - {y}"), (NUMBERS, "({x} * {y}) * {y}"),
    (NUMBERS, "{x} * {y} + {x}"), (NUMBERS, "{x} - {x} * {y}"), (NUMBERS, "ko.maximum({x}, {x})"), (NUMBERS, "ko.minimum({x}, {y})"),
    (NUMBERS, "ko.maximum({x}, ko.minimum({x}, {y}))"), (INTEGERS, "({x} & {x}) | {x}"), (INTEGERS, "{x} ^ {x}"), (INTEGERS, "{x} ^ ({x} & {y})"),
    (NUMBERS, "ko.where({x} > {y}, {x}, {x})"), (NUMBERS, "ko.where({x} > {y}, -{x}, -{x})"), (NUMBERS, "ko.where({x} > {y}, -{x}, -{y})"),
    (NUMBERS, "ko.where({x} == {x}, {x}, {y})"), (DTYPES, "ko.astype(ko.astype({x}, '{d}'), {x}.dtype)"), (DTYPES, "ko.astype({x}, {x}.dtype)"),
]  # fmt: skip


def identity():
    def make(g):
        dtypes, template = g.pick(TEMPLATES)
        x = g.value(dtypes)
        operands = [x, g.like(x)] if "{y}" in template else [x]
        text = template.format(x=x.name, y=operands[-1].name, d=g.pick(DTYPES))
        return Step(text, tuple(operands), x.dtype, x.dims, lambda a: ref.widen(np.asarray(evaluate(text, [v.name for v in operands], a))))

    return Entry("identity", make, 5.0)


IDENTITIES = [chain(), identity()]
