"""Loops whose states are a few numbers, beside the interpreter, bit by bit."""

import numpy as np
import pytest
from same_bits import require_same_bits

import kolam as ko


STEPS = (
    lambda m, v, h: m @ h,
    lambda m, v, h: h.T,
    lambda m, v, h: h - v[None, :],
    lambda m, v, h: h[::-1],
    lambda m, v, h: h * ko.sum(h, axis=0)[None, :],
    lambda m, v, h: ko.roll(h, 1, 0),
    lambda m, v, h: ko.tanh(h),
    lambda m, v, h: ko.pad(h, 1, mode="edge")[2:, :-2],
    lambda m, v, h: ko.cumulative_sum(h, axis=0),
    lambda m, v, h: h + ko.max(h),
    lambda m, v, h: ko.where(h > 0, h, h * 2),
)


def random_step(rng):
    chosen = [STEPS[i] for i in rng.integers(0, len(STEPS), 3)]

    def step(m, v, h):
        for change in chosen:
            h = change(m, v, h)
        return ko.clip(h, -3, 3)

    return step


@pytest.mark.parametrize("seed", range(10))
def test_random_loops(seed):
    rng = np.random.default_rng(seed)
    size, steps = int(rng.integers(1, 6)), int(rng.choice([0, 1, 2, 7, 33]))
    dtype = str(rng.choice(["float32", "float64", "float16"]))
    draw = lambda *shape: (rng.normal(size=shape) * 2).astype(dtype)  # noqa: E731
    h, v, ms, vs = draw(size, size), draw(size), draw(steps, size, size), draw(steps, size)
    step = random_step(rng)

    def scanned(ms, vs, h, v):
        def turn(states, slices):
            state = step(*slices, states[0])
            other = ko.clip(state @ states[1], -3, 3)
            return (state, other), (state[0], ko.sum(other))

        return ko.scan(turn, (h, v), (ms, vs))

    def counted(h, v):
        return ko.fori_loop(0, steps, lambda i, s: (step(s[0], s[1], s[0]), s[1][::-1] + i.astype(v.dtype)), (h, v))

    def asked(h, v):
        return ko.while_loop(
            lambda s: (s[2] < steps) & (ko.sum(s[1]) < 50),
            lambda s: (step(s[0], s[1], s[0]), ko.roll(s[1], 1, 0) + 1, s[2] + 1),
            (h, v, ko.array(np.int32(0))),
        )

    def inside_others(h, v, long):
        return ko.pad(long, 2)[:-4] * ko.sum(counted(h, v)[1]) + ko.where(long > 0, counted(h, v)[0][0, 0], long)

    require_same_bits(scanned, ms, vs, h, v)
    require_same_bits(counted, h, v)
    require_same_bits(asked, h, v)
    require_same_bits(inside_others, h, v, draw(37))
    require_same_bits(lambda hs, v: ko.vmap(lambda h: counted(h, v))(hs), draw(3, size, size), v)


def test_one_nest():
    f = ko.jit(lambda ms, h: ko.scan(lambda h, m: (m @ h, None), h, ms)[0])
    text = f.lower(np.zeros((100, 4, 4), np.float32), np.zeros((4, 4), np.float32)).as_text("nests")
    assert "for [0:100]" not in text and "= scan(" in text


def test_special_values():
    ms = np.array([[[np.nan, 1], [0, -0.0]], [[np.inf, 0], [1e-45, 1]], [[-0.0, 0], [0, -np.inf]]], np.float32)
    require_same_bits(lambda ms, h: ko.scan(lambda h, m: (m * h[::-1], h), h, ms), ms, np.ones((2, 2), np.float32))


def test_a_condition_over_all_numbers():
    """Any of four, beside a state of another shape: each number goes on by itself no more."""

    def step(state):
        x, goes_on, count = state
        x = ko.where(goes_on, x / 2, x)
        return x, goes_on & (x > 1), count + ko.stack([ko.sum(x), ko.max(x), ko.min(x)])

    def f(x, count):
        return ko.while_loop(lambda state: ko.any(state[1]), step, (x, x > 1, count))

    x, count = np.array([2, 8, 0.5, 64], np.float32), np.zeros(3, np.float32)
    assert require_same_bits(f, x, count)[0].tolist() == [1, 1, 0.5, 1]
