"""A loop's state that a map reads at its own index alone becomes the next one where it lies: beside the interpreter and NumPy."""

import numpy as np
import pytest
from same_bits import require_same_bits

import kolam as ko

N, STEPS = 70, 5


def moved(x, k):
    return ko.roll(x, k, axis=0)


def fields(e, h):
    """Each of two fields reads the neighbours of the other."""
    return ko.fori_loop(0, STEPS, lambda k, s: (lambda e: (e, s[1] - 0.5 * (moved(e, -1) - e)))(s[0] - 0.5 * (s[1] - moved(s[1], 1))), (e, h))


PROGRAMS = {
    "fields": fields,
    "both at once": lambda e, h: ko.fori_loop(0, STEPS, lambda k, s: (s[0] + s[1], s[1] - s[0]), (e, h)),
    "exchanged": lambda e, h: ko.fori_loop(0, STEPS, lambda k, s: (s[1] + 1, s[0] * 2), (e, h)),
    "one handed on": lambda e, h: ko.fori_loop(0, STEPS, lambda k, s: (s[0] + moved(s[1], 1), s[0]), (e, h)),
    "neighbours": lambda e, h: ko.fori_loop(0, STEPS, lambda k, s: (s[0] + moved(s[0], 1), s[1] + s[0]), (e, h)),
    "sums of what was": lambda e, h: ko.fori_loop(0, STEPS, lambda k, s: (s[0] / 2 + ko.sum(s[1]), s[1] - ko.sum(s[0])), (e, h)),
    "in a while loop": lambda e, h: ko.while_loop(lambda s: ko.sum(s[0]) < 1e4, lambda s: (s[0] + moved(s[1], 1) + 9, s[1] + moved(s[0], 2)), (e, h)),
    "stacked": lambda e, h: ko.scan(lambda s, x: (s + moved(x, 1) * s, s), e, ko.stack([h, h * 2, e])),
    "arguments are results": lambda e, h: (fields(e, h), e + h),
    "loops in loops": lambda e, h: ko.fori_loop(0, 3, lambda k, s: (lambda t: (t[0] + moved(s[1], 3), t[1] * s[0]))(fields(*s)), (e, h)),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_bits(name, seed):
    rng = np.random.default_rng(seed)
    for shape in ((N,), (N, 3), (N, 33)):
        e, h = (rng.standard_normal(shape).astype(np.float32) for _ in range(2))
        require_same_bits(PROGRAMS[name], e, h)
        for given in ((0,), (1,), (0, 1)):
            taken = ko.jit(PROGRAMS[name], donate_argnums=given)(ko.asarray(e.copy()), ko.asarray(h.copy()))
            plain = ko.jit(PROGRAMS[name])(e, h)
            flat = lambda r: [np.asarray(x) for part in r for x in (part if isinstance(part, tuple) else (part,))]
            for ours, theirs in zip(flat(taken), flat(plain), strict=True):
                np.testing.assert_array_equal(ours, theirs)


def test_fields_beside_numpy():
    e, h = np.linspace(0, 1, N), np.cos(np.arange(N))
    ours = [np.asarray(x) for x in ko.jit(fields)(e, h)]
    for _ in range(STEPS):
        e = e - 0.5 * (h - np.roll(h, 1))
        h = h - 0.5 * (np.roll(e, -1) - e)
    np.testing.assert_allclose(ours, [e, h], rtol=1e-12, atol=1e-12)


def test_memory():
    """Nothing is exchanged: a state and the next one are one memory."""
    x = np.zeros((64, 64), np.float32)
    assert "swap" not in ko.jit(fields).lower(x, x).as_text("nests")


def stencil(u):
    return u.at[1:-1, 1:-1].set(0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]))


def walls(k, u):
    """A stencil, then one border after the other, which read what lies beside them."""
    u = stencil(u)
    u = u.at[:, -1].set(u[:, -2])
    u = u.at[0].set(u[1])
    u = u.at[:, 0].set(u[:, 1] + k)
    return u.at[-1].set(0.0)


def walls_twice(k, u):
    return ko.fori_loop(0, 2, walls, walls(k, u)) + u[::-1]


