"""vmap of kernels under checks, and of kernels with bounds of their own: one call, whose errors name the instance, and whose loops
end where an instance does."""

import re

import numpy as np
import pytest

import kolam as ko
from kolam import pallas as pl

S = ko.ShapeDtypeStruct
F32, I32 = ko.float32, ko.int32
XS = np.random.default_rng(3).standard_normal((3, 8)).astype(np.float32)
FOUR = pl.BlockSpec((4,), lambda i: (i,))
BOTH = pytest.mark.parametrize("backend", ["interpret", "cpu"])


def called(kernel, x, *more, checks=True, **options):
    options = {"in_specs": [FOUR], "out_specs": FOUR, "grid": 2} | options
    return pl.pallas_call(kernel, S(x.shape, F32), checks=checks, **options)(x, *more)


def running(x, **options):
    def kernel(x, o, s):
        @pl.when(pl.program_id(0) == 0)
        def _():
            s[...] = ko.zeros(())

        s[...] += ko.sum(x[...])
        o[...] = x[...] + s[...]

    return called(kernel, x, scratch_shapes=[S((), F32)], **options)


def chosen(x, row, **options):
    """Reads a row of its block that data choose."""

    def kernel(row, x, o):
        o[...] = ko.broadcast_to(x[row[0]], (4,))

    grid = pl.PrefetchScalarGridSpec(num_scalar_prefetch=1, grid=2, in_specs=[pl.BlockSpec((4,), lambda i, row: (i,))], out_specs=pl.BlockSpec((4,), lambda i, row: (i,)))
    return pl.pallas_call(kernel, S(x.shape, F32), grid_spec=grid, checks=True, **options)(row, x)


def block_at(x, at, **options):
    def kernel(at, x, o):
        o[...] = x[...]

    grid = pl.PrefetchScalarGridSpec(num_scalar_prefetch=1, grid=2, in_specs=[pl.BlockSpec((4,), lambda i, at: (at[i],))], out_specs=pl.BlockSpec((4,), lambda i, at: (i,)))
    return pl.pallas_call(kernel, S(x.shape, F32), grid_spec=grid, checks=True, **options)(at, x)


@BOTH
def test_correct_kernels_give_what_they_give_without_checks(backend):
    function = ko.jit(ko.vmap(running), backend=backend)
    expected = np.stack([np.asarray(running(x, checks=False)) for x in XS])
    np.testing.assert_array_equal(np.asarray(function(XS)), expected)


def test_it_is_one_call():
    text = ko.jit(ko.vmap(running)).lower(XS).as_text("program")
    assert "list_map" not in text and text.count("kolam.kernel_call") == 1


@BOTH
@pytest.mark.parametrize("instance", [0, 2])
def test_errors_name_the_instance(backend, instance):
    rows = np.zeros((3, 1), np.int32)
    rows[instance] = 4
    function = ko.jit(ko.vmap(chosen), backend=backend)
    with pytest.raises(ko.KolamError) as raised:
        np.asarray(function(XS, rows))
    assert raised.value.slug == "index-out-of-range"
    where = rf"\(of instance {instance}, at point \(0,\)\)" if backend == "interpret" else rf"in one of the instances \(first at row-major index {instance}\)"
    assert re.search(where, str(raised.value)), str(raised.value)


@BOTH
def test_instances_of_instances(backend):
    rows = np.zeros((2, 3, 1), np.int32)
    rows[1, 2] = 4
    function = ko.jit(ko.vmap(ko.vmap(chosen), in_axes=(None, 0)), backend=backend)
    with pytest.raises(ko.KolamError) as raised:
        np.asarray(function(XS, rows))
    assert ("of instance (1, 2), at point (0,)" if backend == "interpret" else "row-major index 5") in str(raised.value)


@BOTH
def test_blocks_outside_of_an_instance(backend):
    places = np.array([[0, 1], [1, 0], [0, 2]], np.int32)
    with pytest.raises(ko.KolamError) as raised:
        np.asarray(ko.jit(ko.vmap(block_at), backend=backend)(XS, places))
    assert raised.value.slug == "block-outside"
    assert ("of instance 2, at point (1,)" if backend == "interpret" else "row-major index 2") in str(raised.value)


def test_no_instance_sees_what_another_wrote_to_scratch():
    def kernel(x, o, s):
        @pl.when(x[0] > 0)
        def _():
            s[...] = x[...]

        o[...] = s[...]

    ones = np.ones((3, 8), np.float32)
    ones[1] = -1
    with pytest.raises(ko.KolamError) as raised:
        np.asarray(ko.jit(ko.vmap(lambda x: called(kernel, x, scratch_shapes=[S((4,), F32)])), backend="interpret")(ones))
    assert raised.value.slug == "undefined-element" and "of instance 1, at point" in str(raised.value)
    assert "element (0,) of outputs[0] 'o'" in str(raised.value)


