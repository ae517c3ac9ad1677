"""Calls of jit and of functions with bodies: statics, names in errors, traced numbers, structures, what programs tell."""

import collections
import copy
import dataclasses
import math
import pickle

import numpy as np
import pytest

import kolam as ko
from kolam import samba

X = np.arange(6, dtype=np.float32).reshape(2, 3)


@dataclasses.dataclass(frozen=True)
class Config:
    scale: object


def raised(call):
    with pytest.raises(ko.KolamError) as info:
        call()
    assert info.value.where[0] == __file__
    return info.value


@pytest.mark.parametrize(
    "first, second",
    [
        (0.0, -0.0), ((1,), (1.0,)), (((1, 2.0),), ((1, 2),)), ((True,), (1,)), (frozenset([1]), frozenset([1.0])),
        (Config(0.0), Config(-0.0)), (Config((1,)), Config((True,))), (np.float32(1), np.float64(1)), (0j, -0j),
    ],
)  # fmt: skip
def test_statics_that_differ_have_traces_of_their_own(first, second):
    function = ko.jit(lambda x, n: x, static_argnames="n")
    for value in (first, second, copy.deepcopy(first)):
        function(X, value)
    assert function.cache_size == 2


def test_the_sign_of_a_static_zero():
    function = ko.jit(lambda x, n: x + math.copysign(1, n), static_argnames="n")
    assert function(X, 0.0).tolist() == (X + 1).tolist() and function(X, -0.0).tolist() == (X - 1).tolist()


def test_equal_statics_share_a_trace():
    function = ko.jit(lambda x, n=2.0: x, static_argnames="n")
    for call in (lambda: function(X), lambda: function(X, 2.0), lambda: function(X, n=2.0)):
        call()
    assert function.cache_size == 1
    for _ in range(3):
        function(X, float("nan"))
        function(X, (float("nan"),))
    assert function.cache_size == 3


def test_a_bad_argument_is_named():
    def layer(x, w, *rest, **named):
        return x

    for options in ({}, {"static_argnames": "w"}):
        function = ko.jit(layer, **options)
        for call, name in [
            (lambda: function("x", 1), "x"), (lambda: function(X, 1, X, [X, "r"]), "rest[1][1]"),
            (lambda: function(X, 1, n={"k": object()}), 'n["k"]'), (lambda: function(x=2**80, w=1), "x"),
        ]:  # fmt: skip
            assert str(raised(call)).startswith("layer: [") and f"argument '{name}': expected" in str(raised(call))
    assert "layer: [not-an-array] argument 'w'" in str(raised(lambda: ko.jit(layer)(X, np)))


TRACED_NUMBERS = {
    "slice": lambda x, n: x[n : n + 1], "zeros": lambda x, n: ko.zeros(n), "reshape": lambda x, n: ko.reshape(x, (n, -1)),
    "reshape method": lambda x, n: x.reshape(n, -1), "arange": lambda x, n: ko.arange(n), "top_k": lambda x, n: ko.top_k(x, n),
    "roll": lambda x, n: ko.roll(x, n), "axis": lambda x, n: ko.sum(x, axis=n), "epsilon": lambda x, n: ko.rms_norm(x, epsilon=n),
    "step": lambda x, n: x[::n], "eye": lambda x, n: ko.eye(n), "split": lambda x, n: ko.split(x, n),
}  # fmt: skip


@pytest.mark.parametrize("case", TRACED_NUMBERS)
def test_traced_numbers_say_the_way_out(case):
    error = raised(lambda: ko.jit(TRACED_NUMBERS[case])(X, 1))
    assert error.slug == "traced-value" and isinstance(error, TypeError)
    for words in ("static_argnames", "kolam.dynamic_slice", "kolam.fori_loop"):
        assert words in str(error)


def test_options_of_dynamic():
    assert ko.jit(lambda x: x, dynamic={"x": 0})(X).shape == (2, 3)
    for dynamic in ({"x": "n"}, {"x": [0.5]}, {"x": {0: 1}}, ["x"]):
        assert raised(lambda: ko.jit(lambda x: x, dynamic=dynamic)).slug == "bad-option"  # noqa: B023


BODIES = {
    "fori_loop": lambda: ko.fori_loop(0, 2, lambda s: s, X), "while_loop": lambda: ko.while_loop(lambda s: s, lambda: 1, X),
    "cond": lambda: ko.cond(True, lambda: X, lambda x: x, X), "switch": lambda: ko.switch(0, [lambda: X], X),
    "scan": lambda: ko.scan(lambda s: (s, s), X, X), "associative_scan": lambda: ko.associative_scan(lambda a: a, X),
    "zip_map_reduce": lambda: ko.zip_map_reduce(lambda a: a, [X, X]), "fromfunction": lambda: ko.fromfunction(lambda i: i, (2, 3)),
}  # fmt: skip


@pytest.mark.parametrize("case", BODIES)
def test_bodies_of_another_arity(case):
    error = raised(BODIES[case])
    assert error.slug == "call-mismatch" and isinstance(error, TypeError)
    assert str(error).startswith(f"{case}: [call-mismatch] argument '") and "expected a function of" in str(error)
    assert raised(lambda: ko.fori_loop(0, 2, 3, X)).slug == "argument-type"


def test_fromfunction_passes_indices_one_by_one():
    assert ko.fromfunction(lambda i, j: 10 * i + j, (2, 3)).tolist() == [[0, 1, 2], [10, 11, 12]]
    assert ko.fromfunction(lambda i: i * i, 3).tolist() == [0, 1, 4] and ko.fromfunction(lambda: 5, ()).item() == 5
    assert raised(lambda: ko.fromfunction(5, (2,))).slug == "argument-type"


