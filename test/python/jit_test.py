"""jit: structures, statics, the cache, dynamic dims, donation, checks, nesting, threads, signals and fork."""

import dataclasses
import os
import signal
import threading
import time
from typing import NamedTuple

import numpy as np
import pytest

import kolam as ko

X = np.arange(6, dtype=np.float32).reshape(2, 3)


class Pair(NamedTuple):
    left: object
    right: object


@dataclasses.dataclass
class Layer:
    weight: object
    bias: object = None


def test_structures_of_arguments_and_results():
    @ko.jit
    def function(pair, layer, *rest, named):
        assert pair.left.shape == (2, 3) and layer.bias is None and len(rest) == 1
        return {"sum": pair.left + pair.right, "layer": Layer(layer.weight * 2, None)}, [rest[0], (named["a"],)], None

    results, others, nothing = function(Pair(X, 1.0), Layer(X), X, named={"a": [1, 2]})
    assert nothing is None and isinstance(results["layer"], Layer) and isinstance(others[1], tuple)
    np.testing.assert_array_equal(results["sum"], X + 1)
    np.testing.assert_array_equal(results["layer"].weight, X * 2)


def test_the_cache_knows_structures_dtypes_shapes_and_statics():
    traces = []

    @ko.jit(static_argnames="scale")
    def function(x, scale=1):
        traces.append(scale)
        return x * scale

    for call in (lambda: function(X), lambda: function(X + 1), lambda: function(X, 2), lambda: function(X, scale=2)):
        call()
    assert traces == [1, 2] and function.cache_size == 2
    function(X.T)
    function(X.astype(np.float64))
    assert function.cache_size == 4
    function(X, 2.0)  # 2 and 2.0 are equal, but not the same
    assert function.cache_size == 5 and function(X, 2.0).dtype == ko.float32
    function.clear_cache()
    assert function.cache_size == 0


def test_statics_must_be_hashable():
    with pytest.raises(ko.KolamError, match=r"\[unhashable-static\] argument 'n': expected a hashable value") as info:
        ko.jit(lambda x, n: x, static_argnames=["n"])(X, [1])
    assert info.value.where[0] == __file__


def test_dynamic_dims_share_one_program():
    function = ko.jit(lambda x, y: x * 2 + y, dynamic={"x": {0: "n"}, "y": {0: "n"}})
    for rows in (0, 1, 5, 300):
        given = np.arange(rows * 3, dtype=np.float32).reshape(rows, 3)
        np.testing.assert_array_equal(function(given, given), given * 3)
    assert function.cache_size == 1
    with pytest.raises(ko.KolamError, match=r"\[argument-mismatch\]"):
        function(np.zeros((2, 3), np.float32), np.zeros((4, 3), np.float32))


def test_shapes_of_dynamic_dims_are_expressions():
    seen = []

    @ko.jit(dynamic={"x": [0]})
    def function(x):
        seen.append(x.shape[0])
        return ko.reshape(x, (x.shape[0] * 3,))

    assert function(X).shape == (6,) and str(seen[0]) == "x.0" and seen[0] + 1 - 1 == seen[0]
    with pytest.raises(TypeError, match="symbolic"):
        int(seen[0])


def test_jit_within_jit_is_inlined():
    inner = ko.jit(lambda x: x + 1)
    outer = ko.jit(lambda x: inner(x) * inner(x))
    np.testing.assert_array_equal(outer(X), (X + 1) ** 2)
    assert inner.cache_size == 0 and ko.jit(inner) is inner


def test_an_inlined_function_sees_arrays_of_ours():
    table = np.arange(4, dtype=np.int32)
    inner = ko.jit(lambda x, i, places: (x[i] + 1.5, places), static_argnames="places")
    expected = inner(table, np.array([2]), (1, 2))
    for function in (ko.jit(lambda i: inner(table, i, (1, 2))), ko.vmap(lambda i: inner(table, i, places=(1, 2)), out_axes=(0, None))):
        result, places = function(np.array([2]))
        assert result.dtype == ko.float32 == expected[0].dtype and result.tolist() == [3.5] == expected[0].tolist()


def test_methods_and_decorators():
    class Model:
        @ko.jit
        def scaled(self_scale, x):  # noqa: N805
            return x

    class Scale:
        def __init__(self):
            self.call = ko.jit(lambda x: x * 3)

    np.testing.assert_array_equal(Scale().call(X), X * 3)
    assert Model.scaled.__name__ == "scaled"


