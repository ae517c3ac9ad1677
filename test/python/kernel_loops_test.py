"""Kernels with loops, branches and parts of blocks: all points of the grid at once where that pays, the same bits always."""

import numpy as np
import pytest

import kolam as ko
from kolam import pallas as pl

S = ko.ShapeDtypeStruct
POINTS, SIZE = 40, 24


def floats(*shape, seed=1):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def rows(kernel, points=POINTS, size=SIZE, **options):
    """The kernel at each block of `size` elements."""
    block = pl.BlockSpec((size,), lambda i: (i,))
    return pl.pallas_call(
        kernel, S((points * size,), ko.float32), grid=(points,), in_specs=[block], out_specs=block, **options
    )


def run(call, *arrays):
    """The native result, which must be the interpreter's in every bit, and the line of `explain` on the kernel."""
    native = ko.jit(call)
    got = np.asarray(native(*arrays))
    there = np.asarray(ko.jit(call, backend="interpret")(*arrays))
    assert got.tobytes() == there.tobytes()
    (line,) = [line for line in native.explain(*arrays).splitlines() if line.startswith("kernel ")]
    return got, line


def by_block(function, x, size=SIZE):
    return np.concatenate([np.asarray(function(i, block)) for i, block in enumerate(x.reshape(-1, size))])


def counted(x, o):
    o[...] = pl.fori_loop(0, 5, lambda i, a: a * 0.5 + x[...], x[...])


def counted_by_numpy(i, x):
    state = x
    for _ in range(5):
        state = state * np.float32(0.5) + x
    return state


def in_the_result(x, o):
    o[...] = ko.zeros_like(o)

    @pl.loop(0, 3)
    def _(i):
        o[...] += x[...] * i


def in_the_result_by_numpy(i, x):
    return sum((x * np.float32(step) for step in range(3)), np.zeros_like(x))


def part_by_part(x, o):
    def body(i, carry):
        o[pl.ds(i * 8, 8)] = x[pl.ds(i * 8, 8)] * 2
        return carry

    pl.fori_loop(0, 3, body, 0)


def running(x, o):
    def body(i, state):
        state = state * 0.5 + x[i]
        o[i] = state
        return state

    pl.fori_loop(0, SIZE, body, ko.float32(0))


def running_by_numpy(i, x):
    state, states = np.float32(0), []
    for element in x:
        state = state * np.float32(0.5) + element
        states.append(state)
    return np.array(states)


def running_backwards(x, o):
    def body(i, state):
        state = state * 0.5 + x[SIZE - 1 - i]
        o[SIZE - 1 - i] = state
        return state

    pl.fori_loop(0, SIZE, body, ko.float32(0))


def branch_of_data(x, o):
    o[...] = pl.cond(ko.sum(x[...]) > 0, lambda: x[...] * 2, lambda: -x[...])


def branch_of_points(x, o):
    o[...] = x[...]

    @pl.when(pl.program_id(0) % 3 == 1)
    def _():
        o[...] = x[...] + 1


def two_parts(x, o):
    o[:16] = x[:16] * 2
    o[16:] = x[16:] + 1


def neighbours(x, o):
    o[...] = x[(ko.arange(SIZE) * 5) % SIZE]


def halved(x, o):
    def body(state):
        return state[0] + 1, state[1] * 0.5

    count, last = pl.while_loop(lambda s: ko.any(s[1] > 0.1), body, (ko.int32(0), ko.abs(x[...])))
    o[...] = last + count


def halved_by_numpy(i, x):
    count, state = 0, np.abs(x)
    while np.any(state > 0.1):
        count, state = count + 1, state * np.float32(0.5)
    return state + np.float32(count)


AT_ONCE = [
    (counted, counted_by_numpy),
    (in_the_result, in_the_result_by_numpy),
    (part_by_part, lambda i, x: x * 2),
    (running, running_by_numpy),
    (running_backwards, lambda i, x: running_by_numpy(i, x[::-1])[::-1]),
    (branch_of_data, lambda i, x: x * 2 if ko.sum(x) > 0 else -x),
    (branch_of_points, lambda i, x: x + 1 if i % 3 == 1 else x),
    (two_parts, lambda i, x: np.concatenate([x[:16] * 2, x[16:] + 1])),
    (neighbours, lambda i, x: x[(np.arange(SIZE) * 5) % SIZE]),
    (halved, halved_by_numpy),
]


@pytest.mark.parametrize("kernel, by_numpy", AT_ONCE, ids=lambda value: getattr(value, "__name__", ""))
def test_small_points_run_at_once(kernel, by_numpy):
    x = floats(POINTS * SIZE)
    got, line = run(rows(kernel), x)
    np.testing.assert_array_equal(got, by_block(by_numpy, x))
    assert "all points of its grid at once" in line


def far_from_the_start(x, o):
    start = pl.program_id(0) % 5
    o[...] = ko.zeros_like(o)
    o[pl.ds(start, 8)] = x[pl.ds(start, 8)]


