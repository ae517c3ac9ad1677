"""Calls of jitted functions that are found without a walk in Python give what that walk gives."""

import dataclasses
import threading
from collections import OrderedDict, namedtuple

import numpy as np
import pytest

import kolam as ko
from kolam import fractal as ops

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


@dataclasses.dataclass
class Pair:
    x: object
    y: object


class OtherPair(Pair):
    pass


def test_records_go_by_type_and_fields():
    Twin = namedtuple("Point", "x y")
    f, traces = traced(lambda p: ko.add(*(p if isinstance(p, tuple) else (p.x, p.y))))
    for number, kind in enumerate([Point, Twin, Pair, OtherPair], 1):
        for x in (X, np.asarray(X) * 2):
            np.testing.assert_array_equal(f(kind(x, X)), np.asarray(x) + np.asarray(X))
        assert len(traces) == number
    np.testing.assert_array_equal(f(Pair(X, 1)), np.asarray(X) + 1)
    assert len(traces) == 5


def test_lists_share_a_trace_by_type_not_by_lengths():
    f, traces = traced(lambda xs, scale: ops.map(lambda row: ops.map(lambda x: x * scale, row), xs))
    for rows in ([[1.5, 2.5], [3.5]], [[], [1.5]], [[4.5]]):
        for _ in range(2):
            assert [list(map(float, row)) for row in f(ops.FractalTensor(rows, dtype=np.float32), 2.0)] == [
                [2 * x for x in row] for row in rows
            ]
    assert len(traces) == 1
    f(ops.FractalTensor([[1, 2]]), 2)
    assert len(traces) == 2
    with pytest.raises(ko.KolamError):
        f(ops.FractalTensor([1.5, 2.5]), 2.0)  # of depth 1: a type of its own, whose elements are no lists


def test_lists_of_tuples_keep_their_structure():
    f, traces = traced(lambda xs: ops.map(lambda p: Point(p.y, p.x + 1), xs))
    for count in (1, 2, 3, 3):
        swapped = f(ops.FractalTensor([Point(np.float32(i), i) for i in range(count)]))
        assert isinstance(swapped, Point)
        assert [(int(x), float(y)) for x, y in zip(swapped.x, swapped.y)] == [(i, i + 1) for i in range(count)]
    assert len(traces) == 1


def endless_list():
    endless = [X]
    endless.append(endless)
    return endless


def endless_dict():
    endless = {}
    endless["self"] = endless
    return endless


def endless_record():
    endless = Pair(X, None)
    endless.y = endless
    return endless


@pytest.mark.parametrize("make", [endless_list, endless_dict, endless_record])
def test_what_holds_itself_is_refused(make):
    with pytest.raises(ko.KolamError) as caught:
        ko.jit(lambda x: X)(make())
    assert caught.value.slug == "ragged-nest"


def test_fields_may_run_code():
    class Shrinking(Pair):
        @property
        def y(self):
            arguments.clear()
            return X

        @y.setter
        def y(self, value):
            pass

    arguments = []
    f = ko.jit(lambda xs: X)
    for _ in range(3):
        arguments += [Shrinking(X, X), *(np.zeros((1, i)) for i in range(50))]
        np.testing.assert_array_equal(f(arguments), X)


def test_errors_of_fields_are_the_users():
    class Broken(Pair):
        def __getattribute__(self, name):
            if name == "y":
                raise RuntimeError("no y today")
            return super().__getattribute__(name)

    f = ko.jit(lambda p: p.x)
    f(Pair(X, X))
    with pytest.raises(RuntimeError, match="no y today"):
        f(Broken(X, X))


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


def test_options_keep_the_order_of_arguments():
    def function(y, x, n, *more, a, z=None):
        return y - x * n + sum(more) * 100 + a

    y, x = np.ones(2, np.float32), np.full(2, 5, np.float32)
    calls = [
        ((y, x, 2), {"a": x}), ((y, x, 2), {"a": y}), ((y,), {"x": x, "n": 2, "a": x}), ((), {"a": x, "n": 3, "x": x, "y": y}),
        ((y, x, 2, x, y), {"a": y}), ((x, y, 2, y, x), {"z": None, "a": x}),
    ]  # fmt: skip
    options = [
        {}, {"static_argnames": "n"}, {"dynamic": {"x": [0], "y": [0], "a": [-1]}}, {"dynamic": {"more": [0]}},
        {"static_argnames": ("n", "z"), "dynamic": {"x": {0: "n"}, "y": {0: "n"}}},
        {"static_argnames": "n", "donate_argnames": "z"},
    ]  # fmt: skip
    for chosen in options:
        f = ko.jit(function, **chosen)
        for positional, named in calls * 2:
            np.testing.assert_array_equal(f(*positional, **named), function(*positional, **named), err_msg=str(chosen))
    f = ko.jit(lambda x, *rest: x * len(rest) + sum(rest), static_argnames="rest")
    for _ in range(2):
        np.testing.assert_array_equal(f(x, 1, 2, 3), x * 3 + 6)
        np.testing.assert_array_equal(f(x), x * 0)


def test_dynamic_dims_share_a_trace():
    counts = []

    def scaled(x, y, scale=1):
        counts.append(1)
        return ko.sum(x, axis=1) * y * scale

    f = ko.jit(scaled, dynamic={"x": {0: "n", -1: "m"}, "y": {0: "n"}})
    for n, m in ((2, 3), (5, 1), (0, 4), (2, 3)):
        x, y = np.ones((n, m), np.float32), np.arange(n, dtype=np.float32)
        for result in (f(x, y), f(x, y=y), f(y=y, x=x), f(x, y, 1)):
            np.testing.assert_array_equal(result, m * y)
    assert len(counts) == f.cache_size == 4  # by place, by names, and with a number
    with pytest.raises(ko.KolamError) as caught:
        f(np.ones((2, 3), np.float32), np.ones(3, np.float32))  # n is 2 and 3
    assert "expected extent n = 2 in dim 0, but got 3" in str(caught.value)
    with pytest.raises(ko.KolamError) as caught:
        f(np.float32(1), np.ones(3, np.float32))
    assert caught.value.slug == "axis-out-of-range"
    with pytest.raises(ko.KolamError) as caught:
        f(ops.FractalTensor([X]), np.ones(3, np.float32))
    assert "no dynamic dims beside lists" in str(caught.value)


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
