"""Calls of kernels inside scans, branches, loops, lists, batches and programs of symbolic extents: both backends give the same
bits, and what NumPy gives.

Tolerance: sums of four float32 numbers in another order, 1e-5 of the largest.
"""

import kolam as ko
import numpy as np
import pytest
from kolam import fractal as ft
from kolam import pallas as pl

S = ko.ShapeDtypeStruct
F32, I32 = ko.float32, ko.int32
RNG = np.random.default_rng(0)
X = RNG.standard_normal(10).astype(np.float32)
XS = RNG.standard_normal((5, 10)).astype(np.float32)
BLOCK, BLOCK_OF_TWO = (pl.BlockSpec((size,), lambda i: (i,)) for size in (4, 2))


def same_on_both(function, *args, expected=None, **options):
    """What both backends give, bit for bit."""
    interpreted, native = (np.asarray(ko.jit(function, backend=backend, **options)(*args)) for backend in ("interpret", "cpu"))
    assert native.shape == interpreted.shape and native.tobytes() == interpreted.tobytes()
    if expected is not None:
        np.testing.assert_allclose(native, expected, rtol=1e-5, atol=1e-5)


# Kernels, and loops over NumPy blocks that do the same.


def running(x):
    """Each block plus the sum of all blocks up to it, which a scratch array holds."""

    def kernel(x, o, s):
        @pl.when(pl.program_id(0) == 0)
        def _():
            s[...] = ko.zeros(())

        s[...] += ko.sum(x[...])
        o[...] = x[...] + s[...]

    spec = dict(in_specs=[BLOCK], out_specs=BLOCK, scratch_shapes=[S((), F32)])
    return pl.pallas_call(kernel, S(x.shape, F32), grid=pl.cdiv(x.shape[0], 4), **spec)(x)


def numpy_running(x):
    sums = np.cumsum([x[first : first + 4].sum(dtype=np.float32) for first in range(0, len(x), 4)], dtype=np.float32)
    return x + np.repeat(sums, 4)[: len(x)] if len(x) else x


def chosen(order, x, count=3):
    """Blocks of `x` in an order that data say, each times its number; of `count` points."""

    def kernel(order, x, o):
        o[...] = x[...] * order[pl.program_id(0)].astype(F32)

    specs = dict(in_specs=[pl.BlockSpec((4,), lambda i, order: (order[i],))], out_specs=pl.BlockSpec((4,), lambda i, order: (i,)))
    return pl.pallas_call(kernel, S((12,), F32), grid_spec=pl.PrefetchScalarGridSpec(num_scalar_prefetch=1, grid=count, **specs))(order, x)


def numpy_chosen(order, x, count=3):
    result, padded = np.zeros(12, np.float32), np.append(x, [0, 0]).astype(np.float32)
    for i in range(count):
        result[4 * i : 4 * i + 4] = padded[4 * order[i] : 4 * order[i] + 4] * order[i]
    return result


def counted(x, count=3):
    """Adds 1 to the first block, in place, at each of `count` points."""
    spec = pl.BlockSpec((4,), lambda i: (0,))
    return pl.pallas_call(lambda x, o: o.set(x[...] + 1), S((10,), F32), grid=count, in_specs=[spec], out_specs=spec, input_output_aliases={0: 0})(x)


def numpy_counted(x, count=3):
    return np.concatenate([x[:4] + count, x[4:]])


def scaled(x, factor):
    """`factor` is captured."""
    return pl.pallas_call(lambda x, o: o.set(x[...] * factor), S((10,), F32), grid=3, in_specs=[BLOCK], out_specs=BLOCK)(x)


def block_at(x, number):
    """`number` is captured by a map."""
    return pl.pallas_call(lambda x, o: o.set(x[...]), S((4,), F32), grid=1, in_specs=[pl.BlockSpec((4,), lambda i: (number,))], out_specs=BLOCK)(x)


