"""Calls of kernels on stacked lists of unequal lengths: both backends give the same bits, and what NumPy gives of each row.

Tolerance: sums of a few float32 numbers in another order, 1e-5 of the largest.
"""

import re

import kolam as ko
import numpy as np
import pytest
from kolam import fractal as ft
from kolam import pallas as pl

S = ko.ShapeDtypeStruct
F32, I32 = ko.float32, ko.int32
RNG = np.random.default_rng(0)
LENGTHS = (3, 0, 4, 1, 9, 8, 5)
ROWS = [RNG.standard_normal((n, 6)).astype(np.float32) for n in LENGTHS]
OTHERS = [RNG.standard_normal((n, 6)).astype(np.float32) for n in (3, 2, 5, 0, 4, 9, 5)]
SCALES = RNG.standard_normal((len(LENGTHS), 6)).astype(np.float32)
BIAS = RNG.standard_normal(6).astype(np.float32)


def listed(rows):
    """A list of lists of rows."""
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    return ft.FractalTensor.from_offsets(np.concatenate(rows), offsets)



def rows_of(result):
    """The rows of a result as arrays."""
    return [np.asarray(ft.stack(row)) if isinstance(row, ft.FractalTensor) else np.asarray(row) for row in result]


def both(function, *args, expected=None):
    """What both backends give, bit for bit."""
    interpreted, native = (rows_of(ko.jit(function, backend=backend)(*args)) for backend in ("interpret", "cpu"))
    assert [x.tobytes() for x in interpreted] == [x.tobytes() for x in native]
    assert [x.shape for x in interpreted] == [x.shape for x in native]
    if expected is not None:
        assert len(native) == len(expected)
        for actual, own in zip(native, expected, strict=True):
            np.testing.assert_allclose(actual, own, rtol=1e-5, atol=1e-5)
    return native


def rows_by(n=4):
    return pl.BlockSpec((n, 6), lambda i: (i, 0))


def call(kernel, x, *more, n=4, out=None, out_spec=None, in_specs=None, **options):
    """A kernel over blocks of n rows."""
    specs = in_specs or [rows_by(n) for _ in (x, *more)]
    return pl.pallas_call(kernel, S(x.shape, F32) if out is None else out, grid=pl.cdiv(x.shape[0], n), in_specs=specs, out_specs=out_spec or rows_by(n), **options)(x, *more)


# Kernels of one stacked list, and what NumPy gives.


def softmax(x):
    def kernel(x, o):
        e = ko.exp(x[...] - ko.max(x[...], axis=1, keepdims=True))
        o[...] = e / ko.sum(e, axis=1, keepdims=True)

    return call(kernel, x)


