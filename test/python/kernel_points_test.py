"""Points of a grid that stop at turns of their own, single elements that data place, and indices that surely lie inside:
both backends give the same bits, and what NumPy gives."""

import kolam as ko
import numpy as np
import pytest
from kolam import pallas as pl

S = ko.ShapeDtypeStruct
F32, I32 = ko.float32, ko.int32
RNG = np.random.default_rng(0)


def on_both(function, *args):
    """What both backends give, bit for bit."""
    interpreted, native = (np.asarray(ko.jit(function, backend=backend)(*args)) for backend in ("interpret", "cpu"))
    assert native.dtype == interpreted.dtype and native.tobytes() == interpreted.tobytes()
    return native


def halvings(n, k):
    """How often n can be divided by two, and at most k times."""
    count = 0
    while n % 2 == 0 and n != 0 and count < k:
        n, count = n // 2, count + 1
    return count


@pytest.mark.parametrize("shape", [(7,), (5, 33), (3, 4, 20)])
def test_loops_that_each_point_ends(shape):
    numbers, most = RNG.integers(0, 300, shape).astype(np.int32), RNG.integers(0, 5, shape).astype(np.int32)

    def kernel(n, k, o):
        def go_on(state):
            return (state[0] % 2 == 0) & (state[0] != 0) & (state[1] < k[...])

        o[...] = pl.while_loop(go_on, lambda state: (state[0] // 2, state[1] + 1), (n[...], ko.zeros((), dtype=I32)))[1]

    block = pl.BlockSpec((None,) * len(shape), lambda *at: at)
    call = pl.pallas_call(kernel, S(shape, I32), grid=shape, in_specs=[block, block], out_specs=block)
    found = on_both(lambda n, k: call(n, k), numbers, most)
    assert found.tolist() == np.vectorize(halvings)(numbers, most).tolist()
    text = str(ko.jit(lambda n, k: call(n, k)).explain(numbers, most))
    assert "all points of its grid at once" in text and "\nwhile" not in text


def scattered(kind, size, places, values, masked):
    """One atomic after the other."""
    result = np.zeros(size, values.dtype)
    for place, value, holds in zip(places, values, masked, strict=True):
        at = place + size if place < 0 else place
        if holds and 0 <= at < size:
            result[at] = {"add": result[at] + value, "max": max(result[at], value), "min": min(result[at], value)}[kind]
    return result


@pytest.mark.parametrize("kind", ["add", "max", "min"])
@pytest.mark.parametrize("dtype, index", [("int32", "int32"), ("float32", "int64"), ("uint8", "uint8"), ("int64", "int8"), ("float64", "uint32")])
@pytest.mark.parametrize("block, size", [(16, 5), (37, 40), (100, 3)])
def test_atomics_at_places_of_data(kind, dtype, index, block, size):
    count = 4 * block
    low = 0 if index.startswith("u") else -size - 3
    places = RNG.integers(low, size + 4, count).astype(index)
    values = RNG.integers(0, 9, count).astype(dtype)
    masked = RNG.random(count) < 0.8

    def kernel(at, x, m, o):
        getattr(pl, f"atomic_{kind}")(o, (at[...],), x[...], mask=m[...])

    own = pl.BlockSpec((block,), lambda i: (i,))
    call = pl.pallas_call(kernel, S((size,), getattr(ko, dtype)), grid=(4,), in_specs=[own, own, own], out_specs=pl.BlockSpec((size,), lambda i: (0,)))
    found = on_both(lambda at, x, m: call(at, x, m), places, values, masked)
    assert found.tolist() == scattered(kind, size, places.astype(np.int64), values, masked).tolist()


def test_the_last_of_equal_places_wins():
    places, values = RNG.integers(-2, 8, 64).astype(np.int32), np.arange(64, dtype=np.float32)

    def kernel(at, x, o):
        o[at[...]] = x[...]

    call = pl.pallas_call(kernel, S((6,), F32))
    expected = np.zeros(6, np.float32)
    for place, value in zip(places, values, strict=True):
        if place < 6:
            expected[place] = value
    assert on_both(lambda at, x: call(at, x), places, values).tolist() == expected.tolist()


def test_places_in_two_dims_and_old_values():
    rows, columns = RNG.integers(-4, 7, 48).astype(np.int32), RNG.integers(-9, 9, 48).astype(np.int32)

    def kernel(i, j, o, old):
        o[...] = ko.zeros((5, 8), dtype=I32)
        pl.atomic_add(o, (i[...], j[...]), 1)
        old[...] = pl.atomic_add(o, (i[...], j[...]), 1)

    call = pl.pallas_call(kernel, (S((5, 8), I32), S((48,), I32)))
    expected, old = np.zeros((5, 8), np.int32), []
    for turn in range(2):
        for i, j in zip(rows, columns, strict=True):
            i, j = (i + 5 if i < 0 else i), (j + 8 if j < 0 else j)
            inside = 0 <= i < 5 and 0 <= j < 8
            old += [expected[i, j] if inside else 0] * turn
            if inside:
                expected[i, j] += 1
    assert on_both(lambda i, j: call(i, j)[0], rows, columns).tolist() == expected.tolist()
    assert on_both(lambda i, j: call(i, j)[1], rows, columns).tolist() == old


@pytest.mark.parametrize("length", [1, 2, 60, 1024])
def test_searches_between_bounds_that_a_loop_carries(length):
    table, queries = np.sort(RNG.random(length).astype(np.float32)), RNG.random(200).astype(np.float32)

    def kernel(table_ref, queries_ref, o):
        x = queries_ref[...]

        def step(_, bounds):
            low, high = bounds
            middle = (low + high) // 2
            less = (low < high) & (table_ref[ko.minimum(middle, length - 1)] < x)
            return ko.where(less, middle + 1, low), ko.where(less, high, middle)

        start = ko.zeros(x.shape, dtype=I32), ko.full(x.shape, length, dtype=I32)
        o[...] = pl.fori_loop(0, length.bit_length(), step, start)[0]

    own = pl.BlockSpec((40,), lambda i: (i,))
    call = pl.pallas_call(kernel, S((200,), I32), grid=(5,), in_specs=[pl.BlockSpec((length,), lambda i: (0,)), own], out_specs=own)
    found = on_both(lambda table, x: call(table, x), table, queries)
    assert found.tolist() == np.searchsorted(table, queries).tolist()
    # A choice for each bound, and none for places outside.
    assert ko.jit(lambda table, x: call(table, x)).lower(table, queries).as_text("rewritten").count('"where"') == 2