def as_often_as_its_number(x, o):
    def body(i, a):
        return ko.flip(a) + x[...]

    o[...] = pl.fori_loop(0, pl.program_id(0), body, x[...])


def as_often_by_numpy(i, x):
    state = x
    for _ in range(i):
        state = state[::-1] + x
    return state


def in_large_steps(x, o):
    def body(i, a):
        return ko.flip(a) * 0.5 + x[...]

    o[...] = pl.fori_loop(0, 3, body, x[...])


def in_large_steps_by_numpy(i, x):
    state = x
    for _ in range(3):
        state = state[::-1] * np.float32(0.5) + x
    return state


def far_by_numpy(i, x):
    result = np.zeros_like(x)
    result[i % 5 : i % 5 + 8] = x[i % 5 : i % 5 + 8]
    return result


@pytest.mark.parametrize(
    "kernel, by_numpy, points, size, why",
    [
        (far_from_the_start, far_by_numpy, POINTS, SIZE, "data choose where it writes"),
        (as_often_as_its_number, as_often_by_numpy, 9, SIZE, "a loop has other bounds at other points"),
        (in_large_steps, in_large_steps_by_numpy, 4, 3000, "a step of a loop computes 3000 elements"),
        (in_large_steps, in_large_steps_by_numpy, 400, 500, "a step of a loop in all points would compute 200000"),
    ],
)
def test_points_one_after_the_other_say_why(kernel, by_numpy, points, size, why):
    x = floats(points * size)
    got, line = run(rows(kernel, points, size), x)
    np.testing.assert_array_equal(got, by_block(by_numpy, x, size))
    assert f"loops over its grid, as {why}" in line


