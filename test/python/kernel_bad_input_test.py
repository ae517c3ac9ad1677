"""What a stranger may pass to kernels: everything wrong is refused by name, and nothing else happens."""

import threading

import kolam as ko
import numpy as np
import pytest
from kolam import pallas as pl

F32, I8 = ko.float32, ko.int8
S = ko.ShapeDtypeStruct
X = np.arange(8, dtype=np.float32)
OUT = S((8,), F32)


def copy(x, o):
    o[...] = x[...]


def call(kernel=copy, out=OUT, args=(X,), **options):
    return pl.pallas_call(kernel, out, **options)(*args)


def block(index_map=lambda i: (i,), shape=(4,), **options):
    return pl.BlockSpec(shape, index_map, **options)


def in_kernel(action, **options):
    """Runs `action` on the Refs of a kernel with a grid of one point."""
    return lambda: call(lambda x, o, *s: action(x, o, *s) and None, grid=1, **options)


def with_block(shape, **options):
    return lambda: call(grid=2, in_specs=[block(lambda i: i, shape, **options)], out_specs=block())


def prefetched(count, index_map=lambda i, *t: i):
    spec = pl.PrefetchScalarGridSpec(num_scalar_prefetch=count, grid=2, in_specs=[block(index_map)], out_specs=block(lambda i, *t: i))
    return lambda: pl.pallas_call(lambda t, x, o: copy(x, o), OUT, grid_spec=spec)(np.array([0, 1], np.int32), X)


def writes_in_a_map(i, t):
    t[0] = 1
    return t[i]


