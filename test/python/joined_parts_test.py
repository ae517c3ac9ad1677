"""Concats whose operands are computed where they lie in the result, and updates of most of an array: bits and nests."""

import kolam as ko
import numpy as np
import pytest

rng = np.random.default_rng(18)
X, Y, A = (rng.standard_normal(shape).astype(np.float32) for shape in (1000, 700, (40, 700)))


def run(function, *arrays):
    """The result of all backends, which must agree in every bit."""
    results = [ko.jit(function, backend=backend)(*arrays) for backend in ("interpret", "cpu", "schedule")]
    results = [[np.asarray(y) for y in (result if isinstance(result, tuple) else (result,))] for result in results]
    for other in results[1:]:
        assert all(a.shape == b.shape and a.tobytes() == b.tobytes() for a, b in zip(results[0], other, strict=True))
    return results[1][0]


def twice(lib, x, y):
    z = lib.exp(x)
    return lib.concat([z, y * 2, z])


def nested(lib, x, y):
    inner = lib.concat([x + 1, y * y])
    return lib.concat([lib.sqrt(lib.abs(x)), inner, x[1:] - x[:-1]])


def returned_too(lib, x, y):
    z = x * 3
    return lib.concat([y + 1, z]), z


def read_behind(lib, x, y):
    z = lib.concat([x + 1, y - 1])
    return z[1:] * z[:-1]


def changed_behind(lib, x, y):
    part = y + 1
    whole = lib.concat([x - 1, part])
    return lib.stack([whole.at[3].set(7.0), whole.at[1200].add(1.0)]), part.at[5].set(0.0)


def of_arguments(lib, x, y):
    return lib.concat([x, lib.cos(y), x[:5], lib.zeros_like(y[:9])])


def rows(lib, x, y):
    return lib.concat([lib.reshape(x + 1, (1, 2, 500)), lib.reshape(y * 2, (1, 1, 700))[:, :, :500]], axis=1)


def in_loops(lib, x, y):
    return lib.fori_loop(0, 3, lambda _, z: lib.concat([z[700:] * 2, z[:700] + y]), lib.concat([x * 2, y * 3]))


@pytest.mark.parametrize(
    "program", [twice, nested, returned_too, read_behind, changed_behind, of_arguments, rows, in_loops]
)
def test_bits(program):
    run(lambda x, y: program(ko, x, y), X, Y)


def test_values():
    inner = np.concatenate([X + 1, Y * Y])
    expected = np.concatenate([np.sqrt(np.abs(X)), inner, X[1:] - X[:-1]])
    np.testing.assert_allclose(run(lambda x, y: nested(ko, x, y), X, Y), expected, rtol=1e-6)


def test_every_part_has_a_nest():
    text = ko.jit(lambda x, y, a: ko.concat([x + 1, a @ y, ko.sin(y)])).lower(X, Y, A).as_text("nests")
    parts = [line for line in text.splitlines() if " in b" in line and "arena" in line]
    assert [line.split(" at ")[-1] if " at " in line else "0" for line in parts] == ["0", "4000", "4160"]
    assert "= copy" not in text and "concat(" not in text


def test_short_parts_share_a_nest():
    text = ko.jit(lambda x: ko.concat([x[:3] + 1, x[:4] * 2])).lower(X).as_text("nests")
    assert "concat(" in text


def minus_laplacian(lib, p):
    """As of conjugate gradients: 4 p less its neighbours, side by side."""
    y = 4 * p
    y = y.at[1:].add(-p[:-1]).at[:-1].add(-p[1:])
    return y.at[:, 1:].add(-p[:, :-1]).at[:, :-1].add(-p[:, 1:])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_updates_of_most_are_one_nest(dtype):
    p = rng.standard_normal((37, 61)).astype(dtype)
    p[3, 4] = -0.0
    y = 4 * p
    y[1:] -= p[:-1]
    y[:-1] -= p[1:]
    y[:, 1:] -= p[:, :-1]
    y[:, :-1] -= p[:, 1:]
    np.testing.assert_array_equal(run(lambda p: minus_laplacian(ko, p), p), y)
    text = ko.jit(lambda p: minus_laplacian(ko, p)).lower(p).as_text("nests")
    assert "nest1:" not in text


