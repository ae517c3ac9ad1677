"""Calls outside of jit that run the program of an earlier call: nothing but the types of arrays may be kept of that one."""

import math
import threading

import numpy as np
import pytest
from same_bits import different_bits

import kolam as ko

RNG = np.random.default_rng(3)

FUNCTIONS = {
    "add": (lambda x, y: x + y, 2),
    "reflected": (lambda x: 2.5 - x, 1),
    "power": (lambda x, y: ko.abs(x) ** y, 2),
    "negative": (lambda x: -x, 1),
    "item": (lambda x: x[1], 1),
    "slice": (lambda x: x[1:, ::2], 1),
    "new axis": (lambda x: x[None, ..., -1], 1),
    "places": (lambda x: x[np.array([2, 0])], 1),
    "mask": (lambda x: x[x > 0], 1),
    "assigned": (lambda x: x.at[0].set(1.0), 1),
    "sum": (lambda x: ko.sum(x, axis=0), 1),
    "std": (lambda x: ko.std(x, axis=-1, keepdims=True), 1),
    "argmax": (lambda x: ko.argmax(x), 1),
    "sort": (lambda x: ko.sort(x, axis=0, descending=True), 1),
    "top_k": (lambda x: ko.top_k(x, 2), 1),
    "matmul": (lambda x, y: x @ y.T, 2),
    "einsum": (lambda x, y: ko.einsum("ij,kj->ik", x, y), 2),
    "concat": (lambda x, y: ko.concat([x, y], axis=1), 2),
    "stack": (lambda x, y: ko.stack([x, y, x]), 2),
    "split": (lambda x: ko.split(x, 2, axis=1), 1),
    "pad": (lambda x: ko.pad(x, ((1, 0), (0, 2)), mode="edge"), 1),
    "reshape": (lambda x: ko.reshape(x, (-1,)), 1),
    "repeat": (lambda x: ko.repeat(x, 3, axis=1), 1),
    "where": (lambda x, y: ko.where(x > y, x, 0), 2),
    "places of where": (lambda x: ko.where(x > 0), 1),
    "clip": (lambda x, y: ko.clip(x, y, 0.5), 2),
    "cast": (lambda x: x.astype(ko.int32), 1),
    "softmax": (lambda x: ko.softmax(x, axis=0), 1),
    "histogram": (lambda x: ko.histogram(x, bins=4)[0], 1),
    "searchsorted": (lambda x: ko.searchsorted(ko.sort(x[0]), x[1]), 1),
    "unique": (lambda x: ko.unique_values(ko.round(x)), 1),
    "median": (lambda x: ko.median(x), 1),
    "diff": (lambda x: ko.diff(x), 1),
    "norm": (lambda x: ko.norm(x), 1),
}  # fmt: skip


def leaves(result):
    return [np.asarray(part) for part in result] if isinstance(result, tuple | list) else [np.asarray(result)]


OF_NUMPY = {"add", "reflected", "power", "negative", "item", "slice", "new axis", "places", "mask", "assigned", "matmul", "cast"}  # operators


@pytest.mark.parametrize(
    "name, kind", [(name, ko.asarray) for name in FUNCTIONS] + [(name, np.asarray) for name in FUNCTIONS if name not in OF_NUMPY]
)
def test_later_calls_see_their_own_elements(name, kind):
    function, count = FUNCTIONS[name]
    for turn in range(6):
        arrays = [kind(RNG.normal(size=(4, 6)).astype(np.float32)) for _ in range(count)]
        found = leaves(function(*arrays))
        # Arrays of another kind make a program of their own.
        again = leaves(function(*(ko.asarray(np.asarray(x)[None])[0] for x in arrays)))
        assert len(found) == len(again), turn
        for own, other in zip(found, again, strict=True):
            assert not different_bits(own, other).any()


def test_an_array_that_is_two_arguments():
    x, y, z = (ko.asarray(RNG.normal(size=5).astype(np.float32)) for _ in range(3))
    for a, b in ((x, x), (x, y), (y, x), (z, z), (y, z), (x, x)) * 4:
        np.testing.assert_array_equal(np.asarray(a - b), np.asarray(a) - np.asarray(b))
    for a, b, c in ((x, x, y), (x, y, x), (y, x, x), (x, y, z), (z, z, z)) * 4:
        np.testing.assert_array_equal(np.asarray(ko.stack([a, b, c])), np.stack([np.asarray(v) for v in (a, b, c)]))


