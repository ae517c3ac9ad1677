"""Entries that work cell by cell: the rows of the elementwise table, activations, casts."""

import numpy as np
from random_programs import reference as ref
from random_programs.steps import Entry, Step, broadcast_dims, join
from random_programs.values import CLASSES, DTYPES, FLOATS, is_float, numpy_dtype, promote


def _wide(arrays, dtype):
    """Operands at their common dtype, then in f64 where that is exact enough."""
    with np.errstate(all="ignore"):
        return [ref.widen(a if a.dtype == bool and dtype != "bool" else a.astype(numpy_dtype(dtype))) for a in arrays]


def elementwise(row):
    name, arity, rule, gives_boolean, f32, f64 = row
    function = ref.ELEMENTWISE[name]

    def make(g):
        is_where = name == "where"
        first = g.value(CLASSES[rule])
        if first is None:
            return None
        operands = [first]
        for _ in range(arity - 1 - is_where):
            same = g.rng.random() < 0.75 or first.dtype == "bool"
            other = g.partner(operands, (first.dtype,) if same else CLASSES[rule])
            if other is None:
                return None
            operands.append(other)
        # A computed NaN has no certain sign.
        if name in ("signbit", "copysign") and not all(v.name.startswith("x") for v in operands):
            return None
        dtype = operands[0].dtype
        for operand in operands[1:]:
            dtype = promote(dtype, operand.dtype)
            if dtype is None:
                return None
        if is_where:
            condition = g.partner(operands, ("bool",))
            if condition is None:
                return None
            operands.insert(0, condition)
        if rule == "floating" and not is_float(dtype):
            dtype = "float32"
        dims = broadcast_dims(*[v.dims for v in operands])
        if dims is None:
            return None

        def expected(arrays):
            if function is None or (name == "fma" and dtype == "float64"):
                return None
            wide = _wide(arrays, dtype)
            out = function(*wide)
            return out if gives_boolean or is_float(dtype) else out.astype(numpy_dtype(dtype))

        exact = name in ("where", "abs", "negative", "maximum", "minimum", "sign", "ceil", "floor", "trunc", "round")
        # NumPy's own functions are within a few ulps of the truth in f64.
        ulps = 0 if exact else (f64 + 4 if dtype == "float64" else f32 + 1)
        scale = (lambda a: np.maximum(1, np.maximum(*(abs(x) for x in _wide(a, dtype))))) if name == "logaddexp" else None
        return Step(
            f"ko.{name}({join(operands)})", tuple(operands), "bool" if gives_boolean else dtype, dims, expected, ulps,
            scale, needs_tame=name in ("logaddexp", "hypot", "fma", "floor_divide", "remainder"),
        )  # fmt: skip

    return Entry(name, make, 0.5)


def activation(name, function, ulps):
    def make(g):
        x = g.value(FLOATS)
        # f64 computes in f64 on both sides; narrow floats compute in f32.
        return x and Step(
            f"ko.{name}({x.name})", (x,), x.dtype, x.dims, lambda a: function(ref.widen(a[0])), ulps,
            scale=lambda a: np.abs(ref.widen(a[0])) + 1, needs_tame=True,
        )  # fmt: skip

    return Entry(name, make)


def casting():
    def make(g):
        x, dtype = g.value(DTYPES), str(g.rng.choice(DTYPES))
        return x and Step(
            f"ko.astype({x.name}, '{dtype}')", (x,), dtype, x.dims,
            lambda a: ref.widen(ref.cast_saturating(a[0], dtype)),
        )  # fmt: skip

    return Entry("astype", make, 2.0)
