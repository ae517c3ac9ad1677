"""StaticList[T, n]: the length of an argument is checked at the call, and known to the program."""

import inspect

import numpy as np
import pytest
from both import plain

import kolam as ko
from kolam import fractal as ops
from kolam.fractal import FractalTensor, StaticList

XS = FractalTensor([1.0, 2.0, 3.0])
ROWS = FractalTensor([[1.0], [], [2.0, 3.0]])


def total(p: StaticList[ops.Tensor, 3], x=0.0):
    return ops.fold(lambda s, y: s + y, p, initializer=0.0) + x


def layers(p: StaticList[tuple[ops.Tensor, ops.Tensor], 2]):
    return p[0][0] * p[1][1]


def square(p: StaticList[StaticList[ops.Tensor, 2], 2]):
    return p[0][1] + p[1][0]


@pytest.mark.parametrize("backend", ["cpu", "interpret"])
def test_lists_of_the_length_pass(backend):
    jitted = ko.jit(total, backend=backend)
    assert jitted(XS).item() == 6 and jitted(p=XS, x=1.0).item() == 7
    assert ko.jit(layers, backend=backend)([(2.0, 3.0), (4.0, 5.0)]).item() == 10
    assert ko.jit(square, backend=backend)(((1.0, 2.0), [3.0, 4.0])).item() == 5
    rows = ko.jit(lambda: 0)  # what follows is of lists of lists

    def reversed_rows(p: StaticList[FractalTensor[ops.Tensor], 3]):
        return ops.map(lambda row: ops.reverse(row), p)

    rows = ko.jit(reversed_rows, backend=backend)
    assert plain(rows(ROWS)) == [[1], [], [3, 2]]
    assert plain(rows(FractalTensor([[], [4.0, 5.0], []]))) == [[], [5, 4], []]
    assert rows.cache_size == 1  # the lengths of the rows stay data


REFUSED = {
    "a longer list": (total, FractalTensor([1.0] * 5), ValueError, "list-lengths",
                      "total: [list-lengths] argument 'p': expected a list of 3, as its annotation says, but got one of 5"),
    "a shorter list": (total, XS[:2], ValueError, "list-lengths", "but got one of 2"),
    "Python's list": (layers, [(1.0, 2.0)] * 3, ValueError, "list-lengths",
                      "layers: [list-lengths] argument 'p': expected a list of 2, as its annotation says, but got one of 3"),
    "inside": (square, [[1.0, 2.0], [1.0]], ValueError, "list-lengths",
               "square: [list-lengths] argument 'p[1]': expected a list of 2, as its annotation says, but got one of 1"),
    "lists inside": (square, FractalTensor([[1.0, 2.0], [1.0]]), ValueError, "list-lengths", "argument 'p[1]'"),
    "an array": (total, np.ones(3), TypeError, "not-a-list", "expected a list of 3, as its annotation says, but got a ndarray"),
    "a number": (total, 3, TypeError, "not-a-list", "but got an int"),
}  # fmt: skip


@pytest.mark.parametrize("backend", ["cpu", "interpret"])
@pytest.mark.parametrize("name", REFUSED)
def test_other_lengths_are_refused(name, backend):
    function, given, cls, slug, words = REFUSED[name]
    jitted = ko.jit(function, backend=backend)
    with pytest.raises(ko.KolamError) as info:
        jitted(given)
    assert isinstance(info.value, cls) and info.value.slug == slug and words in str(info.value), info.value
    assert info.value.where == (__file__, inspect.currentframe().f_lineno - 2)


@pytest.mark.parametrize("backend", ["cpu", "interpret"])
def test_a_traced_list_is_checked_by_the_run(backend):
    inner = ko.jit(total)
    outer = ko.jit(lambda xs: inner(ops.reverse(xs)), backend=backend)
    assert outer(XS).item() == 6
    with pytest.raises(ko.KolamError) as info:
        outer(XS[:2])
    assert info.value.slug == "list-lengths"
    assert "total: argument 'p': expected a list of 3, as its annotation says, but got another length" in str(info.value)


def test_the_program_knows_the_length():
    """Its leaves have an extent that is a number; of other lists it is a symbol."""
    assert "tensor<3xf32>" in ko.jit(total).lower(XS).as_text("program")
    assert "tensor<3xf32>" not in ko.jit(lambda p: total(p)).lower(XS).as_text("program")


def test_an_annotation_says_how_many():
    for wrong in (ops.Tensor, (ops.Tensor, -1), (ops.Tensor, 2.0), (ops.Tensor, 2, 3)):
        with pytest.raises(ko.KolamError) as info:
            StaticList[wrong]
        assert info.value.slug == "argument-type" and "expected StaticList[T, n]" in str(info.value)


@pytest.mark.parametrize("backend", ["cpu", "interpret"])
def test_a_known_length_unrolls_loops(backend):
    def each(p: StaticList[FractalTensor[ops.Tensor], 3]):
        return [ops.len(row) for row in p], len(p)

    lengths, count = ko.jit(each, backend=backend)(ROWS)
    assert [n.item() for n in lengths] == [1, 0, 2] and int(count) == 3
    rows = ko.jit(lambda xs: ops.map(lambda row: sum(row), ops.slide(xs, 2)), backend=backend)
    assert rows(XS).to_list() == [3, 5]


def test_a_place_outside_of_a_known_length_is_refused_at_once():
    def read(p: StaticList[ops.Tensor, 3]):
        return p[3]

    with pytest.raises(ko.KolamError) as info:
        ko.jit(read).lower(XS)
    assert "index: [list-index] expected a place from -3 to 2, but got 3" in str(info.value)


def test_other_lengths_are_not_known():
    for read in (len, list):
        with pytest.raises(ko.KolamError) as info:
            ko.jit(lambda xs: read(xs))(XS)
        assert info.value.slug == "traced-value"
