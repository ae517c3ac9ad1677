"""Reductions by functions of numbers, which combine whole rows at once: the order of the merges, to the bit, on both backends."""

import numpy as np
import pytest
from both import run

import kolam as ko
from kolam import fractal as ops
from kolam.fractal import FractalTensor

#: Of which most are neither associative nor have an identity: the order of the merges shows.
FUNCTIONS = {
    "add": lambda a, b: a + b,
    "maximum": ko.maximum,
    "halves": lambda a, b: a * np.float32(0.5) + b,
    "second": lambda a, b: b,
    "first": lambda a, b: a,
    "quotients": lambda a, b: ko.where(a > b, a / b, b - a),
}
#: None, one, a part of a chunk, whole chunks, an odd number of them.
COUNTS = [1, 2, 63, 64, 65, 128, 129, 200, 321]


def numbers(*shape, seed=0):
    values = np.random.default_rng([seed, *shape]).normal(size=shape).astype(np.float32)
    values[values > 2.2] = np.nan
    values[values < -2.2] = -0.0
    return values


def expected(f, elements):
    """The order that `reduce` has: chunks of 64 from left to right, then pairs."""
    parts = []
    for start in range(0, len(elements), 64):
        part = elements[start]
        for element in elements[start + 1 : start + 64]:
            part = f(part, element)
        parts.append(part)
    while len(parts) > 1:
        parts = [f(*parts[i : i + 2]) if i + 1 < len(parts) else parts[i] for i in range(0, len(parts), 2)]
    return parts[0]


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("count", COUNTS)
def test_one_list(name, count):
    f = FUNCTIONS[name]
    run(lambda xs: ops.reduce(f, xs), FractalTensor(list(numbers(count))))


@pytest.mark.parametrize("count", COUNTS)
def test_against_numpy(count):
    x = np.random.default_rng(count).normal(size=count).astype(np.float32)
    f = lambda a, b: np.float32(a * np.float32(0.5)) + b
    assert run(lambda xs: ops.reduce(FUNCTIONS["halves"], xs), FractalTensor(list(x))) == expected(f, x)


def lanes_of(x):
    """The order of sums of numbers: element i of a chunk of 4096 in lane i mod 64, then lanes l and l + 32, l + 16, ... l + 1."""
    parts = []
    for start in range(0, len(x), 4096):
        chunk = x[start : start + 4096]
        lanes = []
        for lane in range(min(64, len(chunk))):
            total = chunk[lane]
            for element in chunk[lane + 64 :: 64]:
                total = total + element
            lanes.append(total)
        for half in (32, 16, 8, 4, 2, 1):
            lanes = [lanes[i] + lanes[i + half] if i + half < len(lanes) else lanes[i] for i in range(min(half, len(lanes)))]
        parts.append(lanes[0])
    while len(parts) > 1:
        parts = [sum(parts[i + 1 : i + 2], parts[i]) for i in range(0, len(parts), 2)]
    return parts[0]


@pytest.mark.parametrize("counts", [[1, 2, 3, 31, 33, 63, 64, 65, 100, 127, 128, 129, 1000], [4095, 4096, 4097, 9000], [5, 5, 5], [70, 70]])
def test_sums_go_by_lanes(counts):
    rows = [np.random.default_rng([7, n]).normal(size=n).astype(np.float32) for n in counts]
    meant = [lanes_of(row) for row in rows]
    assert run(lambda rows: ops.map(lambda row: ops.reduce(ko.add, row), rows), FractalTensor([list(row) for row in rows])) == meant
    assert [run(lambda row: ops.reduce(ko.add, row), FractalTensor(list(row))) for row in rows] == meant


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("has_initial", [False, True])
def test_rows_of_many_lengths(name, has_initial):
    rows = [list(numbers(n)) for n in ([0, 5] if has_initial else [5]) + COUNTS]
    initial = {"initializer": np.float32(3)} if has_initial else {}
    run(lambda rows: ops.map(lambda row: ops.reduce(FUNCTIONS[name], row, **initial), rows), FractalTensor(rows))


@pytest.mark.parametrize("length", [1, 8, 64, 65])
def test_rows_of_one_length(length):
    def program(xs):
        return ops.map(lambda row: ops.reduce(FUNCTIONS["halves"], row), ops.slide(xs, length))

    x = np.random.default_rng(length).normal(size=150).astype(np.float32)
    f = lambda a, b: np.float32(a * np.float32(0.5)) + b
    meant = [expected(f, x[i : i + length]) for i in range(150 - length + 1)]
    assert run(program, FractalTensor(list(x))) == meant


