"""Kernels over blocks: golden cases, index forms, scratch, aliases and control flow, on both backends."""

import functools

import kolam as ko
import numpy as np
import pytest
from kolam import pallas as pl

BACKENDS = ["cpu", "interpret"]


@pytest.fixture(params=BACKENDS)
def run(request):
    """Runs a function of arrays on a backend; numpy arrays come back."""
    return lambda function, *args: np.asarray(ko.jit(function, backend=request.param)(*args))


def shape(*extents, dtype=ko.float32):
    return ko.ShapeDtypeStruct(extents, dtype)


def number_of_point(rank):
    """Writes the decimal digits of the point to every element."""

    def kernel(o_ref):
        number = pl.program_id(0)
        for axis in range(1, rank):
            number = number * 10 + pl.program_id(axis)
        o_ref[...] = ko.full(o_ref.shape, number)

    return kernel


def add(x_ref, y_ref, o_ref):
    o_ref[...] = x_ref[...] + y_ref[...]


def test_add_without_a_grid(run):
    call = pl.pallas_call(add, shape(8, dtype=ko.int32))
    assert run(call, np.arange(8, dtype=np.int32), np.arange(8, 16, dtype=np.int32)).tolist() == list(range(8, 24, 2))


def test_add_by_blocks(run):
    block = pl.BlockSpec((2,), lambda i: (i,))
    call = pl.pallas_call(add, shape(8, dtype=ko.int32), grid=4, in_specs=[block, block], out_specs=block)
    assert run(call, np.arange(8, dtype=np.int32), np.arange(8, 16, dtype=np.int32)).tolist() == list(range(8, 24, 2))


def matmul(x_ref, y_ref, o_ref, acc_ref, *, activation):
    @pl.when(pl.program_id(2) == 0)
    def _():
        acc_ref[...] = ko.zeros(acc_ref.shape)

    acc_ref[...] += ko.matmul(x_ref[...], y_ref[...])

    @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
    def _():
        o_ref[...] = activation(acc_ref[...]).astype(o_ref.dtype)


@pytest.mark.parametrize("activation", [ko.relu, lambda x: x], ids=["relu", "none"])
def test_matmul_with_an_accumulator(run, activation):
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((32, 48), np.float32), rng.standard_normal((48, 16), np.float32)
    call = pl.pallas_call(
        functools.partial(matmul, activation=activation),
        shape(32, 16),
        grid=(4, 2, 3),
        in_specs=[pl.BlockSpec((8, 16), lambda i, j, k: (i, k)), pl.BlockSpec((16, 8), lambda i, j, k: (k, j))],
        out_specs=pl.BlockSpec((8, 8), lambda i, j, k: (i, j)),
        scratch_shapes=[shape(8, 8)],
    )
    expected = x.astype(np.float64) @ y.astype(np.float64)
    expected = np.maximum(expected, 0) if activation is ko.relu else expected
    np.testing.assert_allclose(run(call, x, y), expected, rtol=1e-4, atol=1e-4)


TABLE = np.repeat(np.repeat(np.array([[0, 1], [10, 11], [20, 21], [30, 31]]), 2, 0), 3, 1)


@pytest.mark.parametrize("extents", [(8, 6), (7, 5)])
def test_blocks_that_do_and_do_not_divide(run, extents):
    call = pl.pallas_call(
        number_of_point(2), shape(*extents, dtype=ko.int32), grid=(4, 2), out_specs=pl.BlockSpec((2, 3), lambda i, j: (i, j))
    )
    assert run(call).tolist() == TABLE[: extents[0], : extents[1]].tolist()


def test_the_last_point_writes_last(run):
    call = pl.pallas_call(number_of_point(2), shape(4, 4, dtype=ko.int32), grid=(2, 3))
    assert run(call).tolist() == np.full((4, 4), 12).tolist()
    call = pl.pallas_call(
        number_of_point(3), shape(8, 6, dtype=ko.int32), grid=(4, 2, 10), out_specs=pl.BlockSpec((2, 3), lambda i, j, k: (i, j))
    )
    assert run(call).tolist() == (TABLE * 10 + 9).tolist()


def test_squeezed_dims(run):
    call = pl.pallas_call(
        number_of_point(2), shape(3, 4, dtype=ko.int32), grid=(3, 2), out_specs=pl.BlockSpec((None, 2), lambda i, j: (i, j))
    )
    assert run(call).tolist() == [[0, 0, 1, 1], [10, 10, 11, 11], [20, 20, 21, 21]]


