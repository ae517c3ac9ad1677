"""Wrong use of the functions on lists is refused by words that name the function, at the user's line: at once and when traced.

What only the run can see raises on either backend.
"""

import dataclasses
import inspect

import numpy as np
import pytest

import kolam as ko
from kolam import fractal as ops
from kolam.fractal import FractalTensor

ONES = np.ones(3, np.float32)
X = FractalTensor([[0, 1, 2], [], [3, 4]])
ROW = FractalTensor([1.5, 2.5, 3.5])
PAIRS = FractalTensor([(1, 2.5), (2, 3.5)])


@dataclasses.dataclass
class Point:
    x: object


def two(a, b):
    return a


def no_list(name, xs=ONES):
    """A call of a function with what is no list."""
    rest = {
        "index": [0], "gather": [[0]], "slide": [3], "shifted_slide": [3], "dilate": [2], "split": [2], "product": [ROW],
    }.get(name, [])  # fmt: skip
    if name in ("window", "shifted_window"):
        return lambda _: getattr(ops, name)(0, xs, 3)
    if name in BODIES:
        body = two if name not in ("map", "forall", "filter", "filterall", "dilated_map") else abs
        return lambda _: getattr(ops, name)(body, xs, *([2] if name == "dilated_map" else []))
    return lambda _: getattr(ops, name)(xs, *rest)


BODIES = (
    "map", "forall", "filter", "filterall", "reduce", "fold", "foldl", "foldr", "scan", "scanl", "scanr", "dilated_map",
)  # fmt: skip
ALIASES = {"scanl": "scan", "foldl": "fold"}
READERS = (
    "index", "first", "last", "gather", "reverse", "slide", "window", "shifted_slide", "shifted_window", "dilate", "split",
    "zip", "enumerate", "product", "join", "flatten", "stack",
)  # fmt: skip


def refuses(call, *arguments):
    """The error of a call at once, and of the same in a traced function."""
    found = []
    for run in (call, ko.jit(call), ko.jit(call, backend="interpret")):
        with pytest.raises(ko.KolamError) as info:
            run(*arguments)
        found.append(info.value)
    return found


def check(errors, cls, slug, words, where=__file__):
    for error in errors:
        assert isinstance(error, cls) and error.slug == slug, error
        assert words in str(error), error
        assert error.where[0] == where, error


@pytest.mark.parametrize("name", [*BODIES, *READERS])
def test_a_tensor_is_no_list(name):
    errors = refuses(no_list(name), ROW)
    check(errors, TypeError, "not-a-list", f"{ALIASES.get(name, name)}: [not-a-list] argument 'xs")
    check(errors, TypeError, "not-a-list", "expected a FractalTensor, but got a ndarray; unbind(x) gives the rows of a tensor")


@pytest.mark.parametrize("name", [*BODIES, *READERS])
@pytest.mark.parametrize("given, words", [
    ([1, 2], "but got a list; FractalTensor(xs) makes one of it"),
    ((ROW, 5), "but got a tuple; zip(*xs) reads lists side by side"),
    (None, "but got a NoneType"),
    (5, "but got an int"),
], ids=["list", "tuple", "none", "number"])  # fmt: skip
def test_other_values_are_no_lists(name, given, words):
    check(refuses(no_list(name, given), ROW), TypeError, "not-a-list", words)


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("given", [5, "abs", None, [abs]], ids=str)
def test_functions_that_are_none(name, given):
    extra = [2] if name == "dilated_map" else []
    argument = "p" if name.startswith("filter") else "f"
    words = f"{ALIASES.get(name, name)}: [argument-type] argument '{argument}': expected a function, but got {given!r}"
    check(refuses(lambda xs: getattr(ops, name)(given, xs, *extra), ROW), TypeError, "argument-type", words)


def test_how_many_arguments_f_takes():
    words = "argument 'f': expected a function of 1 argument, but got one of (a, b)"
    check(refuses(lambda xs: ops.map(two, xs), ROW), TypeError, "call-mismatch", words)
    check(refuses(lambda xs: ops.map(two, ops.zip(xs, xs)), ROW), TypeError, "call-mismatch", words)
    words = "argument 'f': expected a function of 2 arguments, but got one of (x)"
    for fold in (ops.fold, ops.foldr, ops.scan, ops.scanr, ops.reduce):
        check(refuses(lambda xs, fold=fold: fold(lambda x: x, xs), ROW), TypeError, "call-mismatch", words)
    words = "expected a function of 1 argument and 'scale', but got one of (x)"
    check(refuses(lambda xs: ops.map(lambda x: x, xs, scale=2), ROW), TypeError, "call-mismatch", words)
    words = "expected a function of 2 arguments and 'scale', but got one of (a, b)"
    check(refuses(lambda xs: ops.fold(two, xs, initializer=0.0, scale=2), ROW), TypeError, "call-mismatch", words)


