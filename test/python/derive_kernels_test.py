"""Derivatives of kernels over blocks, and derivatives inside kernels."""

import numpy as np
import pytest
from derivatives.checks import assert_same_bits, interpreted

import kolam as ko
from kolam import pallas as pl

RNG = np.random.default_rng(3)


def drawn(*shape):
    return ko.asarray(RNG.standard_normal(shape))


def like(*shape):
    return ko.ShapeDtypeStruct(shape, ko.float64)


def blocks_of_their_own(x, y):
    def kernel(x_ref, y_ref, o_ref):
        o_ref[...] = ko.sin(x_ref[...]) * y_ref[...]

    spec = pl.BlockSpec((2, 4), lambda i, j: (i, j))
    return ko.sum(pl.pallas_call(kernel, like(8, 12), grid=(4, 3), in_specs=[spec] * 2, out_specs=spec)(x, y) ** 2)


def product_with_scratch(x, y):
    def kernel(x_ref, y_ref, o_ref, sum_ref):
        @pl.when(pl.program_id(2) == 0)
        def _():
            sum_ref[...] = ko.zeros(sum_ref.shape, dtype=ko.float64)

        sum_ref[...] += x_ref[...] @ y_ref[...]

        @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
        def _():
            o_ref[...] = ko.tanh(sum_ref[...])

    call = pl.pallas_call(
        kernel, like(8, 6), grid=(2, 2, 3), scratch_shapes=[like(4, 3)],
        in_specs=[pl.BlockSpec((4, 4), lambda i, j, k: (i, k)), pl.BlockSpec((4, 3), lambda i, j, k: (k, j))],
        out_specs=pl.BlockSpec((4, 3), lambda i, j, k: (i, j)),
    )  # fmt: skip
    return ko.sum(call(x, y) ** 2)


def overlapping_reads(x):
    def kernel(x_ref, o_ref):
        first = pl.program_id(0) * 4
        o_ref[...] = x_ref[pl.ds(first, 4)] + 2 * x_ref[pl.ds(first + 1, 4)] * x_ref[pl.ds(first + 2, 4)]

    specs = {"in_specs": [pl.BlockSpec((10,), lambda i: (0,))], "out_specs": pl.BlockSpec((4,), lambda i: (i,))}
    return ko.sum(pl.pallas_call(kernel, like(8), grid=(2,), **specs)(x) ** 2)


def loop_inside(x):
    def kernel(x_ref, o_ref):
        def row(i, carried):
            carried = ko.tanh(carried + x_ref[i])
            o_ref[i] = carried
            return carried

        ko.fori_loop(0, x_ref.shape[0], row, ko.zeros((4,), dtype=ko.float64))

    spec = pl.BlockSpec((8, 4), lambda i: (0, i))
    return ko.sum(pl.pallas_call(kernel, like(8, 12), grid=(3,), in_specs=[spec], out_specs=spec)(x) ** 2)


def revisited_output(x):
    def kernel(x_ref, o_ref):
        o_ref[...] += ko.sum(x_ref[...] ** 2, axis=0)

    specs = {"in_specs": [pl.BlockSpec((2, 12), lambda i: (i, 0))], "out_specs": pl.BlockSpec((12,), lambda i: (0,))}
    return ko.sum(pl.pallas_call(kernel, like(12), grid=(4,), **specs)(x) ** 2)


def tails(x, y):
    """Blocks of 4 of 10 rows and of 8 of 13 columns: what lies outside is 2 and 0."""

    def kernel(x_ref, y_ref, o_ref):
        o_ref[...] = ko.cumulative_sum(x_ref[...], axis=0) * ko.sum(y_ref[...] ** 2, axis=0)

    spec = lambda pad: pl.BlockSpec((4, 8), lambda i, j: (i, j), pad=pad)  # noqa: E731
    call = pl.pallas_call(kernel, like(10, 13), grid=(3, 2), in_specs=[spec(2), spec(0)], out_specs=spec(None))
    return ko.sum(ko.sin(call(x, y)))


def aliased(x, y):
    """Rows of x are changed, some of them twice; the last two stay."""

    def kernel(x_ref, y_ref, o_ref):
        o_ref[...] = ko.sin(o_ref[...]) * y_ref[...] + x_ref[...]

    specs = {"in_specs": [pl.BlockSpec((2, 3), lambda i: (i % 3, 0)), pl.BlockSpec((2, 3), lambda i: (i, 0))]}
    call = pl.pallas_call(kernel, like(8, 3), grid=(4,), out_specs=pl.BlockSpec((2, 3), lambda i: (i % 3, 0)), input_output_aliases={0: 0}, **specs)
    return ko.sum(call(x, y) ** 2)


ROWS = ko.asarray(np.array([3, 0, 3, 1], np.int32))