def by_data(x, n):
    """A loop and a branch that data decide."""

    def kernel(n, x, o):
        @pl.loop(0, n[()])
        def _(i):
            @pl.when(x[i] > 0)
            def _():
                o[i] = x[i] * 2

        o[9] = ko.while_loop(lambda s: (s < 4) & (x[s] < 1), lambda s: s + 1, 0).astype(F32)

    return pl.pallas_call(kernel, S((10,), F32))(n, x)


def numpy_by_data(x, n):
    result = np.where((np.arange(10) < n) & (x > 0), x * 2, 0).astype(np.float32)
    result[9] = next((i for i in range(4) if x[i] >= 1), 4)
    return result


def bins(x):
    def kernel(x, o):
        pl.atomic_add(o, (ko.clip((x[...] * 2).astype(I32) + 3, 0, 6),), 1.0, mask=ko.arange(4) < x.valid_shape[0])

    return pl.pallas_call(kernel, S((7,), F32), grid=3, in_specs=[BLOCK])(x)


def numpy_bins(x):
    return np.bincount(np.clip((x * 2).astype(np.int32) + 3, 0, 6), minlength=7).astype(np.float32)


def product(x, y):
    def kernel(x, y, o, a):
        @pl.when(pl.program_id(2) == 0)
        def _():
            a[...] = ko.zeros_like(a)

        a[...] += x[...] @ y[...]

        @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
        def _():
            o[...] = ko.relu(a[...])

    (m, k), n = x.shape, y.shape[1]
    return pl.pallas_call(
        kernel, S((m, n), F32), grid=(pl.cdiv(m, 4), pl.cdiv(n, 4), pl.cdiv(k, 8)), scratch_shapes=[S((4, 4), F32)],
        in_specs=[pl.BlockSpec((4, 8), lambda i, j, k: (i, k)), pl.BlockSpec((8, 4), lambda i, j, k: (k, j))],
        out_specs=pl.BlockSpec((4, 4), lambda i, j, k: (i, j)),
    )(x, y)  # fmt: skip


def inner(x):
    """A kernel in a kernel."""
    return pl.pallas_call(lambda x, o: o.set(running(x[...])), S((10,), F32))(x)


@ko.jit
def backwards(x):
    """Blocks from behind, each with its second element in front: every element is written first, so there are no zeros."""

    def kernel(x, o):
        o[...] = x[...]
        o[0] = x[1]

    specs = dict(in_specs=[pl.BlockSpec((2,), lambda i: (4 - i,))], out_specs=BLOCK_OF_TWO)
    return pl.pallas_call(kernel, S((10,), F32), grid=5, **specs)(x)


def numpy_backwards(x):
    return np.repeat(x.reshape(5, 2)[::-1, 1:], 2, axis=1).reshape(10)


def rows(function, *args):
    """A function of NumPy for each row of the arguments."""
    return np.stack([function(*row) for row in zip(*args, strict=True)])


ORDERS = RNG.integers(0, 3, (5, 3)).astype(np.int32)
COUNTS = np.array([0, 1, 2, 3, 2], np.int32)
LENGTHS = np.array([0, 3, 9, 2, 5], np.int32)
A, B = (RNG.standard_normal(shape).astype(np.float32) for shape in ((3, 8, 16), (3, 16, 12)))