STATIC = {
    # what bodies give
    "nothing": (lambda xs: ops.map(lambda x: None, xs), TypeError, "not-an-array", "map: [not-an-array] expected f to give a tensor"),
    "no values": (lambda xs: ops.map(lambda x: (), xs), TypeError, "not-an-array", "expected f to give a tensor, a list or a tuple"),
    "a string": (lambda xs: ops.map(lambda x: "a", xs), TypeError, "not-an-array", "map: [not-an-array] argument 'result of f': expected"),
    "an object": (lambda xs: ops.map(lambda x: Point, xs), TypeError, "not-an-array", "'result of f'"),
    "a state of nothing": (lambda xs: ops.fold(lambda s, x: None, xs, initializer=0.0), TypeError, "not-an-array",
                           "fold: [not-an-array] expected f to give a tensor"),
    "a predicate of nothing": (lambda xs: ops.filter(lambda x: None, xs), TypeError, "not-an-array",
                               "filter: [not-an-array] expected p to give"),
    "an empty tuple": (lambda xs: ops.map(lambda x: (), xs), TypeError, "not-an-array",
                       "map: [not-an-array] expected f to give a tensor, a list or a tuple of them, but got ()"),
    "an empty state": (lambda xs: ops.fold(lambda s, x: [], xs, initializer=0.0), TypeError, "not-an-array",
                       "fold: [not-an-array] expected f to give a tensor, a list or a tuple of them, but got []"),
    "a repeated argument": (lambda xs: ops.map(abs, xs, xs=1), TypeError, "call-mismatch",
                            "map: [call-mismatch] expected map(f, xs, **named): multiple values for argument 'xs'"),
    "no list": (lambda xs: ops.fold(abs), TypeError, "call-mismatch",
                "fold: [call-mismatch] expected fold(f, xs, initializer=None, **named): missing a required argument: 'xs'"),
    "a number": (lambda xs: ops.filter(lambda x: x, xs), TypeError, "list-type",
                 "filter: [list-type] argument 'p': expected a bool scalar for each element, but got float32[]"),
    "bools": (lambda xs: ops.filter(lambda x: ko.ones(2) > 0, xs), TypeError, "list-type", "but got bool[2]"),
    "two bools": (lambda xs: ops.filter(lambda x: (x > 0, x > 1), xs), TypeError, "list-type", "but got several values"),
    "a list of bools": (lambda xs: ops.filter(lambda x: ops.repeat(x > 0, 2), xs), TypeError, "list-type", "but got list<bool[]>"),
    "tensors of dilated_map": (lambda xs: ops.dilated_map(lambda row: row[0], xs, 2), TypeError, "list-type",
                               "dilated_map: [list-type] expected f to give a list, but got a tensor"),
    # states
    "another dtype": (lambda xs: ops.scan(lambda s, x: s + x, xs, initializer=5), TypeError, "carry-mismatch",
                      "scan: [carry-mismatch] state 0: expected int32[], but got float32[]; a plain number as initial value is int32: "
                      "pass an array of float32"),
    "another shape": (lambda xs: ops.fold(lambda s, x: s + ko.ones(2), xs, initializer=0.0), TypeError, "carry-mismatch",
                      "fold: [carry-mismatch] state 0: expected float32[], but got float32[2]"),
    "more values": (lambda xs: ops.scan(lambda s, x: (s, x), xs, initializer=0.0), TypeError, "carry-mismatch",
                    "expected f to give a state of the structure float32[], but got (float32[], float32[])"),
    "fewer values": (lambda xs: ops.foldr(lambda s, x: x, xs, initializer=(0.0, 0.0)), TypeError, "carry-mismatch",
                     "foldr: [carry-mismatch] expected f to give a state of the structure (float32[], float32[]), but got float32[]"),
    "a list in its place": (lambda xs: ops.scanr(lambda s, x: xs, xs, initializer=0.0), TypeError, "carry-mismatch",
                            "scanr: [carry-mismatch] expected f to give a state of the structure float32[], but got list<float32[]>"),
    "a tensor in its place": (lambda xs: ops.scan(lambda s, x: x, xs, initializer=xs), TypeError, "carry-mismatch",
                              "expected f to give a state of the structure list<float32[]>, but got float32[]"),
    "zips in its place": (lambda xs: ops.fold(lambda s, x: (s, ops.zip(xs, X[0])), xs, initializer=0), TypeError, "carry-mismatch",
                          "expected f to give a state of the structure int32[], but got (int32[], (list<float32[]>, list<int32[]>))"),
    "lists of tuples": (lambda xs: ops.fold(lambda s, x: ops.split(ops.zip(xs, ops.split(xs, 3)), 1), xs, initializer=(0, 1.5)), TypeError,
                        "carry-mismatch", "expected f to give a state of the structure (int32[], float32[]), but got "
                        "list(list((float32[], list<float32[]>)))"),
    "texts in its place": (lambda xs: ops.fold(lambda s, x: ("a", 1), xs, initializer=0), TypeError, "carry-mismatch",
                           "expected f to give a state of the structure int32[], but got (a str, int32[])"),
    "a deeper list": (lambda xs: ops.scan(lambda s, x: ops.repeat(s, 2), xs, initializer=xs), TypeError, "carry-mismatch",
                      "state 0: expected list<float32[]>, but got list<list<float32[]>>"),
    "a reduction's dtype": (lambda xs: ops.reduce(lambda a, b: a > b, xs), TypeError, "carry-mismatch",
                            "reduce: [carry-mismatch] state 0: expected float32[], but got bool[]"),
    "a reduction's values": (lambda xs: ops.reduce(lambda a, b: (a, b), xs), TypeError, "carry-mismatch",
                             "reduce: [carry-mismatch] expected f to give a state of the structure float32[], but got (float32[], float32[])"),
    "no initial values": (lambda xs: ops.fold(lambda s, x: s, xs, initializer=()), TypeError, "not-an-array",
                          "fold: [not-an-array] argument 'initializer': expected a tensor, a list or a tuple of them, but got ()"),
    "a string to start from": (lambda xs: ops.fold(lambda s, x: s, xs, initializer="a"), TypeError, "not-an-array", "'initializer'"),
    "an associative state": (lambda xs: ops.scan(lambda s, x: s, xs, initializer=0, associative=True), TypeError, "list-type",
                             "argument 'associative': expected states and elements of one type, which are tensors, but got int32[]"),
    # arguments
    "window 0": (lambda xs: ops.slide(xs, 0), ValueError, "list-argument",
                 "slide: [list-argument] argument 'window': expected at least 1, but got 0"),
    "stride 0": (lambda xs: ops.slide(xs, 3, stride=0), ValueError, "list-argument", "'stride': expected at least 1, but got 0"),
    "dilation 0": (lambda xs: ops.slide(xs, 3, dilation=0), ValueError, "list-argument", "'dilation': expected at least 1, but got 0"),
    "padding -1": (lambda xs: ops.slide(xs, 3, padding=-1), ValueError, "list-argument", "'padding': expected at least 0, but got -1"),
    "dilate by 0": (lambda xs: ops.dilate(xs, 0), ValueError, "list-argument", "dilate: [list-argument] argument 'dilation'"),
    "dilated_map by 0": (lambda xs: ops.dilated_map(lambda row: row, xs, 0), ValueError, "list-argument",
                         "dilated_map: [list-argument] argument 'dilation': expected at least 1, but got 0"),
    "dilated_map by -1": (lambda xs: ops.dilated_map(lambda row: row, xs, -1), ValueError, "list-argument", "dilated_map: [list-argument]"),
    "dilated_map by a half": (lambda xs: ops.dilated_map(lambda row: row, xs, 0.5), TypeError, "argument-type",
                              "dilated_map: [argument-type] argument 'dilation': expected an integer, but got 0.5"),
    "split in 0": (lambda xs: ops.split(xs, 0), ValueError, "list-argument", "split: [list-argument] argument 'n': expected at least 1"),
    "-1 times": (lambda xs: ops.repeat(xs, -1), ValueError, "list-argument", "repeat: [list-argument] argument 'n': expected at least 0"),
    "even windows": (lambda xs: ops.window(0, xs, 4), ValueError, "list-argument",
                     "window: [list-argument] argument 'window': expected an odd number, as windows have a centre, but got 4"),
    "even shifted windows": (lambda xs: ops.shifted_window(0, xs, 2), ValueError, "list-argument", "shifted_window: [list-argument]"),
    "even circular windows": (lambda xs: ops.shifted_slide(xs, 2), ValueError, "list-argument", "shifted_slide: [list-argument]"),
    "windows of 0": (lambda xs: ops.shifted_slide(xs, 0), ValueError, "list-argument", "expected at least 1, but got 0"),
    "half a window": (lambda xs: ops.slide(xs, 1.5), TypeError, "argument-type",
                      "slide: [argument-type] argument 'window': expected an integer, but got 1.5"),
    "a bool": (lambda xs: ops.split(xs, True), TypeError, "argument-type", "argument 'n': expected an integer, but got True"),
    "half a place": (lambda xs: ops.window(1.5, xs, 3), TypeError, "dtype-mismatch", "argument 'i': expected an integer"),
    "a text as place": (lambda xs: ops.shifted_window("a", xs, 3), TypeError, "not-an-array", "argument 'i'"),
    "half times": (lambda xs: ops.repeat(xs, 1.5), TypeError, "dtype-mismatch", "argument 'n': expected an integer"),
    "half an index": (lambda xs: xs[1.5], TypeError, "argument-type", "argument 'index': expected an integer"),
    "a text": (lambda xs: xs["a"], TypeError, "argument-type", "argument 'index': expected an integer"),
    "a tuple": (lambda xs: xs[1, 2], TypeError, "argument-type", "argument 'index': expected an integer"),
    "step 0": (lambda xs: xs[::0], ValueError, "bad-step", "index: [bad-step] expected a step other than 0, but got 0"),
    "a slice of texts": (lambda xs: xs["a":], TypeError, "argument-type", "argument 'start': expected an integer"),
    "a mask": (lambda xs: xs[[True, False, True]], TypeError, "bad-index", "but got bool[3]"),
    "floats as places": (lambda xs: ops.gather(xs, ONES), TypeError, "bad-index", "gather: [bad-index]"),
    "places in two dims": (lambda xs: ops.gather(xs, [[0, 1]]), TypeError, "bad-index", "but got int32[1, 2]"),
    "places of uint64": (lambda xs: ops.gather(xs, np.array([1], np.uint64)), TypeError, "bad-index", "uint64[1]"),
    "lists of lists as places": (lambda xs: ops.gather(xs, X), TypeError, "bad-index", "list<list<int32[]>>"),
    "tuples as places": (lambda xs: ops.gather(xs, PAIRS), TypeError, "bad-index", "list<int32[]>, list<float32[]>"),
    "axis": (lambda xs: ops.stack(xs, 2), IndexError, "axis-out-of-range", "stack: [axis-out-of-range] argument 'axis'"),
    "axis of leaves": (lambda xs: ops.flatten(ops.slices(ONES), 1), IndexError, "axis-out-of-range", "flatten: [axis-out-of-range]"),
    "axis of a tensor": (lambda xs: ops.slices(ONES, -2), IndexError, "axis-out-of-range", "slices: [axis-out-of-range]"),
    "no axis": (lambda xs: ops.unbind(ko.asarray(1.5)), IndexError, "axis-out-of-range", "unbind: [axis-out-of-range]"),
    "half an axis": (lambda xs: ops.unbind(ONES, 0.5), TypeError, "argument-type", "argument 'axis': expected an integer"),
    # what lies outside
    "a value for each part": (lambda xs: ops.slide(ops.zip(xs, xs), 3, padding=1, value=0.0), TypeError, "list-type", "argument 'value'"),
    "a value of another shape": (lambda xs: ops.window(0, xs, 3, value=ONES), TypeError, "list-type",
                                 "window: [list-type] argument 'value': expected float32[], as the leaves are, but got float32[3]"),
    "a value of another dtype": (lambda xs: ops.window(0, xs, 3, value=np.float64(1)), TypeError, "list-type", "but got float64[]"),
    "a value that does not fit": (lambda xs: ops.window(0, X[0], 3, value=2**40), ValueError, "scalar-does-not-fit",
                                  "window: [scalar-does-not-fit] expected a scalar in the range of int32"),
    "a list as value": (lambda xs: ops.window(0, xs, 3, value=ops.repeat(xs, 2)), TypeError, "not-an-array", "argument 'value'"),
    "no value": (lambda xs: ops.slide(xs, 3, padding=1, value="a"), TypeError, "not-an-array", "argument 'value'"),
    "padded lists": (lambda xs: ops.slide(ops.repeat(xs, 3), 3, padding=1, value=0.0), TypeError, "list-type",
                     "slide: [list-type] argument 'value': expected a list of tensors around it, but got list<list<float32[]>>"),
    # several lists
    "nothing zipped": (lambda xs: ops.zip(), ValueError, "no-operands", "zip: [no-operands] expected at least one list, but got none"),
    "nothing joined": (lambda xs: ops.join(), ValueError, "no-operands", "join: [no-operands]"),
    "nothing counted": (lambda xs: ops.enumerate(), ValueError, "no-operands", "enumerate: [no-operands]"),
    "zipped tensors": (lambda xs: ops.zip(xs, ONES), TypeError, "not-a-list", "zip: [not-a-list] argument 'xs[1]'"),
    "depths": (lambda xs: ops.product(xs, ops.repeat(xs, 2)), ValueError, "list-depth",
               "product: [list-depth] expected lists of one depth, but got 1 and 2"),
    "joined types": (lambda xs: ops.join(xs, xs, ops.repeat(xs, 2)), TypeError, "list-type",
                     "join: [list-type] argument 'xs[2]': expected list<float32[]>, as xs[0] is, but got list<list<float32[]>>"),
    "joined dtypes": (lambda xs: ops.join(xs, ops.map(lambda x: x > 0, xs)), TypeError, "list-type", "but got list<bool[]>"),
    "joined tuples": (lambda xs: ops.join(ops.zip(xs, xs), xs), TypeError, "list-type", "argument 'xs[1]': expected tuples"),
    "nothing repeated": (lambda xs: ops.repeat(None, 3), TypeError, "not-an-array", "repeat: [not-an-array] argument 'x'"),
    # lists and tensors
    "stacked lists": (lambda xs: ops.stack(ops.repeat(xs, 2)), ValueError, "list-depth", "stack: [list-depth] expected a list of tensors"),
    "stacked tuples": (lambda xs: ops.stack(ops.zip(xs, xs)), TypeError, "list-type", "stack: [list-type] argument 'xs'"),
    "flattened tuples": (lambda xs: ops.flatten(ops.zip(xs, xs)), TypeError, "list-type", "flatten: [list-type] argument 'xs'"),
    "slices of a list": (lambda xs: ops.slices(xs), TypeError, "not-an-array", "slices: [not-an-array] argument 'x': expected an array"),
    "the rows of a list": (lambda xs: ops.unbind(xs), TypeError, "not-an-array", "unbind: [not-an-array] argument 'x': expected an array"),
    "a sum": (lambda xs: xs + 1, TypeError, "not-an-array", "add: [not-an-array] expected tensors, but got list<float32[]>; use map"),
    "a sum from the right": (lambda xs: 1 - xs, TypeError, "not-an-array", "sub: [not-an-array] expected tensors"),
    "a function of tensors": (lambda xs: ops.tanh(xs), TypeError, "not-an-array",
                              "tanh: [not-an-array] argument 'x': expected an array, a nested list or a number, but got a FractalTensor; "
                              "map applies a function to each element, stack and flatten make a tensor of them"),
    "a function of two": (lambda xs: ko.maximum(ONES, xs), TypeError, "not-an-array", "maximum: [not-an-array] argument"),
    "a list as an array": (lambda xs: ko.asarray(xs), TypeError, "not-an-array", "asarray: [not-an-array] argument 'x'"),
    "a list among tensors": (lambda xs: ko.stack([ONES, xs]), TypeError, "not-an-array", "stack: [not-an-array] argument"),
    "numpy's function": (lambda xs: np.tanh(xs), TypeError, "not-an-array", "tanh: [not-an-array] expected tensors, but got list<float32[]>"),
    "a sum with an array": (lambda xs: ONES + xs, TypeError, "not-an-array", "add: [not-an-array] expected tensors, but got list<float32[]>"),
    "a sum with a tensor": (lambda xs: ko.ones(3) + xs, TypeError, "not-an-array", "add: [not-an-array] expected tensors"),
    "a product": (lambda xs: xs @ xs, TypeError, "not-an-array", "matmul: [not-an-array] expected tensors"),
    "a comparison": (lambda xs: xs < 2, TypeError, "not-an-array", "lt: [not-an-array] expected tensors"),
    "a negation": (lambda xs: -xs, TypeError, "not-an-array", "neg: [not-an-array] expected tensors"),
    "lengths": (lambda xs: xs.lengths, ValueError, "list-depth", "lengths: [list-depth] expected a list of lists"),
    "widths": (lambda xs: xs.width_by_depth(2), ValueError, "list-depth", "argument 'd': expected 1 to 1, or -1 to -1, but got 2"),
}  # fmt: skip


