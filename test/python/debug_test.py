"""debug.print and debug.callback: when the program runs, in its order."""

import numpy as np
import pytest

import kolam as ko


def test_prints_at_every_run(capsys):
    @ko.jit
    def f(x):
        ko.debug.print("x = {x} and {:.2f}", ko.sum(x), x=x)
        return x

    for start in (0, 1):
        f(np.arange(start, start + 2, dtype=np.float32))
    assert capsys.readouterr().out == "x = [0. 1.] and 1.00\nx = [1. 2.] and 3.00\n"


def test_at_once_and_of_other_values(capsys):
    ko.debug.print("{name}: {tree} {{}} {0!r:>5}", 3, name="n", tree={"a": ko.asarray([1, 2])})
    assert capsys.readouterr().out == "n: {'a': array([1, 2], dtype=int32)} {}     3\n"


@pytest.mark.parametrize("backend", ["cpu", "interpret"])
def test_in_loops_and_branches_in_order(backend):
    seen = []
    note = lambda *values: seen.append(tuple(value.item() if isinstance(value, ko.Array) else value for value in values))

    @ko.jit(backend=backend)
    def f(n):
        def body(i, s):
            ko.debug.callback(note, "turn", i, s)
            return ko.cond(s > 3, lambda s: (ko.debug.callback(note, "large", s), s)[1], lambda s: s + i, s)

        ko.debug.callback(note, "start")
        total = ko.fori_loop(0, n, body, 0)
        ko.debug.callback(note, "end", total)
        ko.scan(lambda s, x: (ko.debug.callback(note, "scan", x), s)[1:] * 2, 0, ko.arange(2))
        return n

    f(5)
    expected = [("start",)]
    s = 0
    for i in range(5):
        expected.append(("turn", i, s))
        if s > 3:
            expected.append(("large", s))
        else:
            s += i
    assert seen == [*expected, ("end", s), ("scan", 0), ("scan", 1)]


def test_loops_at_once():
    seen = []
    ko.fori_loop(0, 3, lambda i, s: (ko.debug.callback(lambda i: seen.append(i.item()), i), s + 1)[1], 0)
    assert seen == [0, 1, 2]


def test_what_a_callback_raises_ends_the_run():
    def fail(x):
        raise ZeroDivisionError("mine")

    @ko.jit
    def f(x):
        ko.debug.callback(fail, x)
        return x

    with pytest.raises(ZeroDivisionError, match="mine"):
        f(1)
    with pytest.raises(ZeroDivisionError, match="mine"):
        ko.debug.callback(fail, ko.asarray(1))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ko.debug.print("{y}", x=1), "there is no argument 'y'"),
        (lambda: ko.debug.print("{} {}", 1), "tuple index out of range"),
        (lambda: ko.debug.print("x = 3", 1), r"expected a field for each argument, but got none for 0 .*ko\.debug\.print\('x = \{\}', x\)"),
        (lambda: ko.debug.print("{", 1), "in '{'"),
        (lambda: ko.debug.print("{a}", a=1, b=2), "none for 'b'"),
    ],
)
def test_bad_formats(call, words):
    with pytest.raises(ko.KolamError, match=rf"\[bad-format\].*{words}") as info:
        call()
    assert info.value.where[0] == __file__


def test_not_in_bodies_of_cells():
    with pytest.raises(ko.KolamError, match=r"single elements"):
        ko.zip_map_reduce(lambda x: (ko.debug.print("{}", x), x)[1], [ko.ones(3)])


def test_lists(capsys):
    xs = ko.fractal.FractalTensor([[1, 2], [], [3]])
    ko.debug.print("{}", xs)

    @ko.jit
    def f(xs, n):
        def body(i, xs):
            ko.debug.print("turn {}: {xs}", i, xs=xs)
            return ko.fractal.map(lambda row: ko.fractal.map(lambda x: x * 2, row), xs)

        return ko.fori_loop(0, n, body, xs)

    f(xs, 2)
    text = lambda *rows: "list<list<int32[]>>\n[" + "\n ".join(rows) + "]\n"
    assert capsys.readouterr().out == (
        text("[1 2]", "[]", "[3]") + "turn 0: " + text("[1 2]", "[]", "[3]") + "turn 1: " + text("[2 4]", "[]", "[6]")
    )
    seen = []
    ko.jit(lambda xs: (ko.debug.callback(lambda xs, x: seen.append((xs.to_list(), x.item())), xs, xs.numel), xs)[1])(xs)
    assert seen == [([[1, 2], [], [3]], 3)]
