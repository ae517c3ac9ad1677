"""What is said of calls of kernels that are wrong: the words, the operand and the user's line."""

import kolam as ko
import numpy as np
import pytest
from kolam import pallas as pl

X = np.ones(8, np.float32)
OUT = ko.ShapeDtypeStruct((8,), ko.float32)


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


def nothing(x_ref, o_ref):
    pass


def my_kernel(x_ref, o_ref):
    return ()


def my_index_map(i):
    return i, i


def stores_a_ref(x_ref, o_ref):
    o_ref[...] = x_ref


def call(kernel=nothing, out=OUT, args=(X,), **options):
    return pl.pallas_call(kernel, out, **options)(*args)


def block(index_map, shape=(4,)):
    return [pl.BlockSpec(shape, index_map)]


def writes_in_a_condition(x_ref, o_ref):
    def condition(i):
        o_ref[0] = 1.0
        return i < 3

    ko.while_loop(condition, lambda i: i + 1, 0)


def maps_with_a_ref(x_ref, o_ref):
    ko.fractal.map(lambda row: row + x_ref[0], ko.fractal.FractalTensor([X, X]))


WRONG = {
    "a write in a condition": (lambda: call(writes_in_a_condition), ValueError, "the condition of a loop to read Refs only"),
    "a Ref in a map of a list": (lambda: call(maps_with_a_ref), ValueError, "uses a Ref; read its elements before"),
    "too few Refs": (lambda: call(lambda x_ref: None), TypeError, r"\[call-mismatch\] argument 'kernel': expected a function of 2 arguments \(Refs of 1 input, 1 result\), but got one of \(x_ref\)"),
    "a result": (lambda: call(my_kernel), TypeError, r"The kernel function my_kernel at .*:\d+ should return None, but returned tuple; write results to Refs"),
    "one spec": (lambda: call(in_specs=pl.BlockSpec()), TypeError, r"`in_specs` must be a tuple or a list, but got BlockSpec; write \[spec\]"),
    "specs of another structure": (
        lambda: call(args=(X, X), in_specs=[pl.BlockSpec(), [pl.BlockSpec()]]),
        ValueError,
        r"Pytree for `in_specs` and `inputs` do not match. There are 1 mismatches, including: at \[1\]",
    ),
    "a map of other arguments": (
        lambda: call(grid=(2, 2), in_specs=block(lambda: 0)),
        TypeError,
        r"\[call-mismatch\] argument 'index_map': expected a function of 2 arguments \(a coordinate for each axis of the grid\), but got one of \(\)",
    ),
    "a map of other results": (
        lambda: call(grid=2, in_specs=block(my_index_map)),
        ValueError,
        r"Index map function my_index_map at .*:\d+ for args\[0\] must return 1 values to match .* Currently returning 2 values.",
    ),
    "the same in a dict": (
        lambda: call(args=({"one": X},), grid=2, in_specs=[{"one": pl.BlockSpec((4,), my_index_map)}]),
        ValueError,
        r"for args\[0\]\['one'\] must return 1 values",
    ),
    "a map of floats": (
        lambda: call(grid=2, in_specs=block(lambda i: i * 0.5)),
        ValueError,
        r"for args\[0\] must return integer scalars. Output\[0\] has type float32\[\]; write //",
    ),
    "a map of an array": (
        lambda: call(grid=2, in_specs=block(lambda i: ko.arange(4))),
        ValueError,
        r"must return integer scalars. Output\[0\] has type int32\[4\]; write one number",
    ),
    "results without specs": (
        lambda: call(out=(OUT, OUT), out_specs=(pl.BlockSpec(),)),
        ValueError,
        "Pytree for `out_specs` and `out_shape` do not match. `out_specs` is a tuple of length 1 but `out_shape` is a tuple of length 2",
    ),
    "a block of another rank": (
        lambda: call(grid=2, in_specs=block(lambda i: (i, i), (4, 4))),
        ValueError,
        r"Block shape for args\[0\] .* must have the same number of dimensions as the array shape \[8\]; write a size for each",
    ),
    "the same of a result": (lambda: call(out_specs=pl.BlockSpec((4, 4))), ValueError, r"Block shape for outputs\[0\]"),
    "an alias of no input": (
        lambda: call(input_output_aliases={2: 0}),
        ValueError,
        r"input_output_aliases' contains the mapping '2:0' with input index 2 outside the range",
    ),
    "an alias of no result": (
        lambda: call(input_output_aliases={0: 1}),
        ValueError,
        "contains the mapping '0:1' with output index 1 outside the range",
    ),
    "an alias of another shape": (
        lambda: call(args=(np.ones(4, np.float32),), input_output_aliases={0: 0}),
        ValueError,
        r"'0:0' referring to input\[0\] with abstract value float32\[4\] .* a different abstract value float32\[8\]",
    ),
    "a Ref in an operation": (
        lambda: call(lambda x_ref, o_ref: o_ref.set(x_ref + 1)),
        TypeError,
        r"Attempting to pass a Ref .* 'x_ref' of float32\[8\]; did you forget to read it: x_ref\[...\]",
    ),
    "a Ref in a function": (lambda: call(lambda x_ref, o_ref: o_ref.set(ko.exp(x_ref))), TypeError, r"got the Ref 'x_ref' of float32\[8\]; did you forget to read it"),
    "a Ref stored": (lambda: call(stores_a_ref), TypeError, r"Cannot store a Ref into another Ref: got the Ref 'x_ref' of float32\[8\]; read its elements, x_ref\[...\]"),
    "a write to an input": (
        lambda: call(lambda x_ref, o_ref: x_ref.set(1.0)),
        ValueError,
        r"input that 'input_output_aliases' names, but got that of args\[0\]",
    ),
    "another dtype": (
        lambda: call(copy, out=ko.ShapeDtypeStruct((8,), ko.int32)),
        TypeError,
        "expected dtype int32, that of the Ref, but got float32",
    ),
    "another shape": (lambda: call(lambda x, o: o.set(x[:4])), ValueError, r"expected shape \[8\].* but got \[4\]"),
    "a place outside": (lambda: call(lambda x, o: o.set(x[8])), IndexError, "expected an index from -8 to 7"),
    "a window outside": (lambda: call(lambda x, o: o.set(x[pl.ds(0, 10)])), IndexError, r"but got ds\(0, 10, 1\)"),
    "a mask to read": (lambda: call(lambda x, o: o.set(x[ko.arange(8) < 4])), ValueError, r"read with load\(ref"),
    "a block of no elements": (lambda: call(grid=2, in_specs=block(lambda i: i, (0,))), ValueError, r"\[bad-kernel\] .* sizes of at least 1, but got 0"),
    "a negative grid": (lambda: call(grid=-1), ValueError, "expected extents from 0 to 2147483647 and integer scalars, but got -1"),
    "a grid beyond int32": (lambda: call(grid=2**40), ValueError, "expected extents from 0 to 2147483647"),
    "semantics of another rank": (
        lambda: call(grid=2, dimension_semantics=("parallel", "arbitrary")),
        ValueError,
        "argument 'dimension_semantics': expected 1",
    ),
    "semantics of another word": (lambda: call(grid=2, dimension_semantics=("any",)), ValueError, "'parallel' or 'arbitrary'"),
    "outside of a kernel": (lambda: pl.program_id(0), ValueError, r"\[outside-kernel\] expected a call in a kernel"),
    "an axis that is not there": (lambda: call(lambda x, o: o.set(pl.program_id(1)), grid=2), IndexError, "axis"),
    "an axis of another name": (
        lambda: call(lambda x, o: o.set(pl.axis_index("k")), grid=(("i", 2),)),
        ValueError,
        r"expected one of the axes \['i'\] of the grid, but got 'k'",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_call(what):
    wrong, kind, words = WRONG[what]
    with pytest.raises(kind, match=words):
        wrong()


def test_a_ref_ends_with_its_kernel():
    kept = []
    call(lambda x_ref, o_ref: kept.append(x_ref))
    with pytest.raises(RuntimeError, match="outlived its kernel"):
        kept[0][...]
