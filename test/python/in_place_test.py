"""Scatters and dynamic_update_slices: in place where nobody needs the old elements, never elsewhere."""

import numpy as np
import pytest

import kolam as ko

X = np.arange(600, dtype=np.float32).reshape(100, 6)
ROWS = np.arange(18, dtype=np.float32).reshape(3, 1, 6) + 1000
ROW = np.arange(6, dtype=np.float32).reshape(1, 6) - 50
PLACES = np.array([[3], [7], [3]], np.int32)


def add_rows(x, rows, places):
    return ko.scatter(x, rows, places, [0], "kAdd")


def put_row(x, row, place):
    return ko.dynamic_update_slice(x, row, (place, 0))


def added(x, times=1):
    out = x.copy()
    for _ in range(times):
        np.add.at(out, PLACES[:, 0], ROWS[:, 0])
    return out


def put(x, place):
    out = x.copy()
    out[place] = ROW[0]
    return out


def address(array):
    return np.asarray(array).ctypes.data


def loop_of_scatters(x, rows, places):
    return ko.fori_loop(0, 4, lambda i, s: add_rows(add_rows(s, rows, places), rows, places), x)


def loop_of_rows(x, row, place):
    return ko.fori_loop(0, place, lambda i, s: put_row(s, row, i), x)


def filled(x, places):
    out = x.copy()
    out[:places] = ROW
    return out


def while_adding(x, rows, places):
    return ko.while_loop(lambda s: s[50, 0] < 304, lambda s: add_rows(s, rows + 0 * s[0, 0], places), x)