def test_arrays_from_around_are_captured():
    weight = np.ones((3, 300), np.float32)
    function = ko.jit(lambda x: x @ weight)
    first = np.asarray(function(X))
    weight[:] = 0  # too late: foreign memory was copied
    np.testing.assert_array_equal(function(X), first)


def test_looking_inside():
    function = ko.jit(lambda x: ko.exp(x).sum(axis=0))
    assert "kolam.elementwise" in function.lower(X).as_text() and "define" in function.lower(X).as_text("llvm")
    assert function.explain(X) and function.cost(X)["flops"] > 0 and function.as_dot(X).startswith("digraph")
    text = function.lower(X).as_text()
    assert ko.parse_program(text).as_text() == text
    np.testing.assert_array_equal(ko.parse_program(text).run([X])[0], function(X))


def test_donated_arrays_are_used_up():
    function = ko.jit(lambda x, y: x + y, donate_argnames="x")
    x, y = ko.asarray(X), ko.asarray(X)
    np.testing.assert_array_equal(function(x, y), X * 2)
    for use in (lambda: function(x, y), lambda: x + 1, lambda: ko.sum(x)):
        with pytest.raises(ko.KolamError, match=r"\[donated\] expected an array, but got one that an earlier call used up"):
            use()
    with pytest.raises((BufferError, ValueError, TypeError)):
        np.frombuffer(x, np.float32)
    assert (y + 1).shape == (2, 3) and function(X, y).shape == (2, 3)  # numpy's memory stays numpy's


@pytest.mark.parametrize("backend", ["cpu", "interpret"])
def test_checks_of_an_inlined_function(backend):
    inner = ko.jit(lambda x: ko.log(x), checks=True)
    outer = ko.jit(lambda x: inner(x) + 1, backend=backend)
    with pytest.raises(ko.KolamError, match=r"\[nan-created\]"):
        outer(-X - 1)


def test_extents_are_values():
    mean = ko.jit(lambda x: ko.sum(x) / x.shape[0] + x.shape[0] * ko.ones(()), dynamic={"x": [0]})
    assert [float(mean(np.full(n, 2, "f4"))) for n in (4, 5)] == [6, 7]
    full = ko.jit(lambda x: ko.full((2,), x.shape[0]), dynamic={"x": [0]})
    assert np.asarray(full(np.ones(3, "f4"))).tolist() == [3, 3]


def test_results_take_over_donated_memory():
    function = ko.jit(lambda x: x + 1, donate_argnames="x")
    x = ko.asarray(X) * 1
    address = np.asarray(x).ctypes.data
    assert np.asarray(function(x)).ctypes.data == address
    x = ko.asarray(X) * 1
    view = np.asarray(x)
    y = function(x)
    np.testing.assert_array_equal(view, X)
    np.testing.assert_array_equal(y, X + 1)


@pytest.mark.parametrize("backend", ["cpu", "interpret"])
def test_checks(backend):
    checked = ko.jit(lambda x: ko.log(x), checks=True, backend=backend)
    np.testing.assert_array_equal(checked(X[:, 1:]), ko.log(X[:, 1:]))
    with pytest.raises(ko.KolamError, match=r"\[nan-created\]") as info:
        checked(-X - 1)
    assert info.value.where[0] == __file__
    overflowing = ko.jit(lambda x: x + x, checks="overflow", backend=backend)
    with pytest.raises(ko.KolamError, match=r"\[integer-overflow\]"):
        overflowing(np.array([100], np.int8))
    with pytest.raises(ko.KolamError, match=r"\[bad-option\]"):
        ko.jit(lambda x: x, checks="everything")


def test_threads_share_a_function():
    function = ko.jit(lambda x: (x @ x.T).sum())
    results, expected = [], (X @ X.T).sum()
    threads = [threading.Thread(target=lambda: results.append(float(function(X)))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 8 and function.cache_size == 1


def test_ctrl_c_stops_a_run():
    endless = ko.jit(lambda x: ko.while_loop(lambda s: s.sum() >= 0, lambda s: s * 1, x))
    timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        endless(X)
    assert time.monotonic() - start < 60
    np.testing.assert_array_equal(ko.jit(lambda x: x + 1)(X), X + 1)  # later runs go on


def test_the_child_of_a_fork_runs_and_compiles():
    function = ko.jit(lambda x: (x @ x.T).sum())
    expected = float(function(X))
    child = os.fork()
    if child == 0:
        correct = float(function(X)) == expected and float(ko.jit(lambda x: x.sum() * 2)(X)) == 30
        os._exit(0 if correct else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
