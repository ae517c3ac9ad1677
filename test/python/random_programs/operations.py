"""The table of operations that random programs are made of: one entry for each function, with its NumPy equivalent.

An entry's `make(g)` picks operands from the generator and returns a Step, or None where nothing fits. A step is a line of
Python over `ko`, so that a program prints as its own reproducer, and a reference over the operands' arrays.
"""

from dataclasses import dataclass, field
from typing import Callable

import numpy as np
from random_programs import reference as ref
from random_programs.values import CLASSES, DTYPES, FLOATS, INTEGERS, is_float, numpy_dtype, promote


@dataclass
class Step:
    """One line of a program."""

    text: str  # an expression over the names of operands
    operands: tuple  # names
    dtype: str
    dims: tuple
    expected: Callable = None  # arrays of the operands -> array (floats in f64), or None where NumPy has no such thing
    ulps: float = 0
    scale: Callable = None  # arrays -> what errors are counted in, for sums
    needs_tame: bool = False  # the comparison with NumPy makes sense on small finite numbers only


@dataclass
class Entry:
    """An operation, and how often it is picked."""

    name: str
    make: Callable
    weight: float = 1.0
    tags: tuple = field(default=())


def join(operands, extra=""):
    return ", ".join(v.name for v in operands) + extra


def broadcast_dims(*all_dims):
    """The common dims, or None; a symbol is only itself."""
    rank = max(len(dims) for dims in all_dims)
    out = []
    for position in range(rank):
        extents = {dims[position - rank + len(dims)] for dims in all_dims if position >= rank - len(dims)} - {1}
        if len(extents) > 1:
            return None
        out.append(extents.pop() if extents else 1)
    return tuple(out)


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


def unary_shape(name, pick):
    """`pick(g, x)` gives (arguments as text, dims, numpy function), or None."""

    def make(g):
        x = g.value(DTYPES)
        picked = x and pick(g, x)
        if not picked:
            return None
        arguments, dims, function = picked
        return Step(
            f"ko.{name}({x.name}{', ' if arguments else ''}{arguments})", (x,), x.dtype, dims,
            lambda a: ref.widen(function(a[0])),
        )  # fmt: skip

    return Entry(name, make)


def _some_axes(g, rank, least=1):
    if rank < least:
        return None
    count = int(g.rng.integers(least, rank + 1))
    axes = [int(a) for a in g.rng.permutation(rank)[:count]]
    return tuple(a - rank if g.rng.random() < 0.3 else a for a in axes)


def _permute(g, x):
    axes = tuple(int(a) for a in g.rng.permutation(x.rank))
    return f"{axes}", tuple(x.dims[a] for a in axes), lambda a: np.transpose(a, axes)


def _flip(g, x):
    axes = _some_axes(g, x.rank)
    return axes and (f"axis={axes}", x.dims, lambda a: np.flip(a, axes))


def _roll(g, x):
    if not x.rank:
        return None
    axis, shift = int(g.rng.integers(x.rank)), int(g.rng.integers(-4, 5))
    return f"{shift}, axis={axis}", x.dims, lambda a: np.roll(a, shift, axis)


def _flat(g, x):
    if x.rank and not all(isinstance(d, int) for d in x.dims):
        return None
    count = int(np.prod(x.dims, dtype=int))
    return "(-1,)", (count,), lambda a: a.reshape(-1)


