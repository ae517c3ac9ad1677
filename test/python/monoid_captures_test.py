"""Monoids whose functions use values from outside: traced ones and arrays, in each function, on both backends and at once."""

import numpy as np
import pytest

import kolam as ko

X = np.array([[1, -2, 3, 5], [4, 0.5, -6, 2]], np.float32)
TABLE = np.linspace(-1, 1, 400).astype(np.float32)  # too large for a literal


def run(f, *arrays):
    """What both backends and a call at once give, also with extents that only the run knows."""
    dynamic = {"x": list(range(np.ndim(arrays[0])))}
    results = [ko.jit(f, backend=backend, dynamic=d)(*arrays) for backend in ("cpu", "interpret") for d in (None, dynamic)]
    results.append(f(*map(ko.asarray, arrays)))
    first = np.asarray(results[0])
    for result in results:
        np.testing.assert_array_equal(np.asarray(result), first)
    return first


def reduced(x, monoid, axis, pattern):
    return ko.zip_map_reduce(lambda e: e, [x], reduce=monoid, axis=axis) if pattern else ko.reduce([x], monoid, axis=axis)


@pytest.mark.parametrize("pattern", [False, True])
@pytest.mark.parametrize("axis", [0, 1, None])
@pytest.mark.parametrize("commutative", [False, True])
def test_scalars(pattern, axis, commutative):
    def f(x, scale):
        monoid = ko.Monoid(
            zero=np.float32(0),
            wrap=lambda e: e * scale,
            merge=lambda a, b: a + b + scale * 0,
            unwrap=lambda s: s - scale,
            commutative=commutative,
        )
        return reduced(x, monoid, axis, pattern)

    assert run(f, X, np.float32(2)).tolist() == (X.sum(axis=axis) * 2 - 2).tolist()


@pytest.mark.parametrize("pattern", [False, True])
def test_merge_takes_each_state_with_the_scalar(pattern):
    """Sums modulo a number are associative."""
    x, modulus = np.arange(10000, dtype=np.int32).reshape(2, 5000), np.int32(97)

    def f(x, modulus):
        wrapped = ko.Monoid(zero=np.int32(0), merge=lambda a, b: (a + b) % modulus, wrap=lambda e: e % modulus, commutative=True)
        return reduced(x, wrapped, 1, pattern)

    assert run(f, x, modulus).tolist() == (x.sum(axis=1, dtype=np.int64) % 97).tolist()


@pytest.mark.parametrize("pattern", [False, True])
def test_arrays_in_wrap_and_unwrap(pattern):
    indices = np.array([[3, 399, 0], [7, 7, 1]], np.int32)

    def f(x, table):
        monoid = ko.Monoid(
            zero=np.float32(-9), merge=ko.maximum, wrap=lambda i: ko.take(table, i), unwrap=lambda s: s + table[0], commutative=True
        )
        return reduced(x, monoid, 1, pattern)

    expected = TABLE[indices].max(axis=1) + TABLE[0]
    assert run(f, indices, TABLE).tolist() == expected.tolist()
    assert run(lambda x: f(x, ko.asarray(TABLE)), indices).tolist() == expected.tolist()


def test_states_of_several_parts_and_several_inputs():
    def f(x, y, low, high):
        monoid = ko.Monoid(
            zero={"sum": np.float32(0), "count": np.int32(0)},
            wrap=lambda a, b: {"sum": ko.clip(a * b, low, high), "count": ko.astype(a > low, "int32")},
            merge=lambda a, b: {"sum": ko.minimum(a["sum"] + b["sum"], high * 1000), "count": a["count"] + b["count"]},
            unwrap=lambda s: s["sum"] / (s["count"] + high),
            commutative=True,
        )
        return ko.reduce([x, y], monoid, axis=1)

    low, high = np.float32(-1), np.float32(4)
    expected = np.clip(X * X, low, high).sum(axis=1) / ((X > low).sum(axis=1) + high)
    np.testing.assert_allclose(run(f, X, X, low, high), expected.astype(np.float32), rtol=1e-6)


@pytest.mark.parametrize("shape", [(2, 0), (0, 3), (0, 0), (2, 3), (1,), (0,)])
def test_nothing_to_reduce_gives_the_zero(shape):
    x = np.ones(shape, np.float32)

    def f(x, start):
        monoid = ko.Monoid(zero=start, merge=lambda a, b: a + b - start, wrap=lambda e: e + start, unwrap=lambda s: s * start)
        return ko.reduce([x], monoid, axis=-1)

    assert run(f, x, np.float32(3)).tolist() == ((x.sum(axis=-1) + 3) * 3).tolist()


def test_many_instances_have_their_own():
    from kolam import fractal as ops

    rows, scales = ops.FractalTensor([[1.0, 2.0], [3.0, 4.0]]), ops.FractalTensor([2.0, 5.0])

    def f(rows, scales):
        def each(row, scale):
            monoid = ko.Monoid(zero=np.float32(0), merge=lambda a, b: a + b + scale, wrap=lambda e: e * scale, commutative=True)
            return ko.reduce([ops.stack(row)], monoid, axis=0)

        return ops.map(lambda pair: each(*pair), ops.zip(rows, scales))

    for backend in ("cpu", "interpret"):
        assert np.asarray(ops.stack(ko.jit(f, backend=backend)(rows, scales))).tolist() == [8, 40]


def test_nested_in_a_loop():
    def f(x):
        def body(i, total):
            monoid = ko.Monoid(zero=np.float32(0), merge=lambda a, b: a + b, wrap=lambda e: e * total, commutative=True)
            return total + ko.reduce([x], monoid)

        return ko.fori_loop(0, 3, body, ko.asarray(np.float32(1)))

    assert run(f, X[0]).item() == 8**3


def test_what_merge_and_wrap_all_cannot_take():
    x = ko.asarray(X)

    def f(x, monoid_of):
        return ko.reduce([x], monoid_of(x), axis=1)

    with pytest.raises(ko.KolamError, match=r"\[monoid-capture\].* nothing from outside but scalars, but merge uses float32\[2, 4\]"):
        ko.jit(lambda x: f(x, lambda x: ko.Monoid(zero=np.float32(0), merge=lambda a, b: a + b + x[0, 0])))(x)
    all_of = lambda x: ko.Monoid(zero=np.float32(0), merge=ko.add, wrap=lambda e: e * ko.sum(x), wrap_all=ko.sum)
    with pytest.raises(ko.KolamError, match=r"\[monoid-capture\].* beside wrap_all, but wrap uses float32\[2, 4\]"):
        ko.jit(lambda x: f(x, all_of))(x)
