"""Wrong use raises a KolamError that is Python's own error too, with a slug, words and the user's line."""

import inspect

import numpy as np
import pytest

import kolam as ko
from kolam import fractal


def line_of_next():
    """The number of the line after the caller's."""
    return inspect.currentframe().f_back.f_lineno + 1


def raised(call):
    with pytest.raises(ko.KolamError) as info:
        call()
    return info.value


X = np.ones((2, 3), np.float32)
ROWS = fractal.FractalTensor(list(X))
RAGGED = "expected lists of equal lengths and depths, but got"
DOUBLED = ko.jit(lambda x: x * 2).lower(X)
SQUARE = ko.jit(lambda x: x, dynamic={"x": {0: "n", 1: "n"}})
FOREIGN = ko.parse_program("""func.func @main() -> tensor<f32> {
  %y = kolam.opaque_call "theirs"() : () -> tensor<f32>
  return %y : tensor<f32>
}""")
WITH_STATIC = ko.jit(lambda x, n: x, static_argnames="n")

REFUSED = {
    "shapes": (lambda: ko.matmul(X, X), ValueError, "shape-mismatch", "but got 3 and 2"),
    "objects": (lambda: ko.asarray(np.array([1, None], object)), TypeError, "unsupported-dtype", "but got object"),
    "complex": (lambda: ko.exp(np.ones(2, complex)), TypeError, "unsupported-dtype", "but got complex128"),
    "dates": (lambda: ko.asarray(np.datetime64("2020-01-01")), TypeError, "unsupported-dtype", "datetime64"),
    "nothing": (lambda: ko.asarray(None), TypeError, "not-an-array", "argument 'x': expected an array, a nested list or a number, but got None"),
    "strings": (lambda: ko.add("x", 1), TypeError, "not-an-array", "argument 'x': expected an array"),
    "strings in lists": (lambda: ko.asarray(["a"]), TypeError, "not-an-array", "expected an array, a nested list"),
    "arrays in lists": (lambda: ko.asarray([ko.zeros(2), ko.zeros(3)]), ValueError, "shape-mismatch", "got 2 and 3"),
    "no index": (lambda: [1, 2][ko.asarray([0, 1])], TypeError, "bad-index", "an integer array of one element, but got int32[2]"),
    "no arrays": (lambda: DOUBLED.run(5), TypeError, "argument-type", "argument 'arguments': expected a list of arrays"),
    "no text": (lambda: ko.parse_program(5), TypeError, "argument-type", "argument 'text': expected a string, but got 5"),
    "no monoid": (lambda: ko.reduce(1.0, "sum"), TypeError, "argument-type", "expected a kolam.Monoid, but got str"),
    "lengths": (lambda: ko.asarray([[1, 2], [3]]), ValueError, "ragged-nest", f"{RAGGED} 1 item where the first has 2"),
    "depths": (lambda: ko.asarray([[1], 2]), ValueError, "ragged-nest", f"{RAGGED} a number where the first has a list"),
    "deeper": (lambda: ko.asarray([1, [2]]), ValueError, "ragged-nest", f"{RAGGED} a list where the first has a number"),
    "large integers": (lambda: ko.asarray([2**40]), ValueError, "scalar-does-not-fit", "fit into int32"),
    "huge integers": (lambda: ko.asarray([2**80]), ValueError, "integer-too-large", "an integer of 64 bits"),
    "scalars": (lambda: ko.asarray(np.int8([1])) + 300, ValueError, "scalar-does-not-fit", "range of int8"),
    "no argument": (lambda: ko.matmul(X), TypeError, "call-mismatch", "but got no 'y'"),
    "more arguments": (lambda: ko.matmul(X, X, None, None, None, 1), TypeError, "call-mismatch", "but got 6 arguments"),
    "unknown name": (lambda: ko.matmul(X, z=X), TypeError, "call-mismatch", "an argument 'z'"),
    "twice": (lambda: ko.matmul(X, X, x=X), TypeError, "call-mismatch", "'x' twice"),
    "axis": (lambda: ko.sum(X, axis=2), IndexError, "axis-out-of-range", "but got 2"),
    "two axes": (lambda: ko.sum(X, axis=(0, 0)), ValueError, "duplicate-axis", "axis"),
    "no integer": (lambda: ko.sum(X, axis=0.5), TypeError, "argument-type", "argument 'axis': expected an integer, but got 0.5"),
    "no bool": (lambda: ko.sum(X, keepdims=1), TypeError, "argument-type", "expected True or False, but got 1"),
    "dtype": (lambda: ko.sum(X, dtype="complex64"), TypeError, "unsupported-dtype", "complex64"),
    "index": (lambda: ko.asarray(X)[2], IndexError, "index-out-of-range", "but got 2"),
    "not iterable": (lambda: ko.jit(3), TypeError, "argument-type", "expected a function"),
    "options": (lambda: ko.jit(lambda x: x, static_argnames="y"), ValueError, "bad-option", "but got 'y'"),
    "backend": (lambda: ko.jit(lambda x: x, backend="gpu")(X), ValueError, "unknown-backend", "'cpu', 'interpret' or 'schedule'"),
    "stage": (lambda: ko.jit(lambda x: x).lower(X).as_text("soup"), ValueError, "unknown-stage", "soup"),
    "promotion": (lambda: ko.add(np.uint64([1]), np.int8([1])), TypeError, "no-promotion", "got uint64 and int8; cast one"),
    "item": (lambda: ko.asarray(X).item(), TypeError, "item-size", "an array of one element, but got shape [2, 3]"),
    "float": (lambda: float(ko.asarray(X)), TypeError, "item-size", "an array of one element, but got shape [2, 3]"),
    "list as static": (lambda: WITH_STATIC(X, [1]), TypeError, "unhashable-static", "argument 'n': expected a hashable value"),
    "arguments": (lambda: DOUBLED.run([X, X]), TypeError, "argument-mismatch", "expected 1 argument, but got 2"),
    "their dtypes": (lambda: DOUBLED.run([X > 0]), TypeError, "argument-mismatch", "argument 'x': expected dtype float32, but got bool"),
    "their ranks": (lambda: DOUBLED.run([X[0]]), ValueError, "argument-mismatch", "argument 'x': expected rank 2, but got rank 1"),
    "their extents": (lambda: DOUBLED.run([X.T]), ValueError, "argument-mismatch", "expected extent 2 in dim 0, but got 3"),
    "equal symbols": (lambda: SQUARE(X), ValueError, "argument-mismatch", "expected extent n = 2 in dim 1, but got 3"),
    "host function": (lambda: FOREIGN.run([]), ValueError, "unknown-host-function", "registered by this process, but got 'theirs'"),
    "symbol": (lambda: ko.Extent("2n"), ValueError, "extent-symbol", "expected a name for an extent, but got '2n'"),
    "several lists": (lambda: fractal.map(ko.add, ROWS, ROWS), TypeError, "call-mismatch", "several lists go as one: map(f, fractal.zip(xs, ys)), whose f takes"),
    "reduction": (lambda: ko.zip_map_reduce(ko.sin, X, reduce="avg"), ValueError, "unknown-reduction", "one of 'add', 'all', 'any', 'argmax'"),
    "text": (lambda: ko.parse_program("soup", "a.mlir"), ValueError, "bad-program", "a.mlir: line 1, column 1: "),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_refused_with_words(case):
    call, kind, slug, words = REFUSED[case]
    error = raised(call)
    assert isinstance(error, kind) and error.slug == slug
    assert f"[{slug}]" in str(error) and words in str(error)
    assert error.where[0] == __file__ and f"at {__file__}:{error.where[1]}" in str(error)


def test_the_line_is_the_users():
    expected = line_of_next()
    error = raised(lambda: ko.matmul(X, X))
    assert error.where == (__file__, expected)


def test_the_line_lies_inside_the_traced_function():
    here = line_of_next()

    @ko.jit
    def function(x):
        doubled = x * 2
        return doubled @ x

    assert raised(lambda: function(X)).where == (__file__, here + 4)


def test_the_line_lies_inside_bodies():
    here = line_of_next()

    def body(i, s):
        return s @ s

    assert raised(lambda: ko.fori_loop(0, 3, body, X)).where == (__file__, here + 2)


TRACED = {
    "if": (lambda x: 1 if x.sum() > 0 else 2, "kolam.cond"),
    "float": (lambda x: float(x.sum()), "static_argnames"),
    "int": (lambda x: int(x.sum()), "static_argnames"),
    "range": (lambda x: list(range(x.sum())), "kolam.fori_loop"),
    "numpy": (lambda x: np.asarray(x), "kolam's functions"),
    "item": (lambda x: x.sum().item(), "return it from the traced function"),
    "tolist": (lambda x: x.tolist(), "return it from the traced function"),
    "in": (lambda x: 1 in x, "kolam.any"),
}


@pytest.mark.parametrize("case", TRACED)
def test_traced_values_say_what_to_use(case):
    function, words = TRACED[case]
    error = raised(lambda: ko.jit(function)(X))
    assert isinstance(error, TypeError) and error.slug == "traced-value" and words in str(error)


def test_iterating_over_a_symbolic_extent():
    error = raised(lambda: ko.jit(lambda x: [row for row in x], dynamic={"x": [0]})(X))
    assert error.slug == "traced-value" and "kolam.scan" in str(error)
    assert len(ko.jit(lambda x: [row for row in x])(X)) == 2


def test_escaped_tracers():
    kept = []
    ko.jit(lambda x: kept.append(x) or x)(X)
    for use in (lambda: kept[0] + 1, lambda: ko.jit(lambda y: y + kept[0])(X)):
        error = raised(use)
        assert error.slug == "escaped-tracer" and isinstance(error, RuntimeError)
        assert "outlived its trace; return it from the traced function instead of storing it" in str(error)


def test_tracers_that_escape_from_a_trace_that_fails():
    kept = []

    def fails(x):
        kept.append(x)
        raise LookupError

    with pytest.raises(LookupError):
        ko.jit(fails)(X)
    for use in (lambda: kept[0] + 1, lambda: ko.jit(lambda y: y + kept[0])(X)):
        assert raised(use).slug == "escaped-tracer"


def test_other_exceptions_pass_through():
    def fails(x):
        raise LookupError("mine")

    for call in (lambda: ko.jit(fails)(X), lambda: ko.zip_map_reduce(fails, [X]), lambda: ko.fori_loop(0, 2, lambda i, s: fails(s), X)):
        with pytest.raises(LookupError, match="mine"):
            call()
    assert (ko.asarray(X) + 1).shape == (2, 3)  # the trace that failed is gone


def test_hostile_lists():
    endless = []
    endless.append(endless)
    assert raised(lambda: ko.asarray(endless)).slug == "ragged-nest"


def test_too_little_memory():
    error = raised(lambda: ko.zeros((2**31, 2**12)))
    assert isinstance(error, MemoryError) and error.slug == "out-of-memory"


def test_extents_that_are_none():
    def product():
        x = ko.Extent("a")
        for i in range(12):
            x *= ko.Extent(f"b{i}") + 1
        return x

    for call, slug, words in [
        (lambda: ko.Extent("n") // 0, "extent-divisor", "expected a positive divisor, but got 0"),
        (product, "extent-too-large", "expected an extent of at most 4000 operations, 200 deep, but got"),
    ]:
        error = raised(call)
        assert isinstance(error, ValueError) and error.slug == slug and f"[{slug}] {words}" in str(error)


@pytest.mark.parametrize("name", ["at once", "jit", "vmap"])
def test_checked_places_name_the_function(name):
    x, places = np.array([1.0, 2.0, 3.0]), np.array([[[1]], [[5]]])
    calls = {
        "gather": lambda i: ko.gather(x, i, (0,), (1,), mode="check"),
        "scatter": lambda i: ko.scatter(x, x[:1, None], i, (0,), "kAdd", mode="check"),
    }
    for function, call in calls.items():
        with pytest.raises(IndexError) as info:
            ko.vmap(call)(places) if name == "vmap" else (ko.jit(call) if name == "jit" else call)(places[1])
        start = "{}: [index-out-of-range] argument" if name == "at once" else "jit: [index-out-of-range] {}: argument"
        assert str(info.value).startswith(start.format(function))


def test_a_shared_program_names_the_line_of_each_call():
    x = ko.zeros(1 << 21)  # large enough to be compiled, and shared by its text
    lines = []
    for call in (
        lambda: ko.gather(x, [[-2]], [0], [1], mode="check"),
        lambda: ko.gather(x, [[-2]], [0], [1], mode="check"),
    ):
        with pytest.raises(IndexError) as info:
            call()
        lines.append(info.value.where[1])
    assert lines[1] == lines[0] + 1
