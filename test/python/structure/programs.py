"""Programs for each leaf of the emitter, and what their code must be like."""

import dataclasses
from collections.abc import Callable

import kolam as ko
import ml_dtypes
import numpy as np


@dataclasses.dataclass
class Row:
    name: str
    program: Callable
    arrays: tuple
    #: What `explain` says of how each nest runs, or the beginning of it; {n} is the number of 32-bit elements in a register,
    #: {n2} and {n4} that in two and four. By target where targets differ.
    walks: tuple | dict
    #: What the program must move, counted by hand: each argument and result once, and twice what lies between two nests.
    bytes: int | dict  # or by target
    #: The least share of the innermost loops' arithmetic that fills whole registers, and that is on several elements at once.
    whole: float | dict = 0.95
    vectors: float | dict = 0.95
    #: There is no arithmetic, but stores of whole registers.
    moves_only: bool = False
    #: Lines of assembly at most; a nest for which LLVM writes a branch for each lane has tens of thousands.
    lines: int | dict = 6000
    #: Functions that the code may call, and those that only a processor without FMA and SSE 4.1 calls.
    calls: tuple = ()
    plain_calls: tuple = ()


ROWS = []


def row(name, program, arrays, walks, bytes, **limits):
    walks = (walks,) if isinstance(walks, str) else walks
    ROWS.append(Row(name, program, tuple(arrays), walks, bytes, **limits))


def cells(dtype, *shape):
    return np.ones(shape, ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)


def width(dtype):
    return cells(dtype).itemsize


N, M = 64, 400
ONE_RUN = "{n} lanes, dims 0 to 1 as one"
# Where all are integers of so many bytes, registers are filled.
NARROW_RUN = {1: "{n4} lanes, dims 0 to 1 as one", 2: "{n2} lanes, dims 0 to 1 as one"}
FLOATS = ("float32", "float64", "float16", "bfloat16")
WIDE = (*FLOATS, "int32", "int64")
NARROW = ("int8", "uint8", "int16")
FMA = ("fma", "fmaf")
# What does not fill registers by design: sixteen elements of one byte at once.
PARTS = 0.0


