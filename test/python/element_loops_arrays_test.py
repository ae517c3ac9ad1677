"""Loops whose steps make small arrays anew, change windows and stack arrays: one nest each, with the interpreter's bits."""

import numpy as np
import pytest
from random_counts import count
from random_edges.values import elements
from same_bits import require_same_bits

import kolam as ko

N = 13


def rotations(a):
    """Two rows and two columns of each step, as they were in front of it."""

    def step(a, pq):
        p, q = pq
        c, s = a[p, p] * 0.5, a[p, q] * 0.25
        rows = a[p], a[q]
        a = a.at[p].set(c * rows[0] - s * rows[1]).at[q].set(s * rows[0] + c * rows[1])
        columns = a[:, p], a[:, q]
        return a.at[:, p].set(c * columns[0] - s * columns[1]).at[:, q].set(s * columns[0] + c * columns[1]), None

    return ko.scan(step, a, (ko.asarray([0, 3, 5, 1]), ko.asarray([1, 7, 2, 12])))[0]


def products(a):
    a = a[:9, :9]
    b = ko.flip(a, axis=0) * 0.5
    return ko.fori_loop(0, 3, lambda i, p: b @ p @ b.T * 0.125 + a, a)


def vectors_by_matrices(a):
    def step(h, x):
        h = a @ h * 0.125 + x
        return h / ko.sqrt(ko.vecdot(h, h) + 1), (h @ a, ko.max(a + h[:, None], axis=0), ko.argmax(a + h[:, None], axis=0))

    return ko.scan(step, a[0], a)


def rolled(a):
    x = ko.reshape(a, (-1,))[:40]
    rate = lambda x: (ko.roll(x, -1) - ko.roll(x, 2)) * ko.roll(x, 1) - x + 8

    def step(i, x):
        k = rate(x)
        return x + 0.25 * (k + rate(x + 0.5 * k))

    return ko.fori_loop(0, 9, step, x)


def exchanged(a):
    return ko.fori_loop(0, 5, lambda i, s: (s[1] + i, ko.flip(s[0]), s[2].T), (a[0], a[1], a))


def projections(a):
    """A loop inside that changes an array of the step."""

    def step(i, q):
        v = ko.fori_loop(0, i, lambda j, v: v.at[j % N].add(q[j, 0]), q[i] * 2)
        return q.at[i].set(v)

    return ko.fori_loop(0, N, step, a)


def halves(a):
    def goes_on(s):
        return (s[1] < 7) & (ko.sum(ko.abs(s[0])) > 1)

    return ko.while_loop(goes_on, lambda s: (s[0] * 0.5 + ko.sin(s[0].T) * 0.125, s[1] + 1), (a, ko.astype(0, ko.int32)))


def branching(a):
    def step(i, s):
        a, x = s
        a = ko.cond(x[0] > 0, lambda a, x: a.at[i].set(x), lambda a, x: a.at[:, i].add(x[3]), a, x)
        return a, ko.exp(-ko.abs(x)) + a[i]

    return ko.fori_loop(0, N, step, (a, a[2]))


def taken_apart(a):
    """What a step reads of a state stays as it was when the state changes."""

    def step(i, s):
        a, row = s
        old = a[i]
        return a.at[i].set(row).at[(i + 1) % N].set(old + row), old * 0.5

    return ko.fori_loop(0, N, step, (a, a[0]))


def of_three(a):
    """Few numbers beside arrays, by functions that are long."""

    def step(i, s):
        p, a = s
        return ko.tanh(p * 0.5 + a[i, :3]), a * p[1] + ko.concat([p, p, p, p, p[:1]])

    return ko.fori_loop(0, 4, step, (a[0, :3], a))


def moved(a):
    return ko.fori_loop(0, N, lambda i, a: ko.concat([a[1:], ko.expand_dims(a[0] + i, 0)]), a)


def iterations(a):
    """Loops inside that make arrays anew, and one whose array nobody else sees."""

    def step(x, b):
        x = ko.fori_loop(0, 3, lambda k, y: y - (a @ y * 0.125 - b) * 0.25, x)
        table = ko.fori_loop(0, N, lambda j, t: t.at[j].set(t[j - 1] * 0.5 + x[j]), ko.zeros(N, dtype=x.dtype))
        return x + table, ko.while_loop(lambda s: (s[1] < 3) & (s[0][0] < 9), lambda s: (s[0] + table[::-1], s[1] + 1), (b, ko.astype(0, ko.int32)))[0]

    return ko.scan(step, a[0], a)


def choosing(a):
    """Branches that give arrays, new ones and what they were given."""

    def step(i, s):
        x, y = s
        x = ko.cond(x[0] > y[1], lambda x, y: ko.flip(x) + y, lambda x, y: x, x, y)
        return x * 0.5, ko.switch(ko.astype(i, ko.int32) % 3, [lambda y: y, lambda y: y @ a * 0.125, lambda y: y + a[2]], y)

    return ko.fori_loop(0, N, step, (a[0], a[1]))


LOOPS = [
    iterations, choosing, rotations, products, vectors_by_matrices, rolled, exchanged, projections, halves, branching, taken_apart, of_three, moved,
]  # fmt: skip


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("function", LOOPS, ids=lambda f: f.__name__)
def test_bits_are_those_of_the_interpreter(function, dtype):
    for seed in range(3):
        require_same_bits(function, elements(np.random.default_rng(seed), dtype, (N, N)))