def numpy_softmax(x):
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def blocks(function):
    """A function of NumPy of each block of 4 rows, padded by zeros, and its number."""

    def run(x):
        padded = np.concatenate([x, np.zeros((-len(x) % 4, *x.shape[1:]), x.dtype)])
        parts = [function(padded[first : first + 4], first // 4) for first in range(0, len(x), 4)]
        return np.concatenate(parts)[: len(x)] if parts else x

    return run


def running(x):
    def kernel(x, o, s):
        @pl.when(pl.program_id(0) == 0)
        def _():
            s[...] = ko.zeros(6)

        s[...] += ko.sum(x[...], axis=0)
        o[...] = x[...] + s[...]

    return call(kernel, x, scratch_shapes=[S((6,), F32)])


def numpy_running(x):
    sums = [x[: first + 4].sum(0) for first in range(0, len(x), 4)]
    return x + np.repeat(sums, 4, axis=0)[: len(x)] if len(x) else x


def counting(x):
    """Scratch that is zero at the first point of each row, without being written there."""

    def kernel(x, o, s):
        s[()] += 1
        o[...] = x[...] * s[()].astype(F32)

    return call(kernel, x, scratch_shapes=[S((), I32)])


def total(x):
    whole = pl.BlockSpec((6,), lambda i: (0,))
    return call(lambda x, o: o.set(o[...] + ko.sum(x[...], axis=0)), x, out=S((6,), F32), out_spec=whole)


def mean(x):
    """Sums in scratch, a result at the last point, which may be none."""

    def kernel(x, o, s):
        @pl.when(pl.program_id(0) == 0)
        def _():
            s[...] = ko.zeros(6)

        s[...] += ko.sum(x[...], axis=0)

        @pl.when(pl.program_id(0) == pl.num_programs(0) - 1)
        def _():
            o[...] = s[...] / pl.num_programs(0)

    return call(kernel, x, out=S((6,), F32), out_spec=pl.BlockSpec((6,), lambda i: (0,)), scratch_shapes=[S((6,), F32)])


def two_results(x):
    def kernel(x, o, t):
        o[...] = x[...] * 2
        t[...] += ko.max(x[...], axis=0)

    out = (S(x.shape, F32), S((6,), F32))
    y, top = pl.pallas_call(kernel, out, grid=pl.cdiv(x.shape[0], 4), in_specs=[rows_by()], out_specs=(rows_by(), pl.BlockSpec((6,), lambda i: (0,))))(x)
    return y + top


def numpy_two_results(x):
    top = sum((part.max(0) for part in np.split(np.concatenate([x, np.zeros((-len(x) % 4, 6), np.float32)]), max(1, -(-len(x) // 4))) if len(part)), np.zeros(6, np.float32))
    return x * 2 + top


def columns(x):
    """An axis of columns inside, and one outside."""
    spec = pl.BlockSpec((4, 2), lambda i, j: (i, j))
    return pl.pallas_call(lambda x, o: o.set(x[...] - ko.mean(x[...], axis=0, keepdims=True)), S(x.shape, F32), grid=(pl.cdiv(x.shape[0], 4), 3), in_specs=[spec], out_specs=spec)(x)


def columns_outside(x):
    spec = pl.BlockSpec((4, 2), lambda j, i: (i, j))
    return pl.pallas_call(lambda x, o: o.set(x[...] - ko.mean(x[...], axis=0, keepdims=True)), S(x.shape, F32), grid=(3, pl.cdiv(x.shape[0], 4)), in_specs=[spec], out_specs=spec)(x)


def windows(x):
    """Blocks of 4 rows, and one row more on each side."""
    window = pl.BlockSpec((pl.Element(6, (1, 1)), 6), lambda i: (4 * i, 0))
    return call(lambda x, o: o.set(x[:4] + x[1:5] + x[2:]), x, in_specs=[window])


def numpy_windows(x):
    padded = np.pad(x, ((1, 1), (0, 0)))
    return padded[:-2] + padded[1:-1] + padded[2:]


def padded(x):
    spec = pl.BlockSpec((4, 6), lambda i: (i, 0), pad=-1.0)
    return call(lambda x, o: o.set(x[...] + ko.min(x[...], axis=0, keepdims=True)), x, in_specs=[spec])


def numpy_padded(x):
    def one(part):
        return part + np.minimum(part.min(0), -1.0 if len(part) < 4 else np.inf)

    return np.concatenate([one(x[first : first + 4]) for first in range(0, len(x), 4)]) if len(x) else x


def squeezed(x):
    spec = pl.BlockSpec((None, 6), lambda i: (i, 0))
    return pl.pallas_call(lambda x, o: o.set(x[...] * 2 + pl.program_id(0)), S(x.shape, F32), grid=x.shape[0], in_specs=[spec], out_specs=spec)(x)


def in_place(x):
    """A result that is the memory of the input."""
    return call(lambda x, o: o.set(x[...] - ko.max(x[...], axis=0, keepdims=True)), x, input_output_aliases={0: 0})


def first_rows(x):
    """One row of each block."""
    spec = pl.BlockSpec((1, 6), lambda i: (i, 0))
    return call(lambda x, o: o.set(ko.sum(x[...], axis=0, keepdims=True)), x, out=S((pl.cdiv(x.shape[0], 4), 6), F32), out_spec=spec)


def more_rows(x):
    """Rows of a result that no block has."""
    return call(lambda x, o: o.set(x[...] + 1), x, out=S((x.shape[0] + 5, 6), F32))


def numpy_more_rows(x):
    covered = -(-len(x) // 4) * 4
    result = np.zeros((len(x) + 5, 6), np.float32)
    result[: min(covered, len(x) + 5)] = 1
    result[: len(x)] += x
    return result


def product(x):
    """A matrix that all rows share, and a bias."""
    weights = np.arange(36, dtype=np.float32).reshape(6, 6) / 36

    def kernel(x, w, o):
        o[...] = ko.matmul(x[...], w[...]) + BIAS

    return call(lambda x, w, o: kernel(x, w, o), x, weights, in_specs=[rows_by(), pl.BlockSpec((6, 6), lambda i: (0, 0))])


KERNELS = {
    "rows alone": (softmax, numpy_softmax, "a map over the rows of all lists at once"),
    "blocks": (lambda x: call(lambda x, o: o.set(x[...] - ko.sum(x[...], axis=0, keepdims=True)), x), blocks(lambda part, _: part - part.sum(0)), "a map over the blocks of all rows at once"),
    "numbers of blocks": (lambda x: call(lambda x, o: o.set(x[...] * pl.program_id(0)), x), blocks(lambda part, number: part * number), "a map over the blocks"),
    "sizes": (lambda x: call(lambda x, o: o.set(x[...] * pl.num_programs(0)), x), lambda x: x * -(-len(x) // 4), "a map over the"),
    "scratch": (running, numpy_running, "a scan over the blocks of each row"),
    "scratch from zero": (counting, blocks(lambda part, number: part * (number + 1)), "a scan"),
    "a result that points share": (total, lambda x: x.sum(0), "a scan"),
    "a last point": (mean, lambda x: x.sum(0) / max(-(-len(x) // 4), 1), "a scan"),
    "two results": (two_results, numpy_two_results, "a scan"),
    "columns inside": (columns, blocks(lambda part, _: part - part.mean(0)), "a map over the blocks"),
    "columns outside": (columns_outside, blocks(lambda part, _: part - part.mean(0)), "a map over the blocks"),
    "windows": (windows, numpy_windows, "a map over the rows"),
    "a pad value": (padded, numpy_padded, "a map over the blocks"),
    "squeezed": (squeezed, lambda x: x * 2 + np.arange(len(x), dtype=np.float32)[:, None], "a map over the blocks"),
    "in place": (in_place, blocks(lambda part, _: part - part.max(0)), "a map over the blocks"),
    "fewer rows": (first_rows, lambda x: np.array([x[first : first + 4].sum(0) for first in range(0, len(x), 4)], np.float32).reshape(-1, 6), "a map over the"),
    "more rows": (more_rows, numpy_more_rows, "a map over the blocks"),
    "a product": (product, lambda x: x @ (np.arange(36, dtype=np.float32).reshape(6, 6) / 36) + BIAS, "a map over the rows"),
    "two calls": (lambda x: softmax(in_place(x)), lambda x: numpy_softmax(blocks(lambda part, _: part - part.max(0))(x)) if len(x) else x, "a map over the"),
}  # fmt: skip


def of_rows(function):
    """The map of a function of arrays over lists of rows."""

    def own(row):
        y = function(ft.stack(row))
        return ft.unbind(y) if len(y.shape) == 2 else y

    return lambda xs: ft.map(own, xs)


@pytest.mark.parametrize("name", KERNELS)
def test_ragged_rows(name):
    function, numpy_function, how = KERNELS[name]
    xs = listed(ROWS)
    both(of_rows(function), xs, expected=[numpy_function(x) if len(x) or name == "more rows" else numpy_function(x) for x in ROWS])
    assert re.search(f"kernel .*: {how}", ko.jit(of_rows(function)).explain(xs))


@pytest.mark.parametrize("name", KERNELS)
def test_no_rows(name):
    function = KERNELS[name][0]
    both(of_rows(function), listed([ROWS[1], ROWS[1]]))
    both(of_rows(function), listed(ROWS)[:0])


# Several lists, arrays of each row, nested lists, bodies of lists in other functions.


def added(x, y):
    return call(lambda x, y, o: o.set(x[...] - ko.sum(y[...], axis=0, keepdims=True)), x, y)


def numpy_added(x, y):
    """Of y as many blocks as x has; those outside are zeros."""
    return blocks(lambda part, i: part - y[4 * i : 4 * i + 4].sum(0))(x)


def scaled(x, scale):
    """`scale`, of each row, is captured."""
    return call(lambda x, o: o.set(x[...] * scale), x)


def chosen(x, order, matrices):
    """Prefetched numbers, of each row, choose matrices that all rows share."""
    specs = dict(in_specs=[pl.BlockSpec((4, 6), lambda i, order: (i, 0)), pl.BlockSpec((None, 6, 6), lambda i, order: (order[i % 2], 0, 0))], out_specs=pl.BlockSpec((4, 6), lambda i, order: (i, 0)))
    grid = pl.PrefetchScalarGridSpec(num_scalar_prefetch=1, grid=pl.cdiv(x.shape[0], 4), **specs)
    return pl.pallas_call(lambda order, x, m, o: o.set(ko.matmul(x[...], m[...])), S(x.shape, F32), grid_spec=grid)(order, x, matrices)


ORDERS = RNG.integers(0, 3, (len(LENGTHS), 2)).astype(np.int32)
MATRICES = RNG.standard_normal((3, 6, 6)).astype(np.float32)


def kept(x, state):
    """A result that points share, in the memory of an input of each row."""
    spec = pl.BlockSpec((6,), lambda i: (0,))
    return call(lambda x, s, o: o.set(s[...] * 0.5 + ko.sum(x[...], axis=0)), x, state, in_specs=[rows_by(), spec], out=S((6,), F32), out_spec=spec, input_output_aliases={1: 0})


def numpy_kept(x, state):
    for first in range(0, len(x), 4):
        state = state * np.float32(0.5) + x[first : first + 4].sum(0)
    return state


def test_two_lists_of_other_lengths():
    function = lambda xs, ys: ft.map(lambda p: ft.unbind(added(ft.stack(p[0]), ft.stack(p[1]))), ft.zip(xs, ys))
    both(function, listed(ROWS), listed(OTHERS), expected=[numpy_added(x, y) for x, y in zip(ROWS, OTHERS, strict=True)])


def test_captured_arrays_of_each_row():
    function = lambda xs, scales: ft.map(lambda p: ft.unbind(scaled(ft.stack(p[0]), p[1])), ft.zip(xs, scales))
    both(function, listed(ROWS), ft.FractalTensor(list(SCALES)), expected=[x * scale for x, scale in zip(ROWS, SCALES, strict=True)])


@pytest.mark.parametrize("shared", [False, True])
def test_prefetched_numbers(shared):
    if shared:
        function = lambda xs: ft.map(lambda row: ft.unbind(chosen(ft.stack(row), ORDERS[0], MATRICES)), xs)
        orders, args = [ORDERS[0]] * len(ROWS), ()
    else:
        function = lambda xs, orders: ft.map(lambda p: ft.unbind(chosen(ft.stack(p[0]), p[1], MATRICES)), ft.zip(xs, orders))
        orders, args = ORDERS, (ft.FractalTensor(list(ORDERS)),)
    both(function, listed(ROWS), *args, expected=[blocks(lambda part, i, own=own: part @ MATRICES[own[i % 2]])(x) for x, own in zip(ROWS, orders, strict=True)])


def test_states_in_the_memory_of_an_input():
    function = lambda xs, states: ft.map(lambda p: kept(ft.stack(p[0]), p[1]), ft.zip(xs, states))
    both(function, listed(ROWS), ft.FractalTensor(list(SCALES)), expected=[numpy_kept(x, state) for x, state in zip(ROWS, SCALES, strict=True)])


NESTED = [[ROWS[0], ROWS[1]], [], ROWS[2:6], [ROWS[6]]]


@pytest.mark.parametrize("name", ["rows alone", "blocks", "numbers of blocks", "sizes", "scratch", "a result that points share"])
def test_nested_lists(name):
    function, numpy_function, _ = KERNELS[name]
    flat = [row for rows in NESTED for row in rows]
    inner = np.concatenate([[0], np.cumsum([len(row) for row in flat])]).astype(np.int64)
    outer = np.concatenate([[0], np.cumsum([len(rows) for rows in NESTED])]).astype(np.int64)
    xs = ft.FractalTensor.from_offsets(np.concatenate(flat), outer, inner)
    for backend in ("interpret", "cpu"):
        result = ko.jit(lambda xs: ft.map(of_rows(function), xs), backend=backend)(xs)
        assert [len(rows) for rows in result] == [2, 0, 4, 1]
        for actual, own in zip((row for rows in result for row in rows_of(rows)), flat, strict=True):
            np.testing.assert_allclose(actual, numpy_function(own), rtol=1e-5, atol=1e-5)


def test_scan_over_lists():
    """The state goes from list to list; each is a row of a step of its own."""
    function = lambda xs: ft.scan(lambda state, row: state * 0.5 + total(ft.stack(row)), xs, ko.zeros(6))
    state, expected = np.zeros(6, np.float32), []
    for x in ROWS:
        state = state * np.float32(0.5) + x.sum(0)
        expected.append(state)
    both(function, listed(ROWS), expected=expected)


def test_a_branch_in_a_map():
    function = lambda xs: ft.map(lambda row: ko.cond(ft.len(row) > 3, lambda: total(ft.stack(row)), lambda: ko.zeros(6)), xs)
    both(function, listed(ROWS), expected=[x.sum(0) if len(x) > 3 else np.zeros(6, np.float32) for x in ROWS])


REFUSED = {
    "checks": (lambda x: call(lambda x, o: o.set(x[...] + 1), x, checks=True), lambda x: x + 1, "it runs under checks"),
    "an axis around": (
        lambda x: pl.pallas_call(
            lambda x, o: o.set(o[...] + ko.sum(x[...], axis=0)), S((6,), F32), grid=(3, pl.cdiv(x.shape[0], 4)),
            in_specs=[pl.BlockSpec((4, 2), lambda j, i: (i, j))], out_specs=pl.BlockSpec((2,), lambda j, i: (j,)),
        )(x),
        lambda x: x.sum(0), "an axis goes around the one that differs",
    ),
    "blocks from behind": (
        lambda x: call(lambda x, o: o.set(x[...] + 1), x, in_specs=[pl.BlockSpec((4, 6), lambda i: (pl.num_programs(0) - 1 - i, 0))]),
        lambda x: blocks(lambda part, i: np.pad(x, ((0, 3), (0, 0)))[4 * (-(-len(x) // 4) - 1 - i) :][:4] + 1)(x), "blocks of rows do not follow the axis that differs",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_runs_as_loops(name):
    function, numpy_function, why = REFUSED[name]
    both(of_rows(function), listed(ROWS), expected=[numpy_function(x) for x in ROWS])
    assert why in ko.jit(of_rows(function)).explain(listed(ROWS))


@pytest.mark.parametrize("name", ["rows alone", "blocks", "scratch", "a result that points share"])
def test_two_threads(name):
    """Many rows: who computes them changes no bit."""
    function, numpy_function, _ = KERNELS[name]
    rows = [RNG.standard_normal((n, 6)).astype(np.float32) for n in RNG.integers(0, 20, 300)]
    compiled, before = ko.jit(of_rows(function)), ko.get_num_threads()
    try:
        results = []
        for threads in (1, 2):
            ko.set_num_threads(threads)
            results.append(rows_of(compiled(listed(rows))))
    finally:
        ko.set_num_threads(before)
    assert [x.tobytes() for x in results[0]] == [x.tobytes() for x in results[1]]
    for actual, own in zip(results[0], rows, strict=True):
        np.testing.assert_allclose(actual, numpy_function(own), rtol=1e-5, atol=1e-4)


INTEGERS = pl.BlockSpec((2, 3), lambda i: (i, 0))
TABLE = np.arange(5, dtype=np.float32)


@pytest.mark.parametrize("backend", ["interpret", "cpu"])
def test_checks_of_rows_stay(backend):
    """A check gives nothing: functions of rows that check are none of all rows at once."""
    rows = np.arange(12, dtype=np.int32).reshape(4, 3)

    def times(row):
        x = ft.stack(row)
        return ft.unbind(pl.pallas_call(lambda x, o: o.set(ko.take(TABLE, x[...], axis=0)), S(x.shape, F32), grid=pl.cdiv(x.shape[0], 2), in_specs=[INTEGERS], out_specs=INTEGERS)(x))

    with pytest.raises(ko.KolamError, match="index-out-of-range"):
        ko.jit(lambda xs: ft.map(lambda x: ko.take(TABLE, x[None], axis=0)[0], xs), backend=backend, checks=True)(ft.FractalTensor(list(rows)))
    with pytest.raises(ko.KolamError, match="index-out-of-range"):
        ko.jit(lambda xs: ft.map(times, xs), backend=backend, checks=True)(ft.FractalTensor.from_offsets(rows, np.array([0, 1, 4])))