def test_windows_of_elements_with_padding(run):
    spec = pl.BlockSpec((pl.Element(2, (1, 0)), pl.Element(3, (2, 0))), lambda i, j: (2 * i, 3 * j))
    call = pl.pallas_call(number_of_point(2), shape(7, 7, dtype=ko.int32), grid=(4, 3), out_specs=spec)
    rows = [np.array([0, 1, 1, 1, 2, 2, 2]) + 10 * i for i in (0, 1, 1, 2, 2, 3, 3)]
    assert run(call).tolist() == np.array(rows).tolist()


@pytest.mark.parametrize("pad", [0, -7])
def test_what_lies_outside_is_pad(run, pad):
    def copy(x_ref, o_ref):
        o_ref[...] = x_ref[...]

    x = np.full(3, 42, np.int32)
    call = pl.pallas_call(copy, shape(6, dtype=ko.int32), in_specs=[pl.BlockSpec((6,), lambda: (0,), pad=pad)])
    assert run(call, x).tolist() == [42] * 3 + [pad] * 3
    window = pl.BlockSpec((pl.Element(6, (1, 2)),), lambda: (0,), pad=pad)
    call = pl.pallas_call(copy, shape(6, dtype=ko.int32), in_specs=[window])
    assert run(call, x).tolist() == [pad] + [42] * 3 + [pad] * 2


def test_masked_load_and_store(run):
    def kernel(x_ref, o_ref):
        index = ko.arange(8)
        o_ref[...] = pl.load(x_ref, mask=index < 5, other=-np.inf)
        pl.store(o_ref, ..., 1.0, mask=index == 7)

    x = np.arange(8, dtype=np.float32)
    expected = np.where(np.arange(8) < 5, x, -np.inf)
    expected[7] = 1
    np.testing.assert_array_equal(run(pl.pallas_call(kernel, shape(8)), x), expected)


INDICES = {
    "integer": lambda n: 2,
    "negative": lambda n: -1,
    "slice": lambda n: slice(1, None),
    "stepped": lambda n: (slice(None, None, 2), slice(3, 0, -1)),
    "ellipsis": lambda n: (..., 1),
    "array": lambda n: np.array([3, 0, -1]),
    "arrays": lambda n: (np.arange(2)[..., None], np.arange(3)[None]),
    "array behind": lambda n: (0, slice(None, 2), np.arange(3)),
    "apart": lambda n: (np.array([0, 1]), slice(None), np.array([1, 2])),
    "mixed": lambda n: (slice(0, 2), np.arange(4)[:, None], np.arange(2)[None]),
}


@pytest.mark.parametrize("form", INDICES)
def test_index_forms(run, form):
    x = np.arange(4 * 5 * 6, dtype=np.float32).reshape(4, 5, 6)
    index = INDICES[form](0)
    picked = x[index]

    def read(x_ref, o_ref):
        o_ref[...] = x_ref[index]

    def write(v_ref, o_ref):
        o_ref[index] = v_ref[...]

    np.testing.assert_array_equal(run(pl.pallas_call(read, shape(*picked.shape)), x), picked)
    expected = np.zeros_like(x)
    expected[index] = picked + 1
    np.testing.assert_array_equal(run(pl.pallas_call(write, shape(*x.shape)), picked + 1), expected)


def test_dynamic_slices_do_not_clip(run):
    def kernel(x_ref, s_ref, o_ref):
        o_ref[...] = x_ref[pl.ds(s_ref[()], 4)]

    spec = [pl.BlockSpec(pad=-1), pl.BlockSpec()]
    for start in (0, 3, 6, -2, 9):
        call = pl.pallas_call(kernel, shape(4), in_specs=spec)
        expected = [float(i) if 0 <= i < 8 else -1.0 for i in range(start, start + 4)]
        assert run(call, np.arange(8, dtype=np.float32), np.int32(start)).tolist() == expected