@pytest.mark.parametrize("shape", [(3,), (2, 5)])
def test_rows_of_arrays(shape):
    rows = [list(numbers(n, *shape)) for n in (1, 3, 64, 70)]
    run(lambda rows: ops.map(lambda row: ops.reduce(FUNCTIONS["quotients"], row), rows), FractalTensor(rows))
    run(lambda row: ops.reduce(ko.add, row), FractalTensor(rows[3]))


@pytest.mark.parametrize("count", [1, 64, 200])
def test_several_numbers(count):
    """As of a running mean and its weight."""

    def merge(a, b):
        total = a[1] + b[1]
        return (a[0] * a[1] + b[0] * b[1]) / total, total

    def program(xs, ys):
        return ops.reduce(merge, ops.zip(xs, ys))

    xs, ys = FractalTensor(list(numbers(count))), FractalTensor(list(np.abs(numbers(count, seed=1)) + 1))
    run(program, xs, ys)
    run(lambda rows: ops.map(lambda row: ops.reduce(merge, ops.map(lambda x: (x, x * x), row)), rows), FractalTensor([list(numbers(n)) for n in COUNTS]))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "int8", "uint32", "float64", "bool"])
def test_dtypes(dtype):
    """Narrow floats round at each merge."""
    f = ko.logical_xor if dtype == "bool" else lambda a, b: a + b
    rows = [list(np.arange(n) * 37 % 61) for n in (1, 40, 100, 300)]
    program = lambda rows: ops.map(lambda row: ops.reduce(f, ops.map(lambda x: ko.astype(x, dtype), row)), rows)
    run(program, FractalTensor(rows))
    run(lambda row: ops.reduce(f, ops.map(lambda x: ko.astype(x, dtype), row)), FractalTensor(rows[3]))


def test_products_of_sparse_rows():
    rng = np.random.default_rng(5)
    columns = [rng.integers(0, 50, n) for n in (3, 0, 80, 1, 64, 130)]
    values = [rng.normal(size=len(row)).astype(np.float32) for row in columns]
    x = rng.normal(size=50).astype(np.float32)

    def program(columns, values, x):
        row = lambda pair: ops.reduce(ko.add, ops.map(lambda p: p[1] * x[p[0]], ops.zip(*pair)), initializer=np.float32(0))
        return ops.map(row, ops.zip(columns, values))

    lists = FractalTensor([list(row) for row in columns], dtype="int32"), FractalTensor([list(row) for row in values])
    ours = run(program, *lists, ko.asarray(x))
    assert ours == pytest.approx([float(np.dot(v, x[c])) for c, v in zip(columns, values)], abs=1e-4)


@pytest.mark.parametrize("backend", ["cpu", "interpret"])
def test_nothing_to_reduce(backend):
    """Without an initial value."""
    for rows in ([[1.0], []], [[], []]):
        program = ko.jit(lambda rows: ops.map(lambda row: ops.reduce(ko.add, row), rows), backend=backend)
        with pytest.raises(ko.KolamError, match="list-empty"):
            program(FractalTensor(rows, dtype="float32", depth=2, leaf_shape=()))
    with pytest.raises(ko.KolamError, match="list-empty"):
        ko.jit(lambda row: ops.reduce(ko.add, row), backend=backend)(FractalTensor([], dtype="float32", depth=1, leaf_shape=()))


def test_no_rows():
    none = FractalTensor([], dtype="float32", depth=2, leaf_shape=())
    assert run(lambda rows: ops.map(lambda row: ops.reduce(ko.add, row), rows), none) == []


def test_steps():
    """No loop merges one element of each list after the other."""
    program = ko.jit(lambda rows: ops.map(lambda row: ops.reduce(ko.add, row, initializer=np.float32(0)), rows))
    text = program.lower(FractalTensor([[np.float32(1)], [np.float32(2)] * 3])).as_text("tensors")
    assert "kolam.reduce" in text
    one = ko.jit(lambda row: ops.reduce(ko.add, row)).lower(FractalTensor([np.float32(1)] * 3)).as_text("tensors")
    assert "kolam.reduce" in one and "kolam.for" not in one
