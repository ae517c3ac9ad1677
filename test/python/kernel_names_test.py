"""Names of Pallas beside the kernel itself, and Refs of other widths."""

import kolam as ko
import ml_dtypes
import numpy as np
import pytest
from kolam import pallas as pl

S = ko.ShapeDtypeStruct

#: The public names of jax.experimental.pallas of JAX 0.10.2.
OF_JAX = """ANY BlockDim BlockSpec Blocked BoundedSlice Buffered CompilerParams CostEstimate DeviceIdType Element GridSpec HOST Indirect
MemoryRef MemorySpace RevisitMode Slice Squeezed align_to broadcast_to cdiv core_map debug_check debug_print delay ds dslice empty
empty_like empty_ref_like enable_debug_checks enable_poison_buffers estimate_cost get_global kernel loop lower_as_mlir multiple_of
next_power_of_2 no_block_spec num_programs pallas_call pallas_call_p pallas_export_experimental program_id reciprocal run_scoped
run_state select_ref semaphore semaphore_read semaphore_signal semaphore_wait squeezed strides_from_shape when with_scoped dot
debug_checks_enabled""".split()


@pytest.mark.parametrize("name", OF_JAX)
def test_names_are_there_or_refused_by_words(name):
    if name in pl.__all__:
        assert getattr(pl, name) is not None
    else:
        with pytest.raises(AttributeError, match=rf"\[unknown-name\] .*{name!r}, which is for other targets; (write|leave|there)"):
            getattr(pl, name)


def test_a_name_of_nobody():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        pl.nothing  # noqa: B018


def test_slices():
    assert pl.Slice(1, 4) == pl.ds(1, 4) == pl.dslice(1, 4)
    assert pl.Slice.from_slice(slice(1, None, 3), 8) == pl.Slice(1, 3, 3)
    with pytest.raises(ValueError, match=r"\[bad-step\]"):
        pl.Slice.from_slice(slice(None, None, -1), 8)

    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[pl.Slice(1, 3, 2)]

    assert np.asarray(pl.pallas_call(kernel, S((3,), ko.int32))(np.arange(8, dtype=np.int32))).tolist() == [1, 3, 5]


def test_arrays():
    assert np.asarray(pl.broadcast_to(3, (2, 2))).tolist() == [[3, 3], [3, 3]]
    assert pl.empty((2, 3), ko.int8).dtype == ko.int8
    made = pl.empty_like({"a": S((2,), ko.float32), "b": np.ones((3, 1), np.int32)})
    assert (made["a"].shape, made["b"].shape, made["b"].dtype) == ((2,), (3, 1), ko.int32)


def test_dot():
    rng = np.random.default_rng(1)
    a, b = rng.integers(-3, 4, (4, 5)).astype(np.float32), rng.integers(-3, 4, (5, 6)).astype(np.float32)
    np.testing.assert_array_equal(np.asarray(pl.dot(a, b)), a @ b)
    np.testing.assert_array_equal(np.asarray(pl.dot(a.T, b, True)), a @ b)
    np.testing.assert_array_equal(np.asarray(pl.dot(a, b.T, trans_b=True, allow_tf32=True)), a @ b)
    with pytest.raises(ValueError, match=r"argument 'b': expected rank 2, but got float32\[5\]; write kolam.matmul"):
        pl.dot(a, b[:, 0])


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


@pytest.mark.parametrize("specs", [pl.no_block_spec, [pl.no_block_spec], [None]], ids=str)
def test_no_block_spec(specs):
    x = np.arange(4, dtype=np.float32)
    assert np.asarray(pl.pallas_call(copy, S((4,), ko.float32), in_specs=specs, out_specs=pl.no_block_spec)(x)).tolist() == [0, 1, 2, 3]


def test_named_axes():
    def kernel(o_ref):
        o_ref[...] = ko.full((1, 1), 10 * pl.axis_index("j") + pl.axis_index("i") + 100 * pl.axis_size("i"))

    call = pl.pallas_call(
        kernel, S((4, 2), ko.int32), grid=(("j", 2), ("i", 4)), out_specs=pl.BlockSpec((1, 1), lambda j, i: (i % pl.axis_size("i"), j))
    )
    assert np.asarray(call()).tolist() == [[400, 410], [401, 411], [402, 412], [403, 413]]


def test_wrong_axes():
    def run(name, grid=(("i", 2),)):
        pl.pallas_call(lambda o: o.set(pl.axis_size(name)), S((), ko.int32), grid=grid)()

    with pytest.raises(ValueError, match=r"axis_size: \[bad-kernel\] expected one of the axes \['i'\] of the grid, but got 'k'"):
        run("k")
    with pytest.raises(ValueError, match=r"axes \[\] of the grid, but got 'i'; name its axes: grid ="):
        run("i", grid=(2,))
    with pytest.raises(TypeError, match="argument 'axis_name': expected the name of an axis of the grid, but got 0"):
        run(0)
    with pytest.raises(ValueError, match=r"\[outside-kernel\]"):
        pl.axis_index("i")


