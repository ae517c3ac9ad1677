"""Calls of jitted functions that are found without a walk in Python give what that walk gives."""

import threading
from collections import OrderedDict, namedtuple

import numpy as np
import pytest

import kolam as ko

Point = namedtuple("Point", "x y")
X = ko.asarray(np.arange(6, dtype=np.float32).reshape(2, 3))


def traced(function, **options):
    """The function, jitted, and a list that grows by one at each trace."""
    traces = []

    def counted(*positional, **named):
        traces.append(1)
        return function(*positional, **named)

    return ko.jit(counted, **options), traces


def test_each_kind_of_argument_has_its_own_trace_once():
    f, traces = traced(lambda *args, **named: ko.zeros((1,)))
    calls = [
        ((X,), {}), ((X, X), {}), (((X,),), {}), (([X],), {}), (((X, X),), {}), (((X,), X), {}), ((), {"x": X}),
        ((), {"y": X}), ((), {"x": X, "y": X}), (({"x": X},), {}), (({"y": X},), {}), ((None,), {}), ((X, None), {}),
        ((1,), {}), ((1.5,), {}), ((True,), {}), ((1000,), {}), ((Point(X, X),), {}), ((OrderedDict(x=X),), {}),
        ((np.float32(1),), {}), ((np.zeros(3, np.int8),), {}), ((np.zeros((3, 1), np.int8),), {}), ((), {}),
    ]  # fmt: skip
    for number, (positional, named) in enumerate(calls):
        for _ in range(3):
            f(*positional, **named)
        assert len(traces) == number + 1, (positional, named)


def test_what_has_one_type_shares_a_trace():
    f, traces = traced(lambda x, y: x + y)
    values = np.ones((2, 3), np.float32)
    for x in (X, values, values[::-1], np.asfortranarray(values)):
        for named in ({"x": x, "y": 2.5}, {"y": 3.5, "x": x}):
            np.testing.assert_array_equal(f(**named), np.asarray(x) + named["y"])
    assert len(traces) == 1


@pytest.mark.parametrize("result", [
    lambda x: x, lambda x: (x,), lambda x: (x, x + 1), lambda x: [x, (x + 1,)], lambda x: {"a": x, "b": x + 1},
    lambda x: Point(x, x + 1), lambda x: (), lambda x: None, lambda x: (x, None),
])  # fmt: skip
def test_results_have_their_structure(result):
    f = ko.jit(result)
    first, second, plain = f(X), f(X), result(X)
    assert type(first) is type(second) is type(plain)
    assert repr(first) == repr(second) == repr(plain)


def test_foreign_memory_is_read_before_the_call_returns():
    f = ko.jit(lambda x: (x, x + 1))
    values = np.zeros(3, np.float32)
    for _ in range(3):
        same, more = f(values)
        values += 1
        np.testing.assert_array_equal(np.asarray(same) + 1, values)
        np.testing.assert_array_equal(more, values)


def test_statics_by_place_and_name():
    traces = []
    f = ko.jit(lambda x, n, mode="a": traces.append(1) or (x * n if mode == "a" else x + n), static_argnames=("n", "mode"))
    for _ in range(3):
        np.testing.assert_array_equal(f(X, 2), np.asarray(X) * 2)
        np.testing.assert_array_equal(f(X, 3), np.asarray(X) * 3)
        np.testing.assert_array_equal(f(X, 2, "b"), np.asarray(X) + 2)
        np.testing.assert_array_equal(f(X, n=2, mode="b"), np.asarray(X) + 2)
        assert f(X, True).dtype == ko.float32 and f(X, 2.5).dtype == ko.float32
    assert f.cache_size == 5 == len(traces)


def test_arrays_that_were_used_up_are_refused():
    f = ko.jit(lambda x: x + 1)
    f(X)
    gone = ko.asarray([1.0, 2.0])
    ko.jit(lambda x: x * 2, donate_argnames="x")(gone)
    with pytest.raises(ko.KolamError) as caught:
        f(gone)
    assert caught.value.slug == "donated"


def test_a_cleared_function_is_traced_again():
    f, traces = traced(lambda x: x + 1)
    f(X), f(X)
    f.clear_cache()
    f(X), f(X)
    assert len(traces) == 2


def test_threads_share_the_table():
    f = ko.jit(lambda x, y: (x @ y.T, x.sum()))
    expected = np.asarray(X) @ np.asarray(X).T
    wrong = []

    def call():
        for turn in range(200):
            if turn % 50 == 0:
                f.clear_cache()
            product, total = f(X, X)
            if not np.array_equal(product, expected) or float(total) != 15:
                wrong.append(turn)

    threads = [threading.Thread(target=call) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_calls_inside_callbacks_of_calls():
    inner = ko.jit(lambda x: x + 1)

    def host(x):
        return np.asarray(inner(x))

    outer = ko.jit(lambda x: ko.opaque_call(host, [x], (x.shape, x.dtype)) * 2)
    for _ in range(3):
        np.testing.assert_array_equal(outer(X), (np.asarray(X) + 1) * 2)
