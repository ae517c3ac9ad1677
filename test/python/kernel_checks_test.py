"""Kernels under checks: planted mistakes are found at the right place, correct kernels report nothing in any order."""

import re

import numpy as np
import pytest

import kolam as ko
from kolam import pallas as pl

S = ko.ShapeDtypeStruct
F32, I32 = ko.float32, ko.int32
X = np.arange(16, dtype=np.float32)
ROWS = X.reshape(4, 4)


def block(size, index_map=lambda i: (i,), **options):
    return pl.BlockSpec((size,), index_map, **options)


def call(kernel, out, *args, interpret=True, **options):
    return pl.pallas_call(kernel, out, interpret=interpret, checks=True, **options)(*args)


def copy(x, o):
    o[...] = x[...]


def line_of(kernel, text):
    """The line of a kernel that holds a text."""
    lines, first = __import__("inspect").getsourcelines(kernel)
    return first + next(i for i, line in enumerate(lines) if text in line)


# Each: what runs, the slug, words of the message. `interpret` is passed.


def unwritten_scratch(x, o, s):
    s[...] += x[...]
    o[...] = s[...]


def scratch_written_in_one_branch(x, o, s):
    @pl.when(pl.program_id(0) > 0)
    def _():
        s[...] = x[...]

    o[...] = s[...]


def scratch_of_another_point(x, o, s):
    @pl.when(pl.program_id(0) == 0)
    def _():
        s[...] = x[...]

    o[...] = s[...]


def half_of_a_block(x, o):
    o[:2] = x[:2]


def sum_of_tail(x, o):
    o[...] = ko.sum(x[...], keepdims=True)


def largest_of_tail(x, o):
    o[...] = ko.max(x[...], keepdims=True)


def least_of_tail(x, o):
    o[...] = ko.min(x[...], keepdims=True)


def product_with_zero(x, o):
    o[...] = ko.sum(x[...] * (ko.arange(4) < 2), keepdims=True)


def branch_on_tail(x, o):
    o[...] = ko.zeros(4)

    @pl.when(x[3] > 5)
    def _():
        o[...] = ko.ones(4)


def index_from_tail(x, o):
    o[...] = x[x[...].astype(I32)[3] % 4].reshape(1)


def loop_on_unwritten(x, o, s):
    o[...] = ko.fori_loop(0, s[0] % 3, lambda i, v: v + 1, x[...])


def window_outside(x, o):
    o[...] = x[pl.ds(pl.program_id(0) * 4 + 1, 4)]


def window_before(x, o):
    o[...] = x[pl.ds(pl.program_id(0) * 4 - 1, 4)]


def index_array_outside(x, o):
    o[...] = x[ko.arange(4) + 4 * pl.program_id(0) + 4]


def write_outside(x, o):
    o[...] = x[...]
    o[pl.program_id(0) + 1] = x[0]


def atomic_outside(x, o):
    o[...] = x[...]
    pl.atomic_add(o, pl.program_id(0) + 1, 1.0)


def mask_too_wide(x, o):
    at = ko.arange(4) + 4 * pl.program_id(0)
    o[...] = pl.load(x, at, mask=at < 17, other=0.0)


