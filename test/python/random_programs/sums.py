"""Entries that combine cells: reductions, running sums, products of matrices."""

import numpy as np
from random_programs import reference as ref
from random_programs.steps import Entry, Step, join, some_axes
from random_programs.values import FLOATS, INTEGERS, is_float, numpy_dtype


def _axis_and_dims(g, x, keepdims):
    """(axes or None, their text, the dims of the result)."""
    if x.rank == 0 or g.rng.random() < 0.3:
        axes, text = tuple(range(x.rank)), "None"
    else:
        axes = some_axes(g, x.rank)
        text = str(axes if len(axes) > 1 or g.rng.random() < 0.3 else axes[0])
    front = {a % x.rank for a in axes} if x.rank else set()
    dims = tuple(1 if i in front else d for i, d in enumerate(x.dims) if i not in front or keepdims)
    return axes, text, dims, [x.dims[i] for i in front]


def sum_dtype(dtype):
    """Of sum and prod: bool and small integers give i32, small unsigned ones u32."""
    if dtype in ("bool", "int8", "int16"):
        return "int32"
    return "uint32" if dtype in ("uint8", "uint16") else dtype


def reduction(name, function, accepts, result_dtype, needs_cells=False, ulps=0.0):
    def make(g):
        x = g.value(accepts)
        if x is None:
            return None
        keepdims = bool(g.rng.random() < 0.4)
        axes, text, dims, reduced = _axis_and_dims(g, x, keepdims)
        if needs_cells and any(d == 0 or not isinstance(d, int) for d in reduced):
            return None
        dtype = result_dtype(x.dtype)
        if name in ("argmin", "argmax") and len(axes) not in (1, x.rank):
            return None

        def expected(arrays):
            wide = arrays[0] if name in ("any", "all") else ref.widen(arrays[0])
            if wide.dtype.kind in "iub" and is_float(dtype):
                wide = wide.astype(np.float32).astype(np.float64)
            elif wide.dtype.kind in "iub" and not name.startswith("arg") and name not in ("any", "all"):
                wide = wide.astype(numpy_dtype(dtype))
            return np.asarray(function(wide, axes, keepdims))

        def scale(arrays):
            wide = np.abs(ref.widen(arrays[0]).astype(np.float64))
            return np.sum(wide, axis=axes, keepdims=keepdims) + 1

        # Rounding errors of n terms grow with n at worst; squares of sums with its square.
        return Step(
            f"ko.{name}({x.name}, axis={text}, keepdims={keepdims})", (x,), dtype, dims, expected, ulps,
            scale if ulps else None, needs_tame=bool(ulps),
        )  # fmt: skip

    return Entry(name, make)


def arg(function):
    def call(a, axes, keepdims):
        return function(a, axis=axes[0] if len(axes) == 1 and a.ndim > 1 else None, keepdims=keepdims)

    return call


def by_axes(function):
    return lambda a, axes, keepdims: function(a, axis=axes, keepdims=keepdims)


def product(a, axes, keepdims):
    return np.prod(a, axis=axes, keepdims=keepdims, dtype=a.dtype)


def total(a, axes, keepdims):
    return np.sum(a, axis=axes, keepdims=keepdims, dtype=a.dtype)


def logsumexp(a, axes, keepdims):
    return np.log(np.sum(np.exp(a), axis=axes, keepdims=keepdims))



def cumulative(name, function):
    def make(g):
        x = g.value(INTEGERS + FLOATS)
        if x is None or not x.rank:
            return None
        axis = int(g.rng.integers(x.rank))
        dtype = sum_dtype(x.dtype)

        def expected(arrays):
            wide = ref.widen(arrays[0])
            return function(wide if is_float(dtype) else wide.astype(dtype), axis=axis, dtype=None if is_float(dtype) else dtype)

        def scale(arrays):
            return np.cumsum(np.abs(ref.widen(arrays[0]).astype(np.float64)), axis=axis) + 1

        exact = name == "cumulative_prod"  # of floats not compared: errors are relative to the product
        return None if exact and is_float(dtype) else Step(
            f"ko.{name}({x.name}, axis={axis})", (x,), dtype, x.dims, expected, 40, scale, needs_tame=True
        )  # fmt: skip

    return Entry(name, make)


def matmul():
    def make(g):
        x = g.value(INTEGERS + FLOATS, lambda v: v.rank >= 1)
        if x is None:
            return None
        columns = int(g.rng.choice([0, 1, 3, 5, 17]))
        y = g.input(x.dtype, (x.dims[-1], columns) if g.rng.random() < 0.8 else (x.dims[-1],))
        dims = x.dims[:-1] + y.dims[1:]

        def expected(arrays):
            a, b = (ref.widen(array) for array in arrays)
            return np.matmul(a, b)

        def scale(arrays):
            a, b = (np.abs(ref.widen(array).astype(np.float64)) for array in arrays)
            return np.matmul(a, b) + 1

        return Step(f"ko.matmul({join((x, y))})", (x, y), x.dtype, dims, expected, 40, scale, needs_tame=True)

    return Entry("matmul", make, 4.0)
