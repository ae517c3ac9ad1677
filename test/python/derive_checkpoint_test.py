"""Checkpoints and what they keep: bits of derivatives of every order, policies that see into loops, branches and functions."""

import numpy as np
import pytest
from derivatives.checks import assert_same_bits, interpreted

import kolam as ko

POLICIES = ko.checkpoint_policies


def flops(function, *args):
    return ko.jit(function).lower(*args).cost()["flops"]


def normal(*shape, seed=0, dtype=ko.float32):
    return ko.asarray(np.random.default_rng(seed).standard_normal(shape) * 0.5, dtype=dtype)


# random programs


def step_of(rng):
    """A function of a few values to one more."""
    a, b = rng.integers(0, 100, 2)
    kind = rng.integers(0, 6)

    def step(values):
        x, y = values[a % len(values)], values[b % len(values)]
        return [
            lambda: ko.sin(x) * y,
            lambda: ko.exp(x * 0.1) + y * x,
            lambda: ko.tanh(x @ y),
            lambda: x / (1 + y * y),
            lambda: ko.sum(x, axis=0) * y,
            lambda: ko.log(2 + ko.cos(x)) - y,
        ][kind]()

    return step


def random_program(seed, wrap):
    """Parts of a few steps, each of all values so far; every part in `wrap`, or not, by chance."""
    rng = np.random.default_rng(seed)
    parts = [[step_of(rng) for _ in range(rng.integers(1, 4))] for _ in range(rng.integers(2, 4))]
    wrapped = [rng.random() < 0.7 for _ in parts]

    def loss(x):
        values = [x, x * 0.5]
        for steps, is_wrapped in zip(parts, wrapped, strict=True):

            def part(*given, steps=steps):
                own = list(given)
                for step in steps:
                    own.append(step(own))
                return tuple(own[len(given) :])

            values += (wrap(part) if is_wrapped else part)(*values)
        return ko.sum(ko.sin(sum(values[1:], values[0])))

    return loss


def orders(loss, count):
    """The derivatives of orders 1 to `count`, each a gradient."""
    found, function = [], loss
    for _ in range(count):
        gradient = ko.grad(function)
        found.append(gradient)
        function = lambda x, gradient=gradient: ko.sum(ko.cos(gradient(x)))  # noqa: E731
    return found


@pytest.mark.parametrize("seed", range(6))
def test_checkpoints_change_no_bit_of_any_order(seed):
    x = normal(4, 4, seed=seed)
    kept, again = (orders(random_program(seed, wrap), 3) for wrap in (lambda f: f, ko.checkpoint))
    for order, (own, other) in enumerate(zip(again, kept, strict=True), start=1):
        assert_same_bits(interpreted(own)(x), interpreted(other)(x), f"order {order}")
        assert_same_bits(own(x), interpreted(own)(x), f"order {order}, native")


@pytest.mark.parametrize("seed", range(2))
def test_directions_of_gradients(seed):
    """Forward over reverse, and reverse over that."""
    x, along = normal(4, 4, seed=seed), normal(4, 4, seed=seed + 100)

    def product(loss):
        return lambda x: ko.jvp(ko.grad(loss), (x,), (along,))[1]

    kept, again = (product(random_program(seed, wrap)) for wrap in (lambda f: f, ko.checkpoint))
    assert_same_bits(again(x), kept(x), "forward over reverse")
    third = lambda f: ko.grad(lambda x: ko.sum(f(x) ** 2))  # noqa: E731
    assert_same_bits(third(again)(x), third(kept)(x), "reverse over that")


@pytest.mark.parametrize("policy", [POLICIES.dots_saveable, POLICIES.everything_saveable], ids=repr)
def test_what_is_kept_changes_no_bit_of_any_order(policy):
    for seed in range(2):
        x = normal(4, 4, seed=seed)
        kept, again = (orders(random_program(seed, wrap), 2) for wrap in (lambda f: f, lambda f: ko.checkpoint(f, policy=policy)))
        for order, (own, other) in enumerate(zip(again, kept, strict=True), start=1):
            assert_same_bits(own(x), other(x), f"seed {seed}, order {order}")


# policies


def named(x, w):
    return ko.checkpoint_name(ko.sin(ko.sin(x @ w)), "wave")


INNER = {
    "scan": lambda x, w: ko.scan(lambda h, _: (named(h, w), None), x, None, length=3)[0],
    "fori_loop": lambda x, w: ko.fori_loop(0, 3, lambda i, h: named(h, w), x),
    "cond": lambda x, w: ko.cond(ko.sum(x) < 1e9, lambda: named(x, w), lambda: x),
    "jit": lambda x, w: ko.jit(named)(x, w),
    "checkpoint": lambda x, w: ko.checkpoint(named)(x, w),
    "scan of scans": lambda x, w: ko.scan(lambda h, _: (ko.scan(lambda g, _: (named(g, w), None), h, None, length=2)[0], None), x, None, length=2)[0],
    "scan of cond": lambda x, w: ko.scan(lambda h, _: (ko.cond(ko.sum(h) < 1e9, lambda: named(h, w), lambda: h), None), x, None, length=3)[0],
}


@pytest.mark.parametrize("name", INNER)
def test_policies_see_into_bodies(name):
    x, w = normal(16, 16), normal(16, 16, seed=1)

    def gradient(policy):
        return ko.value_and_grad(lambda x, w: ko.sum(ko.checkpoint(lambda x, w: ko.sin(INNER[name](x, w)), policy=policy)(x, w)), argnums=(0, 1))

    nothing, names = gradient(POLICIES.nothing_saveable), gradient(POLICIES.save_only_these_names("wave"))
    dots = gradient(POLICIES.dots_saveable)
    plain = ko.value_and_grad(lambda x, w: ko.sum(ko.sin(INNER[name](x, w))), argnums=(0, 1))
    for kept in (nothing, names, dots):
        for own, other in zip(ko.tree.flatten(kept(x, w))[0], ko.tree.flatten(plain(x, w))[0], strict=True):
            assert_same_bits(own, other, name)
    assert flops(dots, x, w) < flops(nothing, x, w), name