def recurrence(steps, width, block, states):
    """h = exp(d a) h + d b, y = sum of h over states, for blocks of the columns; no column needs another."""

    def kernel(d, a, b, y):
        def step(t, h):
            now = d[t, :]
            h = ko.exp(now[:, None] * a[...]) * h + now[:, None] * b[t, :][None, :]
            y[t, :] = ko.sum(h, axis=1)
            return h

        pl.fori_loop(0, steps, step, ko.zeros((block, states)))

    columns = pl.BlockSpec((steps, block), lambda i: (0, i))
    return pl.pallas_call(
        kernel,
        S((steps, width), ko.float32),
        grid=(width // block,),
        in_specs=[columns, pl.BlockSpec((block, states), lambda i: (i, 0)), pl.BlockSpec((steps, states), lambda i: (0, 0))],
        out_specs=columns,
    )


@pytest.mark.parametrize("block", [4, 8, 24])
def test_columns_of_a_recurrence_become_one(block):
    d, a, b = abs(floats(7, 24)), -abs(floats(24, 5, seed=2)), floats(7, 5, seed=3)
    call = recurrence(7, 24, block, 5)
    got, line = run(call, d, a, b)
    h = np.zeros((24, 5))
    for t in range(7):
        h = np.exp(d[t][:, None].astype(float) * a) * h + d[t][:, None] * b[t][None, :]
        np.testing.assert_allclose(got[t], h.sum(1), rtol=1e-5, atol=1e-5)
    assert "all points of its grid at once" in line
    assert "transpose" not in ko.jit(call).lower(d, a, b).as_text("nests")


def test_a_scratch_array_carried_from_point_to_point_is_a_loop_in_a_nest():
    def kernel(x, o, state):
        @pl.when(pl.program_id(0) == 0)
        def _():
            state[...] = ko.zeros_like(state)

        state[...] = state[...] * 0.5 + x[...]
        o[...] = state[...]

    x = floats(POINTS * SIZE)
    call = rows(kernel, scratch_shapes=[S((SIZE,), ko.float32)])
    got, _ = run(call, x)
    state, states = np.zeros(SIZE, np.float32), []
    for block in x.reshape(-1, SIZE):
        state = state * np.float32(0.5) + block
        states.append(state)
    np.testing.assert_array_equal(got, np.concatenate(states))
    nests = ko.jit(call).lower(x).as_text("nests")
    assert "for [" not in nests and nests.count("nest0") == 2  # one, named in its schedule again


def test_last_axes_in_order_inside_the_others():
    rows_, steps, size = 6, 5, 8

    def kernel(x, last, o, state):
        @pl.when(pl.program_id(1) == 0)
        def _():
            state[...] = ko.zeros_like(state)

        state[...] = state[...] * 0.5 + x[...]
        o[...] = state[...] + pl.program_id(0)
        last[...] = ko.sum(state[...], keepdims=True)

    x = floats(rows_, steps, size)
    call = pl.pallas_call(
        kernel,
        [S((rows_,), ko.float32), S((rows_, steps, size), ko.float32)],
        grid=(rows_, steps),
        in_specs=[pl.BlockSpec((None, None, size), lambda i, t: (i, t, 0))],
        out_specs=[pl.BlockSpec((1,), lambda i, t: (i,)), pl.BlockSpec((None, None, size), lambda i, t: (i, t, 0))],
        scratch_shapes=[S((size,), ko.float32)],
    )
    native = ko.jit(call)
    last, every = (np.asarray(array) for array in native(x))
    for array, there in zip((last, every), ko.jit(call, backend="interpret")(x), strict=True):
        assert array.tobytes() == np.asarray(there).tobytes()
    for i in range(rows_):
        state = np.zeros(size, np.float32)
        for t in range(steps):
            state = state * np.float32(0.5) + x[i, t]
            np.testing.assert_array_equal(every[i, t], state + np.float32(i))
        np.testing.assert_allclose(last[i], state.sum(), rtol=1e-5)
    assert "points along its first axes at once, along the others one after the other" in native.explain(x)


def test_last_axes_in_order_with_tails():
    def kernel(x, o, state):
        @pl.when(pl.program_id(1) == 0)
        def _():
            state[...] = ko.zeros_like(state)

        state[...] += x[...]
        o[...] = state[...] * 2

    x = floats(7, 10)
    block = pl.BlockSpec((2, 4), lambda i, t: (i, t))
    call = pl.pallas_call(
        kernel, S((7, 10), ko.float32), grid=(4, 3), in_specs=[block], out_specs=block, scratch_shapes=[S((2, 4), ko.float32)]
    )
    got, line = run(call, x)
    padded = np.zeros((8, 12), np.float32)
    padded[:7, :10] = x
    expected = np.zeros_like(padded)
    for i in range(4):
        state = np.zeros((2, 4), np.float32)
        for t in range(3):
            state += padded[2 * i : 2 * i + 2, 4 * t : 4 * t + 4]
            expected[2 * i : 2 * i + 2, 4 * t : 4 * t + 4] = state * 2
    np.testing.assert_array_equal(got, expected[:7, :10])
    assert "one after the other" in line


@pytest.mark.parametrize("pages", [[0, 3, 3, 1, 2], [4, 0, 1, 2, 3]])
def test_blocks_that_data_choose(pages):
    def kernel(pages, x, o):
        o[...] = x[...] * 2 + pages[pl.program_id(0)]

    spec = pl.PrefetchScalarGridSpec(
        num_scalar_prefetch=1,
        grid=(5,),
        in_specs=[pl.BlockSpec((1, 6), lambda i, pages: (pages[i], 0))],
        out_specs=pl.BlockSpec((1, 6), lambda i, pages: (i, 0)),
    )
    x, pages = floats(5, 6), np.array(pages, np.int32)
    got, line = run(pl.pallas_call(kernel, S((5, 6), ko.float32), grid_spec=spec), pages, x)
    np.testing.assert_array_equal(got, x[pages] * 2 + pages[:, None].astype(np.float32))
    assert "all points of its grid at once" in line


@pytest.mark.parametrize("choose", [lambda i: i // 2, lambda i: i % 3, lambda i: 4 - i, lambda i: ko.minimum(i, 3), lambda i: i * i])
def test_blocks_by_maps_that_are_not_affine(choose):
    def kernel(x, o):
        o[...] = x[...] * 2

    call = pl.pallas_call(
        kernel,
        S((5, 6), ko.float32),
        grid=(5,),
        in_specs=[pl.BlockSpec((1, 6), lambda i: (choose(i), 0), pad=7.0)],
        out_specs=pl.BlockSpec((1, 6), lambda i: (i, 0)),
    )
    x = floats(17, 6)
    got, line = run(call, x)
    np.testing.assert_array_equal(got, x[[int(choose(np.int32(i))) for i in range(5)]] * 2)
    assert "all points of its grid at once" in line


def test_checked_kernels_run_at_once_where_nothing_is_to_be_found():
    x = floats(POINTS * SIZE)
    got, line = run(rows(counted, checks=True), x)
    np.testing.assert_array_equal(got, by_block(counted_by_numpy, x))
    assert "all points of its grid at once" in line
    padded = pl.BlockSpec((SIZE,), lambda i: (i,), pad=0.0)
    tail = pl.pallas_call(
        counted, S((50,), ko.float32), grid=(3,), in_specs=[padded], out_specs=pl.BlockSpec((SIZE,), lambda i: (i,)), checks=True
    )
    _, line = run(tail, x[:50])
    assert "as it runs under checks, and a block may reach out of its array" in line


def test_checked_kernels_at_once_show_what_nobody_wrote():
    def half(x, o):
        o[:12] = x[:12]

    got = np.asarray(ko.jit(rows(half, checks=True))(floats(POINTS * SIZE)))
    assert np.isnan(got.reshape(POINTS, SIZE)[:, 12:]).all() and not np.isnan(got.reshape(POINTS, SIZE)[:, :12]).any()
