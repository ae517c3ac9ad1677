"""Derivatives of kernels that run as loops over their grids: what points keep, what they compute again, which loops threads share."""

import re

import numpy as np
import pytest
from derivatives.checks import assert_near, assert_same_bits, interpreted

import kolam as ko
from kolam import kernels
from kolam import pallas as pl
from kolam.kernels import _attention

RNG = np.random.default_rng(11)
MIB = 2**20


def drawn(*shape, dtype=np.float64):
    return ko.asarray(RNG.standard_normal(shape).astype(dtype))


def like(*shape, dtype=ko.float64):
    return ko.ShapeDtypeStruct(shape, dtype)


MIX = ko.asarray(np.random.default_rng(4).standard_normal((3, 3)) / 2)


def mixed(x):
    """What makes a step more than a function of elements, so that calls are loops over their grids."""
    return ko.sin(x @ MIX)


def rows_before(x, y):
    """Row block i reads the blocks of y up to its own one by one: a loop whose length differs from point to point."""

    def kernel(x_ref, y_ref, o_ref):
        own = x_ref[...]
        o_ref[...] = ko.fori_loop(0, pl.program_id(0) + 1, lambda j, found: mixed(found + own * y_ref[pl.ds(j * 2, 2)]), ko.zeros((2, 3), dtype=ko.float64))

    row, whole = pl.BlockSpec((2, 3), lambda i: (i, 0)), pl.BlockSpec((8, 3), lambda i: (0, 0))
    return pl.pallas_call(kernel, like(8, 3), grid=(4,), in_specs=[row, whole], out_specs=row)(x, y)


def many_steps(x):
    """Each point keeps states of up to 40 steps, many times what its arrays hold."""

    def kernel(x_ref, o_ref):
        o_ref[...] = ko.fori_loop(0, 38 + pl.program_id(0), lambda _, y: ko.sin(y @ x_ref[...]) + 0.5 * y, x_ref[...])

    spec = pl.BlockSpec((None, 16, 16), lambda i: (i, 0, 0))
    return pl.pallas_call(kernel, like(3, 16, 16), grid=(3,), in_specs=[spec], out_specs=spec)(x * 0.2)


def fixed_steps(x, steps=20):
    """As many steps at each point, so that what all would keep has an extent."""

    def kernel(x_ref, o_ref):
        o_ref[...] = ko.fori_loop(0, steps, lambda _, y: ko.sin(y @ x_ref[...]) + 0.5 * y, x_ref[...])

    spec = pl.BlockSpec((None, 136, 136), lambda i: (i, 0, 0))
    return pl.pallas_call(kernel, like(*x.shape), grid=x.shape[:1], in_specs=[spec], out_specs=spec)(x * 0.05)


def running_in_scratch(x, y):
    """A scratch array goes on along the last axis, and what it becomes depends on what it was."""

    def kernel(x_ref, y_ref, o_ref, sum_ref):
        @pl.when(pl.program_id(1) == 0)
        def _():
            sum_ref[...] = ko.zeros((2, 3), dtype=ko.float64)

        sum_ref[...] = ko.fori_loop(0, pl.program_id(0) + 1, lambda j, sums: mixed(sums + x_ref[...] * y_ref[j]), sum_ref[...])

        @pl.when(pl.program_id(1) == 2)
        def _():
            o_ref[...] = ko.tanh(sum_ref[...])

    return pl.pallas_call(
        kernel, like(8, 3), grid=(4, 3), scratch_shapes=[like(2, 3)], out_specs=pl.BlockSpec((2, 3), lambda i, k: (i, 0)),
        in_specs=[pl.BlockSpec((2, 3), lambda i, k: (i, k)), pl.BlockSpec((4, 3), lambda i, k: (k, 0))],
    )(x, y)  # fmt: skip