def test_updates_of_little_stay_in_place():
    def program(x):
        return ko.fori_loop(0, 4, lambda i, x: x.at[10:20].multiply(2), x)

    run(program, X)
    assert "in place of" in ko.jit(program).lower(X).as_text("nests")


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int8])
@pytest.mark.parametrize("shape", [(64, 64), (70, 100), (600, 37), (5, 300)])
def test_sums_down_columns(dtype, shape):
    """A' v reads the rows of A, a column for each lane; each sum has lanes of its own still."""
    a, v = (rng.integers(-50, 50, size).astype(dtype) for size in (shape, shape[0]))
    if np.issubdtype(dtype, np.floating):
        a, v = a + rng.standard_normal(a.shape).astype(dtype), v / 7
    run(lambda a, v: a.T @ v, a, v.astype(dtype))
    run(lambda a, v: 2 * (v - 1) @ (a * a) + 1, a, v.astype(dtype))


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int16, np.bool_])
def test_narrow_elements_fill_registers(dtype):
    """Life on a torus, or any other integers: as many lanes as fit."""
    x = rng.integers(0, 2, (67, 300)).astype(dtype)

    def step(x):
        if dtype == np.bool_:
            return ko.roll(x, 1, 0) ^ x & ko.roll(x, -1, 1)
        rows = x + ko.roll(x, 1, 0) + ko.roll(x, -1, 0)
        count = rows + ko.roll(rows, 1, 1) + ko.roll(rows, -1, 1) - x
        return ko.where((count == 3) | ((count == 2) & (x == 1)), ko.ones_like(x), ko.zeros_like(x))

    run(step, x)
    run(lambda x: ko.fori_loop(0, 3, lambda _, x: step(x), x), x)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.uint8])
def test_columns_set_in_computed_arrays(dtype):
    """Rows are copied by vectors, also where a window is one element wide."""
    x = rng.integers(0, 9, (33, 77)).astype(dtype)
    run(lambda x, k: (x + x[2:3]).at[:, k].set(x[:, 3]), x, np.int32(5))
    run(lambda x, k: (x * x[:, :1]).at[k].set(x[0]), x, np.int32(-1))
    run(lambda x, k: (x[0] + 1).at[k].set(x[0, 0]), x, np.int32(76))
    run(lambda x, k: (x[0] + 1).at[k].set(x[0, 0]), x, np.int32(77))


@pytest.mark.parametrize("step", [1, 2, 3, 5, -1, -3])
@pytest.mark.parametrize("n", [16, 32, 48, 64])
def test_sums_of_steps_through_parts_that_end_with_a_vector(n, step):
    """Lanes that step over elements lie on both sides of such an end."""
    x = np.arange(n, dtype=np.float32)
    f = lambda x: ko.sum(ko.concat([x + 1, x * 2, x + 3])[::step])
    expected = np.concatenate([x + 1, x * 2, x + 3])[::step].sum(dtype=np.float64)
    assert float(ko.jit(f)(x)) == float(ko.jit(f, backend="interpret")(x)) == expected


def test_columns_of_joined_parts_are_summed_part_by_part():
    """A block of columns that divides the whole row is longer than its parts."""
    x = np.random.default_rng(0).uniform(-1, 1, (17, 4, 80)).astype(np.float32)
    f = lambda x: ko.sum(ko.concat([x, ko.flip(x, 2), x + 1], axis=2), axis=0)
    found = np.asarray(ko.jit(f)(x))
    assert found.tobytes() == np.asarray(ko.jit(f, backend="interpret")(x)).tobytes()
    np.testing.assert_allclose(found, np.concatenate([x, x[:, :, ::-1], x + 1], 2).sum(0), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("length", [2, 8, 32])
def test_halves_joined_again_and_again(length):
    """A Fourier transform by halves: parts shorter than vectors are stored where several indices read them, so code does
    not double with each level."""

    def transform(lib, re, im):
        n = re.shape[0]
        if n == 1:
            return re, im
        even, odd = transform(lib, re[0::2], im[0::2]), transform(lib, re[1::2], im[1::2])
        angle = -2 * np.pi * np.arange(n // 2) / n
        c, s = (lib.asarray(f(angle).astype(np.float32)) for f in (np.cos, np.sin))
        a, b = c * odd[0] - s * odd[1], c * odd[1] + s * odd[0]
        return lib.concat([even[0] + a, even[0] - a]), lib.concat([even[1] + b, even[1] - b])

    re, im = X[:length], Y[:length]
    f = lambda re, im: ko.stack(transform(ko, re, im))
    expected = np.fft.fft(re + 1j * im.astype(np.float64))
    np.testing.assert_allclose(run(f, re, im), [expected.real, expected.imag], atol=1e-4)
    assert ko.jit(f).lower(re, im).as_text("lowered").count("\n") < 500 * length