def test_views_share_elements(run):
    def kernel(x_ref, o_ref):
        o_ref.reshape(2, 6)[1, pl.ds(0, 3)] = x_ref.T[0]
        o_ref.at[0].at[pl.ds(1, 2)][...] = x_ref.at[1][1:]
        o_ref.bitcast(ko.int32)[2, 3] = 1

    x = np.arange(9, dtype=np.float32).reshape(3, 3)
    expected = np.zeros((3, 4), np.float32)
    expected.reshape(2, 6)[1, :3] = x.T[0]
    expected[0, 1:3] = x[1, 1:]
    expected.view(np.int32)[2, 3] = 1
    np.testing.assert_array_equal(run(pl.pallas_call(kernel, shape(3, 4)), x), expected)


def test_atomics_count_duplicates(run):
    places = np.array([1, 0, 1, 1, 3], np.int32)

    def kernel(p_ref, o_ref, old_ref):
        old_ref[...] = pl.atomic_add(o_ref, (p_ref[...],), ko.ones(5, dtype=ko.int32), mask=ko.arange(5) < 4)

    call = pl.pallas_call(kernel, (shape(4, dtype=ko.int32), shape(5, dtype=ko.int32)))
    assert run(lambda p: call(p)[0], places).tolist() == [1, 3, 0, 0]
    assert run(lambda p: call(p)[1], places).tolist() == [0, 0, 1, 2, 0]


def test_an_alias_is_one_memory(run):
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...] + 1

    spec = pl.BlockSpec((2,), lambda i: (0,))
    call = pl.pallas_call(
        kernel, shape(4), grid=3, in_specs=[spec], out_specs=spec, input_output_aliases={0: 0}
    )
    x = np.array([1, 2, 3, 4], np.float32)
    assert run(call, x).tolist() == [4, 5, 3, 4]
    assert x.tolist() == [1, 2, 3, 4]


def test_prefetched_scalars_choose_blocks(run):
    def kernel(order_ref, x_ref, o_ref):
        o_ref[...] = x_ref[...] * order_ref[pl.program_id(0)].astype(ko.float32)

    spec = pl.PrefetchScalarGridSpec(
        num_scalar_prefetch=1,
        grid=3,
        in_specs=[pl.BlockSpec((2,), lambda i, order: (order[i],))],
        out_specs=pl.BlockSpec((2,), lambda i, order: (i,)),
    )
    call = pl.pallas_call(kernel, shape(6), grid_spec=spec)
    assert run(call, np.array([2, 0, 1], np.int32), np.arange(6, dtype=np.float32)).tolist() == [8, 10, 0, 0, 2, 3]


def test_loops_and_branches_change_refs(run):
    def kernel(x_ref, o_ref):
        @pl.loop(0, 4)
        def _(i):
            @pl.when(i % 2 == 0)
            def _():
                o_ref[i] = x_ref[i] * 2

            @pl.when(i % 2 == 1)
            def _():
                o_ref[i] = x_ref[i] + o_ref[i - 1]

        total = pl.fori_loop(0, 4, lambda i, t: t + o_ref[i], 0.0)
        last = pl.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1] + o_ref[s[0]]), (0, 0.0))
        o_ref[3] = total + last[1]

    x = np.arange(1, 5, dtype=np.float32)
    y = [2.0, 4.0, 6.0, 10.0]
    y[3] = sum(y) + sum(y[:3])
    assert run(pl.pallas_call(kernel, shape(4)), x).tolist() == y


def test_scoped_memory_and_captured_arrays(run):
    table = np.arange(6, dtype=np.float32)

    def kernel(x_ref, o_ref):
        def body(tmp_ref):
            tmp_ref[...] = x_ref[...] * 2
            o_ref[...] = tmp_ref[::-1] + table

        pl.run_scoped(body, shape(6))

    x = np.ones(6, np.float32)
    np.testing.assert_array_equal(run(pl.pallas_call(kernel, shape(6)), x), 2 + table)


def test_symbolic_extents(run):
    def double(x):
        block = pl.BlockSpec((4,), lambda i: (i,))
        return pl.pallas_call(
            lambda x_ref, o_ref: o_ref.set(x_ref[...] * 2),
            ko.ShapeDtypeStruct(x.shape, x.dtype),
            grid=(pl.cdiv(x.shape[0], 4),),
            in_specs=[block],
            out_specs=block,
        )(x)

    jitted = ko.jit(double, dynamic={"x": [0]})
    for n in (1, 4, 9):
        x = np.arange(n, dtype=np.float32)
        np.testing.assert_array_equal(np.asarray(jitted(x)), 2 * x)


