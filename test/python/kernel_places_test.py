"""Kernels at the borders of what there is: arrays without elements, views of none, numbers that wrap, memory of one element."""

import kolam as ko
import numpy as np
import pytest
from kolam import pallas as pl

S = ko.ShapeDtypeStruct
F32, I32 = ko.float32, ko.int32
X = np.arange(300, dtype=np.float32)


@pytest.fixture(params=["cpu", "interpret"])
def run(request):
    """Runs a function of arrays on a backend; gives nested lists."""

    def run(function, *args, **options):
        result = ko.jit(function, backend=request.param, **options)(*args)
        results = [np.asarray(x).tolist() for x in (result if isinstance(result, tuple | list) else [result])]
        return results if isinstance(result, tuple | list) else results[0]

    return run


def copy(x, o):
    o[...] = x[...]


def block(size, index_map=lambda i: (i,), **options):
    return pl.BlockSpec((size,), index_map, **options)


# Without elements.


def test_arrays_without_elements(run):
    nothing = X[:0]
    assert run(pl.pallas_call(copy, S((0,), F32)), nothing) == []
    assert run(pl.pallas_call(lambda x, o: o.set(ko.zeros(2) + ko.sum(x[...])), S((2,), F32)), nothing) == [0, 0]
    call = pl.pallas_call(lambda x, o: o.set(x[...] + 1), S((4,), F32), grid=1, in_specs=[block(4, pad=3)])
    assert run(call, nothing) == [4] * 4
    assert run(pl.pallas_call(lambda x, o: o.set(x[pl.ds(pl.program_id(0), 2)]), S((2,), F32), grid=1), nothing) == [0, 0]


def test_changes_of_arrays_without_elements(run):
    def kernel(o, p):
        o[pl.ds(pl.program_id(0), 2)] = ko.ones(2)
        p[...] = pl.atomic_add(o, (ko.arange(2) + pl.program_id(0),), 1.0)
        pl.atomic_max(o, (ko.arange(2) + pl.program_id(0),), 1.0)

    assert run(pl.pallas_call(kernel, [S((0,), F32), S((2,), F32)], grid=1)) == [[], [0, 0]]


@pytest.mark.parametrize("items", [(slice(2, 2),), (slice(1, 1), 0), (slice(None), slice(5, 2, 2))], ids=str)
def test_views_of_no_elements(run, items):
    def kernel(x, o):
        view, other = x.at[items], o.at[items]
        o[...] = x[...]
        other[...] = view[...] + 1
        pl.atomic_add(other, ..., view[...])
        pl.swap(other, ..., view[...])
        places = view.reshape(-1, 1).at[pl.ds(pl.program_id(0), 2)] if 0 not in view.shape[1:] else view
        places[...] = places[...] if places.shape[0] else places[...]

    x = X[:12].reshape(4, 3)
    call = pl.pallas_call(kernel, S((4, 3), F32), grid=1, in_specs=[pl.BlockSpec()], input_output_aliases={0: 0})
    assert run(call, x) == x.tolist()


SYMBOLIC = {
    "block": (lambda x, o: o.set(x[...] + 1), True),
    "window": (lambda x, o: o.set(x[pl.ds(pl.program_id(0), 4)] + 1), False),
    "places": (lambda x, o: o.set(x[ko.arange(4) + pl.program_id(0)] + 1), False),
    "one": (lambda x, o: o.set(ko.zeros(4) + x[pl.program_id(0)]), False),
    "strided": (lambda x, o: o.set(ko.zeros(4) + ko.sum(x[::2])), False),
}


@pytest.mark.parametrize("n", [0, 1, 6])
@pytest.mark.parametrize("name", SYMBOLIC)
def test_arrays_that_the_run_finds_empty(run, name, n):
    kernel, in_blocks = SYMBOLIC[name]
    call = pl.pallas_call(kernel, S((4,), F32), grid=1, in_specs=[block(4)] if in_blocks else None)
    padded = np.concatenate([X[1 : n + 1], np.zeros(6)])
    expected = {"one": [padded[0]] * 4, "strided": [padded[::2].sum()] * 4}.get(name, (padded[:4] + 1).tolist())
    assert run(lambda x: call(x), X[1 : n + 1], dynamic={"x": [0]}) == expected


@pytest.mark.parametrize("n", [0, 1, 5, 8])
def test_symbolic_blocks_and_memory(run, n):
    def half(x):
        size = pl.cdiv(x.shape[0], 2)
        return pl.pallas_call(copy, S(x.shape, x.dtype), grid=2, in_specs=[block(size)], out_specs=block(size))(x)

    def backwards(x):
        def kernel(x, o, s):
            s[...] = x[...]
            o[pl.ds(pl.program_id(0), 2)] = ko.ones(2)
            o[...] = s[::-1]

        return pl.pallas_call(kernel, S(x.shape, x.dtype), grid=1, scratch_shapes=[S(x.shape, x.dtype)])(x)

    assert run(half, X[:n], dynamic={"x": [0]}) == X[:n].tolist()
    assert run(backwards, X[:n], dynamic={"x": [0]}) == X[:n][::-1].tolist()


# Memory of one element.


