"""Random loops within limits of memory: gradients have the bits of those without, or the limit is refused."""

import numpy as np
import pytest
from random_counts import count

import kolam as ko

LOOPS = count(200)
PARTS = 4


def loop(rng):
    """A loss over a random scan, its arguments."""
    dtype = [ko.float32, ko.float64, ko.bfloat16][rng.choice(3, p=[0.6, 0.2, 0.2])]
    rows, width = int(rng.choice([1, 2, 3, 8])), int(rng.choice([4, 16, 20]))
    length = int(rng.choice([7, 64, 100, 511, 700, 1024]))
    states, reverse = int(rng.integers(1, 3)), bool(rng.integers(2))
    normal = lambda *shape: ko.asarray(np.asarray(rng.standard_normal(shape) * 0.3), dtype=dtype)  # noqa: E731
    captures = {
        "w": normal(width, width),
        "b": normal(width),
        "a": normal(),
        "table": normal(6, width),
        "m": normal(rows, width),
    }
    kinds = list(rng.choice(["w", "b", "a", "table", "m", "x", "none"], size=int(rng.integers(1, 5))))
    gives = bool(rng.integers(2))
    nested = bool(rng.integers(4) == 0)
    xs = normal(length, rows, width)

    def term(kind, h, x, i, given):
        if kind == "w":
            return h @ given["w"]
        if kind == "b":
            return h + given["b"]
        if kind == "a":
            return h * given["a"]
        if kind == "table":
            return h * ko.dynamic_slice(given["table"], (i % 6, 0), (1, width))
        if kind == "m":
            return h * given["m"]
        return h + x if kind == "x" else ko.sin(h)

    def loss(xs, given):
        numbers = ko.arange(xs.shape[0], dtype=ko.int32)

        def step(carry, item):
            x, i = item
            carry = list(carry)
            for number, kind in enumerate(kinds):
                place = number % states
                h = ko.tanh(term(kind, carry[place], x, i, given))
                carry[place] = h * carry[-1] if number % 2 else h
            if nested:
                carry[0] = ko.scan(lambda h, _: (ko.sin(h @ given["w"]), None), carry[0], None, length=3)[0]
            return tuple(carry), carry[0] * x if gives else None

        start = tuple(given["m"] * (number + 1.0) for number in range(states))
        last, ys = ko.scan(step, start, (xs, numbers), reverse=reverse)
        total = sum((ko.sum(ko.astype(h, ko.float64)) for h in last), ko.zeros((), dtype=ko.float64))
        return total + (ko.sum(ko.astype(ys, ko.float64)) if gives else 0.0)

    return loss, (xs, captures)


def leaves(tree):
    if isinstance(tree, dict):
        tree = tuple(tree[name] for name in sorted(tree))
    return [leaf for part in tree for leaf in leaves(part)] if isinstance(tree, tuple) else [tree]


def bits(array):
    array = np.asarray(array)
    return array.view(f"u{array.dtype.itemsize}")


def within_limits_at_all_lengths(rng, where, loss, args, arena):
    """Whether one program for all lengths met a limit for these; shorter sequences have the bits of their own programs."""
    xs, given = args
    limited = ko.jit(ko.grad(loss, argnums=(0, 1), memory_limit=max(1, int(0.6 * arena))), dynamic={"xs": [0]})
    for length in (xs.shape[0], int(rng.integers(xs.shape[0] + 1))):
        try:
            found = leaves(limited(xs[:length], given))
        except ko.KolamError as error:
            assert error.slug == "memory-limit" and length == xs.shape[0], f"{where}, {length} steps: {error}"
            return False
        for own, other in zip(found, leaves(ko.jit(ko.grad(loss, argnums=(0, 1)))(xs[:length], given)), strict=True):
            assert np.array_equal(bits(own), bits(other)), f"{where}, {length} steps of a length that is no number"
    return True


def twice(loss, along, **options):
    """The derivative of the gradient along `along`."""
    gradient = ko.grad(loss, argnums=(0, 1), **options)

    def slope(*args):
        parts = zip(leaves(gradient(*args)), along, strict=True)
        return sum((ko.sum(ko.astype(g, ko.float64) * a) for g, a in parts), ko.zeros((), dtype=ko.float64))

    return ko.jit(ko.grad(slope, argnums=(0, 1)))


def expect_second_derivatives(rng, where, loss, args, arena):
    along = [ko.asarray(rng.standard_normal(x.shape)) for x in leaves(args)]
    limit = max(1, int(0.5 * arena))
    try:
        found = leaves(twice(loss, along, memory_limit=limit)(*args))
    except ko.KolamError as error:
        assert error.slug == "memory-limit", f"{where}: {error}"
        return
    for own, other in zip(found, leaves(twice(loss, along)(*args)), strict=True):
        assert np.array_equal(bits(own), bits(other)), f"{where}, order 2, {limit} bytes"


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_random_loops_within_limits(part, seed):
    met = 0
    for number in range(part, LOOPS, PARTS):
        rng = np.random.default_rng([seed, 41, number])
        loss, args = loop(rng)
        free = ko.jit(ko.grad(loss, argnums=(0, 1)))
        arena, expected = free.lower(*args).cost()["arena_bytes"], leaves(free(*args))
        for share in (0.7, 0.3):
            limited = ko.jit(ko.grad(loss, argnums=(0, 1), memory_limit=max(1, int(share * arena))))
            try:
                found = leaves(limited(*args))
            except ko.KolamError as error:
                assert error.slug == "memory-limit", f"KOLAM_SEED={seed}, loop {number}: {error}"
                continue
            met += 1
            for own, other in zip(found, expected, strict=True):
                assert np.array_equal(bits(own), bits(other)), f"KOLAM_SEED={seed}, loop {number}, {share} of {arena} bytes"
        if number % 5 == 1:
            expect_second_derivatives(rng, f"KOLAM_SEED={seed}, loop {number}", loss, args, arena)
        met += number % 3 == 0 and within_limits_at_all_lengths(rng, f"KOLAM_SEED={seed}, loop {number}", loss, args, arena)
    assert met >= LOOPS // PARTS // 4, f"only {met} limits were met"