def test_python_functions_of_arrays():
    x = ko.asarray([1.5, -2.5])
    assert round(x).tolist() == [2, -2] and [part.tolist() for part in divmod(x, 2)] == [[0, -2], [1.5, 1.5]]
    assert [part.tolist() for part in divmod(5, ko.asarray([2, 3]))] == [[2, 1], [1, 2]]
    assert ko.jit(lambda x: round(x))(x).tolist() == [2, -2]
    assert raised(lambda: round(x, 2)).slug == "bad-option"
    assert "bad-einsum" in str(raised(lambda: ko.einsum("é", x)))


def test_traced_values_are_copied_but_not_pickled():
    np.testing.assert_array_equal(ko.jit(lambda x: copy.deepcopy({"x": copy.copy(x)}))(X)["x"], X)
    assert ko.jit(lambda x: len(f"{x}") and x)(X).shape == (2, 3)
    for use in (pickle.dumps, lambda x: f"{x:.2f}"):
        assert raised(lambda: ko.jit(use)(X)).slug == "traced-value"  # noqa: B023


def test_dicts_keep_their_type_and_order():
    given = collections.OrderedDict([("b", X), ("a", X + 1)])
    result = ko.jit(lambda d: d)(given)
    assert type(result) is collections.OrderedDict and list(result) == ["b", "a"]
    assert list(ko.jit(lambda d: [k for k in d] and d)(collections.OrderedDict(reversed(given.items())))) == ["a", "b"]
    seen = []
    ko.jit(lambda d: seen.append(list(d)) or d)({"b": X, "a": X})
    assert seen == [["a", "b"]]  # as JAX has it
    default = ko.jit(lambda d: d)(collections.defaultdict(list, a=X))
    assert type(default) is collections.defaultdict and default.default_factory is list
    error = raised(lambda: ko.jit(lambda d: d)(collections.Counter(a=1)))
    assert error.slug == "argument-type" and "got a Counter" in str(error)


def test_programs_tell_what_they_take_and_give():
    weight = ko.ones((3, 300))
    program = ko.jit(lambda x: x @ weight, dynamic={"x": {0: "n"}}).lower(X)
    (dtype, shape), (_, result) = program.parameters()[0], program.results()[0]
    assert dtype is ko.float32 and shape[1] == 3 and str(shape[0]) == "n" and result[1] == 300
    assert [array.shape for array in program.captured()] == [(3, 300)] and program.parameter_names() == []
    parsed = ko.parse_program("func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n  return %a : tensor<2xf32>\n}")
    assert parsed.parameter_names() == ["a"] and parsed.result_names() == ["a"]


def test_random_takes_shapes_and_full_names():
    key = ko.random.key(7)
    assert ko.random.split(key, (2, 3)).tolist() == ko.random.split(key, 6).reshape(2, 3, 2).tolist()
    for name, full_name in (("philox", "philox4x32"), ("threefry", "threefry2x32")):
        assert ko.random.bits(key, (4,), generator=full_name).tolist() == ko.random.bits(key, (4,), generator=name).tolist()
    assert ko.dropout(key, X, 0.5).tolist() == ko.random.dropout(key, X, 0.5).tolist()


SAMBA = {
    "sn_gather": (lambda: samba.sn_gather("x", [[0]], [0], [1]), "input_tensor"),
    "sn_scatter": (lambda: samba.sn_scatter(X, "u", [[0]], [0]), "update"),
    "sn_zipmapreduce": (lambda: samba.sn_zipmapreduce(lambda attrs, x: x, [X], "ADD", 5), "reduce_dim"),
    "sn_reduce": (lambda: samba.sn_reduce(X, 5, "ADD"), "dim"),
    "sn_imm": (lambda: samba.sn_imm("x", ko.f32), "input"),
    "sn_select": (lambda: samba.sn_select(True, "x", 1), "true_val"),
    "sn_fma": (lambda: samba.sn_fma(1.0, "b", 1.0), "b"),
}


@pytest.mark.parametrize("name", SAMBA)
def test_sambas_functions_name_themselves_and_their_arguments(name):
    call, argument = SAMBA[name]
    assert str(raised(call)).startswith(f"{name}: [") and f"argument '{argument}'" in str(raised(call))


def test_cells_repeat_by_counts_of_their_own():
    x = np.int32([7, 8, 9])
    for counts in ([2, 0, 1], np.int64([2, 0, 1]), ko.asarray([2, 0, 1])):
        assert np.asarray(ko.repeat(x, counts)).tolist() == np.repeat(x, [2, 0, 1]).tolist()
    assert np.asarray(ko.repeat(x, 2)).tolist() == np.repeat(x, 2).tolist()


def test_einsum_takes_numbers_of_indices():
    x, y = np.arange(6.0).reshape(2, 3).astype("f4"), np.arange(12.0).reshape(3, 4).astype("f4")
    for form in ([[0, 1], [1, 2], [0, 2]], [[0, 1], [1, 2]], [[Ellipsis, 7], [7, 3]]):
        expected = np.einsum(x, form[0], y, form[1], *form[2:])
        np.testing.assert_array_equal(ko.einsum(x, form[0], y, form[1], *form[2:]), expected)
    with pytest.raises(ValueError, match=r"einsum: \[bad-einsum\] expected indices from 0 to 51"):
        ko.einsum(x, [0, 99], [0])