@pytest.mark.parametrize("name", STATIC)
def test_refusal(name):
    call, cls, slug, words = STATIC[name]
    errors = refuses(call, ROW)
    check(errors, cls, slug, words)


def test_the_line_is_the_users():
    def body(x):
        return ops.map(5, x)

    line = inspect.getsourcelines(body)[1] + 1
    for error in refuses(lambda xs: ops.map(body, xs), X):
        assert error.where == (__file__, line)
    line = inspect.currentframe().f_lineno + 1
    for error in refuses(lambda xs: xs["a"], X):
        assert error.where == (__file__, line)


# What traced lists cannot answer.
TRACED = {
    "len": (lambda xs: len(xs), "use kolam.fractal.len: from kolam.fractal import len"),
    "truth": (lambda xs: 1 if xs else 2, "use kolam.fractal.len"),
    "iteration": (lambda xs: [x for x in xs], "use map, scan or fold over it"),
    "unpacking": (lambda xs: (lambda a, b, c: a)(*xs), "use map, scan or fold over it"),
    "numpy": (lambda xs: np.asarray(xs[0]), "use stack or flatten for a tensor, map for a function of each element"),
    "to_list": (lambda xs: xs.to_list(), "whose elements only the running program knows"),
    "to_offsets": (lambda xs: xs.to_offsets(), "whose elements only the running program knows"),
    "equality": (lambda xs: xs == xs, "whose elements only the running program knows"),
    "a traced step": (lambda xs: xs[:: ops.len(xs)], "argument 'step'"),
    "a traced window": (lambda xs: ops.slide(xs, ops.len(xs)), "slide: [traced-value] argument 'window': expected a number that is "
                        "known when the function is traced, but got a traced value; index(xs, i), gather(xs, places), repeat(x, n) and "
                        "window(i, xs, window) take traced places and counts, or make the argument of jit that it comes from static"),
    "a traced split": (lambda xs: ops.split(xs, ops.len(xs)), "split: [traced-value] argument 'n'"),
    "a traced dilation": (lambda xs: ops.dilate(xs, ops.len(xs)), "dilate: [traced-value] argument 'dilation'"),
    "a branch": (lambda xs: 1 if ops.len(xs) > 2 else 2, "kolam.cond"),
}  # fmt: skip