BATCHES = {
    "scratch and tails": (ko.vmap(running), (XS,), rows(numpy_running, XS)),
    "axis 1": (ko.vmap(running, in_axes=1, out_axes=1), (XS.T,), rows(numpy_running, XS).T),
    "nested": (ko.vmap(ko.vmap(running)), (np.stack([XS, XS + 1]),), np.stack([rows(numpy_running, XS), rows(numpy_running, XS + 1)])),
    "prefetched": (ko.vmap(chosen), (ORDERS, XS), rows(numpy_chosen, ORDERS, XS)),
    "prefetched alone": (ko.vmap(chosen, in_axes=(0, None)), (ORDERS, X), rows(lambda order: numpy_chosen(order, X), ORDERS)),
    "prefetched shared": (ko.vmap(chosen, in_axes=(None, 0)), (ORDERS[0], XS), rows(lambda x: numpy_chosen(ORDERS[0], x), XS)),
    "bounds": (ko.vmap(chosen), (ORDERS, XS, COUNTS), rows(numpy_chosen, ORDERS, XS, COUNTS)),
    "bounds alone": (ko.vmap(chosen, in_axes=(None, None, 0)), (ORDERS[0], X, COUNTS), rows(lambda n: numpy_chosen(ORDERS[0], X, n), COUNTS)),
    "bounds in a batch": (
        ko.vmap(ko.vmap(chosen, in_axes=(None, None, 0)), in_axes=(0, 0, None)), (ORDERS, XS, COUNTS),
        rows(lambda order, x: rows(lambda n: numpy_chosen(order, x, n), COUNTS), ORDERS, XS),
    ),
    "an alias": (ko.vmap(counted), (XS,), rows(numpy_counted, XS)),
    "an alias and bounds": (ko.vmap(counted), (XS, COUNTS), rows(numpy_counted, XS, COUNTS)),
    "captured": (ko.vmap(scaled), (XS, X[:5]), rows(np.multiply, XS, X[:5])),
    "captured alone": (ko.vmap(scaled, in_axes=(None, 0)), (X, X[:5]), rows(lambda factor: X * factor, X[:5])),
    "captured by a map": (ko.vmap(block_at, in_axes=(None, 0)), (X, np.array([0, 1, 0], np.int32)), np.stack([X[:4], X[4:8], X[:4]])),
    "loops by data": (ko.vmap(by_data), (XS, LENGTHS), rows(numpy_by_data, XS, LENGTHS)),
    "atomics": (ko.vmap(bins), (XS,), rows(numpy_bins, XS)),
    "products": (ko.vmap(product), (A, B), np.maximum(A.astype(np.float64) @ B, 0)),
    "products of one": (ko.vmap(product, in_axes=(0, None)), (A, B[0]), np.maximum(A.astype(np.float64) @ B[0], 0)),
    "a jit": (ko.vmap(backwards), (XS,), rows(numpy_backwards, XS)),
    "a kernel in a kernel": (ko.vmap(inner), (XS,), rows(numpy_running, XS)),
}  # fmt: skip


@pytest.mark.parametrize("name", BATCHES)
def test_batches(name):
    function, args, expected = BATCHES[name]
    same_on_both(function, *args, expected=expected)


@pytest.mark.parametrize("name", BATCHES)
def test_batches_are_one_call(name):
    """One call with an axis of instances in front, also where tables and bounds differ from instance to instance."""
    function, args, expected = BATCHES[name]
    text = ko.jit(function).lower(*args).as_text("program")
    outer = [line for line in text.splitlines() if line.startswith("    %") and "kolam.kernel_call" in line]
    assert len(outer) == 1 and "list_map" not in text
    assert f'grid <["{expected.shape[1 if name == "axis 1" else 0]}"' in outer[0]


def test_instances_share_no_scratch():
    """Scratch arrays hold zeros at the first point of each instance."""

    def kernel(x, o, s):
        s[...] += x[...]
        o[...] = s[...]

    one = pl.BlockSpec((1,), lambda i: (i,))
    sums = pl.pallas_call(kernel, S((10,), F32), grid=10, in_specs=[one], out_specs=one, scratch_shapes=[S((1,), F32)])
    same_on_both(ko.vmap(sums), XS, expected=np.cumsum(XS, axis=1))
    same_on_both(ko.vmap(lambda x, n: bounded_sums(x, n)), XS, COUNTS, expected=np.where(np.arange(10) < COUNTS[:, None], np.cumsum(XS, axis=1), 0))