def _reshape(g, x):
    if not all(isinstance(d, int) for d in x.dims):
        return None
    count = int(np.prod(x.dims, dtype=int))
    divisors = [d for d in range(1, count + 1) if count % d == 0] or [0]
    first = int(g.rng.choice(divisors))
    dims = (first, count // first if first else 3)
    return f"{dims}", dims, lambda a: a.reshape(dims)


def _expand(g, x):
    axis = int(g.rng.integers(x.rank + 1))
    return f"axis={axis}", x.dims[:axis] + (1,) + x.dims[axis:], lambda a: np.expand_dims(a, axis)


def _squeeze(g, x):
    ones = [i for i, d in enumerate(x.dims) if d == 1]
    if not ones:
        return None
    axis = int(g.rng.choice(ones))
    return f"axis={axis}", x.dims[:axis] + x.dims[axis + 1 :], lambda a: np.squeeze(a, axis)


def _tile(g, x):
    counts = tuple(int(c) for c in g.rng.integers(0, 3, size=x.rank))
    if not all(isinstance(d, int) for d in x.dims):
        return None
    return f"{counts}", tuple(d * c for d, c in zip(x.dims, counts, strict=True)), lambda a: np.tile(a, counts)


def _repeat(g, x):
    known = [i for i, d in enumerate(x.dims) if isinstance(d, int)]
    if not known:
        return None
    axis, count = int(g.rng.choice(known)), int(g.rng.integers(0, 4))
    dims = x.dims[:axis] + (x.dims[axis] * count,) + x.dims[axis + 1 :]
    return f"{count}, axis={axis}", dims, lambda a: np.repeat(a, count, axis)


def _pad(g, x):
    if not x.rank or not all(isinstance(d, int) for d in x.dims):
        return None
    mode = str(g.rng.choice(["constant", "edge", "reflect", "wrap"]))
    if mode != "constant" and 0 in x.dims or mode == "reflect" and 1 in x.dims:
        return None
    widths = [tuple(int(w) for w in g.rng.integers(0, 3, size=2)) for _ in x.dims]
    dims = tuple(d + b + e for d, (b, e) in zip(x.dims, widths, strict=True))
    return f"{widths}, mode='{mode}'", dims, lambda a: np.pad(a, widths, mode=mode)


def _broadcast(g, x):
    front = tuple(int(d) for d in g.rng.integers(0, 4, size=g.rng.integers(0, 3)))
    dims = front + tuple(int(g.rng.integers(0, 4)) if d == 1 else d for d in x.dims)
    if not all(isinstance(d, int) for d in dims):
        return None
    return f"{dims}", dims, lambda a: np.broadcast_to(a, dims)


def _triangle(function):
    def pick(g, x):
        k = int(g.rng.integers(-2, 3))
        return (f"k={k}", x.dims, lambda a: function(a, k)) if x.rank >= 2 else None

    return pick


def indexing():
    def make(g):
        x = g.value(DTYPES)
        if x is None:
            return None
        items, texts, dims = [], [], []
        for extent in x.dims[: int(g.rng.integers(0, x.rank + 1))]:
            kind = g.rng.choice(["all", "integer", "slice", "reverse", "step", "new"])
            if kind == "new":
                items.append(None), texts.append("None"), dims.append(1)
                kind = "all"
            if kind == "all" or not isinstance(extent, int) and kind in ("integer", "slice", "step"):
                items.append(slice(None)), texts.append(":"), dims.append(extent)
            elif kind == "reverse":
                items.append(slice(None, None, -1)), texts.append("::-1"), dims.append(extent)
            elif kind == "integer" and extent:
                place = int(g.rng.integers(-extent, extent))
                items.append(place), texts.append(str(place))
            else:
                bounds = [int(b) if g.rng.random() < 0.7 else None for b in g.rng.integers(-5, 6, size=2)]
                step = int(g.rng.choice([-3, -2, 2, 3])) if kind == "step" else None
                item = slice(*bounds, step)
                items.append(item), dims.append(len(range(*item.indices(extent))))
                texts.append(":".join("" if part is None else str(part) for part in (item.start, item.stop, item.step)))
        items.append(Ellipsis), texts.append("...")
        used = sum(item is not None and item is not Ellipsis for item in items)
        key = tuple(items)
        return Step(
            f"{x.name}[{', '.join(texts)}]", (x,), x.dtype, tuple(dims) + x.dims[used:], lambda a: ref.widen(a[0][key])
        )

    return Entry("index", make, 3.0)


def joining(name):
    def make(g):
        x = g.value(DTYPES)
        if x is None or not x.rank and name == "concat":
            return None
        count = int(g.rng.integers(1, 4))
        others = [g.like(x) for _ in range(count - 1)]
        operands = [x, *others]
        if name == "stack":
            axis = int(g.rng.integers(x.rank + 1))
            dims, function = x.dims[:axis] + (count,) + x.dims[axis:], np.stack
        else:
            known = [i for i, d in enumerate(x.dims) if isinstance(d, int)]
            if not known:
                return None
            axis = int(g.rng.choice(known))
            dims, function = x.dims[:axis] + (x.dims[axis] * count,) + x.dims[axis + 1 :], np.concatenate
        return Step(
            f"ko.{name}([{join(operands)}], axis={axis})", tuple(operands), x.dtype, dims,
            lambda a: ref.widen(function(a, axis)),
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


def _axis_and_dims(g, x, keepdims):
    """(axes or None, their text, the dims of the result)."""
    if x.rank == 0 or g.rng.random() < 0.3:
        axes, text = tuple(range(x.rank)), "None"
    else:
        axes = _some_axes(g, x.rank)
        text = str(axes if len(axes) > 1 or g.rng.random() < 0.3 else axes[0])
    front = {a % x.rank for a in axes} if x.rank else set()
    dims = tuple(1 if i in front else d for i, d in enumerate(x.dims) if i not in front or keepdims)
    return axes, text, dims, [x.dims[i] for i in front]


def _sum_dtype(dtype):
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


def _arg(function):
    def call(a, axes, keepdims):
        return function(a, axis=axes[0] if len(axes) == 1 and a.ndim > 1 else None, keepdims=keepdims)

    return call


def _np(function):
    return lambda a, axes, keepdims: function(a, axis=axes, keepdims=keepdims)


def _product(a, axes, keepdims):
    return np.prod(a, axis=axes, keepdims=keepdims, dtype=a.dtype)


def _total(a, axes, keepdims):
    return np.sum(a, axis=axes, keepdims=keepdims, dtype=a.dtype)


def _logsumexp(a, axes, keepdims):
    return np.log(np.sum(np.exp(a), axis=axes, keepdims=keepdims))


def _floating(dtype):
    return dtype if is_float(dtype) else "float32"


def cumulative(name, function):
    def make(g):
        x = g.value(INTEGERS + FLOATS)
        if x is None or not x.rank:
            return None
        axis = int(g.rng.integers(x.rank))
        dtype = _sum_dtype(x.dtype)

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


def sorting(name):
    def make(g):
        x = g.value(DTYPES, lambda v: v.rank >= 1)
        if x is None:
            return None
        axis = int(g.rng.integers(x.rank))
        if name == "sort":
            return Step(
                f"ko.sort({x.name}, axis={axis})", (x,), x.dtype, x.dims,
                lambda a: np.sort(ref.widen(a[0]), axis=axis, kind="stable"),
            )  # fmt: skip
        dtype = "int32" if isinstance(x.dims[axis], int) else "int64"
        return Step(
            f"ko.argsort({x.name}, axis={axis})", (x,), dtype, x.dims,
            lambda a: np.argsort(ref.widen(a[0]), axis=axis, kind="stable"),
        )  # fmt: skip

    return Entry(name, make)


def line(name, accepts, template, result):
    """An operation that NumPy lacks, compared between backends only: `result(x)` gives (dtype, dims) or None."""

    def make(g):
        x = g.value(accepts)
        typed = x and result(x)
        if not typed:
            return None
        other = g.like(x)
        return Step(template.format(x=x.name, y=other.name), (x, other), *typed)

    return Entry(name, make, 1.5)


def _same(x):
    return x.dtype, x.dims


def table(rows):
    """Every entry, given the rows of the elementwise table."""
    entries = [elementwise(row) for row in rows]
    entries += [
        activation("relu", lambda x: np.maximum(x, 0), 0.5),
        activation("sigmoid", lambda x: 1 / (1 + np.exp(-x)), 4),
        activation("silu", lambda x: x / (1 + np.exp(-x)), 4),
        activation("softplus", lambda x: np.logaddexp(x, 0), 4),
        activation("gelu", lambda x: x / 2 * (1 + ref.ERF(x / np.sqrt(2))), 4),
        unary_shape("permute_dims", _permute), unary_shape("flip", _flip), unary_shape("roll", _roll),
        unary_shape("reshape", _flat), unary_shape("reshape", _reshape), unary_shape("expand_dims", _expand),
        unary_shape("squeeze", _squeeze), unary_shape("tile", _tile), unary_shape("repeat", _repeat),
        unary_shape("pad", _pad), unary_shape("broadcast_to", _broadcast), unary_shape("tril", _triangle(np.tril)),
        unary_shape("triu", _triangle(np.triu)), indexing(), joining("concat"), joining("stack"), casting(),
        reduction("sum", _total, DTYPES, _sum_dtype, ulps=40), reduction("prod", _product, INTEGERS, _sum_dtype),
        reduction("min", _np(np.min), INTEGERS + FLOATS, str, needs_cells=True),
        reduction("max", _np(np.max), INTEGERS + FLOATS, str, needs_cells=True),
        reduction("mean", _np(np.mean), FLOATS, str, needs_cells=True, ulps=40),
        reduction("any", _np(np.any), DTYPES, lambda d: "bool"), reduction("all", _np(np.all), DTYPES, lambda d: "bool"),
        reduction("argmin", _arg(np.argmin), INTEGERS + FLOATS, lambda d: "int32", needs_cells=True),
        reduction("argmax", _arg(np.argmax), INTEGERS + FLOATS, lambda d: "int32", needs_cells=True),
        reduction("logsumexp", _logsumexp, FLOATS, str, needs_cells=True, ulps=40),
        cumulative("cumulative_sum", np.cumsum), cumulative("cumulative_prod", np.cumprod),
        matmul(), sorting("sort"), sorting("argsort"),
        line("fori_loop", INTEGERS + FLOATS, "ko.fori_loop(0, 3, lambda i, s: s * {y} + ko.astype(i, s.dtype), {x})", _same),
        line("cond", INTEGERS + FLOATS, "ko.cond(ko.any({x} > 0), lambda a: a + {y}, lambda a: a - {y}, {x})", _same),
        line("scan", INTEGERS + FLOATS, "ko.scan(lambda s, x: (s + x, s), {y}[0], {x})[1]",
             lambda x: _same(x) if x.rank and isinstance(x.dims[0], int) and x.dims[0] else None),
        line("zip_map_reduce", INTEGERS + FLOATS,
             "ko.zip_map_reduce(lambda a, b: ko.select(a > b, a, b * a), [{x}, {y}], reduce='sum', axis=-1)",
             lambda x: (_sum_dtype(x.dtype), x.dims[:-1]) if x.rank else None),
        line("var", FLOATS, "ko.var({x} - {y})", lambda x: (x.dtype, ())),
        line("associative_scan", INTEGERS + FLOATS, "ko.associative_scan(lambda a, b: a * b, {x})",
             lambda x: _same(x) if x.rank else None),
        line("top_k", DTYPES, "ko.top_k({x}, 2)[0]",
             lambda x: (x.dtype, x.dims[:-1] + (2,)) if x.rank and isinstance(x.dims[-1], int) and x.dims[-1] >= 2 else None),
    ]  # fmt: skip
    return entries
