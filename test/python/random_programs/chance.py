"""Entries of ko.random."""

import numpy as np
from random_programs import reference as ref
from random_programs import threefry
from random_programs.extents import shape_at
from random_programs.steps import Entry, Step
from random_programs.values import FLOATS, INTEGERS, NUMBERS, float_dtype, is_narrow


def _key(g):
    """(operands, text, arrays -> key): of a number, of a traced seed, split, folded."""
    number = g.pick([0, 1, 3, 2**32 + 5, -7])
    operands, text, of = [], f"ko.random.key({number})", lambda arrays: threefry.key_of(number)
    if g.chance(0.3):
        seed = g.value(INTEGERS, most=0)
        operands, text, of = [seed], f"ko.random.key({seed.name})", lambda arrays: threefry.key_of(arrays[0])
    kind = g.pick(["plain", "plain", "split", "fold"])
    if kind == "split":
        count = g.pick([1, 2, 5])
        which = int(g.rng.integers(count))
        return operands, f"ko.random.split({text}, {count})[{which}]", lambda arrays: threefry.split(of(arrays), count)[which]
    if kind == "fold":
        data = g.pick([0, 1, 77, -3])
        return operands, f"ko.random.fold_in({text}, {data})", lambda arrays: threefry.fold_in(of(arrays), data)
    return operands, text, of


def _shape(g):
    """(operands, text, dims): numbers, or the shape of another value."""
    if g.chance(0.4):
        like = g.value()
        return [like], f"{like.name}.shape", like.dims
    dims = tuple(g.pick([0, 1, 2, 3, 5, 17]) for _ in range(g.pick([0, 1, 1, 2, 3])))
    return [], str(dims), dims


def drawing(name, draw, weight=0.6):
    """`draw(g)` gives (options as text, dtype, (key, shape) -> array, ulps)."""

    def make(g):
        key_operands, key_text, key_of = _key(g)
        shape_operands, shape_text, dims = _shape(g)
        options, dtype, function, ulps = draw(g)

        def expected(arrays):
            shape = arrays[-1].shape if shape_operands else shape_at(dims, {})
            return ref.widen(np.asarray(function(key_of(arrays), shape)))

        text = f"ko.random.{name}({key_text}, {shape_text}{options})"
        return Step(text, (*key_operands, *shape_operands), dtype, dims, expected, ulps)

    return Entry(f"random.{name}", make, weight)


def bits(g):
    width, generator = g.pick([8, 16, 32, 64]), g.pick(["threefry", "threefry", "philox"])
    option = "" if generator == "threefry" else f", generator='{generator}'"
    return f", {width}{option}", f"uint{width}", lambda key, shape: threefry.bits(key, shape, width, generator), 0


def uniform(g):
    dtype, (low, high) = g.pick(FLOATS), g.pick([(0.0, 1.0), (0.0, 1.0), (-2.5, 4.0), (3.0, 3.0)])
    generator = g.pick(["threefry", "threefry", "philox"])
    options = f", '{dtype}'" + (f", {low}, {high}" if high != 1 else "") + ("" if generator == "threefry" else f", generator='{generator}'")
    return options, dtype, lambda key, shape: threefry.uniform(key, shape, dtype, low, high, generator), 0


def randint(g):
    dtype = g.pick(INTEGERS)
    low, high = g.pick([(0, 10), (0, 1), (5, 5), (7, 3), (-4, 9), (0, 2**16 + 1), (-(2**40), 2**40), (-(2**63), 2**63 - 1)])
    return f", {low}, {high}, '{dtype}'", dtype, lambda key, shape: threefry.randint(key, shape, low, high, dtype), 0


def normal(g):
    dtype = g.pick(FLOATS)
    return f", '{dtype}'", dtype, lambda key, shape: threefry.normal(key, shape, dtype), 1 if is_narrow(dtype) else 5


def bernoulli():
    def make(g):
        operands, text, key_of = _key(g)
        if g.chance(0.5):
            p = g.value(FLOATS)
            function = lambda a: threefry.bernoulli(key_of(a), a[-1], a[-1].shape)  # noqa: E731
            return Step(f"ko.random.bernoulli({text}, {p.name})", (*operands, p), "bool", p.dims, function)
        p, dims = g.pick([0.0, 0.3, 0.5, 1.0]), g.pick([(), (3,), (2, 17)])
        return Step(
            f"ko.random.bernoulli({text}, {p}, {dims})", tuple(operands), "bool", dims, lambda a: threefry.bernoulli(key_of(a), p, dims)
        )

    return Entry("random.bernoulli", make)


def dropout():
    def make(g):
        operands, text, key_of = _key(g)
        x, p = g.value(NUMBERS), g.pick([0.0, 0.25, 0.5, 1.0])
        dtype = float_dtype(x.dtype)

        def expected(arrays):
            a = ref.at_dtype(arrays[-1], dtype)
            return np.zeros_like(a) if p == 1 else np.where(threefry.bernoulli(key_of(arrays), 1 - p, a.shape), a / (1 - p), 0)

        return Step(f"ko.random.dropout({text}, {x.name}, {p})", (*operands, x), dtype, x.dims, expected, 1)

    return Entry("random.dropout", make)


def splitting():
    def make(g):
        operands, text, key_of = _key(g)
        count = g.pick([0, 1, 2, 7])
        return Step(f"ko.random.split({text}, {count})", tuple(operands), "uint32", (count, 2), lambda a: threefry.split(key_of(a), count))

    return Entry("random.split", make, 0.5)


CHANCE = [
    drawing("bits", bits), drawing("uniform", uniform), drawing("randint", randint, 0.3), drawing("normal", normal), bernoulli(), dropout(), splitting(),
]  # fmt: skip