def test_windows_of_one_element(run):
    def kernel(i, o, p):
        p[...] = o.reshape(1)[pl.ds(i[()], 2)]
        o.reshape(1)[pl.ds(i[()], 2)] = ko.arange(2, dtype=I32) + 5
        o.reshape(1)[ko.asarray([0, 0]) + i[()]] = ko.arange(2, dtype=I32) + 8

    call = pl.pallas_call(kernel, [S((), I32), S((2,), I32)])
    assert run(call, np.int32(0)) == [9, [0, 0]]
    assert run(call, np.int32(1)) == [0, [0, 0]]


def test_memory_of_a_loop_in_a_kernel_with_borders(run):
    """The body is made once for the points inside and once for those at borders: each has memory of its own."""

    def kernel(x, o):
        @pl.loop(0, 2)
        def _(i):
            def body(s):
                s[...] = x[...] + i

                @pl.loop(0, 2)
                def _(j):
                    s[j] = s[j] * 2

                o[...] = o[...] + s[...]

            pl.run_scoped(body, S((4,), F32))

    call = pl.pallas_call(kernel, S((10,), F32), grid=3, in_specs=[block(4)], out_specs=block(4))
    factors = np.tile([2, 2, 1, 1], 3)[:10]
    assert run(call, X[:10]) == (factors * X[:10] + factors * (X[:10] + 1)).tolist()


def test_memory_of_a_loop_that_uses_no_other(run):
    def kernel(o):
        def turn(i, total):
            def body(s):
                s[...] = ko.arange(4).astype(F32) + i
                return total + s[i % 4]

            return pl.run_scoped(body, S((4,), F32))

        o[...] = ko.zeros(2) + ko.fori_loop(0, 3, turn, 0.0)

    assert run(pl.pallas_call(kernel, S((2,), F32))) == [6, 6]


# Numbers that wrap.


def test_maps_in_narrow_integers(run):
    narrow = np.arange(300).astype(np.int8).astype(np.int64)
    reads = pl.pallas_call(copy, S((300,), F32), grid=300, in_specs=[block(1, lambda i: i.astype(ko.int8))], out_specs=block(1))
    assert run(reads, X) == np.where(narrow >= 0, X[narrow], 0).tolist()
    writes = pl.pallas_call(copy, S((300,), F32), grid=300, in_specs=[block(1)], out_specs=block(1, lambda i: i.astype(ko.int8)))
    expected = np.zeros(300, np.float32)
    for i, place in enumerate(narrow):
        if place >= 0:
            expected[place] = X[i]
    assert run(writes, X) == expected.tolist()
    unsigned = block(1, lambda i: i.astype(ko.uint32) - 1)
    assert run(pl.pallas_call(copy, S((300,), F32), grid=300, in_specs=[unsigned], out_specs=block(1)), X) == [0, *X[:-1].tolist()]


def test_maps_that_wrap(run):
    first = pl.pallas_call(lambda x, o: o.set(ko.zeros(2) + x[0]), S((12,), F32), grid=6, in_specs=[block(1, lambda i: i * 2**30)], out_specs=block(2))
    assert run(first, X + 1) == [1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0]


FAR = [(np.int32, n) for n in (2**30, 2**31 - 1, -(2**31))] + [(np.int64, n) for n in (2**31, 2**62, -(2**62), 2**63 - 1, -(2**63))]


@pytest.mark.parametrize("dtype, far", FAR)
def test_blocks_far_away(run, dtype, far):
    def call(in_map, out_map):
        spec = pl.PrefetchScalarGridSpec(num_scalar_prefetch=1, grid=2, in_specs=[block(4, in_map)], out_specs=block(4, out_map))
        return pl.pallas_call(lambda t, x, o: copy(x, o), S((8,), F32), grid_spec=spec)

    places = np.array([far, 1], dtype)
    assert run(call(lambda i, t: (t[i],), lambda i, t: (i,)), places, X[:8]) == [0, 0, 0, 0, 4, 5, 6, 7]
    assert run(call(lambda i, t: (i,), lambda i, t: (t[i],)), places, X[:8]) == [0, 0, 0, 0, 4, 5, 6, 7]


# Long rows that index arrays name: read at once where all of them are inside.


@pytest.mark.parametrize("table", [[5, 0, 5, 3], [5, 6, -1, -7], [-6, 1, 2, 99]])
def test_long_rows_by_an_index_array(table):
    pages = np.random.default_rng(1).standard_normal((2, 6, 4, 64)).astype(np.float32)
    q = np.random.default_rng(2).standard_normal((2, 3, 64)).astype(np.float32)

    def kernel(table, q, pages, o):
        def step(j, most):
            own = pages[table[pl.ds(j * 2, 2)]].reshape((8, 64))
            return ko.maximum(most, ko.matmul(q[...], own.T) @ own)

        o[...] = pl.fori_loop(0, 2, step, ko.zeros((3, 64)))

    own = pl.BlockSpec((None, 3, 64), lambda i, table: (i, 0, 0))
    spec = pl.PrefetchScalarGridSpec(
        num_scalar_prefetch=1, grid=(2,), in_specs=[own, pl.BlockSpec((None, 6, 4, 64), lambda i, table: (i, 0, 0, 0), pad=7)], out_specs=own
    )
    call = pl.pallas_call(kernel, S(q.shape, F32), grid_spec=spec)
    arrays = np.array(table, np.int32), q, pages
    native, meaning = (np.asarray(ko.jit(call, backend=backend)(*arrays)) for backend in ("cpu", "interpret"))
    assert native.tobytes() == meaning.tobytes()
    assert "gather" in ko.jit(call).explain(*arrays)