def walls_in_a_branch(k, u):
    return ko.cond(k % 2 == 0, lambda u: stencil(u).at[0].set(u[3]), lambda u: (u[::-1] * 2).at[:, 0].set(u[0]), u)


def two_states(k, state):
    u, v = state
    new = stencil(u).at[0].set(v[1])
    return new.at[-1].set(new[1]), stencil(v).at[:, 0].set(u[:, 3])


@pytest.mark.parametrize("step", [walls, walls_twice, walls_in_a_branch])
def test_next_states_are_changed_where_they_lie(step, seed):
    u = np.random.default_rng(seed).uniform(-1, 1, (17, 17)).astype(np.float32)
    require_same_bits(lambda u: ko.fori_loop(0, 5, step, u), u)


def test_two_next_states(seed):
    u = np.random.default_rng(seed).uniform(-1, 1, (2, 17, 17)).astype(np.float32)
    require_same_bits(lambda u, v: ko.fori_loop(0, 5, two_states, (u, v)), u[0], u[1])
    require_same_bits(lambda u: ko.scan(lambda s, x: (two_states(0, s), s[0] + x), (u[0], u[1]), u), u)


def test_no_border_copies_the_state():
    u = np.zeros((64, 64), np.float32)
    for step in (walls, lambda k, u: stencil(u).at[0].set(0.0).at[-1].set(u[-2])):
        assert "on a copy" not in ko.jit(lambda u, step=step: ko.fori_loop(0, 5, step, u)).lower(u).as_text("nests")


def eliminated(j, m):
    """A step of Gauss and Jordan's, whose pivot is exchanged: rows and a column are read in front of and behind each change."""
    i = ko.arange(m.shape[0])
    p = ko.argmax(ko.where(i >= j, ko.abs(m[:, j]), -1.0))
    above, pivot = m[j], m[p] / m[p, j]
    m = m.at[p].set(above)
    factors = ko.where(i == j, 0, m[:, j])
    return m.at[j].set(pivot) - factors[:, None] * pivot[None, :]


def rotated(k, m):
    c, s = ko.cos(m[k, k + 1]), ko.sin(m[k, k + 1])
    p, q = m[k], m[k + 1]
    m = m.at[k].set(c * p - s * q).at[k + 1].set(s * p + c * q)
    p, q = m[:, k], m[:, k + 1]
    return m.at[:, k].set(c * p - s * q).at[:, k + 1].set(s * p + c * q)


def read_behind(k, m):
    """Parts of three versions in one sum at the end."""
    first = m[k]
    m = m.at[k].set(first * 2)
    second = m[:, k]
    m = m.at[:, k].add(1)
    return m + first[None, :] + second[:, None] * m[k + 1][None, :]


@pytest.mark.parametrize("step", [eliminated, rotated, read_behind])
@pytest.mark.parametrize("n", [5, 24])
def test_parts_that_are_read_behind_a_change(step, n, seed):
    m = np.random.default_rng(seed).uniform(-1, 1, (n, n + 3)).astype(np.float32)
    require_same_bits(lambda m: ko.fori_loop(0, 4, step, m), m)
    require_same_bits(lambda m: step(1, m), m)


def test_eliminations_and_rotations_copy_nothing():
    m = np.zeros((24, 27), np.float32)
    for step in (eliminated, rotated):
        text = ko.jit(lambda m, step=step: ko.fori_loop(0, 4, step, m)).lower(m).as_text("nests")
        assert "on a copy" not in text and "swap" not in text


def test_lengths_that_are_carried_and_bind_lists(seed):
    """A length is a sum with the one before, and in the same step the extent of a list."""
    ops = ko.fractal
    values = np.random.default_rng(seed).integers(0, 9, 6).astype(np.int32)

    def appended(xs):
        step = lambda state: (ops.join(state[0], xs[state[1] : state[1] + 2]), state[1] + 1)
        return ko.while_loop(lambda state: state[1] < ops.len(xs), step, (xs[:0], 0))[0]

    expected = np.concatenate([values[i : i + 2] for i in range(len(values))])
    for backend in ("cpu", "interpret"):
        found = ko.jit(appended, backend=backend)(ops.FractalTensor.from_offsets(values))
        np.testing.assert_array_equal(np.asarray(ops.stack(found)), expected)
