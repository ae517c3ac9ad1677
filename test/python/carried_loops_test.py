"""Loops whose states are carried element by element stand in a nest: the same bits as the interpreter's, and NumPy's."""

import numpy as np
import pytest

import kolam as ko


def run(function, *arrays, **options):
    """The results of both backends, which must agree in every bit, as a list."""
    results = []
    for backend in ("interpret", "cpu"):
        leaves = ko.tree.leaves(ko.jit(function, backend=backend, **options)(*arrays))
        results.append([np.asarray(leaf) for leaf in leaves])
    for there, here in zip(*results, strict=True):
        assert there.dtype == here.dtype and there.shape == here.shape
        assert there.tobytes() == here.tobytes()
    return results[1]


def nests(function, *arrays):
    return ko.jit(function).lower(*arrays).as_text("nests")


def steps(function, *arrays):
    """How many nests, and how many loops and branches of the runtime, a program has."""
    lines = [line.strip() for line in nests(function, *arrays).splitlines()]
    loops = sum(line.startswith(("for [", "while", "branch ")) for line in lines)
    return sum(line.startswith("nest") and ":" in line for line in lines), loops


def floats(*shape, dtype="float32", seed=1):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


SHAPES = [(), (1,), (3,), (64,), (1000,), (5, 7), (3, 130), (2, 3, 33), (0,), (4, 0)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("count", [0, 1, 7])
def test_counted_loops(shape, count):
    x, y = floats(*shape), floats(*shape, seed=2)

    def program(x, y):
        return ko.fori_loop(0, count, lambda i, s: (s[0] * 0.5 + y, s[1] + i * s[0]), (x, y))

    a, b = run(program, x, y)
    s, t = x.copy(), y.copy()
    for i in range(count):
        s, t = s * np.float32(0.5) + y, t + np.float32(i) * s
    assert a.tobytes() == np.asarray(s).tobytes() and b.tobytes() == np.asarray(t).tobytes()
    if x.size > 1:
        assert steps(program, x, y) == (1, 0)


@pytest.mark.parametrize("bounds", [(5, 2), (-3, 4), (2**31 - 3, 2**31 - 1), (-(2**31), -(2**31) + 2)])
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_bounds_of_the_run(bounds, dtype):
    def program(lower, upper, x):
        return ko.fori_loop(lower, upper, lambda i, s: s * 3 + ko.astype(i, "int64"), x)

    x = np.arange(70, dtype=np.int64)
    expected = x.copy()
    for i in range(*bounds):
        expected = expected * 3 + i
    (result,) = run(program, np.array(bounds[0], dtype), np.array(bounds[1], dtype), x)
    assert (result == expected).all()


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("count", [0, 1, 9])
def test_scans(shape, reverse, count):
    xs, init = floats(count, *shape), floats(*shape, seed=2)
    weights = floats(*shape, seed=3)

    def program(xs, init, weights):
        return ko.scan(lambda s, x: (s * weights + x, (s - x, s > 0)), init, xs, reverse=reverse)

    last, (stacked, positive) = (lambda r: (r[0], r[1:]))(run(program, xs, init, weights))
    state = init.copy()
    for t in reversed(range(count)) if reverse else range(count):
        assert stacked[t].tobytes() == np.asarray(state - xs[t]).tobytes()
        assert (positive[t] == (state > 0)).all()
        state = state * weights + xs[t]
    assert last.tobytes() == np.asarray(state).tobytes()
    if count > 1 and init.size > 1:
        assert steps(program, xs, init, weights) == (1, 0)


@pytest.mark.parametrize("count", [4095, 4096, 4097, 9000])
def test_long_scans_of_scalars(count):
    xs = floats(count)

    def program(xs):
        return ko.scan(lambda s, x: (s * 0.75 + x, s), np.float32(0), xs)

    last, stacked = run(program, xs)
    state = np.float32(0)
    for t in range(count):
        assert stacked[t] == state
        state = state * np.float32(0.75) + xs[t]
    assert last == state
    assert steps(program, xs) == (1, 0)


def test_loops_on_a_condition():
    def program(limit, x):
        return ko.while_loop(lambda s: s[0] < limit, lambda s: (s[0] + 3, s[1] * 2 + s[0], s[2] ^ True), (np.int32(1), x, x > 3))

    x = np.arange(50, dtype=np.int32)
    for limit in (0, 1, 2, 40):
        count, last, flags = run(program, np.int32(limit), x)
        i, s, f = 1, x.copy(), x > 3
        while i < limit:
            i, s, f = i + 3, s * 2 + i, ~f
        assert count == i and (last == s).all() and (flags == f).all()
    # The counter that is read behind the loop is carried by one of its own.
    assert steps(program, np.int32(1), x) == (2, 0)
    assert steps(lambda limit, x: program(limit, x)[1], np.int32(1), x) == (1, 0)


def test_states_of_several_dtypes():
    x = floats(77)

    def program(x):
        state = (x, ko.astype(x * 10, "int8"), ko.astype(x, "float16"), ko.astype(x, "float64"), x > 0, ko.astype(x, "bfloat16"))

        def body(i, s):
            a, b, c, d, e, f = s
            return ko.where(e, a + 1, a), b * 3, c + c, d / 3, e ^ (b > 0), f * ko.astype(a, "bfloat16")

        return ko.fori_loop(0, 5, body, tuple(map(ko.asarray, state)))

    run(program, x)
    assert steps(program, x) == (1, 0)


def test_tables_are_looked_up():
    table = np.arange(256, dtype=np.uint32)[::-1].copy() * np.uint32(2654435761)
    data = np.random.default_rng(3).integers(0, 256, 500).astype(np.uint32)

    def program(table, data):
        return ko.scan(lambda s, x: (table[(s ^ x) & 255] ^ (s >> 8), None), np.uint32(7), data)[0]

    state = np.uint32(7)
    for x in data:
        state = table[(state ^ x) & 255] ^ (state >> np.uint32(8))
    assert run(program, table, data)[0] == state
    assert run(lambda data: program(ko.asarray(table), data), data)[0] == state
    assert steps(program, table, data) == (1, 0)
    rows = np.random.default_rng(4).integers(0, 256, (9, 100)).astype(np.uint32)
    lanes = lambda table, rows: ko.scan(lambda s, x: (table[(s ^ x) & 255] ^ (s >> 8), s), ko.zeros(100, "uint32"), rows)
    run(lanes, table, rows)


def test_loops_in_loops_and_branches():
    x = floats(90)

    def program(x, n):
        def inner(j, t):
            return ko.cond(j % 2 == 0, lambda t: t * 0.5, lambda t: t + x, t)

        def body(i, s):
            s = ko.fori_loop(0, i, inner, s)
            return ko.switch(i, [lambda s: s, lambda s: s - 1, lambda s: ko.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * 0.9), (np.int32(0), s))[1]], s)

        return ko.fori_loop(0, n, body, x)

    for n in (0, 1, 6):
        run(program, x, np.int32(n))
    assert steps(program, x, np.int32(3)) == (1, 0)