BYTES = np.arange(8, dtype=np.int8)
GRID = r"argument 'grid': expected extents from 0 to 2147483647 and integer scalars, but got "
WRONG = {
    "a grid of NaN": (lambda: call(grid=float("nan")), GRID + "nan for axis 0"),
    "a grid of a float": (lambda: call(grid=2.0), GRID + "2.0 for axis 0"),
    "a grid of a text": (lambda: call(grid=(2, "4")), GRID + "'4' for axis 1"),
    "a grid of None": (lambda: call(grid=None), GRID + "None"),
    "a grid of a bool": (lambda: call(grid=True), GRID + "True"),
    "a grid of a dict": (lambda: call(grid={"i": 2}), GRID + "a dict"),
    "a grid of a generator": (lambda: call(grid=(n for n in [2])), GRID + "a generator"),
    "a grid of an array": (lambda: call(grid=np.array([2, 2])), GRID + r"int64\[2\] for axis 0"),
    "a grid beyond 64 bits": (lambda: call(grid=10**30), "argument 'grid': expected an integer of 64 bits"),
    "axes of one name": (lambda: call(grid=(("i", 2), ("i", 2))), "expected pairs of a name of its own and an extent"),
    "axes without names": (lambda: call(grid=((1, 2), (3, 4))), "expected pairs of a name of its own and an extent"),
    "a block of a float": (with_block((4.0,)), "argument 'block_shape': expected an integer, but got 4.0"),
    "a block of less than none": (with_block((-4,)), "sizes of at least 1, but got -4"),
    "a block beyond memory": (with_block((2**62,)), r"\[extent-overflow\]"),
    "padding of a text": (with_block((pl.Element(4, "ab"),)), "argument 'padding' of Element: expected .elements in front, elements behind., but got 'ab'"),
    "padding on one side": (with_block((pl.Element(4, (1,)),)), r"argument 'padding' of Element: expected \(elements in front, elements behind\), but got \(1,\)"),
    "padding of less than none": (with_block((pl.Element(4, (-1, 0)),)), r"Block shape for args\[0\]: expected padding of at least 0, but got \(-1, 0\)"),
    "a map that is none": (lambda: call(grid=2, in_specs=[block(3)]), "argument 'index_map' of BlockSpec: expected a function of the coordinates, but got 3"),
    "a map that writes": (prefetched(1, writes_in_a_map), r"\[bad-kernel\] Index map function writes_in_a_map at .* for args\[1\]: expected a function that only reads Refs"),
    "a pad of a text": (with_block((4,), pad="a"), "argument 'pad'"),
    "a pad of an array": (with_block((4,), pad=X), r"argument 'pad' of the BlockSpec for args\[0\]: expected a number that float32 holds, but got float32\[8\]"),
    "a traced pad": (lambda: ko.jit(lambda p: call(in_specs=[pl.BlockSpec(pad=p)]))(1.0), r"argument 'pad' of the BlockSpec for args\[0\].* a traced float32\[\]"),
    "a pad that does not fit": (lambda: call(args=(BYTES,), out=S((8,), I8), in_specs=[pl.BlockSpec(pad=1000)]), "a number that int8 holds"),
    "a pad of NaN for integers": (lambda: call(args=(BYTES,), out=S((8,), I8), in_specs=[pl.BlockSpec(pad=np.nan)]), "a number that int8 holds"),
    "a pad of a fraction": (lambda: call(args=(BYTES,), out=S((8,), I8), in_specs=[pl.BlockSpec(pad=1.5)]), "a number that int8 holds"),
    "scratch of a number": (lambda: call(scratch_shapes=3), "argument 'scratch_shapes': expected a list or a dict of ShapeDtypeStructs, but got 3"),
    "scratch of None": (lambda: call(scratch_shapes=None), "argument 'scratch_shapes': expected a list or a dict"),
    "scratch beyond memory": (in_kernel(lambda x, o, s: o.set(s[0, :8]), scratch_shapes=[S((2**33, 2**33), F32)]), r"\[extent-overflow\]"),
    "a result beyond memory": (lambda: call(lambda x, o: None, out=S((2**42,), F32)), r"\[out-of-memory\]"),
    "less than no prefetched inputs": (prefetched(-1), "'num_scalar_prefetch': expected a number of inputs, from 0 to 2, but got -1"),
    "more prefetched inputs": (prefetched(7), "from 0 to 2, but got 7"),
    "half a prefetched input": (prefetched(0.5), "argument 'num_scalar_prefetch': expected an integer, but got 0.5"),
    "a grid_spec of a text": (lambda: call(grid_spec="a"), "argument 'grid_spec': expected a GridSpec or a PrefetchScalarGridSpec, but got 'a'"),
    "two grids": (lambda: call(grid_spec=pl.GridSpec(grid=2), grid=3), "argument 'grid': expected it in 'grid_spec' alone"),
    "aliases of a text": (lambda: call(input_output_aliases="a"), "argument 'input_output_aliases': expected {input: output}, but got 'a'"),
    "an alias of a half": (lambda: call(input_output_aliases={0.5: 0}), "argument 'input_output_aliases': expected an integer, but got 0.5"),
    "an alias of two inputs": (
        lambda: call(lambda x, y, o: o.set(y[...]), args=(X, X), input_output_aliases={0: 0, 1: 0}),
        "contains the mapping '1:0' beside '0:0', but a result is the memory of one input",
    ),
    "semantics of a text": (lambda: call(grid=2, dimension_semantics="parallel"), r"expected a word for each axis, \['parallel'\]"),
    "semantics of numbers": (lambda: call(grid=2, dimension_semantics=[1]), "argument 'dimension_semantics': expected a string"),
    "a name of a number": (lambda: call(name=3), "argument 'name': expected a string"),
    "a generator": (lambda: call(lambda x, o: (yield)), "should return None, but returned generator"),
    "a Ref returned": (lambda: call(lambda x, o: o), "should return None, but returned Ref"),
    "Refs compared": (in_kernel(lambda x, o: x == o), "did you forget to read it"),
    "a mask of integers": (in_kernel(lambda x, o: o.set(pl.load(x, mask=ko.arange(8)))), r"argument 'mask': expected booleans, such as mask != 0, but got int32\[8\]"),
    "None stored": (in_kernel(lambda x, o: o.set(None)), "argument 'value': expected an array"),
    "None stored at": (in_kernel(lambda x, o: pl.store(o, ..., None)), "argument 'value': expected an array"),
    "a number too large stored": (in_kernel(lambda x, o: o.set(1000), out=S((8,), I8)), "expected a scalar in the range of int8, but got 1000"),
    "two open extents": (in_kernel(lambda x, o: x.reshape(-1, -1)), r"argument 'shape': expected at most one -1, which the other extents decide, but got \[-1, -1\]"),
    "an open extent beside none": (in_kernel(lambda x, o: x.reshape(-1, 0)), "expected at most one -1"),
    "extents of less than none": (in_kernel(lambda x, o: x.reshape(-2, -4)), "expected extents of at least 0, or one -1"),
    "axes of a text": (in_kernel(lambda x, o: x.transpose("a")), "argument 'axes': expected an integer, but got 'a'"),
    "a window of less than none": (in_kernel(lambda x, o: x[pl.ds(0, -2)]), "expected a ds of at least 0 elements"),
    "a window that wraps": (in_kernel(lambda x, o: x[pl.ds(pl.program_id(0), 5, 2**62)]), "a ds whose size times stride is below"),
    "a window of NaN": (in_kernel(lambda x, o: x[pl.ds(0, float("nan"))]), "argument 'size': expected an integer, but got nan"),
    "bits of floats": (in_kernel(lambda x, o: pl.atomic_and(o, ..., x[...])), "argument 'ref': expected a Ref of integers or booleans, but got one of float32"),
    "sums of booleans": (in_kernel(lambda x, o: pl.atomic_add(o, ..., x[...] > 0), out=S((8,), ko.bool)), "argument 'ref': expected a Ref of integers or floats"),
    "an axis of a text": (in_kernel(lambda x, o: pl.program_id("i")), "program_id: .*argument 'axis': expected an integer, but got 'i'"),
    "a traced axis": (in_kernel(lambda x, o: pl.program_id(pl.program_id(0))), "argument 'axis': expected a number that is known"),
    "a condition of None": (in_kernel(lambda x, o: pl.when(None)(lambda: None)), "argument 'condition': expected an array"),
    "a condition of many": (in_kernel(lambda x, o: pl.when(x[...] > 0)(lambda: None)), r"argument 'condition': expected a boolean scalar, but got bool\[8\]; reduce it with all or any"),
    "a branch that returns": (in_kernel(lambda x, o: pl.when(pl.program_id(0) == 0)(lambda: x[...])), "The function .* should return None, but returned Tensor; write what it computes to a Ref"),
    "a loop without steps": (in_kernel(lambda x, o: pl.loop(0, 8, step=0)), "argument 'step': expected an integer other than 0"),
    "a loop to a text": (in_kernel(lambda x, o: pl.loop(0, "a")), "argument 'upper': expected an integer scalar, but got 'a'"),
    "a message of a number": (in_kernel(lambda x, o: pl.debug_check(True, 3), checks=True), "argument 'message': expected a string"),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_refused(what):
    wrong, words = WRONG[what]
    with pytest.raises(ko.KolamError, match=words) as raised:
        wrong()
    assert "internal" not in str(raised.value)
    assert np.array_equal(call(), X)  # the process goes on, and no trace is left open


def test_errors_say_the_users_line():
    def kernel(x, o):
        pl.atomic_and(o, ..., x[...])

    with pytest.raises(ko.KolamError, match=rf"kernel_bad_input_test.py:{kernel.__code__.co_firstlineno + 1}"):
        call(kernel)


@pytest.mark.parametrize("error", [ZeroDivisionError, SystemExit, KeyboardInterrupt])
def test_exceptions_of_a_body_pass(error):
    def kernel(x, o):
        @pl.when(pl.program_id(0) == 0)
        def _():
            raise error("mine")

    with pytest.raises(error, match="mine"):
        call(kernel, grid=1)
    assert np.array_equal(call(), X)


def test_a_kernel_that_calls_itself():
    def kernel(x, o):
        call(kernel, args=(x[...],))

    with pytest.raises(RecursionError):
        call(kernel)
    assert np.array_equal(call(), X)


def test_refs_stay_in_their_thread_and_scope():
    raised, kept = [], []

    def elsewhere(action):
        try:
            action()
        except ko.KolamError as error:
            raised.append(str(error))

    def kernel(x, o):
        for action in (lambda: x[...], lambda: o.set(1.0), lambda: pl.program_id(0)):
            thread = threading.Thread(target=elsewhere, args=(action,))
            thread.start()
            thread.join()

        @pl.when(pl.program_id(0) == 0)
        def _():
            pl.run_scoped(kept.append, OUT)
            kept.append(o.at[pl.ds(pl.program_id(0), 2)])

        elsewhere(lambda: o.set(kept[0][...]))
        elsewhere(lambda: o.at[:2].set(kept[1][...]))
        o[...] = x[...]

    assert np.array_equal(call(kernel, grid=1), X)
    assert [("escaped-tracer" in words or "outside-kernel" in words) for words in raised] == [True] * 5


def test_calls_from_many_threads():
    results = []
    threads = [threading.Thread(target=lambda: results.append(np.asarray(call(grid=2, in_specs=[block()], out_specs=block())))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 8 and all(np.array_equal(result, X) for result in results)


def test_a_negative_bound_is_no_point():
    def bounded(n):
        return pl.pallas_call(lambda o: o.set(ko.ones(8)), OUT, grid=n)()

    for n in (-5, 0, -(2**31)):
        assert not np.asarray(ko.jit(bounded)(np.int32(n))).any()
    assert not np.asarray(ko.jit(bounded)(np.int64(-(2**63)))).any()
