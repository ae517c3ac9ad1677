"""Functions of the host in bodies: they run once for each instance, in the order in which the bodies are written."""

import numpy as np
import pytest

import kolam as ko
from kolam import fractal as ops
from kolam.fractal import FractalTensor

ROWS = FractalTensor([[1.0, 2.0], [], [3.0], [4.0, 5.0, 6.0]])
XS = ROWS[0]


def both(program, *arguments):
    """The results of both backends, which are equal, and the calls of each, which are the same."""
    found = []
    for backend in ("interpret", "cpu"):
        calls = []

        def host(name, x):
            def call(value):
                calls.append((name, np.asarray(value).tolist()))
                return np.asarray(value) * 10

            return ko.opaque_call(call, [x], ((), ko.float32))

        result = ko.jit(lambda *xs: program(host, *xs), backend=backend)(*arguments)
        found.append((result.to_list() if isinstance(result, FractalTensor) else np.asarray(result).tolist(), calls))
    assert found[0] == found[1]
    return found[1]


def test_in_a_map():
    result, calls = both(lambda host, xs: ops.map(lambda x: host("a", x) + 1, xs), XS)
    assert result == [11, 21]
    assert calls == [("a", 1), ("a", 2)]


def test_in_maps_of_maps():
    result, calls = both(lambda host, rows: ops.map(lambda row: ops.map(lambda x: host("a", x), row), rows), ROWS)
    assert result == [[10, 20], [], [30], [40, 50, 60]]
    assert [value for _, value in calls] == [1, 2, 3, 4, 5, 6]


def test_bodies_run_one_after_the_other():
    """Both maps of one row come before those of the next row."""

    def program(host, rows):
        def row_of(row):
            longer = ops.map(lambda x: host("a", x), row)
            return ops.join(longer, ops.map(lambda x: host("b", x), row))

        return ops.map(row_of, rows)

    result, calls = both(program, ROWS[2:])
    assert result == [[30, 30], [40, 50, 60, 40, 50, 60]]
    assert calls == [("a", 3), ("b", 3), *(("a", x) for x in (4, 5, 6)), *(("b", x) for x in (4, 5, 6))]


@pytest.mark.parametrize(("scan", "order"), [("scan", [1, 3]), ("scanr", [2, 3])])
def test_in_a_scan(scan, order):
    """The state is what the host gave, by ten."""
    _, calls = both(lambda host, xs: getattr(ops, scan)(lambda s, x: host("a", s * 0.1 + x), xs, initializer=np.float32(0)), XS)
    assert [round(value) for _, value in calls] == order


def test_in_scans_of_a_batch():
    def program(host, rows):
        return ops.map(lambda row: ops.scan(lambda s, x: host("a", x) + s, row, initializer=np.float32(0)), rows)

    result, calls = both(program, ROWS)
    assert result == [[10, 30], [], [30], [40, 90, 150]]
    assert [value for _, value in calls] == [1, 2, 3, 4, 5, 6]


def test_behind_a_scan_that_its_map_does_not_join():
    def program(host, xs):
        return ops.map(lambda s: host("b", s), ops.scan(lambda s, x: host("a", x) + s, xs, initializer=np.float32(0)))

    result, calls = both(program, XS)
    assert result == [100, 300]
    assert calls == [("a", 1), ("a", 2), ("b", 10), ("b", 30)]


def test_in_a_filter():
    result, calls = both(lambda host, xs: ops.filter(lambda x: host("a", x) > 10, xs), XS)
    assert (result, [value for _, value in calls]) == ([2], [1, 2])


def test_in_a_branch_of_a_body():
    def program(host, xs):
        return ops.map(lambda x: ko.cond(x > 1, lambda x: host("a", x), lambda x: x, x), xs)

    result, calls = both(program, XS)
    assert (result, calls) == ([1, 20], [("a", 2)])


def test_results_that_nobody_reads():
    def program(host, xs):
        ops.map(lambda x: host("a", x), xs)
        return xs

    _, calls = both(program, XS)
    assert [value for _, value in calls] == [1, 2]


def test_explain_says_so():
    def program(xs):
        return ops.map(lambda x: ko.opaque_call(lambda x: x, [x], ((), ko.float32)), xs)

    words = "one instance after the other: a function of the host is called once for each instance"
    assert words in ko.jit(program).explain(XS)


def test_reductions_are_interpreted():
    """Chunks are merged side by side."""

    def program(xs):
        return ops.reduce(lambda a, b: ko.opaque_call(lambda a, b: a + b, [a, b], ((), ko.float32)), xs)

    words = (
        r"\[interpret-only\] expected lists that native code can hold, but got a program where a function of the host is called "
        r"once for each instance, and a reduction merges its chunks side by side; backend 'interpret' runs it"
    )
    with pytest.raises(ko.KolamError, match=words):
        ko.jit(program)(XS)
    assert ko.jit(program, backend="interpret")(XS).item() == 3