def changed_in_place(x, y):
    """Rows of x and y are changed, some twice, by as many steps as the point says; what they become depends on what they were."""

    def kernel(x_ref, y_ref, o_ref, p_ref):
        rows, others = x_ref[...], y_ref[...]
        o_ref[...] = ko.fori_loop(0, pl.program_id(0) + 1, lambda _, rows: mixed(rows) * others, rows)
        p_ref[...] = others * ko.tanh(rows)

    at = pl.BlockSpec((2, 3), lambda i: (i % 3, 0))
    call = pl.pallas_call(kernel, (like(8, 3), like(8, 3)), grid=(4,), in_specs=[at, at], out_specs=(at, at), input_output_aliases={0: 0, 1: 1})
    one, other = call(x, y)
    return one + 2 * other


def overlapping(x):
    """Neighbours read rows of each other."""

    def kernel(x_ref, o_ref):
        def step(j, found):
            return mixed(found + x_ref[pl.ds(pl.program_id(0) * 2 + j, 2)])

        o_ref[...] = ko.fori_loop(0, pl.program_id(0) % 2 + 2, step, ko.zeros((2, 3), dtype=ko.float64))

    specs = {"in_specs": [pl.BlockSpec((10, 3), lambda i: (0, 0))], "out_specs": pl.BlockSpec((2, 3), lambda i: (i, 0))}
    return pl.pallas_call(kernel, like(8, 3), grid=(4,), **specs)(x)


def overlapping_blocks(x):
    """Blocks of 4 rows, each of which begins 2 rows behind the one before."""

    def kernel(x_ref, o_ref):
        rows = x_ref[...]
        o_ref[...] = ko.fori_loop(0, pl.program_id(0) + 1, lambda _, found: mixed(found + rows[:2] * rows[2:]), ko.zeros((2, 3), dtype=ko.float64))

    specs = {"in_specs": [pl.BlockSpec((pl.Element(4), 3), lambda i: (i * 2, 0))], "out_specs": pl.BlockSpec((2, 3), lambda i: (i, 0))}
    return pl.pallas_call(kernel, like(8, 3), grid=(4,), **specs)(x)


def with_tails(x):
    """Blocks of 3 of 7 rows."""

    def kernel(x_ref, o_ref):
        o_ref[...] = ko.fori_loop(0, pl.program_id(0) + 1, lambda _, y: mixed(y) + ko.sum(y * y, axis=0), x_ref[...])

    spec = pl.BlockSpec((3, 3), lambda i: (i, 0), pad=0.5)
    return pl.pallas_call(kernel, like(7, 3), grid=(3,), in_specs=[spec], out_specs=spec)(x)


TABLE = ko.asarray(np.array([3, 0, 3, 1], np.int32))


def chosen_by_a_table(x):
    def kernel(table_ref, x_ref, o_ref):
        o_ref[...] = ko.fori_loop(0, table_ref[pl.program_id(0)] + 1, lambda _, y: mixed(y * x_ref[...]), x_ref[...])

    grid = pl.PrefetchScalarGridSpec(
        num_scalar_prefetch=1, grid=(4,), in_specs=[pl.BlockSpec((2, 3), lambda i, table: (table[i], 0))], out_specs=pl.BlockSpec((2, 3), lambda i, table: (i, 0)),
    )  # fmt: skip
    return pl.pallas_call(kernel, like(8, 3), grid_spec=grid)(TABLE, x)


def along_two_axes(x, y):
    """Gradients of x are summed along the second axis, those of y along the first."""

    def kernel(x_ref, y_ref, o_ref):
        o_ref[...] = ko.fori_loop(0, pl.program_id(0) + 1, lambda _, s: mixed(s + x_ref[...] * y_ref[...]), ko.zeros((2, 3), dtype=ko.float64))

    return pl.pallas_call(
        kernel, like(8, 9), grid=(4, 3), out_specs=pl.BlockSpec((2, 3), lambda i, j: (i, j)),
        in_specs=[pl.BlockSpec((2, 3), lambda i, j: (i, 0)), pl.BlockSpec((2, 3), lambda i, j: (0, j))],
    )(x, y)  # fmt: skip


