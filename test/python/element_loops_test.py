"""Loops that change arrays element by element: one nest each, with the interpreter's bits."""

import numpy as np
import pytest
from random_edges.values import elements
from same_bits import require_same_bits, ways_to_read

import kolam as ko

N = 23


def running(x):
    return ko.fori_loop(1, N, lambda i, x: x.at[i].set(x[i - 1] * 3 + x[i]), x)


def added(x):
    return ko.fori_loop(1, N, lambda i, x: x.at[i].add(x[i - 1]), x)


def backwards(x):
    return ko.fori_loop(0, N - 1, lambda i, x: x.at[N - 2 - i].set(x[N - 2 - i] - x[N - 1 - i]), x)


def swapped(x):
    def step(i, x):
        j = (7 * i + 3) % N
        return x.at[i].set(x[j]).at[j].set(x[i])

    return ko.fori_loop(0, N, step, x)


def sorted_by_insertion(x):
    def step(i, x):
        value = x[i]

        def goes_on(state):
            x, j = state
            return (j > 0) & (x[ko.maximum(j - 1, 0)] > value)

        x, j = ko.while_loop(goes_on, lambda state: (state[0].at[state[1]].set(state[0][state[1] - 1]), state[1] - 1), (x, i))
        return x.at[j].set(value)

    return ko.fori_loop(1, N, step, x)


def seidel(x):
    """In place, over rows and columns."""

    def row(i, u):
        def cell(j, u):
            return u.at[i, j].set(u[i - 1, j] + u[i + 1, j] - 2 * u[i, j - 1] + u[i, j + 1])

        return ko.fori_loop(1, 5, cell, u)

    u = ko.reshape(ko.concat([x, x]), (2, N))[:, :18].reshape((6, 6))
    return ko.fori_loop(0, 3, lambda k, u: ko.fori_loop(1, 5, row, u), u)


def edit_table(x):
    """A table of two dims, from numbers that are carried beside it."""
    letters = ko.astype(ko.where(x > 0, 1, 0), ko.int32)

    def row(i, state):
        d, seen = state

        def cell(j, carried):
            d, seen = carried
            above, left = d[i, j + 1] + 1, d[i + 1, j] + 1
            same = d[i, j] + ko.astype(letters[i] != letters[N - 1 - j], ko.int32)
            value = ko.minimum(ko.minimum(above, left), same)
            return d.at[i + 1, j + 1].set(value), seen + value

        return ko.fori_loop(0, N, cell, (d, seen))

    start = ko.zeros((N + 1, N + 1), dtype=ko.int32)
    start = start.at[0].set(ko.arange(N + 1, dtype=ko.int32)).at[:, 0].set(ko.arange(N + 1, dtype=ko.int32))
    return ko.fori_loop(0, N, row, (start, ko.astype(0, ko.int32)))


def unions(x):
    """Parents of sets, found by halving paths."""
    edges = ko.astype(ko.abs(ko.where(ko.isfinite(x), x, 3)) * 10, ko.int32) % N

    def root_of(parent, i):
        def up(state):
            parent, i = state
            parent = parent.at[i].set(parent[parent[i]])
            return parent, parent[i]

        return ko.while_loop(lambda state: state[0][state[1]] != state[1], up, (parent, i))

    def join(i, parent):
        parent, a = root_of(parent, i)
        parent, b = root_of(parent, edges[i])
        return parent.at[a].set(b)

    return ko.fori_loop(0, N, join, ko.arange(N, dtype=ko.int32))


def branching(x):
    def step(i, state):
        x, count = state
        return ko.cond(
            x[i] > 0, lambda x, count: (x.at[i].multiply(-1), count + 1), lambda x, count: (x.at[N - 1 - i].add(x[i]), count), x, count
        )

    return ko.fori_loop(0, N, step, (x, ko.astype(0, ko.int32)))


def stacked(x):
    """A scan whose state is an array, and whose steps give numbers."""

    def step(seen, value):
        place = ko.astype(ko.where(value > 0, 1, 0), ko.int32) + 3 * ko.astype(ko.where(ko.isfinite(value), 1, 0), ko.int32)
        return seen.at[place].add(1), (seen[place], value * 2)

    return ko.scan(step, ko.zeros(10, dtype=ko.int32), x)


def stacked_in_reverse(x):
    def step(seen, value):
        return seen.at[4].set(seen[5]).at[5].set(value), seen[4]

    return ko.scan(step, ko.zeros_like(x), x, reverse=True)