def test_values_of_other_arguments_are_told_apart():
    x = ko.asarray(np.array([1, 2, 3], np.int32))
    assert [(x * 2).dtype, (x * 2.0).dtype, (x * True).dtype] == [ko.int32, ko.float32, ko.int32]
    f = ko.asarray(np.array([0.0], np.float32))
    signs = [math.copysign(1, float((f * s)[0])) for s in (0.0, -0.0) * 5]
    assert signs == [1, -1] * 5
    m = ko.asarray(np.arange(6, dtype=np.float32).reshape(2, 3))
    for _ in range(6):
        assert [ko.sum(m, axis=0).shape, ko.sum(m, axis=1).shape, ko.sum(m).shape] == [(3,), (2,), ()]
        assert [ko.sum(m, 0).shape, ko.sum(m, axis=(0, 1), keepdims=True).shape] == [(3,), (1, 1)]
        assert m[True].shape == (1, 2, 3) and m[1].shape == (3,)
        assert [float(ko.clip(m, 1, 2)[0, 0]), float(ko.clip(m, min=2)[0, 0]), float(ko.clip(m, max=2)[1, 2])] == [1, 2, 2]


def test_lengths_that_elements_decide():
    x = ko.asarray(np.arange(6, dtype=np.float32))
    for counts in ([1, 2, 0, 0, 1, 3], [2, 2, 2, 2, 2, 2], [0, 0, 0, 0, 0, 1], [3, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1]):
        counts = np.array(counts, np.int32)
        np.testing.assert_array_equal(np.asarray(ko.repeat(x, ko.asarray(counts))), np.repeat(np.arange(6), counts))
    for ids in ([0, 0, 1, 1, 2, 2], [0, 0, 0, 0, 0, 1], [5, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], [1, 2, 3, 4, 5, 6]):
        found = ko.bincount(ko.asarray(np.array(ids, np.int32)))
        np.testing.assert_array_equal(np.asarray(found), np.bincount(ids))
    for edges in ([0.0, 1, 2], [0.0, 3, 6], [1.0, 2, 3], [0.0, 4, 5], [0.0, 1, 6]):
        np.testing.assert_array_equal(np.asarray(ko.histogram(x, ko.asarray(edges, dtype=ko.float64))[0]), np.histogram(np.arange(6), edges)[0])
    with pytest.raises(ko.KolamError, match="unordered-bins"):
        ko.histogram(x, ko.asarray([2.0, 1, 0], dtype=ko.float64))


def test_errors_of_later_calls_name_their_own_line():
    x = ko.asarray(np.arange(4, dtype=np.float32))
    for _ in range(5):
        ko.reshape(x, (2, 2))
    with pytest.raises(ko.KolamError, match="reshape") as refused:
        ko.reshape(x, (3, 2))
    assert refused.value.where[0].endswith("known_calls_test.py") if isinstance(refused.value.where, tuple) else "known_calls_test.py" in str(refused.value)


def test_many_calls_are_compiled():
    x = ko.asarray(np.arange(8, dtype=np.float32))
    for turn in range(700):
        y = ko.asarray(np.full(8, turn, np.float32))
        assert float((x * y)[7]) == 7 * turn


def test_more_calls_than_are_kept():
    x = ko.asarray(np.arange(8, dtype=np.float32))
    for _ in range(4):
        assert all(float((x * float(number))[1]) == number for number in range(300))


def test_arguments_keep_their_elements():
    """A result never lies in the memory of an array that is held, and has a memory of its own."""
    x = ko.asarray(np.arange(8, dtype=np.float32))
    first, second = x + x, x + x
    kept = np.array(np.asarray(first))
    third = second * second
    del second
    np.testing.assert_array_equal(np.asarray(first), kept)
    np.testing.assert_array_equal(np.asarray(third), kept * kept)


def test_functions_that_are_traced_or_batched():
    x = ko.asarray(RNG.normal(size=(3, 4)).astype(np.float32))
    plain = ko.exp(x) + x
    plain = ko.exp(x) + x
    np.testing.assert_array_equal(np.asarray(ko.jit(lambda v: ko.exp(v) + v)(x)), np.asarray(plain))
    np.testing.assert_array_equal(np.asarray(ko.vmap(lambda v: ko.exp(v) + v)(x)), np.asarray(plain))
    grad = ko.grad(lambda v: ko.sum(ko.exp(x) * v))(x)  # exp(x) runs at once inside of a trace
    np.testing.assert_array_equal(np.asarray(grad), np.asarray(ko.exp(x)))


def test_threads_call_at_once():
    found, x = {}, ko.asarray(np.arange(1000, dtype=np.float32))

    def work(number):
        y = ko.asarray(np.full(1000, number, np.float32))
        found[number] = all(float(ko.sum(x * y)) == float(ko.sum(ko.asarray(np.arange(1000, dtype=np.float32) * number))) for _ in range(200))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == dict.fromkeys(range(4), True)