def shared_element(x, o):
    o[pl.program_id(0) // 2] = x[0]


def reads_a_neighbour(x, o):
    i = pl.program_id(0)
    o[i] = x[0] + o[ko.maximum(i - 1, 0)]


def scoped_before_written(x, o):
    pl.run_scoped(lambda t: o.set(t[...] + x[...]), S((4,), F32))


def mask_from_tail(x, o):
    o[...] = ko.zeros(4)
    pl.store(o, ..., 1.0, mask=x[...] > x[3])


def next_block_plus_one(x, o):
    o[...] = x[...] + 1


def old_of_unwritten(x, o, s):
    o[...] = x[...] + pl.atomic_cas(s, 0.0, 1.0)


def loop_until_tail(x, o):
    o[...] = x[...]
    o[0] = ko.while_loop(lambda v: v < x[3] * 0 + 2, lambda v: v + 1, 0.0)


def sum_in_scratch(x, o, s):
    @pl.when(pl.program_id(0) == 0)
    def _():
        s[...] = ko.zeros(1)

    s[...] += ko.sum(x[...], keepdims=True)
    o[...] = ko.broadcast_to(s[...], (4,))


def sum_over_parallel(x, o):
    @pl.when(pl.program_id(0) == 0)
    def _():
        o[...] = ko.zeros(4)

    o[...] += x[...]


def checked(x, o):
    pl.debug_check(x[...] < 10, "too large")
    o[...] = x[...]


def never_initialised(x, y, o):
    o[...] += x[...] @ y[...]


PARALLEL = dict(dimension_semantics=["parallel"])
ONE = dict(grid=(4,), in_specs=[block(4)], out_specs=block(4))
TAIL = dict(grid=(3,), in_specs=[block(4)], out_specs=block(1))
SCRATCH = dict(scratch_shapes=[S((4,), F32)])
PREFETCH = lambda array: dict(  # noqa: E731
    grid_spec=pl.PrefetchScalarGridSpec(
        num_scalar_prefetch=1, grid=(4,), in_specs=[block(4, lambda i, at: (at[i],))], out_specs=block(4, lambda i, at: (i,))
    ),
    args=(np.array(array, np.int32), X),
)
MISTAKES = {
    "unwritten scratch": (unwritten_scratch, 16, ONE | SCRATCH, "undefined-element", r"element \(0,\) of outputs\[0\] 'o'.*point \(0,\)", "o[...] ="),
    "scratch written too late": (scratch_written_in_one_branch, 16, ONE | SCRATCH, "undefined-element", r"\(0,\) of outputs\[0\] 'o'.*point \(0,\)", "o[...] ="),
    "scratch of another point": (scratch_of_another_point, 16, ONE | SCRATCH | PARALLEL, "kernel-race", r"reads element \(0,\) of scratch\[0\] 's', which point \(0,\) writes .*point \(1,\)", "o[...] ="),
    "half of a block": (half_of_a_block, 16, ONE, "undefined-element", r"element \(2,\) of outputs\[0\] 'o' is not", None),
    "too few points": (copy, 20, ONE, "undefined-element", r"leave out element 16 along dim 0 of extent 20", None),
    "a gap between blocks": (copy, 16, ONE | dict(grid=(2,), out_specs=block(4, lambda i: (2 * i + 1,))), "undefined-element", "leave out element 0", None),
    "first block left out": (copy, 20, ONE | dict(out_specs=block(4, lambda i: (i + 1,))), "undefined-element", "leave out element 0", None),
    "one row only": (copy, 16, ONE | dict(out_specs=block(4, lambda i: (0,))), "undefined-element", "leave out element 4", None),
    "element for block": (copy, 16, ONE | dict(in_specs=[block(4, lambda i: (i * 4,))]), "block-outside", r"point \(3,\).*args\[0\] 'x' begins at 48.*number of the block", None),
    "a block too far": (copy, 16, ONE | dict(in_specs=[block(4, lambda i: (i + 1,))]), "block-outside", r"\(3,\).*begins at 16", None),
    "a block before": (copy, 16, ONE | dict(in_specs=[block(4, lambda i: (i - 1,))]), "block-outside", r"\(0,\).*begins at -4", None),
    "write a block too far": (copy, 16, ONE | dict(out_specs=block(4, lambda i: (i + 2,))), "block-outside", r"outputs\[0\] 'o' begins at 20", None),
    "too many points": (copy, 16, ONE | dict(grid=(5,)), "block-outside", r"\(4,\)", None),
    "element window outside": (copy, 16, ONE | dict(in_specs=[pl.BlockSpec((pl.Element(4),), lambda i: (i * 6,))]), "block-outside", r"begins at 18", None),
    "sum of a tail": (sum_of_tail, 3, TAIL, "undefined-element", r"element \(2,\) of outputs\[0\] 'o' depends.*\(2,\)", "o[...] ="),
    "maximum of a tail": (largest_of_tail, 3, TAIL, "undefined-element", r"\(2,\)", "o[...] ="),
    "minimum of a tail": (least_of_tail, 3, TAIL, "undefined-element", r"\(2,\)", "o[...] ="),
    "tail times zero": (product_with_zero, 3, TAIL, "undefined-element", r"\(2,\)", "o[...] ="),
    "branch on a tail": (branch_on_tail, 10, dict(grid=(3,), in_specs=[block(4)], out_specs=block(4)), "undefined-element", r"a branch or loop .*\(2,\)", "pl.when"),
    "index from a tail": (index_from_tail, 3, TAIL, "undefined-element", r"an index that.*\(2,\)", "o[...] ="),
    "loop on unwritten": (loop_on_unwritten, 16, ONE | dict(scratch_shapes=[S((4,), I32)]), "undefined-element", r"a branch or loop.*\(0,\)", "o[...] ="),
    "window outside": (window_outside, 16, dict(grid=(4,), out_specs=block(4)), "index-out-of-range", r"element \(3,\) of the view of args\[0\] 'x'.*\(3,\)", "o[...] ="),
    "window before": (window_before, 16, dict(grid=(4,), out_specs=block(4)), "index-out-of-range", r"read .*element \(0,\).*\(0,\)", "o[...] ="),
    "index array outside": (index_array_outside, 16, dict(grid=(4,), out_specs=block(4)), "index-out-of-range", r"args\[0\] 'x'.*\(3,\)", "o[...] ="),
    "write outside": (write_outside, 16, ONE, "index-out-of-range", r"write .* outputs\[0\] 'o'.*\(3,\)", "program_id(0) + 1"),
    "atomic outside": (atomic_outside, 16, ONE, "index-out-of-range", r"write .* outputs\[0\] 'o'.*\(3,\)", "atomic_add"),
    "mask too wide": (mask_too_wide, 20, dict(grid=(5,), out_specs=block(4)), "index-out-of-range", r"element \(0,\).*\(4,\)", "pl.load"),
    "shared element": (shared_element, 2, dict(grid=(4,), in_specs=[block(4)]) | PARALLEL, "kernel-race", r"writes element \(0,\) of outputs\[0\] 'o', which point \(0,\) writes .*point \(1,\)", "// 2"),
    "one block for all": (copy, 4, dict(grid=(4,), in_specs=[block(4)]) | PARALLEL, "kernel-race", r"points \(0,\) and \(1,\) write the same elements of outputs\[0\] 'o'", None),
    "overlapping windows": (copy, 10, dict(grid=(4,), in_specs=[block(4)], out_specs=pl.BlockSpec((pl.Element(4),), lambda i: (2 * i,))) | PARALLEL, "kernel-race", r"points \(0,\) and \(1,\)", None),
    "reads a neighbour": (reads_a_neighbour, 4, dict(grid=(4,), in_specs=[block(4), pl.BlockSpec()], input_output_aliases={1: 0}, args=(X, np.zeros(4, np.float32)), kernel=lambda x, _, o: reads_a_neighbour(x, o)) | PARALLEL, "kernel-race", r"reads element \(0,\)", "o[i] ="),
    "scratch summed over parallel points": (sum_in_scratch, 16, ONE | dict(scratch_shapes=[S((1,), F32)]) | PARALLEL, "kernel-race", r"reads element \(0,\) of scratch\[0\] 's'", "s[...] +="),
    "result summed over parallel points": (sum_over_parallel, 4, dict(grid=(4,), in_specs=[block(4)]) | PARALLEL, "kernel-race", r"outputs\[0\] 'o'", None),
    "debug_check": (checked, 16, ONE, "debug-check", r"too large", "debug_check"),
    "prefetched block outside": (copy, 16, PREFETCH([0, 1, 4, 2]) | dict(kernel=lambda at, x, o: copy(x, o)), "block-outside", r"args\[1\] 'x' lies outside.*\(2,\)", None),
    "scoped memory before written": (scoped_before_written, 16, ONE, "undefined-element", r"element \(0,\) of outputs\[0\] 'o' depends.*point \(0,\)", "pl.run_scoped"),
    "mask from a tail": (mask_from_tail, 10, dict(grid=(3,), in_specs=[block(4)], out_specs=block(4)), "undefined-element", r"element \(8,\) of outputs\[0\] 'o' depends.*\(2,\)", "o[...] ="),
    "an alias that a neighbour reads": (next_block_plus_one, 16, dict(grid=(3,), in_specs=[block(4, lambda i: (i + 1,))], out_specs=block(4), input_output_aliases={0: 0}) | PARALLEL, "kernel-race", r"writes element \(4,\) of args\[0\] 'x', which point \(0,\) reads .*point \(1,\)", "x[...] + 1"),
    "behind a bounded slice": (sum_of_tail, 4, dict(grid=(4,), in_specs=[pl.BlockSpec((pl.BoundedSlice(4),), lambda i: (pl.ds(4 * i, 4 - i),))], out_specs=block(1), args=(X,)), "index-out-of-range", r"element \(3,\) of the view of args\[0\] 'x' lies outside.*\(1,\)", "ko.sum"),
    "a chosen place outside": (copy, 16, dict(grid=(4,), in_specs=[pl.BlockSpec((pl.Indirect(4),), lambda i: (ko.arange(4) * 5 + i,))], out_specs=block(4)), "index-out-of-range", r"element \(3,\) of the view of args\[0\] 'x' lies outside.*\(1,\)", None),
    "an update of unwritten memory": (old_of_unwritten, 16, ONE | SCRATCH, "undefined-element", r"of outputs\[0\] 'o' depends.*\(0,\)", "atomic_cas"),
    "loop until a tail": (loop_until_tail, 10, dict(grid=(3,), in_specs=[block(4)], out_specs=block(4)), "undefined-element", r"a branch or loop.*\(2,\)", "while_loop"),
    "prefetched block before": (copy, 16, PREFETCH([0, -1, 3, 2]) | dict(kernel=lambda at, x, o: copy(x, o)), "block-outside", r"args\[1\] 'x' lies outside.*\(1,\)", None),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_mistake_is_found(name):
    kernel, size, options, slug, words, text = MISTAKES[name]
    options = dict(options)
    args = options.pop("args", (X[:10] if "tail" in name else X,))
    with pytest.raises(ko.KolamError, match=f"(?s)\\[{slug}\\].*{words}") as raised:
        call(options.pop("kernel", kernel), S((size,), F32), *args, **options)
    if text:
        line = line_of(kernel, text)
        assert re.search(rf"kernel_checks_test.py:{line}\b", str(raised.value)), (line, str(raised.value))


def test_matmul_without_initialisation():
    specs = dict(
        grid=(2, 2, 2),
        in_specs=[pl.BlockSpec((2, 2), lambda i, j, k: (i, k)), pl.BlockSpec((2, 2), lambda i, j, k: (k, j))],
        out_specs=pl.BlockSpec((2, 2), lambda i, j, k: (i, j)),
    )
    with pytest.raises(ko.KolamError, match=r"\[undefined-element\].*outputs\[0\] 'o'"):
        call(never_initialised, S((4, 4), F32), ROWS, ROWS, **specs)


# Correct kernels.


def matmul(x, y, o, acc):
    @pl.when(pl.program_id(2) == 0)
    def _():
        acc[...] = ko.zeros(acc.shape)

    acc[...] += x[...] @ y[...]

    @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
    def _():
        o[...] = acc[...]


def masked_sum(x, o):
    inside = ko.arange(4) < x.valid_shape[0]
    o[...] = ko.sum(ko.where(inside, x[...], 0), keepdims=True)


def padded_max(x, o):
    o[...] = ko.max(x[...], keepdims=True)


def counts(x, o):
    o[...] = ko.zeros_like(o)
    pl.atomic_add(o, x[...].astype(I32) % 3, 1.0)


def swapped(x, o, s):
    s[...] = x[...]
    o[...] = pl.swap(s, ..., ko.zeros(4))


def masked_write(x, o):
    at = ko.arange(4) + 4 * pl.program_id(0)
    pl.store(o, at, x[...], mask=at < 10)


def scoped(x, o):
    def body(t):
        t[...] = x[...] * 2
        o[...] = t[...]

    pl.run_scoped(body, S((4,), F32))


ORDERS = [pl.InterpretParams(), pl.InterpretParams("reversed"), pl.InterpretParams("random", 1), pl.InterpretParams("random", 2), False]
MATMUL = dict(
    grid=(2, 2, 2), scratch_shapes=[S((2, 2), F32)], dimension_semantics=["parallel", "parallel", "arbitrary"],
    in_specs=[pl.BlockSpec((2, 2), lambda i, j, k: (i, k)), pl.BlockSpec((2, 2), lambda i, j, k: (k, j))],
    out_specs=pl.BlockSpec((2, 2), lambda i, j, k: (i, j)),
)  # fmt: skip
TEN = X[:10]
CORRECT = {
    "copy": (copy, (16,), (X,), ONE | PARALLEL, X),
    "tail": (copy, (10,), (TEN,), dict(grid=(3,), in_specs=[block(4)], out_specs=block(4)) | PARALLEL, TEN),
    "matmul": (matmul, (4, 4), (ROWS, ROWS), MATMUL, ROWS @ ROWS),
    "masked sum": (masked_sum, (3,), (TEN,), TAIL | PARALLEL, np.array([6, 22, 17], np.float32)),
    "padded maximum": (padded_max, (3,), (TEN,), TAIL | PARALLEL | dict(in_specs=[block(4, pad=-np.inf)]), np.array([3, 7, 9], np.float32)),
    "atomics": (counts, (3,), (X,), {}, np.array([6, 5, 5], np.float32)),
    "swap": (swapped, (16,), (X,), ONE | PARALLEL | SCRATCH, X),
    "masked write": (masked_write, (10,), (TEN,), dict(grid=(3,), in_specs=[block(4)]) | PARALLEL, TEN),
    "scoped": (scoped, (16,), (X,), ONE | PARALLEL, 2 * X),
}  # fmt: skip


@pytest.mark.parametrize("order", ORDERS, ids=str)
@pytest.mark.parametrize("name", CORRECT)
def test_correct_kernels_report_nothing(name, order):
    kernel, shape, args, options, expected = CORRECT[name]
    assert np.array_equal(call(kernel, S(shape, F32), *args, interpret=order, **options), expected)


def test_native_runs_check_places_and_show_poison():
    with pytest.raises(ko.KolamError, match=r"\[index-out-of-range\] kernel 'window_outside'.*args\[0\] 'x'"):
        call(window_outside, S((16,), F32), X, interpret=False, grid=(4,), out_specs=block(4))
    with pytest.raises(ko.KolamError, match=r"\[block-outside\].*args\[1\] 'x'"):
        spec = PREFETCH([0, 1, 4, 2])
        call(lambda at, x, o: copy(x, o), S((16,), F32), *spec["args"], interpret=False, grid_spec=spec["grid_spec"])
    with pytest.raises(ko.KolamError, match=r"\[debug-check\] too large"):
        call(checked, S((16,), F32), X, interpret=False, **ONE)
    assert np.isnan(call(unwritten_scratch, S((16,), F32), X, interpret=False, **ONE, **SCRATCH)).all()
    sums = np.asarray(call(sum_of_tail, S((3,), F32), TEN, interpret=False, **TAIL))
    assert sums[:2].tolist() == [6, 22] and np.isnan(sums[2])
    assert np.array_equal(call(copy, S((16,), F32), X, interpret=False, **ONE), X)  # the process goes on


def test_debug_check_asks_for_checks():
    assert np.array_equal(pl.pallas_call(checked, S((16,), F32), **ONE)(X), X)
    with pytest.raises(ko.KolamError, match=r"\[outside-kernel\]"):
        pl.debug_check(True, "never")


def test_wrong_orders():
    with pytest.raises(ko.KolamError, match=r"\[bad-kernel\].*'sideways'"):
        call(copy, S((16,), F32), X, interpret=pl.InterpretParams("sideways"), **ONE)
    with pytest.raises(ko.KolamError, match=r"\[argument-type\].*'interpret'"):
        call(copy, S((16,), F32), X, interpret="yes", **ONE)