def outside(x):
    """Places outside are dropped, and read as what the mode says."""
    return ko.fori_loop(0, 3 * N, lambda i, x: x.at[i - N].set(x[2 * i] + 1), x)


def kept_as_it_was(x):
    return x, running(x), x[0]


def captured_too(x):
    return ko.fori_loop(0, N, lambda i, y: y.at[i].set(x[N - 1 - i] + y[i]), x)


def from_one_start(x):
    def step(i, state):
        a, b = state
        return a.at[i].set(b[i] + 1), b.at[N - 1 - i].add(a[i])

    return ko.fori_loop(0, N, step, (x, x))


def beside_vectors(x):
    """The inner loop is one; around it whole arrays are added."""
    return ko.fori_loop(0, 4, lambda k, x: running(x) + x, x)


def some_numbers(x):
    def step(i, state):
        x, p = state
        return x.at[i].set(p[0] + p[2]), ko.stack([p[1], p[2], p[0] + x[i]])

    return ko.fori_loop(0, N, step, (x, x[:3]))


def of_no_turns(x):
    return ko.fori_loop(5, 2, lambda i, x: x.at[i].set(0), x)


def while_it_grows(x):
    def body(state):
        x, i = state
        return x.at[i].set(x[i] * x[i]), i + 1

    return ko.while_loop(lambda state: (state[1] < N) & (state[0][ko.maximum(state[1] - 1, 0)] < 100), body, (x, ko.astype(0, ko.int32)))


LOOPS = [
    running, added, backwards, swapped, sorted_by_insertion, seidel, edit_table, unions, branching, stacked, stacked_in_reverse, outside,
    kept_as_it_was, captured_too, from_one_start, beside_vectors, some_numbers, of_no_turns, while_it_grows,
]  # fmt: skip


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32"])
@pytest.mark.parametrize("function", LOOPS, ids=lambda f: f.__name__)
def test_bits_are_those_of_the_interpreter(function, dtype):
    for seed in range(3):
        x = elements(np.random.default_rng(seed), dtype, (N,))
        require_same_bits(function, x)


@pytest.mark.parametrize("function", [f for f in LOOPS if f is not beside_vectors], ids=lambda f: f.__name__)
def test_a_loop_is_one_nest(function):
    text = ko.jit(function).lower(np.ones(N, np.float32)).as_text("nests")
    assert "by whole" in text
    assert "loop " not in text.split("nest0")[0], text


def test_a_function_of_donated_memory():
    x = np.arange(N, dtype=np.float32)
    meant = np.asarray(ko.jit(running, backend="interpret")(x))
    given = ko.asarray(x.copy())
    np.testing.assert_array_equal(np.asarray(ko.jit(running, donate_argnames=["x"])(given)), meant)


@pytest.mark.parametrize("seed", range(40))
def test_random_loops(seed):
    """Steps of reads, arithmetic and changes at places near and far, in several arrays."""
    rng = np.random.default_rng(seed)
    arrays = int(rng.integers(1, 4))
    shapes = [tuple(int(n) for n in rng.choice([1, 2, 5, 9, 17], int(rng.integers(1, 3)))) for _ in range(arrays)]
    dtypes = [str(rng.choice(["float32", "float64", "int32", "uint8"])) for _ in range(arrays)]
    given = [elements(rng, dtype, shape) for dtype, shape in zip(dtypes, shapes, strict=True)]
    plan = [(int(rng.integers(arrays)), int(rng.integers(arrays)), rng.integers(-3, 9, (2, 2)), int(rng.integers(5))) for _ in range(4)]
    turns, inner = int(rng.integers(0, 12)), int(rng.integers(1, 4))

    def step(i, state):
        state, number = list(state[:-1]), state[-1]
        for to, source, factors, kind in plan:

            def place(array, row, i=i, factors=factors):
                n = [(int(factors[row][0]) * i + int(factors[row][1])) % extent for extent in array.shape]
                return tuple(n) if len(n) > 1 else n[0]

            value = state[source][place(state[source], 0)]
            at = place(state[to], 1)
            if kind == 0:
                state[to] = state[to].at[at].set(ko.astype(value, state[to].dtype))
            elif kind == 1:
                state[to] = state[to].at[at].add(ko.astype(value, state[to].dtype))
            elif kind == 2:
                number = number + ko.astype(ko.where(value > 2, 1, 3), ko.int32)
            elif kind == 3:
                state[to] = ko.cond(
                    number % 3 == 0, lambda y, at=at, value=value: y.at[at].max(ko.astype(value, y.dtype)), lambda y: y, state[to]
                )
            else:
                state[to] = ko.fori_loop(
                    0, inner, lambda j, y: y.at[(j,) * y.ndim if y.ndim > 1 else j].add(ko.astype(1, y.dtype)), state[to]
                )
        return (*state, number)

    def function(*given):
        return ko.fori_loop(0, turns, step, (*given, ko.astype(0, ko.int32)))

    require_same_bits(function, *given)