def test_producers_and_consumers_join():
    x = floats(20, 300)

    def program(x):
        return ko.exp(ko.fori_loop(0, 4, lambda i, s: s * s + 1 / (2 + s * s), ko.sin(x))) * 2

    run(program, x)
    assert steps(program, x) == (1, 0)
    scanned = lambda x: ko.scan(lambda s, v: (s + v, s), ko.zeros(300), ko.cos(x) * 2)[1]
    run(scanned, x)
    assert steps(scanned, x) == (1, 0)
    # A scan of scalars goes element by element: what it reads is computed before, in lanes.
    scalars = lambda x: ko.scan(lambda s, v: (s + v, s), np.float32(0), ko.cos(x) * 2)[1]
    run(scalars, x[0])
    assert steps(scalars, x[0]) == (2, 0)


def test_loops_that_fill_arrays():
    x = floats(50)

    def program(x):
        return ko.fori_loop(0, 50, lambda i, s: (s[0] * 0.5 + x[i], s[1].at[i].set(s[0])), (np.float32(0), ko.ones(50)))

    last, filled = run(program, x)
    state = np.float32(0)
    for i in range(50):
        assert filled[i] == state
        state = state * np.float32(0.5) + x[i]
    assert last == state
    assert steps(program, x) == (1, 0)
    # Not all elements, or others than the step's: these loops change memory, in one nest each.
    for lower, upper, place in ((1, 50, lambda i: i), (0, 49, lambda i: i), (0, 50, lambda i: i // 2), (0, 50, lambda i: 49 - i)):
        part = lambda x: ko.fori_loop(lower, upper, lambda i, s: (s[0] + x[i], s[1].at[place(i)].set(s[0])), (np.float32(0), ko.ones(50)))
        run(part, x)
        assert steps(part, x)[1] == 0


def filling(lower, upper, start, box, shape):
    """A loop that puts boxes of a state's elements into an array, with `start(i)` as their first element."""

    def program(x):
        def step(i, carry):
            state, filled = carry
            state = state * 0.5 + x[i]
            return state, ko.dynamic_update_slice(filled, ko.reshape(state, box), start(i))

        return ko.fori_loop(lower, upper, step, (ko.zeros(x.shape[1]), ko.full(shape, 7, dtype="float32")))[1]

    return program


def filled_by_hand(x, lower, upper, start, box, shape):
    filled, state = np.full(shape, 7, np.float32), np.zeros(x.shape[1], np.float32)
    for i in range(lower, upper):
        state = state * np.float32(0.5) + x[i]
        at = [min(max(s, 0), n - b) for s, n, b in zip(start(i), shape, box)]
        filled[tuple(slice(s, s + b) for s, b in zip(at, box))] = state.reshape(box)
    return filled


@pytest.mark.parametrize(
    "lower, upper, start, box, shape, joins",
    [
        (0, 9, lambda i: (i * 6,), (6,), (54,), True),
        (0, 9, lambda i: (i * 6 + 4,), (6,), (60,), True),  # others keep what they held
        (2, 9, lambda i: (i * 6 - 12,), (6,), (54,), True),
        (0, 9, lambda i: (0, i), (6, 1), (6, 9), True),  # along the last dim
        (0, 9, lambda i: (0, 3 * i), (2, 3), (2, 27), False),  # in another form than the state
        (0, 9, lambda i: (1, 3 * i), (2, 3), (4, 27), False),  # and not all of the first
        (0, 9, lambda i: (i * 6,), (6,), (50,), False),  # the last one is moved to lie inside
        (0, 9, lambda i: (i * 5,), (6,), (60,), False),  # they overlap
        (0, 9, lambda i: (i * 7,), (6,), (70,), False),  # gaps
        (0, 9, lambda i: (48 - i * 6,), (6,), (54,), False),  # from the end
    ],
)
def test_loops_that_fill_arrays_box_by_box(lower, upper, start, box, shape, joins):
    x = floats(9, 6)
    (got,) = run(filling(lower, upper, start, box, shape), x)
    np.testing.assert_array_equal(got, filled_by_hand(x, lower, upper, start, box, shape))
    # All others change memory.
    assert (" = for(" not in nests(filling(lower, upper, start, box, shape), x)) == joins


def test_loops_in_loops_that_fill_arrays_box_by_box():
    x = floats(8, 12)

    def program(x):
        def row(p, filled):
            def step(i, carry):
                state, filled = carry
                state = state * 0.5 + x[p, i]
                return state, filled.at[p * 12 + i].set(state)

            return ko.fori_loop(0, 12, step, (np.float32(0), filled))[1]

        return ko.fori_loop(0, 8, row, ko.zeros(96))

    (got,) = run(program, x)
    for p in range(8):
        state = np.float32(0)
        for i in range(12):
            state = state * np.float32(0.5) + x[p, i]
            assert got[p * 12 + i] == state


def test_loops_that_read_what_they_fill():
    x = floats(50)
    # An array that is read meanwhile.
    read = lambda x: ko.fori_loop(0, 50, lambda i, s: (s[0] + s[1][49], s[1].at[i].set(s[0])), (np.float32(0), x))
    run(read, x)
    assert steps(read, x)[1] == 0
    rows = lambda x: ko.fori_loop(0, 6, lambda i, s: (s[0] * 2 + i, s[1].at[i].set(s[0])), (x, ko.zeros((6, 50))))
    run(rows, x)
    assert steps(rows, x) == (1, 0)


def test_elements_that_leave_loops():
    a, b = np.meshgrid(np.linspace(-2, 0.5, 45, dtype=np.float32), np.linspace(-1.2, 1.2, 40, dtype=np.float32))

    def step(s, a, b):
        x, y, n = s
        inside = x * x + y * y <= 4
        return ko.where(inside, x * x - y * y + a, x), ko.where(inside, 2 * x * y + b, y), n + inside

    def counted(a, b):
        return ko.fori_loop(0, 60, lambda i, s: step(s, a, b), (a * 0, a * 0, ko.zeros((40, 45), "int32")))

    def whole(a, b):
        goes_on = lambda s: (s[0] < 60) & ko.any(s[1] * s[1] + s[2] * s[2] <= 4)
        return ko.while_loop(goes_on, lambda s: (s[0] + 1, *step(s[1:], a, b)), (np.int32(0), a * 0, a * 0, ko.zeros((40, 45), "int32")))[1:]

    def element(a, b):
        inside = lambda s: (s[2] < 60) & (s[0] * s[0] + s[1] * s[1] <= 4)
        body = lambda s: (s[0] * s[0] - s[1] * s[1] + a, 2 * s[0] * s[1] + b, s[2] + 1)
        return ko.while_loop(inside, body, (a * 0, a * 0, np.int32(0)))

    expected = run(counted, a, b)
    for program in (whole, lambda a, b: ko.zip_map_reduce(element, [a, b])):
        assert all((x == y).all() for x, y in zip(run(program, a, b), expected, strict=True))
        assert steps(program, a, b) == (1, 0)


def test_loops_in_bodies_of_patterns():
    x, n = floats(3, 70), np.random.default_rng(5).integers(-1, 9, (3, 70)).astype(np.int32)
    table = floats(9)

    def element(x, n):
        x = ko.fori_loop(0, n, lambda i, s: s * 0.5 + ko.astype(i, "float32"), x)
        x = ko.fori_loop(0, 4, lambda i, s: s + table_[ko.clip(n + i, 0, 8)], x)
        return ko.cond(n % 3 == 0, lambda x: x * 2, lambda x: ko.exp(-x * x), x)

    def program(x, n, table):
        global table_
        table_ = table
        return ko.zip_map_reduce(element, [x, n])

    run(program, x, n, table)
    assert steps(program, x, n, table) == (1, 0)
    run(lambda x, n, table: ko.sum(program(x, n, table), axis=1), x, n, table)
    with pytest.raises(ko.errors.KolamError, match="pattern-body"):
        ko.jit(lambda x: ko.zip_map_reduce(lambda e: ko.fori_loop(0, 2, lambda i, s: s + ko.zeros(3), ko.zeros(3))[0] + e, [x]))(x)


STEPWISE = {
    "other elements": (lambda x: ko.fori_loop(0, 3, lambda i, s: s + ko.flip(s), x), "several of the state before"),
    "a sum": (lambda x: ko.fori_loop(0, 3, lambda i, s: s + ko.sum(s), x), "combines many elements"),
    "a condition on all": (
        lambda x: ko.while_loop(lambda s: ko.any(s < 1), lambda s: s + 1, x), "one whose own fails before may change",
    ),
    "a part": (lambda x: ko.fori_loop(0, 3, lambda i, s: ko.dynamic_update_slice(s, ko.ones(2000), (i,)), x), "in place"),
    "running sums": (lambda x: ko.fori_loop(0, 3, lambda i, s: ko.cumulative_sum(s, 0), x), "needs the elements before"),
    "shapes": (lambda x: ko.fori_loop(0, 3, lambda i, s: (s[0] + 1, s[1] * 2), (x, x[:2])), "several shapes"),
}


@pytest.mark.parametrize("name", STEPWISE)
def test_what_needs_other_elements_runs_step_by_step(name):
    program, why = STEPWISE[name]
    x = floats(4000)
    run(program, x)
    assert steps(program, x)[1] >= 1
    assert why in ko.jit(lambda x: ko.tree.map(lambda r: r + 1, program(x))).explain(x)


def test_checks_in_bodies_stay():
    def program(x):
        return ko.fori_loop(0, 5, lambda i, s: ko.sqrt(s - 1), x)

    x = np.full(40, 2.0, np.float32)
    with pytest.raises(ko.errors.KolamError, match="nan"):
        ko.jit(program, checks=True)(x)
    assert steps(program, x) == (1, 0)


def test_sizes_of_the_run():
    def program(xs, s):
        return ko.scan(lambda s, x: (s * 0.5 + x, s), s, xs)

    dynamic = {"xs": {0: "t", 1: "n"}, "s": {0: "n"}}
    for count, n in ((0, 5), (4, 0), (6, 1), (9, 200)):
        run(program, floats(count, n), floats(n, seed=2), dynamic=dynamic)


def test_threads_share_elements():
    x, xs = floats(5000), floats(30, 5000)

    def program(x, xs):
        return ko.scan(lambda s, v: (s * 0.5 + ko.exp(v * s), s), x, xs), ko.fori_loop(0, 50, lambda i, s: s * 0.5 + 1, x)

    run(program, x, xs)


def make_body(rng, states, depth=0):
    """A random function of states, of their own elements only."""
    plan = [(rng.integers(0, 9), rng.integers(0, 99), rng.integers(0, 99), rng.integers(0, 99)) for _ in range(rng.integers(2, 8))]
    picks = rng.integers(0, 99, states)

    def body(values, others):
        pool = list(values) + list(others)
        for kind, a, b, c in plan:
            x, y, z = (pool[k % len(pool)] for k in (a, b, c))
            pool.append(
                (
                    lambda: x + y,
                    lambda: x * 0.5 - y,
                    lambda: ko.where(x < y, z, x),
                    lambda: ko.maximum(x, y),
                    lambda: ko.exp(-ko.abs(x)),
                    lambda: ko.astype(ko.astype(x, "float16"), "float32"),
                    lambda: ko.fori_loop(0, int(c % 3), lambda i, s: s * y + 0.25, x),
                    lambda: ko.cond(ko.sum(ko.zeros(2)) > 0, lambda x, y: x - y, lambda x, y: x, x, y) if depth else x - y,
                    lambda: ko.while_loop(lambda s: s[0] < c % 4, lambda s: (s[0] + 1, s[1] * 0.5 + y), (np.int32(0), x))[1],
                )[kind]()
            )
        return tuple(pool[len(values) + len(others) + (k % len(plan))] * 0.25 for k in picks)

    return body


@pytest.mark.parametrize("number", range(40))
def test_random_bodies(number, seed):
    rng = np.random.default_rng([seed, number])
    shape = [(), (5,), (70,), (3, 40), (2, 2, 9)][rng.integers(5)]
    count, states = int(rng.integers(0, 6)), int(rng.integers(1, 4))
    inits = tuple(floats(*shape, seed=10 + k) for k in range(states))
    xs, capture = floats(count, *shape, seed=20), floats(*shape[-1:], seed=21)
    body = make_body(rng, states)
    kind = number % 3

    def program(inits, xs, capture):
        if kind == 0:
            return ko.fori_loop(0, count, lambda i, s: body(s, (capture + 0 * s[0], ko.astype(i, "float32") + 0 * s[0])), inits)
        if kind == 1:
            step = lambda s, x: ((t := body(s, (x, capture + 0 * x))), (t[0] + x, x))
            return ko.scan(step, inits, xs, reverse=bool(number & 4))
        more = lambda s: s[0] < count
        return ko.while_loop(more, lambda s: (s[0] + 1, *body(s[1:], (capture + 0 * s[1],))), (np.int32(0), *inits))

    run(program, inits, xs, capture)


def test_a_condition_on_all_elements_of_a_short_row():
    x = np.array([[0.5, 1.5, -0.5, 0.25]], np.float32)

    def program(x):
        def goes_on(s):
            return (s[0] < 0) & ko.all(s[1] > ko.astype(s[0], s[1].dtype))

        return ko.while_loop(goes_on, lambda s: (s[0] + 1, s[1]), (ko.asarray(0, "int32"), x))[1]

    np.testing.assert_array_equal(np.asarray(ko.jit(program)(x)), x)


def test_numbers_that_a_choice_between_parts_gives():
    """Inside vectors a choice gives vectors, and of what is the same for all lanes a number is carried."""
    x = np.arange(40, dtype=np.float32).reshape(5, 8)

    def program(x, a, b):
        def step(state, _):
            v, p, q, r = state
            picked = ko.astype(ko.reshape(ko.roll(x, -1, axis=1), (-1,))[0], ko.int64)
            return (v + ko.astype(p, ko.float32), r, p, picked), None

        return ko.scan(step, (x, a, a, b), None, length=5)[0][0]

    run(program, x, np.int64(3), np.int64(4))


def filtered(z):
    """Five states, each of which waits for the others."""

    def step(state, z):
        x, v, p, c, q = state
        gain = p / (p + 0.5)
        rest = z - x - v
        return (x + gain * rest, v + c * rest, (1 - gain) * p + c, (1 - gain) * c + q, q * 0.5), x

    zero, one = ko.zeros_like(z[0]), ko.ones_like(z[0])
    return ko.scan(step, (zero, zero, one, zero, one), z)


def lanes_of(function, *arrays):
    return int(nests(function, *arrays).rsplit("lanes ", 1)[1].split()[0])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n", [1, 5, 31, 64, 100, 333])
def test_many_states_side_by_side(n, dtype):
    run(filtered, floats(9, n, dtype=dtype))
    run(lambda z: filtered(z[:, 1:, ::2]), floats(9, n + 1, 6, dtype=dtype))


def test_chains_fill_the_processor():
    """What is stacked needs no register; of several chains some may wait in memory."""
    one = lanes_of(lambda x: x + 1, floats(1000))
    assert lanes_of(filtered, floats(9, 1000)) == 4 * one
    assert lanes_of(lambda x: ko.scan(lambda s, x: (s * 0.5 + x,) * 2, x[0], x), floats(9, 1000)) == 4 * one