def prefetched(x, w):
    """Blocks at places that a table chooses, one of them twice; results are revisited."""

    def kernel(table_ref, x_ref, w_ref, o_ref):
        o_ref[...] += ko.tanh(x_ref[...] @ w_ref[...])

    grid = pl.PrefetchScalarGridSpec(
        num_scalar_prefetch=1, grid=(4,),
        in_specs=[pl.BlockSpec((2, 3), lambda i, table: (table[i], 0)), pl.BlockSpec((3, 3), lambda i, table: (0, 0))],
        out_specs=pl.BlockSpec((2, 3), lambda i, table: (table[i] % 2, 0)),
    )  # fmt: skip
    return ko.sum(pl.pallas_call(kernel, like(4, 3), grid_spec=grid)(ROWS, x, w) ** 3)


def bounds_of_the_run(x):
    """A grid whose extent is data: the last block is not visited."""

    def kernel(x_ref, o_ref):
        o_ref[...] = ko.sin(x_ref[...]) * (pl.program_id(0) + 1)

    count = ko.sum(ko.astype(ROWS > 0, ko.int32))
    spec = pl.BlockSpec((2, 3), lambda i: (i, 0))
    return ko.sum(pl.pallas_call(kernel, like(8, 3), grid=(count,), in_specs=[spec], out_specs=spec)(x) ** 2)


def loop_of_as_many_turns(x):
    """A loop between bounds that data gives, a branch inside."""

    def kernel(n_ref, x_ref, o_ref):
        o_ref[...] = x_ref[...]

        @pl.loop(0, n_ref[0])
        def _(i):
            @pl.when(i % 2 == 0)
            def _():
                o_ref[i] = ko.sin(o_ref[i + 1]) * o_ref[i]

    return ko.sum(pl.pallas_call(kernel, like(8, 3))(ko.asarray([5]), x) ** 2)


def indirect_stores(x):
    """Rows are written at places of data: the last one stays; two rows are never written."""

    def kernel(rows_ref, x_ref, o_ref):
        o_ref[rows_ref[...]] = x_ref[...] ** 2

    return ko.sum(ko.cos(pl.pallas_call(kernel, like(6, 3))(ROWS, x)))


def masked_stores(x):
    def kernel(x_ref, o_ref):
        x = x_ref[...]
        pl.store(o_ref, ..., x * x, mask=x > 0)
        pl.store(o_ref, (slice(1, 3),), ko.exp(pl.load(x_ref, (slice(0, 2),), mask=x[:2] < 1, other=0.0)), mask=x[:2] < 0.5)

    return ko.sum(pl.pallas_call(kernel, like(4, 3))(x) ** 2)


def added_by_atomics(x):
    def kernel(rows_ref, x_ref, o_ref):
        pl.atomic_add(o_ref, rows_ref[...], ko.sin(x_ref[...]))

    specs = {"in_specs": [pl.BlockSpec((4,), lambda i: (0,)), pl.BlockSpec((None, 4, 3), lambda i: (i, 0, 0))], "out_specs": pl.BlockSpec((5, 3), lambda i: (0, 0))}
    return ko.sum(pl.pallas_call(kernel, like(5, 3), grid=(2,), **specs)(ROWS, x) ** 2)


def windows_that_data_chooses(x):
    """`vmap(dynamic_slice)` in a kernel: a gather."""

    def kernel(rows_ref, x_ref, o_ref):
        window = lambda row: ko.dynamic_slice(x_ref[...], (row, 1), (2, 2))  # noqa: E731
        o_ref[...] = ko.vmap(window)(rows_ref[...]) ** 2

    return ko.sum(pl.pallas_call(kernel, like(4, 2, 2))(ROWS, x) ** 2)


def derivative_in_the_body(x):
    def kernel(x_ref, o_ref):
        o_ref[...] = ko.vmap(ko.grad(lambda v: ko.sin(v) * v))(x_ref[...])

    spec = pl.BlockSpec((4,), lambda i: (i,))
    return ko.sum(pl.pallas_call(kernel, like(8), grid=(2,), in_specs=[spec], out_specs=spec)(x) ** 2)


CASES = {
    "blocks of their own": (blocks_of_their_own, (drawn(8, 12), drawn(8, 12)), 2),
    "product with scratch": (product_with_scratch, (drawn(8, 12), drawn(12, 6)), 1),
    "overlapping reads": (overlapping_reads, (drawn(10),), 2),
    "loop inside": (loop_inside, (drawn(8, 12),), 1),
    "revisited output": (revisited_output, (drawn(8, 12),), 1),
    "tails": (tails, (drawn(10, 13), drawn(10, 13)), 1),
    "aliased": (aliased, (drawn(8, 3), drawn(8, 3)), 1),
    "prefetched": (prefetched, (drawn(8, 3), drawn(3, 3)), 1),
    "bounds of the run": (bounds_of_the_run, (drawn(8, 3),), 1),
    "loop of as many turns": (loop_of_as_many_turns, (drawn(8, 3),), 1),
    "indirect stores": (indirect_stores, (drawn(4, 3),), 1),
    "masked stores": (masked_stores, (drawn(4, 3),), 1),
    "added by atomics": (added_by_atomics, (drawn(2, 4, 3),), 1),
    "windows that data chooses": (windows_that_data_chooses, (drawn(6, 4),), 2),
    "derivative in the body": (derivative_in_the_body, (drawn(8),), 1),
}