def side_by_side(walk, vectors):
    """A walk of long chains: so many vectors in 32 registers, half in 16, one where a chain is calls."""
    named = {"znver4": vectors, "haswell": vectors // 2, "x86-64": 1}
    return {target: (f"{count} vectors of {walk}" if count > 1 else walk,) for target, count in named.items()}


def elementwise(name, function, dtypes, result=None, walks=ONE_RUN, **limits):
    """A function of as many arguments as its dtypes say."""
    arrays = [cells(dtype, N, M) for dtype in dtypes]
    size = sum(width(dtype) for dtype in dtypes) + width(result or dtypes[0])
    row(f"{name} {dtypes[0]}", function, arrays, walks, size * N * M, **limits)


for dtype in WIDE:
    # Converting half of a register is work on a part of it.
    share = {"haswell": 0.7} if dtype == "bfloat16" else 0.95
    for name, function in (("add", ko.add), ("multiply", ko.multiply), ("maximum", ko.maximum)):
        elementwise(name, function, (dtype, dtype), whole=share)
    elementwise("select", lambda x, y: ko.where(x > y, x, y), (dtype, dtype), whole={"haswell": 0.7} if dtype == "float16" else share)
for dtype in NARROW:
    for name, function in (("add", ko.add), ("multiply", ko.multiply), ("maximum", ko.maximum)):
        elementwise(name, function, (dtype, dtype), walks=NARROW_RUN[width(dtype)], whole=PARTS)
elementwise("logical_and", ko.logical_and, ("bool", "bool"), walks=NARROW_RUN[1], whole=PARTS)
elementwise("shift", ko.bitwise_left_shift, ("int32", "int32"))

for source in (*WIDE, *NARROW, "bool"):
    for target in (*FLOATS, "int32", "int8"):
        if source == target:
            continue
        vectors = 0.95
        if source == "int64" and target in FLOATS:
            vectors = {"haswell": 0.0, "x86-64": 0.5}  # no such instruction before AVX-512
        elif target == "int8" and source in FLOATS:
            vectors = {"haswell": 0.5}  # saturated lane by lane
        elif target in ("int8", "int32"):
            vectors = 0.0  # shuffles alone
        walks = NARROW_RUN[width(source)] if target == "int8" and source in (*NARROW, "bool") else ONE_RUN
        elementwise(f"cast to {target} of", lambda x, target=target: ko.astype(x, target), (source,), target, walks=walks, whole=PARTS, vectors=vectors)

def for_some_lanes(symbol):
    """A library's function, and those that call it for some of so many lanes."""
    return (symbol, *(f"{symbol}_where{lanes}" for lanes in (4, 8, 16)))


for dtype in FLOATS:
    for name in ("abs", "sqrt", "rsqrt", "reciprocal", "square", "relu", "sign"):
        elementwise(name, getattr(ko, name), (dtype,), whole=0.65 if (name, dtype) == ("abs", "float16") else 0.9)
    for name in ("ceil", "floor", "trunc", "round"):
        wide = {"x86-64": 0.0 if dtype in ("float32", "float64") else 0.85}
        elementwise(name, getattr(ko, name), (dtype,), whole=wide, vectors=wide, plain_calls=("ceil", "ceilf", "floor", "floorf", "trunc", "truncf", "roundeven", "roundevenf"))
    for name in ("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "tanh", "sigmoid", "erf", "erf_inv", "silu", "gelu", "softplus"):
        walks = side_by_side(ONE_RUN, 2 if dtype == "float64" else 4)
        elementwise(name, getattr(ko, name), (dtype,), walks=walks, whole=0.9, plain_calls=FMA)
    for name in ("sin", "cos"):
        large = f"kolam_{name}_large_{'f64' if dtype == 'float64' else 'f32'}"
        elementwise(name, getattr(ko, name), (dtype,), whole=0.7, vectors=0.75, calls=for_some_lanes(large), plain_calls=FMA)
for name in ("asin", "acos", "atan", "sinh", "cosh", "asinh", "acosh", "atanh", "cbrt", "erfc"):
    elementwise(name, getattr(ko, name), ("float32",), walks=side_by_side(ONE_RUN, 4), whole=0.9, plain_calls=FMA)
for name in ("atan2", "hypot"):
    elementwise(name, getattr(ko, name), ("float32", "float32"), walks=side_by_side(ONE_RUN, 4), whole=0.9, plain_calls=FMA)
# What is seldom is behind a branch, with calls for single lanes.
ROUNDING = ("truncf", "trunc", "floorf", "roundeven")
elementwise("tan", ko.tan, ("float32",), whole=0.7, vectors=0.75, calls=for_some_lanes("kolam_tan_large_f32"), plain_calls=FMA)
elementwise("lgamma", ko.lgamma, ("float32",), whole=0.7, vectors=0.75, calls=for_some_lanes("kolam_lgamma_f32"), plain_calls=(*FMA, *ROUNDING))
for name in ("pow", "fmod", "remainder", "floor_divide"):
    elementwise(name, getattr(ko, name), ("float32", "float32"), whole=0.7, vectors=0.75, plain_calls=(*FMA, *ROUNDING))
elementwise("fmod", ko.fmod, ("float64", "float64"), whole=0.5, vectors=0.5, calls=("kolam_fmod_f64",), plain_calls=(*FMA, *ROUNDING))
# The functions that the table of elementwise functions says are the library's: one element after the other.
elementwise("lgamma", ko.lgamma, ("float64",), whole=0, vectors=0, calls=("kolam_lgamma_f64",))
elementwise("fma", ko.fma, ("float32",) * 3, whole={"x86-64": 0.0}, vectors={"x86-64": 0.0}, plain_calls=FMA)
# Processors divide integers one by one.
elementwise("floor_divide", ko.floor_divide, ("int32", "int32"), whole=0, vectors=0)


def x32(*shape):
    return cells("float32", *shape)


ROWS_OF_REDUCTIONS = (("sum", FLOATS + ("int32",)), ("max", FLOATS + ("int32",)), ("argmax", ("float32", "bfloat16", "int32")))
for name, dtypes in ROWS_OF_REDUCTIONS:
    for dtype in dtypes:
        result = 4 if name == "argmax" else width(dtype)
        reduction = getattr(ko, name)
        # A share below one half: the last steps of a row, which merge the lanes of registers.
        inner = {"whole": 0.4, "vectors": 0.6, "lines": {"x86-64": 9000}}
        row(f"{name} {dtype}, inner", lambda x, f=reduction: f(x, axis=1), [cells(dtype, N, M)], "1 lane", N * M * width(dtype) + N * result, **inner)
        row(f"{name} {dtype}, outer", lambda x, f=reduction: f(x, axis=0), [cells(dtype, N, M)], "", N * M * width(dtype) + M * result, whole=0.5, vectors=0.2)
        if name != "argmax":
            row(f"{name} {dtype}, all", lambda x, f=reduction: f(x), [cells(dtype, N, M)], "1 lane", N * M * width(dtype) + result, **inner)
for dtype in FLOATS:
    size = N * M * width(dtype)
    fma = {"plain_calls": FMA, "lines": {"x86-64": 25000}}
    row(f"softmax {dtype}", lambda x: ko.softmax(x, axis=1), [cells(dtype, N, M)], "{n} lanes, 1 op kept by rows", 2 * size, **fma)
    row(f"layer_norm {dtype}", lambda x, w, b: ko.layer_norm(x, w, b), [cells(dtype, N, M), cells(dtype, M), cells(dtype, M)], "{n} lanes", 2 * size + 2 * M * width(dtype), whole=0.7)
    row(f"rms_norm {dtype}", lambda x, w: ko.rms_norm(x, w), [cells(dtype, N, M), cells(dtype, M)], "{n} lanes", 2 * size + M * width(dtype), whole=0.7)

K = 512


def product(name, dtype, x, y, results, turned="", walks="tiles of matrices", between=0, **limits):
    """A product of matrices with so many results; `turned` names the operands that lie transposed, `between` counts the elements
    that go through memory on the way."""

    def program(x, y):
        x = ko.matrix_transpose(x) if "x" in turned else x
        y = ko.matrix_transpose(y) if "y" in turned else y
        return ko.matmul(x, y, dtype="int32") if dtype == "int8" else ko.matmul(x, y)

    arrays = [cells(dtype, *x), cells(dtype, *y)]
    moved = sum(array.nbytes for array in arrays) + results * (4 if dtype == "int8" else width(dtype)) + 2 * between * width(dtype)
    if isinstance(walks, dict):  # what goes through memory does so only where tiles are the first of several nests
        moved = {target: moved - 2 * between * width(dtype) * (len(walk) == 1) for target, walk in walks.items()}
    row(f"{name} {dtype}", program, arrays, walks, moved, **limits)


for dtype in (*FLOATS, "int8", "int32"):
    # Elements of 16 and 8 bits are packed in pairs and fours, by parts of registers.
    limits = {"whole": 0.4, "vectors": 0.4} if width(dtype) < 4 else {"whole": 0.85, "vectors": 0.85}
    product("matmul", dtype, (N, K), (K, 96), N * 96, **limits)
    # Columns that lie across are packed in groups, element by element at the ends of each chunk.
    across = {"int8": {"whole": 0.12, "vectors": 0.14}, "bfloat16": {"whole": 0.2, "vectors": 0.35}}.get(dtype, limits)
    product("matmul, right transposed", dtype, (N, K), (96, K), N * 96, "y", **across)
    product("matmul, left transposed", dtype, (K, N), (K, 96), N * 96, "x", **limits)
    product("batched matmul", dtype, (3, N, K), (3, K, 96), 3 * N * 96, **limits)
    product("row by matrix", dtype, (K,), (K, 96), 96, **limits)
    # Below 16 columns sums go by lanes; columns of more than one are turned first.
    lanes = {"whole": 0.2, "vectors": 0.2, "lines": {"x86-64": 15000}}
    product("matrix by column", dtype, (N, K), (K,), N, walks="1 lane", **lanes)
    product("matrix by few columns", dtype, (N, K), (K, 5), N * 5, walks=("{n} lanes", "1 lane"), between=K * 5, **lanes)
    # Sums by lanes that go down columns: those of each lane over its steps, then those of the lanes; without fma lanes are in memory.
    if dtype in ("float32", "float64"):
        registers = "{n4} lanes" if dtype == "float32" else "{n2} lanes"
        product("transposed matrix by column", dtype, (K, N), (K,), N, "x", walks={"znver4": ("tiles of matrices", registers), "haswell": ("tiles of matrices", registers), "x86-64": (registers,)}, between=64 * N, whole=0.5, vectors=0.5, lines={"x86-64": 15000}, plain_calls=FMA)
row("dot product", ko.vecdot, [x32(4096), x32(4096)], "1 lane", 2 * 4096 * 4 + 4, whole=0.8)

# Filters whose channels lie apart are turned once, in a nest of their own.
IMAGE, FILTERS = (2, 32, 14, 14), 64
row("convolution 3x3", lambda x, w: ko.conv(x, w, padding="same"), [x32(*IMAGE), x32(FILTERS, 32, 3, 3)], ("{n} lanes", "{n} lanes", "tiles of matrices", "{n} lanes"), 4 * (2 * 32 * (196 + 2 * 256) + 3 * FILTERS * 32 * 9 + 3 * 2 * FILTERS * 196), whole=0.3, vectors=0.3)
row("convolution 1x1", lambda x, w: ko.conv(x, w), [x32(*IMAGE), x32(FILTERS, 32, 1, 1)], ("{n} lanes", "tiles of matrices", "{n} lanes"), 4 * (2 * 32 * 196 + 3 * FILTERS * 32 + 3 * 2 * FILTERS * 196), whole=0.3, vectors=0.3)
row("convolution of each channel", lambda x, w: ko.conv(x, w, groups=32, padding="same"), [x32(*IMAGE), x32(32, 1, 3, 3)], "16 lanes", 4 * (2 * 2 * 32 * 196 + 32 * 9), whole=0.25, vectors=0.75)

QUERIES = (2, 4, 256, 64)
for dtype in ("float32", "bfloat16"):
    for name, limits in (("", {}), (", causal", {"causal": True}), (", window", {"window": 17})):
        row(f"attention {dtype}{name}", lambda q, k, v, limits=limits: ko.attention(q, k, v, **limits), [cells(dtype, *QUERIES)] * 3, "loops of its own", 4 * 2 * 4 * 256 * 64 * width(dtype), whole=0.6, plain_calls=FMA)

PLACES = np.zeros(50, np.int32)
row("take rows", lambda x, i: ko.take(x, i, axis=0), [x32(100, 64), PLACES], "{n} lanes", 4 * (50 + 2 * 50 * 64), moves_only=True)
row("take columns", lambda x, i: ko.take(x, i, axis=1), [x32(100, 64), PLACES], ("", "{n} lanes"), 4 * (50 + 2 * 100 * 50) + 2 * 8 * 50, whole=0.1, vectors=0.1)
row("take elements", lambda x, i: ko.take(x, i, axis=0), [x32(100), cells("int32", 500)], "{n} lanes", 4 * (2 * 500 + 100), whole=0.1, vectors=0.1)
row("embedding bag", lambda x, i: ko.sum(ko.take(x, i, axis=0), axis=1), [x32(1000, 64), np.zeros((50, 8), np.int32)], ("", ""), 4 * (50 * 8 + 50 * 8 * 64 + 50 * 64) + 2 * 8 * 50 * 8)
for shape in ((), (64,)):
    size = int(np.prod(shape))
    row(f"scatter-add {'rows' if shape else 'elements'}", lambda x, u, i: ko.scatter(x, u, i, (0,), "kAdd"), [x32(100, *shape), x32(50, 1, *shape), np.zeros((50, 1), np.int32)], "loops of its own", 4 * (50 + 250 * size), whole=0.95 if shape else 0, vectors=0.95 if shape else 0)

for dtype in ("float32", "float64", "bfloat16", "int8"):
    size = 2 * 64 * 80 * width(dtype)
    # All but the edges are shuffles; the edges are gathered.
    row(f"transpose {dtype}", lambda x: ko.matrix_transpose(x), [cells(dtype, 64, 80)], "{n} lanes, tiles transposed from dim 0", size, whole=0, vectors=0)
row("transpose, innermost dim kept", lambda x: ko.permute_dims(x, (1, 0, 2)), [x32(4, 64, 80)], "{n} lanes", 2 * 4 * 64 * 80 * 4, moves_only=True)
X = [x32(N, M)]
SIZE = N * M * 4
row("concat, outer", lambda x, y: ko.concat([x, y], axis=0), X * 2, "{n} lanes", 4 * SIZE, moves_only=True)
row("concat, inner", lambda x, y: ko.concat([x, y], axis=1), X * 2, "{n} lanes", 4 * SIZE, moves_only=True)
row("pad", lambda x: ko.pad(x, [(1, 1), (3, 3)]), X, "{n} lanes", 4 * (N * M + (N + 2) * (M + 6)), moves_only=True)
row("every second element", lambda x: x[:, ::2] + 1, X, "{n} lanes", SIZE, whole=0.1, vectors=0.1)
row("flip", lambda x: ko.flip(x, axis=1), X, "{n} lanes", 2 * SIZE, moves_only=True)
row("roll", lambda x: ko.roll(x, 3, axis=1), X, "{n} lanes", 2 * SIZE, moves_only=True)
row("tile", lambda x: ko.tile(x, (2, 3)), X, "{n} lanes", 7 * SIZE, whole=0, vectors=0)
row("repeat", lambda x: ko.repeat(x, 3, axis=1), X, "{n} lanes", 4 * SIZE, whole=0, vectors=0)
row("rows and a column", lambda x, y: x + y, [*X, x32(N, 1)], "{n} lanes", 2 * SIZE + 4 * N)
row("reshape", lambda x: ko.reshape(x, (M, N)) + 1, X, ONE_RUN, 2 * SIZE)
row("one_hot", lambda x: ko.one_hot(x, M), [np.zeros(N, np.int32)], "{n} lanes", SIZE + 4 * N, whole=0.6, vectors=0.6)
row("tril", lambda x: ko.tril(x), X, "{n} lanes", 2 * SIZE, whole=0.6, vectors=0.6)
for axis in (0, 1):
    row(f"cumulative_sum, axis {axis}", lambda x, axis=axis: ko.cumulative_sum(x, axis=axis), X, "loops of its own", 2 * SIZE, whole=1 - axis, vectors=1 - axis)
# Steps of the runtime: no nest.
row("sort", lambda x: ko.sort(x, axis=1), X, (), 2 * SIZE)
row("top_k", lambda x: ko.top_k(x, 5), X, (), SIZE + N * 5 * 8)

# What no row of a benchmark drew, and bench/drawn found: each fell to one element at a time.
ODD = [x32(16, 6, 11), x32(16, 6, 11)]
row("product of all dims", lambda x, y: ko.einsum("abc,abc->", x, y), ODD, "1 lane", 2 * 4 * 1056 + 4, whole=0.8)
row("product of dims that join", lambda x, y: ko.einsum("abc,abc->a", x, y), ODD, "1 lane", 2 * 4 * 1056 + 4 * 16, whole=0.5, vectors=0.6)
row("extreme of parts of rows", lambda x: ko.max(x[:, 1:]), [cells("uint8", N, 65)], "1 lane", N * 64 + 1, whole=0, vectors=0.8)
row("count in two dims", lambda x: ko.count_nonzero(x, axis=(0, 2)), [cells("bool", 16, 8, 32)], "1 lane", 16 * 8 * 32 + 4 * 8, whole=0.5)
row("extreme of a transpose", lambda x: ko.max(ko.matrix_transpose(x)), X, "1 lane", SIZE + 4, whole=0.8, vectors=0.8)
row("extreme of a roll", lambda x: ko.max(ko.roll(x, 1, axis=0)), X, "1 lane: a single element", SIZE + 4, whole=0.8, vectors=0.8)
row("short rows of a reshape", lambda x: ko.reshape(x, (2, 100, 8, 2)) ** 2, [x32(2, 800, 2)], "{n} lanes, dims 0 to 3 as one", 2 * 4 * 3200)
row("place of the least in the middle", lambda x: ko.argmin(x, axis=1), [x32(50, 4, 10, 3)], {"znver4": ("{n} lanes",), "haswell": ("3 vectors of {n} lanes",), "x86-64": ("{n} lanes",)}, 4 * (6000 + 1500), whole=0.9, vectors=0.9)
row("places of sums", lambda x, i: ko.take(ko.sum(x, axis=0), i, axis=0), [x32(N, M), PLACES], ("{n} lanes, row by row", "{n} lanes"), SIZE + 4 * (M + 150), whole=0.5, vectors=0.5)
row("transpose with an edge", lambda x: ko.matrix_transpose(x), [cells("uint8", 17, 800)], "{n} lanes, tiles transposed from dim 0", 2 * 17 * 800, whole=0, vectors=0)

# Loops over time whose states are shorter than a vector, or have two dims.
SHORT = {"znver4": ("4 lanes",), "haswell": ("4 lanes",), "x86-64": ("1 lane",)}
row("a short state", lambda s, x: ko.scan(lambda s, r: (ko.maximum(s * 0.5, r), None), s, x)[0], [x32(3), x32(1000, 3)], SHORT, 4 * 3006, whole=0, vectors=0)
row("a state of two dims", lambda s, x: ko.scan(lambda s, r: (s * 0.5 + r, None), s, x)[0], [x32(4, 4), x32(1000, 4, 4)], "16 lanes, dims 0 to 1 as one", 4 * 16032)

KEY = [np.zeros(2, np.uint32)]
row("uniform", lambda key: ko.random.uniform(key, (N, M)), KEY, "{n} lanes", SIZE + 8)
row("normal", lambda key: ko.random.normal(key, (N, M)), KEY, side_by_side("{n} lanes", 4), SIZE + 8, plain_calls=FMA)
row("bernoulli", lambda key: ko.random.bernoulli(key, 0.3, (N, M)), KEY, "{n} lanes", N * M + 8, whole=0.9, vectors=0.9)