def bounded_sums(x, n):
    """Running sums of the first `n` elements, whose sizes the body asks for."""

    def kernel(x, o, s):
        @pl.when(pl.program_id(0) < pl.num_programs(0))
        def _():
            s[...] += x[...]
            o[...] = s[...]

    one = pl.BlockSpec((1,), lambda i: (i,))
    return pl.pallas_call(kernel, S((10,), F32), grid=n, in_specs=[one], out_specs=one, scratch_shapes=[S((1,), F32)])(x)


def test_what_cannot_be_one_call_says_why():
    text = ko.jit(ko.vmap(lambda x: pl.pallas_call(lambda x, o: o.set(x[...]), S((10,), F32), interpret=True)(x))).explain(XS)
    assert "as a map over lists" in text


def twice(x):
    return numpy_running(numpy_running(x))


CONTROL = {
    "scan": (lambda xs: ko.scan(lambda c, x: (running(c + x), running(c)), ko.zeros(10), xs)[0], (XS[:2],), numpy_running(numpy_running(XS[0]) + XS[1])),
    "scan over bounds": (lambda n: ko.scan(lambda c, n: (c, chosen(ORDERS[0], X, n)), 0, n)[1], (COUNTS,), rows(lambda n: numpy_chosen(ORDERS[0], X, n), COUNTS)),
    "cond": (lambda p: ko.cond(p, lambda: running(X), lambda: counted(X)), (np.True_,), numpy_running(X)),
    "cond not": (lambda p: ko.cond(p, lambda: running(X), lambda: counted(X)), (np.False_,), numpy_counted(X)),
    "cond in a batch": (ko.vmap(lambda p, x: ko.cond(p, lambda: running(x), lambda: counted(x))), (COUNTS > 1, XS), rows(lambda n, x: (numpy_running if n > 1 else numpy_counted)(x), COUNTS, XS)),
    "while": (lambda x: ko.while_loop(lambda s: s[0] < 2, lambda s: (s[0] + 1, running(s[1])), (0, x))[1], (X,), twice(X)),
    "while in a batch": (
        ko.vmap(lambda n, x: ko.while_loop(lambda s: s[0] < n, lambda s: (s[0] + 1, running(s[1])), (0, x))[1]), (COUNTS % 3, XS),
        rows(lambda n, x: [x, numpy_running(x), twice(x)][n], COUNTS % 3, XS),
    ),
    "a jit in a loop": (lambda x: ko.fori_loop(0, 3, lambda i, x: backwards(x), x), (X,), numpy_backwards(numpy_backwards(numpy_backwards(X)))),
    "an alias in a loop": (lambda x: ko.fori_loop(0, 3, lambda i, x: counted(x), x), (X,), numpy_counted(X, 9)),
}  # fmt: skip


@pytest.mark.parametrize("name", CONTROL)
def test_control(name):
    function, args, expected = CONTROL[name]
    same_on_both(function, *args, expected=expected)


# Lists.

RAGGED = [RNG.standard_normal(n).astype(np.float32) for n in (3, 0, 7, 10, 4)]


@pytest.fixture(params=["cpu", "interpret"])
def on_lists(request):
    return lambda function, *lists: ko.jit(function, backend=request.param)(*(ft.FractalTensor(own) for own in lists))


def test_lists_of_rows(on_lists):
    for actual, row in zip(on_lists(lambda xs: ft.map(running, xs), list(XS)), XS, strict=True):
        np.testing.assert_allclose(np.asarray(actual), numpy_running(row), rtol=1e-5, atol=1e-5)


def test_ragged_lists_of_rows(on_lists):
    nested = [list(XS[:2]), [], list(XS[2:])]
    result = on_lists(lambda xs: ft.map(lambda row: ft.map(running, row), xs), nested)
    assert [len(inner) for inner in result] == [2, 0, 3]
    for actual, row in zip((x for inner in result for x in inner), XS, strict=True):
        np.testing.assert_allclose(np.asarray(actual), numpy_running(row), rtol=1e-5, atol=1e-5)