def test_refs_of_a_state(run):
    def swap(refs):
        a, b = refs
        kept = a[...]
        a[...] = b[...]
        b[...] = kept

    x, y = np.arange(3, dtype=np.float32), np.ones(3, np.float32)
    assert run(lambda x, y: pl.run_state(swap)((x, y))[0], x, y).tolist() == [1, 1, 1]

    def kernel(x_ref, o_ref):
        def double(ref):
            ref[...] = ref[...] * 2

        other = pl.empty_ref_like(o_ref)
        other[...] = pl.run_state(double)(x_ref[...])
        o_ref[...] = other[::-1]

    assert run(pl.pallas_call(kernel, shape(3)), x).tolist() == [4, 2, 0]


@pytest.mark.parametrize("batched", ["vmap", "scan", "map"])
def test_calls_in_batches_and_loops(batched):
    block = pl.BlockSpec((2,), lambda i: (i,))
    call = pl.pallas_call(add, shape(8), grid=4, in_specs=[block, block], out_specs=block)
    x = np.arange(24, dtype=np.float32).reshape(3, 8)
    if batched == "vmap":
        result = ko.vmap(call)(x, x)
    elif batched == "scan":
        result = ko.scan(lambda _, row: ((), call(row, row)), (), x)[1]
    else:
        rows = ko.fractal.map(lambda row: call(row, row), ko.fractal.FractalTensor(list(x)))
        result = np.stack([np.asarray(row) for row in rows])
    np.testing.assert_array_equal(np.asarray(result), 2 * x)


def test_prints_of_a_kernel(capfd):
    def kernel(o_ref):
        pl.debug_print("point {}", pl.program_id(0))
        o_ref[...] = ko.ones(2)

    np.asarray(pl.pallas_call(kernel, shape(2), grid=3)())
    assert capfd.readouterr().out.split("\n")[:3] == ["point 0", "point 1", "point 2"]


def test_branches_and_loops_copy_no_array():
    """A branch that changes a block of a large result, in a loop, moves the block alone."""

    def kernel(o_ref):
        @pl.when(pl.program_id(0) % 2 == 1)
        def _():
            o_ref[...] = ko.ones(o_ref.shape)

    call = pl.pallas_call(kernel, shape(1024, 64), grid=128, out_specs=pl.BlockSpec((8, 64), lambda i: (i, 0)))
    text = ko.jit(call).explain()
    assert "copy" not in text, text


def test_one_of_several_refs(run):
    def kernel(i_ref, a_ref, b_ref, o_ref, p_ref):
        o_ref[...] = pl.select_ref(i_ref[()], a_ref, b_ref)[...]
        pl.store(pl.select_ref(i_ref[()] + 1, o_ref, p_ref), ..., 7.0, mask=ko.arange(3) > 0)

    x, y = np.arange(3, dtype=np.float32), np.ones(3, np.float32)
    call = pl.pallas_call(kernel, (shape(3), shape(3)))
    for i, first, second in ((0, [0, 1, 2], [0, 7, 7]), (1, [1, 1, 1], [0, 7, 7]), (-1, [0, 7, 7], [0, 0, 0])):
        assert run(lambda i, x, y: call(i, x, y)[0], np.int32(i), x, y).tolist() == first
        assert run(lambda i, x, y: call(i, x, y)[1], np.int32(i), x, y).tolist() == second


@pytest.mark.parametrize("dtype", ["bool", "int8", "int64", "uint8", "uint64", "float16", "bfloat16", "float64"])
def test_dtypes(run, dtype):
    kind = getattr(ko, dtype)

    def kernel(x_ref, o_ref, kept_ref):
        kept_ref[::2] = x_ref[::2]
        o_ref[...] = kept_ref[...]

    block = pl.BlockSpec((4,), lambda i: (i,), pad=1)
    call = pl.pallas_call(
        kernel,
        ko.ShapeDtypeStruct((6,), kind),
        grid=2,
        in_specs=[block],
        out_specs=block,
        scratch_shapes=[ko.ShapeDtypeStruct((4,), kind)],
    )
    x = ko.asarray([1, 0, 1, 1, 1, 1], dtype=kind)
    assert run(lambda x: call(x).astype(ko.float64), x).tolist() == [1, 0, 1, 0, 1, 0]