def rows_in_a_loop(x):
    """A loop of the body writes its result row by row: what it wrote is no part of what is computed again."""

    def kernel(x_ref, o_ref):
        def row(j, carried):
            carried = mixed(carried + x_ref[pl.ds(j, 1)])
            o_ref[pl.ds(j, 1)] = carried
            return carried

        ko.fori_loop(0, 2 + pl.program_id(0), row, ko.zeros((1, 3), dtype=ko.float64))

    spec = pl.BlockSpec((None, 5, 3), lambda i: (i, 0, 0))
    return pl.pallas_call(kernel, like(4, 5, 3), grid=(4,), in_specs=[spec], out_specs=spec)(x)


CASES = {
    "rows before": (rows_before, (drawn(8, 3), drawn(8, 3))),
    "many steps": (many_steps, (drawn(3, 16, 16),)),
    "running in scratch": (running_in_scratch, (drawn(8, 9), drawn(12, 3))),
    "changed in place": (changed_in_place, (drawn(8, 3), drawn(8, 3))),
    "overlapping": (overlapping, (drawn(10, 3),)),
    "overlapping blocks": (overlapping_blocks, (drawn(10, 3),)),
    "with tails": (with_tails, (drawn(7, 3),)),
    "chosen by a table": (chosen_by_a_table, (drawn(8, 3),)),
    "rows in a loop": (rows_in_a_loop, (drawn(4, 5, 3),)),
    "along two axes": (along_two_axes, (drawn(8, 3), drawn(2, 9))),
}
EVERY = pytest.mark.parametrize("name", CASES)


def gradient_of(name):
    function, arguments = CASES[name]
    return ko.value_and_grad(lambda *given: ko.sum(function(*given) ** 2), argnums=tuple(range(len(arguments)))), arguments


def flat(result):
    value, gradients = result
    return [value, *gradients]


@pytest.fixture
def threads():
    before = ko.get_num_threads()
    yield ko.set_num_threads
    ko.set_num_threads(before)


@EVERY
def test_beside_differences(name):
    function, arguments = CASES[name]
    ko.check_grads(lambda *given: ko.sum(function(*given) ** 2), arguments, order=1)


@EVERY
def test_native_code_has_the_bits_of_the_interpreter_on_one_thread_and_two(name, threads):
    gradient, arguments = gradient_of(name)
    expected, native = flat(interpreted(gradient)(*arguments)), ko.jit(gradient)
    for count in (1, 2):
        threads(count)
        assert_same_bits(flat(native(*arguments)), expected, f"{count} threads")


def explained(function, *arguments):
    gradient = ko.jit(ko.grad(lambda *given: ko.sum(function(*given) ** 2), argnums=tuple(range(len(arguments)))))
    return gradient, gradient.explain(*arguments)


def test_points_that_keep_more_than_their_arrays_hold_are_computed_again():
    x, more = drawn(5, 136, 136), ko.ShapeDtypeStruct((14, 136, 136), ko.float64)
    gradient, text = explained(fixed_steps, x)
    assert re.search(rf"computes points of kernel kernel \(derive_kernel_points_test.py:\d+\) again: keeping \d+ bytes of all is more than its arrays hold, {2 * 8 * 5 * 136 * 136}", text)
    few, many = (gradient.lower(given).cost()["arena_bytes"] for given in (x, more))
    assert many - few < 20 * 9 * 136 * 136 * 8, "nine points more keep no states of their 20 steps"
    assert_same_bits(gradient(x), interpreted(ko.grad(lambda x: ko.sum(fixed_steps(x) ** 2)))(x), "computed again")


def test_points_that_keep_little_keep_it():
    x, once = drawn(2, 136, 136), lambda x: fixed_steps(x, steps=1)
    gradient, text = explained(once, x)
    assert re.search(r"keeps what points of kernel kernel \(.*\) compute, \d+ bytes: computing it again takes \d+ operations, which cost more", text)
    assert "turns shared by threads" in text
    assert_same_bits(gradient(x), interpreted(ko.grad(lambda x: ko.sum(once(x) ** 2)))(x), "kept")