CASES = {
    "scatter": (add_rows, (ROWS, PLACES), added(X)),
    "dynamic_update_slice": (put_row, (ROW, 40), put(X, 40)),
    "one after the other": (lambda x, rows, places, row, place: put_row(add_rows(x, rows, places), row, place), (ROWS, PLACES, ROW, 40), put(added(X), 40)),
    "a loop of scatters": (loop_of_scatters, (ROWS, PLACES), added(X, 8)),
    "rows one after the other": (lambda x, row, place: put_row(put_row(x, -row, place), row, place), (ROW, 40), put(X, 40)),
    "a row of its own": (lambda x, row, place: put_row(x, ko.dynamic_slice(x, (place, 0), (1, 6)) * 0 + row, place), (ROW, 40), put(X, 40)),
    "a loop of rows": (loop_of_rows, (ROW, 9), filled(X, 9)),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_donated_memory_is_changed_in_place(name):
    function, others, expected = CASES[name]
    changed = ko.jit(function, donate_argnames="x")
    x = ko.asarray(X) * 1
    before = address(x)
    result = changed(x, *others)
    assert address(result) == before
    np.testing.assert_array_equal(result, expected)
    assert "in place of" in changed.explain(X, *others)
    assert "swap" not in changed.lower(X, *others).as_text("nests")


@pytest.mark.parametrize("name", CASES)
def test_what_is_not_donated_stays(name):
    function, others, expected = CASES[name]
    x = ko.asarray(X) * 1
    result = ko.jit(function)(x, *others)
    np.testing.assert_array_equal(result, expected)
    np.testing.assert_array_equal(x, X)
    shared = ko.jit(function, donate_argnames="x")
    held = np.asarray(x)  # somebody else sees the donated memory
    np.testing.assert_array_equal(shared(x, *others), expected)
    np.testing.assert_array_equal(held, X)


@pytest.mark.parametrize("shape", [(1, 50, 6), (50, 6), (7, 5, 3), (1, 1, 300), (300,), (64, 2, 80), (1,)])
@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.bool_, np.float64])
def test_slices_of_any_shape(shape, dtype):
    rng = np.random.default_rng(8)
    x = rng.integers(0, 2, shape).astype(dtype)
    for share in [1, 2, 5]:
        size = tuple(max(1, extent // share) for extent in shape)
        update = rng.integers(0, 2, size).astype(dtype)
        for start in [0, 3, -2, 10**6]:
            expected = x.copy()
            place = [min(max(start, 0), extent - length) for extent, length in zip(shape, size, strict=True)]
            expected[tuple(slice(p, p + length) for p, length in zip(place, size, strict=True))] = update

            def put(x, update, start):
                return ko.dynamic_update_slice(x, update, (start,) * x.ndim)

            given = ko.asarray(x.copy())
            np.testing.assert_array_equal(ko.jit(put)(given, update, start), expected)
            np.testing.assert_array_equal(given, x)
            np.testing.assert_array_equal(ko.jit(put, donate_argnames="x")(given, update, start), expected)


READERS = {
    "a result of its own": lambda x, rows, places: (add_rows(x, rows, places), x - 1),
    "the old and the new": lambda x, rows, places: (add_rows(x, rows, places) - x, x - 1),
    "an update that reads elsewhere": lambda x, rows, places: (add_rows(x, rows + x[3:6, None], places), x - 1),
    "places from the elements": lambda x, rows, places: (add_rows(x, rows, (x[:3, :1] // 6).astype(ko.int32)), x - 1),
    "a row put elsewhere": lambda x, rows, places: (put_row(x, x[90:91], 4), put_row(put_row(x, x[8:9], 9), x[7:8], 8)),
    "two scatters of one value": lambda x, rows, places: (add_rows(x * 2, rows, places), add_rows(x * 2, -rows, places)),
    "a loop that reads the old state later": lambda x, rows, places: ko.fori_loop(0, 3, lambda i, s: (add_rows(s[0], rows, places), s[0].sum(axis=0) + s[1]), (x, x[0])),
    "states that change places": lambda x, rows, places: ko.fori_loop(0, 3, lambda i, s: (s[1], add_rows(s[0], rows, places)), (x, x * 2)),
    "one state from another": lambda x, rows, places: ko.fori_loop(0, 3, lambda i, s: (add_rows(s[0], rows, places), add_rows(s[0], rows * 2, places)), (x, x * 2)),
    "an outer value in a loop": lambda x, rows, places: (ko.fori_loop(0, 3, lambda i, s: s + add_rows(x, rows, places), x), x - 1),
    "a loop in a loop": lambda x, rows, places: (ko.fori_loop(0, 2, lambda i, s: ko.fori_loop(0, 2, lambda j, t: add_rows(t, rows + s[0], places), s), x), x - 1),
    "a branch": lambda x, rows, places: (ko.fori_loop(0, 4, lambda i, s: ko.cond(i % 2 == 0, lambda t: add_rows(t, rows, places), lambda t: t + t[3], s), x), x - 1),
    "a while loop": lambda x, rows, places: (ko.while_loop(lambda s: s[3, 0] < 9000, lambda s: add_rows(s, rows, places), x), x - 1),
    "a scan": lambda x, rows, places: ko.scan(lambda s, row: (add_rows(s, row + s[:1], places), add_rows(s, -rows, places)[3]), x, rows * ko.ones((4, 3, 1, 6))),
}  # fmt: skip


@pytest.mark.parametrize("donated", [False, True])
@pytest.mark.parametrize("name", READERS)
def test_what_is_still_needed_is_never_overwritten(name, donated):
    expected = ko.jit(READERS[name], backend="interpret")(X, ROWS, PLACES)
    function = ko.jit(READERS[name], donate_argnames="x") if donated else ko.jit(READERS[name])
    results = function(ko.asarray(X) * 1, ROWS, PLACES)
    for result, cells in zip(results, expected, strict=True):
        np.testing.assert_array_equal(result, cells)


def test_an_update_of_another_array_by_a_state():
    """What the array is copied to is not the memory of the state, which is read behind the copy."""

    def program(v, a):
        def body(i, state):
            s, t = state
            w = ko.dynamic_update_slice(v, s, [0])
            return w, t.at[w % 12].set(i)

        return ko.fori_loop(0, 3, body, (a, a))

    a = np.arange(10, 19, dtype=np.int32)
    native, meant = ko.jit(program)(a + 3, a), ko.jit(program, backend="interpret")(a + 3, a)
    for x, y in zip(native, meant, strict=True):
        np.testing.assert_array_equal(np.asarray(x), np.asarray(y))


def test_a_next_state_that_a_change_starts_from():
    """What the next turn reads stays as it is when another value of this one is a changed copy of it."""

    def program(a, p):
        def body(i, state):
            _, s = state
            v = s + 1
            return v.at[p].set(7) * 2, v

        return ko.fori_loop(0, 2, body, (a, a))

    a, p = np.arange(700), np.int32(2)
    native, meant = ko.jit(program)(a, p), ko.jit(program, backend="interpret")(a, p)
    for x, y in zip(native, meant, strict=True):
        np.testing.assert_array_equal(np.asarray(x), np.asarray(y))