@pytest.mark.parametrize("function", LOOPS, ids=lambda f: f.__name__)
def test_a_loop_is_one_nest(function):
    text = ko.jit(function).lower(np.ones((N, N), np.float32)).as_text("nests")
    assert "by whole" in text
    assert not any(line.startswith(("for [", "while")) for line in text.splitlines()), text


def test_sums_of_what_a_loop_inside_has_changed():
    def program(a, p):
        def step(i, s):
            j, z = ko.fori_loop(0, 3, lambda q, st: (st[0], st[1].at[st[0], 0].set(0.0)), (p, a))
            return s + ko.sum(z) + ko.max(ko.cond(i > 1, lambda z: z * 2, lambda z: z, z))

        return ko.fori_loop(0, 3, step, ko.zeros(()))

    require_same_bits(program, np.arange(12, dtype=np.float32).reshape(6, 2), np.array(2, np.int32))


def test_large_arrays_go_step_by_step():
    text = ko.jit(lambda x: ko.fori_loop(0, 3, lambda i, x: x + ko.flip(x), x)).lower(np.ones(5000, np.float32)).as_text("nests")
    assert any(line.startswith("for [") for line in text.splitlines()), text


SHAPES = [(12,), (20,), (3,), (9, 5), (5, 9), (16, 16), (7, 1), (2, 3, 4)]


def random_step(rng, shapes, dtypes):
    """Ops of a step, each of which makes one state anew or changes a window of it."""
    plan = []
    for _ in range(int(rng.integers(2, 7))):
        to = int(rng.integers(len(shapes)))
        plan.append((str(rng.choice(["move", "sum", "product", "window", "function", "pick", "add", "where", "row", "inner"])), to, int(rng.integers(len(shapes))), int(rng.integers(8))))

    def fitted(x, shape, dtype):
        """Of any array one of this shape."""
        flat = ko.reshape(x, (-1,))
        n = int(np.prod(shape))
        flat = ko.concat([flat] * -(-n // flat.shape[0]))[:n]
        return ko.astype(ko.reshape(flat, shape), dtype)

    def step(i, state):
        state = list(state)
        for kind, to, source, number in plan:
            x, y = state[to], state[source]
            axis = number % x.ndim
            z = fitted(y, x.shape, x.dtype)
            if kind == "move":
                x = [ko.flip(x, axis=axis), ko.roll(z, number - 3, axis=axis), fitted(ko.moveaxis(x, 0, -1), x.shape, x.dtype)][number % 3]
            elif kind == "sum":
                x = ko.broadcast_to(ko.astype([ko.sum, ko.max, ko.min][number % 3](z, axis=axis, keepdims=True), x.dtype), x.shape)
            elif kind == "product" and x.ndim == 2 and x.dtype in (ko.float32, ko.float64):
                x = ko.matmul(ko.matmul(z, ko.moveaxis(z, 0, 1)), x) * 0.01
            elif kind == "window":
                at = tuple(ko.astype((i * (number + 1) + d) % n, ko.int32) for d, n in enumerate(x.shape))
                window = z[tuple(slice(0, max(1, n - number % 3)) for n in x.shape)]
                x = ko.dynamic_update_slice(x, window, at)
            elif kind == "function" and x.dtype in (ko.float32, ko.float64):
                x = [ko.tanh, ko.exp, ko.abs][number % 3](z * 0.5)
            elif kind == "pick":
                x = x + ko.astype(z[(i % x.shape[0],) + (0,) * (x.ndim - 1)], x.dtype)
            elif kind == "add":
                x = x + z
            elif kind == "inner":
                x = [
                    lambda x, z: ko.fori_loop(0, number, lambda j, x, z=z: x + ko.flip(z, axis=0), x),
                    lambda x, z: ko.fori_loop(0, number, lambda j, x, z=z: x.at[j % x.shape[0]].set(z[(j + 1) % x.shape[0]]), x),
                    lambda x, z: ko.cond(i % 2 == 0, lambda x, z: ko.roll(x, 1, axis=0) - z, lambda x, z: x, x, z),
                ][number % 3](x, z)
            elif kind == "where":
                x = ko.where(x > z, x, z - 1)
            else:
                x = x.at[(i + number) % x.shape[0]].set(z[number % x.shape[0]])
            state[to] = x
        return tuple(state)

    return step


@pytest.mark.parametrize("seed", range(count(150)))
def test_random_loops(seed):
    rng = np.random.default_rng(seed)
    states = int(rng.integers(1, 4))
    shapes = [SHAPES[int(rng.integers(len(SHAPES)))] for _ in range(states)]
    dtypes = [str(rng.choice(["float32", "float64", "int32", "uint8", "float16"], p=[0.4, 0.25, 0.15, 0.1, 0.1])) for _ in range(states)]
    given = [elements(rng, dtype, shape) for dtype, shape in zip(dtypes, shapes, strict=True)]
    step, steps, kind = random_step(rng, shapes, dtypes), int(rng.integers(0, 6)), int(rng.integers(4))

    def function(*given):
        if kind == 0:
            return ko.while_loop(lambda s: s[1] < steps, lambda s: (step(s[1], s[0]), s[1] + 1), (given, ko.astype(0, ko.int32)))
        if kind == 1:
            return ko.scan(lambda s, i: (step(i, s), s[0]), given, ko.arange(steps, dtype=ko.int32))
        if kind == 2:
            return ko.scan(lambda s, i: ((t := step(i, s)), t[-1]), given, ko.arange(steps, dtype=ko.int32), reverse=True)
        return ko.fori_loop(0, steps, step, given)

    require_same_bits(function, *given)