def test_results_that_an_instance_does_not_write():
    def kernel(x, o):
        @pl.when(x[0] > 0)
        def _():
            o[...] = x[...]

    ones = np.ones((3, 8), np.float32)
    ones[2, 4:] = -1
    with pytest.raises(ko.KolamError) as raised:
        np.asarray(ko.jit(ko.vmap(lambda x: called(kernel, x)), backend="interpret")(ones))
    assert "of instance 2, in no point" in str(raised.value) and "element (4,)" in str(raised.value)


@BOTH
def test_points_that_do_nothing_are_not_looked_at(backend):
    """Of bounds of each instance, where the places of points behind the bound lie outside; of instances whose branch is not taken."""
    places, counts = np.array([[0, 1], [1, 9], [9, 9]], np.int32), np.array([2, 1, 0], np.int32)

    def bounded(x, at, count):
        def kernel(at, x, o):
            o[...] = x[...]

        grid = pl.PrefetchScalarGridSpec(num_scalar_prefetch=1, grid=count, in_specs=[pl.BlockSpec((4,), lambda i, at: (at[i],))], out_specs=pl.BlockSpec((4,), lambda i, at: (i,)))
        return pl.pallas_call(kernel, S(x.shape, F32), grid_spec=grid, checks=True, input_output_aliases={1: 0})(at, x)

    expected = XS.copy()
    expected[1, :4] = XS[1, 4:]
    np.testing.assert_array_equal(np.asarray(ko.jit(ko.vmap(bounded), backend=backend)(XS, places, counts)), expected)
    guarded = ko.jit(ko.vmap(lambda x, at, ok: ko.cond(ok, lambda: block_at(x, at), lambda: x)), backend=backend)
    np.testing.assert_array_equal(np.asarray(guarded(XS, places, counts > 1)), XS)


# Bounds.


def sums_before(x, count, **options):
    """The running sums of products of blocks, in a loop over as many points as the instance has."""

    def kernel(x, o, s):
        @pl.when(pl.program_id(0) == 0)
        def _():
            s[...] = ko.zeros((32, 32))

        s[...] = ko.tanh(s[...] @ x[...] + x[...])
        o[...] = s[...]

    one = pl.BlockSpec((None, 32, 32), lambda i: (i, 0, 0))
    return pl.pallas_call(kernel, S((16, 32, 32), F32), grid=count, in_specs=[one], out_specs=one, scratch_shapes=[S((32, 32), F32)], **options)(x)


BLOCKS = (np.random.default_rng(4).standard_normal((4, 16, 32, 32)) / 8).astype(np.float32)


@pytest.mark.parametrize("counts", [[16, 3, 0, 7], [0, 0, 0, 0], [16, 16, 16, 16]], ids=str)
def test_loops_end_where_an_instance_does(counts):
    counts = np.array(counts, np.int32)
    native = np.asarray(ko.jit(ko.vmap(sums_before))(BLOCKS, counts))
    expected = np.asarray(ko.jit(ko.vmap(sums_before), backend="interpret")(BLOCKS, counts))
    assert native.tobytes() == expected.tobytes()
    for found, x, count in zip(native, BLOCKS, counts, strict=True):
        np.testing.assert_array_equal(found, np.asarray(sums_before(x, int(count))) if count else 0)


def test_no_point_asks_for_the_bound():
    """One branch is left, which asks whether blocks lie inside, as only the run knows how many there are."""

    def steps(x, count):
        def kernel(x, o):
            o[...] = ko.fori_loop(0, 3, lambda _, y: ko.tanh(y @ x[...]), x[...])

        one = pl.BlockSpec((None, 64, 64), lambda i: (i, 0, 0))
        return pl.pallas_call(kernel, S((4, 64, 64), F32), grid=count, in_specs=[one], out_specs=one)(x)

    text = ko.jit(ko.vmap(steps)).lower(S((2, 4, 64, 64), F32), S((2,), I32)).as_text("tensors")
    assert text.count("kolam.cond") == 1


def counted_rows(x, counts, **options):
    """A kernel that asks for a bound itself: rows behind it stay zero."""

    def kernel(count, x, o):
        @pl.when(pl.program_id(1) < count[...])
        def _():
            o[...] = ko.fori_loop(0, pl.program_id(1) + 1, lambda k, y: ko.tanh(y @ x[...]), x[...])

    one = pl.BlockSpec((None, None, 16, 16), lambda i, j: (i, j, 0, 0))
    return pl.pallas_call(
        kernel, S(x.shape, F32), grid=x.shape[:2], in_specs=[pl.BlockSpec((None,), lambda i, j: (i,)), one], out_specs=one, **options
    )(counts, x)  # fmt: skip


def test_kernels_that_ask_for_a_bound():
    x, counts = BLOCKS[:, :, :16, :16], np.array([5, 0, 16, 9], np.int32)
    native = np.asarray(ko.jit(counted_rows)(x, counts))
    expected = np.asarray(ko.jit(counted_rows, backend="interpret")(x, counts))
    assert native.tobytes() == expected.tobytes() and not native[0, 5:].any() and native[0, 4].any()
    text = ko.jit(counted_rows).lower(x, counts).as_text("tensors")
    assert "kolam.cond" not in text
