"""Entries that make tensors from numbers and shapes."""

import numpy as np
from random_programs import reference as ref
from random_programs.extents import is_known, plus
from random_programs.steps import Entry, Step, require
from random_programs.values import DTYPES, FLOATS, INTEGERS, NUMBERS, numpy_dtype


def _constant(name, draw, weight=0.5):
    """`draw(g)` gives (arguments, dtype, dims, array)."""

    def make(g):
        arguments, dtype, dims, array = draw(g)
        # linspace rounds in f64 in another order than NumPy.
        within = (lambda arrays, epsilon: 4 * 2.0**-52 * np.max(np.abs(array), initial=0)) if name == "linspace" else None
        return Step(f"ko.{name}({arguments})", (), dtype, tuple(dims), lambda arrays: ref.widen(array), within=within)

    return Entry(name, make, weight)


def arange(g):
    dtype, step = g.pick([None, *NUMBERS]), g.pick([1, 1, 2, 3, 0.5] if g.chance(0.5) else [1, 2])
    start, count = g.pick([0, 1, 4]), g.pick([0, 1, 2, 5, 17])
    # Steps of integers below 0 need a sign.
    if dtype is None and g.chance(0.3):
        step = -step
    require(not (isinstance(step, float) and dtype in INTEGERS))
    stop = start + step * count - (step / 2 if isinstance(step, float) and count else 0)
    exact = start + np.arange(count) * step
    result = dtype or ("float32" if isinstance(step, float) or isinstance(stop, float) else "int32")
    option = f", dtype='{dtype}'" if dtype else ""
    return f"{start}, {stop}, {step}{option}", result, (count,), ref.cast_saturating(exact, result)


def linspace(g):
    dtype, count, endpoint = g.pick(FLOATS), g.pick([0, 1, 2, 7, 50]), g.chance(0.7)
    start, stop = g.pick([(0, 1), (-2.5, 4), (3, 3), (5, -5)])
    parts = max(count - 1, 1) if endpoint else count
    exact = start + np.arange(count) * (stop - start) / max(parts, 1)
    if endpoint and count > 1:
        exact[-1] = stop
    return f"{start}, {stop}, {count}, endpoint={endpoint}, dtype='{dtype}'", dtype, (count,), exact.astype(np.float64)


def eye(g):
    rows, columns, k, dtype = g.pick([0, 1, 3, 5]), g.pick([None, 0, 2, 6]), int(g.rng.integers(-3, 4)), g.pick(DTYPES)
    return f"{rows}, {columns}, k={k}, dtype='{dtype}'", dtype, (rows, rows if columns is None else columns), np.eye(rows, columns, k).astype(numpy_dtype(dtype))


def full(g):
    dtype, dims = g.pick(DTYPES), g.pick([(), (0,), (3,), (2, 5)])
    number = g.chance(0.5) if dtype == "bool" else g.pick([0, 1, 7])
    return f"{dims}, {number}, '{dtype}'", dtype, dims, np.full(dims, number, numpy_dtype(dtype))


def one_hot():
    def make(g):
        depth, dtype = g.pick([0, 1, 3, 8]), g.pick(DTYPES)
        x = g.value(INTEGERS)

        def expected(arrays):
            return (arrays[0].astype(object)[..., None] == np.arange(depth)).astype(numpy_dtype(dtype)).astype(np.float64)

        return Step(f"ko.one_hot({x.name}, {depth}, '{dtype}')", (x,), dtype, (*x.dims, depth), expected)

    return Entry("one_hot", make)


def meshgrid():
    def make(g):
        vectors = [g.value(least=1, most=1) for _ in range(g.pick([1, 2, 3]))]
        indexing, which = g.pick(["xy", "ij"]), int(g.rng.integers(len(vectors)))
        dims = [v.dims[0] for v in vectors]
        if indexing == "xy" and len(dims) > 1:
            dims[:2] = dims[1::-1]
        text = f"ko.meshgrid({', '.join(v.name for v in vectors)}, indexing='{indexing}')[{which}]"
        return Step(text, tuple(vectors), vectors[which].dtype, tuple(dims), lambda a: ref.widen(np.meshgrid(*a, indexing=indexing)[which]))

    return Entry("meshgrid", make)


def like():
    """zeros_like, ones_like, full_like: of the shape alone."""

    def make(g):
        x, dtype = g.value(), g.pick([None, *DTYPES])
        name, number = g.pick([("zeros_like", 0), ("empty_like", 0), ("ones_like", 1), ("full_like", 3)])
        require(name != "full_like" or (dtype or x.dtype) != "bool")
        text = f"ko.{name}({x.name}{', 3' if name == 'full_like' else ''}{f', dtype={dtype!r}' if dtype else ''})"
        result = dtype or x.dtype
        return Step(text, (x,), result, x.dims, lambda a: ref.widen(np.full(a[0].shape, number, numpy_dtype(result))))

    return Entry("full_like", make, 0.7)


def extent_range():
    """arange over an extent that may be known when the program runs only."""

    def make(g):
        x = g.value(least=1)
        dim, first = int(g.rng.integers(x.rank)), g.pick([0, 0, 1])
        extent = x.dims[dim]
        dtype = "int32" if is_known(extent) else "int64"
        dims = (plus(extent, first),) if first else (extent,)
        text = f"ko.arange({x.name}.shape[{dim}]{' + 1' if first else ''})"
        return Step(text, (x,), dtype, dims, lambda a: np.arange(a[0].shape[dim] + first))

    return Entry("arange", make)


def fromfunction(g):
    dims = g.pick([(0,), (3,), (2, 5), (2, 1, 3)])
    names = "ijk"[: len(dims)]
    text = f"{names[0]} * 3 - {names[-1]}"
    array = np.fromfunction(eval(f"lambda {', '.join(names)}: {text}"), dims, dtype=np.int32)
    return f"lambda {', '.join(names)}: {text}, {dims}", "int32", dims, array


CREATION = [
    _constant("arange", arange), _constant("linspace", linspace), _constant("eye", eye), _constant("full", full), one_hot(), meshgrid(), like(),
    extent_range(),
]  # fmt: skip