def test_rows_of_ragged_lengths(on_lists):
    result = on_lists(lambda xs: ft.map(lambda row: ft.unbind(running(ft.stack(row))), xs), [[*map(float, row)] for row in RAGGED])
    assert [len(inner) for inner in result] == [len(row) for row in RAGGED]
    for actual, row in zip(result, RAGGED, strict=True):
        np.testing.assert_allclose([float(x) for x in actual], numpy_running(row), rtol=1e-5, atol=1e-5)


def test_lists_of_bounds(on_lists):
    result = on_lists(lambda ns: ft.map(lambda n: counted(X, n), ns), list(COUNTS))
    for actual, n in zip(result, COUNTS, strict=True):
        np.testing.assert_allclose(np.asarray(actual), numpy_counted(X, n), rtol=1e-6)


def test_scans_of_lists(on_lists):
    state = np.zeros(10, np.float32)
    for actual, row in zip(on_lists(lambda xs: ft.scan(lambda c, x: running(c + x), xs, ko.zeros(10)), list(XS[:3])), XS, strict=False):
        state = numpy_running(state + row)
        np.testing.assert_allclose(np.asarray(actual), state, rtol=1e-5, atol=1e-4)


# Symbolic extents, in grids, blocks, results and scratch arrays.


@pytest.mark.parametrize("n", [0, 1, 3, 4, 10])
def test_symbolic_extents(n):
    same_on_both(lambda x: running(x), X[:n], expected=numpy_running(X[:n]), dynamic={"x": [0]})


@pytest.mark.parametrize("shape", [(0, 5), (3, 0), (3, 10), (1, 1)])
def test_symbolic_extents_in_a_batch(shape):
    xs = RNG.standard_normal(shape).astype(np.float32)
    expected = np.stack([numpy_running(x) for x in xs]) if shape[0] else xs
    same_on_both(lambda x: ko.vmap(running)(x), xs, expected=expected, dynamic={"x": [0, 1]})


@pytest.mark.parametrize("m, k, n", [(8, 16, 12), (5, 9, 7), (1, 1, 1), (0, 3, 4), (3, 0, 4)])
def test_symbolic_products(m, k, n):
    x, y = RNG.standard_normal((m, k)).astype(np.float32), RNG.standard_normal((k, n)).astype(np.float32)
    expected = np.maximum(x.astype(np.float64) @ y, 0)
    same_on_both(lambda x, y: product(x, y), x, y, expected=expected, dynamic={"x": [0, 1], "y": [0, 1]})


def test_an_axis_of_instances_is_a_batch():
    """An axis that users write in front, too: the products of all instances are one batched product."""

    def kernel(x, y, o):
        @pl.when(pl.program_id(2) == 0)
        def _():
            o[...] = ko.zeros_like(o)

        o[...] += x[...] @ y[...]

    call = pl.pallas_call(
        kernel, S((3, 8, 12), F32), grid=(3, 2, 2), out_specs=pl.BlockSpec((None, 4, 12), lambda b, i, k: (b, i, 0)),
        in_specs=[pl.BlockSpec((None, 4, 8), lambda b, i, k: (b, i, k)), pl.BlockSpec((None, 8, 12), lambda b, i, k: (b, k, 0))],
    )  # fmt: skip
    same_on_both(call, A, B, expected=A.astype(np.float64) @ B)
    assert "for all numbers of its first axis at once" in ko.jit(call).explain(A, B)


def test_a_call_without_results_has_instances():
    """It captures what each instance has, and gives nothing."""

    def function(x):
        pl.pallas_call(lambda: None if ko.sum(x) is x else None, [], grid=2)()
        return x * 2

    same_on_both(ko.vmap(function), XS, expected=XS * 2)