@pytest.mark.parametrize("name", TRACED)
def test_traced_lists_say_what_to_use(name):
    call, words = TRACED[name]
    for backend in ("cpu", "interpret"):
        with pytest.raises(ko.KolamError) as info:
            ko.jit(call, backend=backend)(X)
        error = info.value
        assert isinstance(error, TypeError) and error.slug == "traced-value" and words in str(error), error
        assert error.where[0] == __file__


def test_lists_that_escape():
    kept = []
    ko.jit(lambda xs: kept.append(xs) or ops.len(xs))(X)
    for use in (lambda: ops.reverse(kept[0]), lambda: ko.jit(lambda: ops.map(lambda x: x, kept[0]))()):
        with pytest.raises(ko.KolamError) as info:
            use()
        assert info.value.slug == "escaped-tracer"


# What only the run sees: (function, arguments, class, slug, words).
AT_RUN_TIME = {
    "unequal lists": (lambda xs, ys: ops.map(lambda both: both[0] + both[1], ops.zip(xs, ys)), (ROW, ROW[:2]), ValueError, "list-lengths"),
    "unequal in a body": (lambda xs, ys: ops.map(lambda both: ops.map(lambda p: p[0] + p[1], ops.zip(*both)), ops.zip(xs, ys)),
                          (X, X[::-1]), ValueError, "list-lengths"),
    "unequal scans": (lambda xs, ys: ops.scan(lambda s, p: s + p[0], ops.zip(xs, ys), initializer=0.0), (ROW, ROW[:0]), ValueError,
                      "list-lengths"),
    "unequal reductions": (lambda xs, ys: ops.reduce(lambda a, b: a, ops.zip(xs, ys)), (ROW, ROW[:1]), ValueError, "list-lengths"),
    "unequal filters": (lambda xs, ys: ops.filter(lambda p: p[0] > 0, ops.zip(xs, ys)), (ROW, ROW[:1]), ValueError, "list-lengths"),
    "an index": (lambda xs: xs[3], (ROW,), IndexError, "list-index"),
    "a negative index": (lambda xs: xs[-4], (ROW,), IndexError, "list-index"),
    "a huge index": (lambda xs: ops.index(xs, 2**40), (ROW,), IndexError, "list-index"),
    "an index that is data": (lambda xs, i: xs[i], (ROW, 3), IndexError, "list-index"),
    "a negative index that is data": (lambda xs, i: xs[i], (ROW, -4), IndexError, "list-index"),
    "an index in a body": (lambda xs: ops.map(lambda row: row[1], xs), (X,), IndexError, "list-index"),
    "the first of none": (lambda xs: ops.first(xs), (ROW[:0],), IndexError, "list-index"),
    "the last of none": (lambda xs: ops.map(lambda row: ops.last(row), xs), (X,), IndexError, "list-index"),
    "gathered": (lambda xs, places: ops.gather(xs, places), (ROW, np.array([0, 3])), IndexError, "list-index"),
    "gathered by a list": (lambda xs, places: ops.gather(xs, places), (ROW, FractalTensor([0, -4])), IndexError, "list-index"),
    "gathered in a body": (lambda xs: ops.map(lambda row: ops.gather(row, [0]), xs), (X,), IndexError, "list-index"),
    "a circular window of none": (lambda xs: ops.shifted_window(0, xs, 3), (ROW[:0],), IndexError, "list-index"),
    "a window of lists": (lambda xs: ops.window(0, xs, 3), (X,), IndexError, "list-index"),
    "padding of lists": (lambda xs: ops.slide(xs, 3, padding=1), (X,), IndexError, "list-index"),
    "too many parts": (lambda xs: ops.split(xs, 4), (ROW,), ValueError, "window-too-large"),
    "a reduction of none": (lambda xs: ops.reduce(lambda a, b: a + b, xs), (ROW[:0],), ValueError, "list-empty"),
    "reductions of none": (lambda xs: ops.map(lambda row: ops.reduce(lambda a, b: a + b, row), xs), (X,), ValueError, "list-empty"),
    "a fold of none": (lambda xs: ops.fold(lambda s, x: s + x, xs), (ROW[:0],), ValueError, "list-empty"),
    "a fold of none from the right": (lambda xs: ops.foldr(lambda s, x: s + x, xs), (ROW[:0],), ValueError, "list-empty"),
}  # fmt: skip