@EVERY
def test_instances_have_the_bits_of_single_calls(name):
    function, arguments = CASES[name]
    gradient = ko.grad(lambda *given: ko.sum(function(*given) ** 2), argnums=tuple(range(len(arguments))))
    calls = [arguments, [a * 0.5 + 0.25 for a in arguments]]
    expected = [ko.stack(each) for each in zip(*[interpreted(gradient)(*call) for call in calls], strict=True)]
    assert_same_bits(ko.jit(ko.vmap(gradient))(*[ko.stack(each) for each in zip(*calls, strict=True)]), expected, "instances")


@pytest.mark.parametrize(("name", "summed"), [("with tails", False), ("many steps", False), ("rows before", True), ("overlapping blocks", True), ("chosen by a table", True)])
def test_threads_share_the_axes_along_which_nothing_is_summed(name, summed):
    """The loop of the values, and that of the gradients where blocks are of one point each."""
    function, arguments = CASES[name]
    _, text = explained(function, *arguments)
    assert "loops over its grid" in ko.jit(function).explain(*arguments)
    assert ("are summed along an axis of" in text) == summed
    assert text.count("turns shared by threads") >= 2 - summed


def attention_from_its_body(q, k, v, **options):
    given = {"causal": False, "window": None, "segment_ids": None, "scale": None, "block_q": None, "interpret": False} | options
    return _attention._attention(q, k, v, **given)


ATTENTION = [{}, {"causal": True}, {"window": (40, 10)}]


@pytest.mark.parametrize("options", ATTENTION, ids=str)
def test_attention_from_its_body_beside_its_rule(options):
    q, k, v, w = (drawn(1, 2, 260, 16) for _ in range(4))
    loss = lambda attention: ko.value_and_grad(lambda *given: ko.sum(attention(*given, **options) * w), argnums=(0, 1, 2))  # noqa: E731
    found, expected = ko.jit(loss(attention_from_its_body))(q, k, v), ko.jit(loss(kernels.attention))(q, k, v)
    for own, other in zip(flat(found), flat(expected), strict=True):
        assert_near(own, other, "attention", 1e-11)


@pytest.mark.parametrize("options", ATTENTION, ids=str)
def test_attention_from_its_body_has_the_bits_of_the_interpreter(options, threads):
    arrays = [drawn(1, 2, 150, 8, dtype=np.float32) for _ in range(3)]
    gradient = ko.value_and_grad(lambda *given: ko.sum(attention_from_its_body(*given, **options) ** 2), argnums=(0, 1, 2))
    expected, native = flat(interpreted(gradient)(*arrays)), ko.jit(gradient)
    for count in (1, 2):
        threads(count)
        assert_same_bits(flat(native(*arrays)), expected, f"{count} threads")


@pytest.mark.parametrize("options", ATTENTION[:2], ids=str)
def test_attention_from_its_body_holds_little_beside_its_arrays(options):
    arrays = [ko.ShapeDtypeStruct((1, 8, 8192, 64), ko.float32)] * 3
    gradient = ko.value_and_grad(lambda *given: ko.sum(attention_from_its_body(*given, **options)), argnums=(0, 1, 2))
    assert ko.jit(gradient).lower(*arrays).cost()["arena_bytes"] < 64 * MIB


def test_axes_of_no_points():
    """A grid of no points writes nothing: the gradient is zero, and the loop that stacks what points keep has no step."""

    def kernel(x, o):
        o[...] = ko.sin(x[...]) * x[...]

    block = pl.BlockSpec((2, 1), lambda i, j: (i, j))
    call = pl.pallas_call(kernel, ko.ShapeDtypeStruct((4, 3), ko.float32), grid=(2, 0), in_specs=[block], out_specs=block)
    x = np.ones((4, 3), np.float32)
    for backend in ("cpu", "interpret"):
        value, gradient = ko.jit(ko.value_and_grad(lambda x: ko.sum(call(x))), backend=backend)(x)
        assert value == 0 and not np.asarray(gradient).any()