def recast(x, dtype):
    """What jax/_src/state/utils.py says that a Ref of another width shows: rows of narrow elements lie below one another."""
    x, dtype = np.asarray(x), np.dtype(dtype)
    if x.ndim == 1:
        return x.view(dtype)
    *outer, rows, columns = x.shape
    if dtype.itemsize > x.dtype.itemsize:
        parts = dtype.itemsize // x.dtype.itemsize
        below = np.ascontiguousarray(np.swapaxes(x.reshape(*outer, rows // parts, parts, columns), -1, -2))
        return below.view(dtype)[..., 0]
    parts = x.dtype.itemsize // dtype.itemsize
    below = np.ascontiguousarray(x)[..., None].view(dtype)
    return np.swapaxes(below, -1, -2).reshape(*outer, rows * parts, columns)


PAIRS = [
    (np.float32, np.uint8), (np.uint8, np.uint32), (np.int16, np.int64), (np.float64, np.int32), (ml_dtypes.bfloat16, np.uint32),
    (np.uint32, np.float16), (np.int64, np.uint8),
]  # fmt: skip


@pytest.mark.parametrize("interpret", [False, True])
@pytest.mark.parametrize("shape", [(8, 3), (2, 8, 5), (16,)], ids=str)
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: " as ".join(np.dtype(dtype).name for dtype in pair))
def test_reads_of_another_width(pair, shape, interpret):
    own, other = map(np.dtype, pair)
    x = np.random.default_rng(1).integers(0, 120, (*shape, own.itemsize), np.uint8).view(own)[..., 0]
    expected = recast(x, other)

    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref.bitcast(other)[...]

    found = pl.pallas_call(kernel, S(expected.shape, other), interpret=interpret)(x)
    assert np.asarray(found).tobytes() == expected.tobytes()


@pytest.mark.parametrize("interpret", [False, True])
def test_writes_of_another_width(interpret):
    x = np.arange(24, dtype=np.uint32).reshape(4, 6) * 0x01020304
    bytes_of = recast(x, np.uint8).copy()
    bytes_of[3, 1:4] = 200
    bytes_of[::2, 5] += 7
    expected = recast(bytes_of, np.uint32)

    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...]
        narrow = o_ref.bitcast(ko.uint8)
        narrow[3, 1:4] = 200
        narrow.at[::2, 5][...] += 7
        o_ref[0, 0] = o_ref[0, 0] + 1  # through the Ref itself, after and before
        pl.atomic_add(narrow, (0, 0), 1)

    expected = expected.copy()
    expected[0, 0] += 2
    found = np.asarray(pl.pallas_call(kernel, S((4, 6), ko.uint32), interpret=interpret)(x))
    np.testing.assert_array_equal(found, expected)


def test_writes_of_another_width_in_blocks_and_branches():
    """Elements of the tail are dropped, and a branch that is not taken changes nothing."""

    def kernel(o_ref):
        @pl.when(pl.program_id(0) != 1)
        def _():
            o_ref.bitcast(ko.uint32)[...] = ko.full((2, 3), 0x01020304, dtype=ko.uint32)

    found = np.asarray(pl.pallas_call(kernel, S((21, 3), ko.uint8), grid=3, out_specs=pl.BlockSpec((8, 3), lambda i: (i, 0)))())
    expected = np.tile(np.array([4, 3, 2, 1] * 6, np.uint8)[:21, None], (1, 3))
    expected[8:16] = 0
    np.testing.assert_array_equal(found, expected)


WRONG_WIDTHS = {
    "no multiple": ((6, 2), ko.uint8, ko.uint32, r"\[shape-mismatch\] .* a multiple of 4 elements along dim 0, but got uint8\[6, 2\]"),
    "no dims": ((), ko.uint8, ko.uint32, r"\[rank-mismatch\] argument 'dtype'"),
    "booleans": ((8,), ko.bool, ko.uint32, r"\[dtype-mismatch\]"),
}


@pytest.mark.parametrize("what", WRONG_WIDTHS)
def test_wrong_widths(what):
    shape, own, other, words = WRONG_WIDTHS[what]
    with pytest.raises(ko.KolamError, match=words):
        pl.pallas_call(lambda o_ref: o_ref.bitcast(other) and None, S(shape, own))()


def test_a_choice_among_refs_of_another_width():
    with pytest.raises(TypeError, match="but got a bitcast to uint8; select first, then bitcast"):
        pl.pallas_call(lambda o_ref: pl.select_ref(0, o_ref.bitcast(ko.uint8), o_ref) and None, S((4,), ko.uint32))()