@pytest.mark.parametrize("name", AT_RUN_TIME)
def test_errors_of_the_run(name):
    call, arguments, cls, slug = AT_RUN_TIME[name]
    for error in refuses(call, *arguments):
        assert isinstance(error, cls) and error.slug == slug, error
        assert f"[{slug}] " in str(error) and ": expected " in str(error).replace(f"[{slug}] ", ": "), error
        assert error.where[0] == __file__, error


def later_states(xs, ys):
    return ops.scan(lambda s, p: (s[0] + p[0], s[1]), ops.zip(xs, ys))


# What the message says behind its slug: the function that the user called, and what the user gave.
WORDS = {
    "an index": (lambda xs: xs[5], (ROW,), "jit: [list-index] index: expected an index into a list of length 3, but got 5"),
    "zips": (lambda xs, ys: ops.map(lambda p: p[0], ops.zip(xs, ys)), (ROW, ROW[:2]),
             "jit: [list-lengths] map: expected lists of one length, but got 3 for xs[0] and 2 for xs[1]"),
    "folds": (lambda xs, ys: ops.fold(lambda s, p: s + p[0], ops.zip(xs, ys), initializer=0.0), (ROW, ROW[:2]),
              "jit: [list-lengths] fold: expected lists of one length, but got 3 for xs[0] and 2 for xs[1]"),
    "behind the first": (later_states, (ROW, ROW[:2]),
                         "jit: [list-lengths] zip: expected lists of one length, but got 3 for xs[0] and 2 for xs[1]"),
    "zips in a zip": (lambda xs, ys: ops.map(lambda p: p[0], ops.zip(xs, ops.zip(xs, ys))), (ROW, ROW[:2]),
                      "jit: [list-lengths] map: expected lists of one length, but got 3 for xs[0] and 2 for xs[1][1]"),
    "zips beside states": (lambda xs, ys: ops.fold(lambda s, p: s, ops.zip(xs, xs, ys), initializer=(0, ops.zip(xs, ys[:2]))),
                           (ROW[:2], ROW), "jit: [list-lengths] fold: expected lists of one length, but got 2 for xs[0] and 3 for xs[2]"),
    "reduced zips": (lambda xs, ys: ops.reduce(lambda a, b: a, ops.zip(xs, ys)), (ROW, ROW[:2]),
                     "jit: [list-lengths] reduce: expected lists of one length, but got 3 for xs[0] and 2 for xs[1]"),
    "an enumeration": (lambda xs, ys: ops.map(lambda p: p[0], ops.enumerate(xs, ys)), (ROW, ROW[:2]),
                       "jit: [list-lengths] map: expected lists of one length, but got 3 for xs[0] and 2 for xs[2]"),
    "a zip that is repeated": (lambda xs, ys: ops.repeat(ops.zip(xs, ys), 2), (ROW, ROW[:2]),
                               "jit: [list-lengths] zip: expected lists of one length, but got 3 for xs[0] and 2 for xs[1]"),
    "a zip that is given back": (lambda xs, ys: ops.zip(xs, ys), (ROW, ROW[:2]),
                                 "jit: [list-lengths] zip: expected lists of one length, but got 3 for xs[0] and 2 for xs[1]"),
    "many parts": (lambda xs: ops.map(lambda row: ops.split(row, 3), xs), (X[::2],), "jit: [window-too-large] split: expected a list of "
                   "at least 3 elements, but got one of 2 (at [1])"),
    "dilated zips": (lambda xs, ys: ops.dilated_map(lambda p: ops.map(lambda q: q[0] + q[1], p), ops.zip(xs, ys), 2), (ROW, ROW[:2]),
                     "jit: [list-lengths] zip: expected lists of one length, but got 3 for xs[0] and 2 for xs[1]"),
    "reductions": (lambda xs: ops.reduce(ops.add, xs), (ROW[:0],),
                   "jit: [list-empty] reduce: expected an element or an initial value, but got an empty list"),
    "a circular window": (lambda xs: ops.shifted_window(0, xs, 3), (ROW[:0],),
                          "jit: [list-index] shifted_window: expected a list with elements, but got an empty one"),
    "a window of lists": (lambda xs: ops.window(0, xs, 3), (X,),
                          "jit: [list-index] window: expected an index into a list of length 3, but got -1"),
    "longer rows": (lambda xs: ops.dilated_map(lambda row: ops.join(row, row), xs, 2), (ROW,),
                    "jit: [list-lengths] dilated_map: expected lists of one length, but got 2 and 4 (at [0])"),
    "rows that fill the place of others": (lambda xs: ops.dilated_map(lambda row: ops.join(row, row), xs, 3), (ROW,),
                                           "jit: [list-lengths] dilated_map: expected lists of one length, but got 1 and 2 (at [0])"),
    "shorter rows": (lambda xs: ops.dilated_map(lambda row: row[1:], xs, 2), (ROW,),
                     "jit: [list-lengths] dilated_map: expected lists of one length, but got 2 and 1 (at [0])"),
    "one of two lists": (lambda xs: ops.dilated_map(lambda row: (row, row[:1]), xs, 2), (ROW,),
                         "jit: [list-lengths] dilated_map: expected lists of one length, but got 2 and 1 (at [0])"),
}  # fmt: skip


@pytest.mark.parametrize("name", WORDS)
def test_words_of_the_run(name):
    call, arguments, words = WORDS[name]
    for backend in ("cpu", "interpret"):
        with pytest.raises(ko.KolamError) as info:
            ko.jit(call, backend=backend)(*arguments)
        assert str(info.value).splitlines()[0] == words


def test_at_once_the_function_is_named_once():
    for call, words in (
        (lambda: ops.reduce(ops.add, ROW[:0]), "reduce: [list-empty] expected an element"),
        (lambda: ops.shifted_window(0, ROW[:0], 3), "shifted_window: [list-index] expected a list with elements"),
        (lambda: ops.enumerate(ROW, ROW[:2]),
         "enumerate: [list-lengths] expected lists of one length, but got 3 for xs[0] and 2 for xs[1]"),
        (lambda: ops.split(ROW, 4), "split: [window-too-large] expected a list of at least 4 elements, but got one of 3"),
    ):
        with pytest.raises(ko.KolamError) as info:
            call()
        assert str(info.value).startswith(words)