@pytest.mark.parametrize("name", CASES)
def test_beside_differences(name):
    function, arguments, order = CASES[name]
    ko.check_grads(function, arguments, order=order)


@pytest.mark.parametrize("name", CASES)
def test_native_code_has_the_bits_of_the_interpreter(name):
    function, arguments, _ = CASES[name]
    gradient = ko.grad(function, argnums=tuple(range(len(arguments))))
    push = lambda *given: ko.jvp(gradient, given, arguments)[1]  # noqa: E731
    for own in (gradient, push):
        assert_same_bits(ko.jit(own)(*arguments), interpreted(own)(*arguments), "native")


@pytest.mark.parametrize("name", CASES)
def test_instances_have_the_bits_of_single_calls(name):
    function, arguments, _ = CASES[name]
    gradient = ko.grad(function, argnums=tuple(range(len(arguments))))
    calls = [arguments, [a * 0.5 + 0.25 for a in arguments]]
    expected = [ko.stack(each) for each in zip(*[interpreted(gradient)(*call) for call in calls], strict=True)]
    stacked = [ko.stack(each) for each in zip(*calls, strict=True)]
    assert_same_bits(interpreted(ko.vmap(gradient))(*stacked), expected, "interpreted")
    assert_same_bits(ko.jit(ko.vmap(gradient))(*stacked), expected, "native")


def test_an_interpreted_kernel_is_differentiated_as_any():
    def squares(x, **options):
        return pl.pallas_call(lambda x, o: o.set(x[...] * x[...]), ko.ShapeDtypeStruct((3,), ko.float64), **options)(x)

    x = np.array([1.0, 2.0, 3.0])
    for interpret in (True, pl.InterpretParams(order="random", random_seed=3)):
        f = lambda x: squares(x, interpret=interpret)  # noqa: B023, E731
        assert ko.grad(lambda x: ko.sum(f(x)))(x).tolist() == [2, 4, 6]  # noqa: B023
        assert [found.tolist() for found in ko.jvp(f, (x,), (x,))] == [[1, 4, 9], [2, 8, 18]]
        assert ko.hessian(lambda x: ko.sum(f(x)))(x).tolist() == np.diag([2, 2, 2]).tolist()  # noqa: B023


ATOMICS = {
    "max": lambda o, x: pl.atomic_max(o, ..., x),
    "min": lambda o, x: pl.atomic_min(o, ..., x),
    "xchg": lambda o, x: pl.atomic_xchg(o, ..., x),
    "cas": lambda o, x: pl.atomic_cas(o, 0.0, ko.sum(x)),
}


@pytest.mark.parametrize("kind", ATOMICS)
@pytest.mark.parametrize("transform", [ko.grad, lambda f: lambda x: ko.jvp(f, (x,), (x,))], ids=["grad", "jvp"])
def test_other_atomics_than_sums_have_no_derivative(kind, transform):
    def kernel(x_ref, o_ref):
        ATOMICS[kind](o_ref, 2 * x_ref[...])

    spec = pl.BlockSpec((4,), lambda i: (0,))
    loss = lambda x: ko.sum(pl.pallas_call(kernel, like(4), grid=(2,), in_specs=[pl.BlockSpec((4,), lambda i: (i,))], out_specs=spec)(x))  # noqa: E731
    with pytest.raises(ko.KolamError, match=rf"atomic_{kind}: expected atomic_add.*outputs\[0\] 'o_ref'") as raised:
        transform(loss)(drawn(8))
    assert raised.value.slug == "not-differentiable"
    assert "derive_kernels_test.py:" in str(raised.value)


def test_atomics_of_what_is_constant_are_no_obstacle():
    def kernel(x_ref, y_ref, o_ref, most_ref):
        pl.atomic_max(most_ref, ..., y_ref[...])
        pl.atomic_add(o_ref, ..., x_ref[...] ** 2)

    def loss(x, y):
        row, whole = pl.BlockSpec((4,), lambda i: (i,)), pl.BlockSpec((4,), lambda i: (0,))
        total, most = pl.pallas_call(kernel, (like(4), like(4)), grid=(2,), in_specs=[row, row], out_specs=(whole, whole))(x, y)
        return ko.sum(total * most)

    x, y = np.asarray(drawn(8)), np.asarray(drawn(8)) + 5
    most = np.maximum(y[:4], y[4:])
    np.testing.assert_allclose(np.asarray(ko.grad(loss)(x, y)), 2 * x * np.concatenate([most, most]))


def test_vmap_and_grad_in_a_body_are_those_of_arrays():
    x, rows = np.asarray(drawn(6, 4)), np.asarray(ROWS)
    windows = [x[min(row, 4) : min(row, 4) + 2, 1:3] for row in rows]
    assert np.allclose(windows_that_data_chooses(ko.asarray(x)).item(), sum((window**4).sum() for window in windows), rtol=1e-14)
    v = np.asarray(drawn(8))
    assert np.allclose(derivative_in_the_body(ko.asarray(v)).item(), np.sum((np.sin(v) + v * np.cos(v)) ** 2), rtol=1e-14)