def test_numbers_of_lists_go_one_cell_after_the_other():
    ops = ko.fractal
    rng = np.random.default_rng(0)

    def cell(state, value):
        left, diagonal = state
        above, (x, y) = value
        return abs(x - y) + ko.minimum(ko.minimum(above, left), diagonal), above

    def distance(pair):
        def row(above, value):
            i, xs, ys = value
            return ops.scan(cell, ops.zip(above, ops.zip(xs, ys)), initializer=(np.float32(9), ko.where(i == 0, np.float32(0), 9)))[0]

        top = ops.map(lambda x: 0 * x + np.float32(9), pair[0])
        return ops.fold(row, ops.enumerate(*ops.product(*pair)), initializer=top)

    for shapes in ([(1, 1)], [(5, 3)], [(4, 2), (1, 6), (7, 7)]):
        lists = [
            ko.fractal.FractalTensor([ko.fractal.FractalTensor(list(rng.standard_normal(shape[k]).astype(np.float32))) for shape in shapes])
            for k in (0, 1)
        ]
        function = ko.jit(lambda a, b: ops.map(distance, ops.zip(a, b)))
        meant = ko.jit(lambda a, b: ops.map(distance, ops.zip(a, b)), backend="interpret")(*lists)
        assert function(*lists).to_list() == meant.to_list()
        assert "one cell after the other" in function.explain(*lists)


@pytest.mark.parametrize("changed", [False, True])
def test_arrays_in_memory_beside_values(changed):
    """A branch gives the array on and once more as a value; another changes what it only reads."""

    def program(x, turns):
        def step(s, turn):
            s, other = ko.cond(turn == 1, lambda s: (s, ko.zeros_like(s)), lambda s: (s, s.at[0].set(5.0) if changed else s), s)
            return s.at[1].set(ko.sum(other) + 1.0), other

        return ko.scan(step, x, turns)

    turns = np.array([0, 1, 0, 0, 1], np.int32)
    x = np.arange(3, dtype=np.float32)
    native, meant = (ko.jit(program, backend=backend)(x, turns) for backend in ("cpu", "interpret"))
    for own, other in zip(native, meant, strict=True):
        np.testing.assert_array_equal(np.asarray(own), np.asarray(other))


@pytest.mark.parametrize("start", [0, 2**31 - 1 - 2 * N, 2**31 - 1 - N, -(2**31)])
def test_counters_at_the_ends_of_their_dtype(start):
    """Sums with the counter that wrap, clip and miss as the interpreter's do."""

    def f(x):
        def step(i, x):
            near = ko.dynamic_slice(x, (i - start + 3,), (1,))[0] + ko.dynamic_slice(x, (i + 5,), (1,))[0]
            return x.at[i * 2 - start].set(near, mode="drop").at[i - start - 4].add(1, mode="clip")

        return ko.fori_loop(start, start + N - 1, step, x)

    require_same_bits(f, np.arange(N, dtype=np.float32))


def test_two_states_that_start_from_one_array():
    def f(x):
        def step(i, state):
            a, b = state
            return a.at[i].set(b[i - 1] + 1), b.at[i - 1].set(a[i] * 2)

        return ko.fori_loop(1, N, step, (x, x))

    require_same_bits(f, np.arange(N, dtype=np.float32))


def test_elements_that_a_step_has_just_written():
    """Read again in the same step, in the next and in one further on, in two arrays that change."""

    def f(x, y):
        def step(i, state):
            x, y = state
            x = x.at[i].add(y[i - 1])
            y = y.at[i].set(x[i] - y[i - 2]).at[i - 1].add(x[i - 1])
            return x.at[i - 1].add(y[i - 1]), y

        return ko.fori_loop(2, N, step, (x, y))

    x = np.arange(N, dtype=np.float32)
    require_same_bits(f, x, x[::-1].copy() / 3)
