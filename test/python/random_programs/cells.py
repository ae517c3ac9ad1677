"""Entries that work cell by cell: the rows of the elementwise table, activations, casts, choices."""

import numpy as np
from random_programs import reference as ref
from random_programs.extents import is_known
from random_programs.steps import Entry, Step, broadcast_dims, join, require
from random_programs.values import CLASSES, DTYPES, FLOATS, INTEGERS, NUMBERS, SIGNED, float_dtype, is_float, numpy_dtype, promote

EXACT = ("where", "abs", "negative", "maximum", "minimum", "sign", "ceil", "floor", "trunc", "round", "copysign")
# Where NumPy's own error in float64 is relative to the operands, or where it overflows between.
NEEDS_TAME = ("logaddexp", "hypot", "floor_divide", "remainder", "fmod")
SIGNS = {
    "add": "+", "subtract": "-", "multiply": "*", "divide": "/", "floor_divide": "//", "remainder": "%", "pow": "**",
    "equal": "==", "not_equal": "!=", "less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">=",
    "bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^",
}  # fmt: skip


def common_dtype(dtypes):
    dtype = dtypes[0]
    for other in dtypes[1:]:
        dtype = promote(dtype, other)
        require(dtype)
    return dtype


def _step(row, text, operands, dtype, dims, arrange=lambda arrays: arrays):
    """A step of the table; `arrange` makes the function's arguments from the operands' arrays."""
    name, _, _, gives_boolean, f32, f64 = row

    def expected(arrays):
        out = ref.ELEMENTWISE[name](*[ref.at_dtype(a, dtype) for a in arrange(arrays)])
        return out if gives_boolean or is_float(dtype) else out.astype(numpy_dtype(dtype))

    def within(arrays, epsilon):  # logaddexp's error is in units of its operands
        sizes = [np.abs(ref.at_dtype(a, dtype)) for a in arrange(arrays)]
        return (f64 + 4 if dtype == "float64" else f32 + 1) * epsilon * np.maximum(1, np.maximum(*sizes))

    def within_zeros(arrays, epsilon):  # lgamma's error near its zeros at 1 and 2 is in units of what is added up there
        size = np.abs(expected(arrays).astype(np.float64))
        return (f64 + 4 if dtype == "float64" else f32 + 1) * epsilon * np.maximum(1, np.where(np.isfinite(size), size, 1))

    # NumPy's own functions are within a few ulps of the truth in f64.
    ulps = 0 if name in EXACT else (f64 + 4 if dtype == "float64" else f32 + 1)
    return Step(
        text, tuple(operands), "bool" if gives_boolean else dtype, dims, expected, ulps,
        {"logaddexp": within, "lgamma": within_zeros}.get(name), tame=len(operands) * (name in NEEDS_TAME),
    )  # fmt: skip


def elementwise(row):
    name, arity, rule = row[:3]
    is_where = name == "where"

    def make(g):
        first = g.value(CLASSES[rule])
        operands = [first]
        for _ in range(arity - 1 - is_where):
            same = g.chance(0.75) or first.dtype == "bool"
            operands.append(g.partner(operands, (first.dtype,) if same else CLASSES[rule]))
        # A computed NaN has no certain sign.
        require(name not in ("signbit", "copysign") or all(v.name.startswith("x") for v in operands))
        dtype = common_dtype([v.dtype for v in operands])
        if is_where:
            operands.insert(0, g.partner(operands, ("bool",)))
        if rule == "floating":
            dtype = float_dtype(dtype)
        dims = broadcast_dims(*[v.dims for v in operands])
        require(dims is not None)
        text = f"{operands[0].name} {SIGNS[name]} {operands[1].name}" if name in SIGNS and g.chance(0.5) else f"ko.{name}({join(operands)})"
        return _step(row, text, operands, dtype, dims)

    return Entry(name, make, 0.5)


def with_number(rows):
    """A tensor and a Python number, which takes the tensor's dtype within its kind."""
    by_name = {row[0]: row for row in rows}

    def make(g):
        name = g.pick(list(SIGNS))
        row = by_name[name]
        x = g.value(INTEGERS if "bitwise" in name else NUMBERS)
        number = g.pick([0, 1, 2, 3, 7]) - (0 if x.dtype.startswith("u") else g.pick([0, 0, 5]))
        if "bitwise" not in name and g.chance(0.3):
            number = g.pick([0.5, -1.5, 2.0, 0.1])
        dtype = float_dtype(x.dtype) if isinstance(number, float) or row[2] == "floating" else x.dtype
        constant = np.array(number, numpy_dtype(dtype if isinstance(number, float) else x.dtype))
        if g.chance(0.5):
            return _step(row, f"{x.name} {SIGNS[name]} {number}", (x,), dtype, x.dims, lambda a: [a[0], constant])
        return _step(row, f"({number}) {SIGNS[name]} {x.name}", (x,), dtype, x.dims, lambda a: [constant, a[0]])

    return Entry("number", make, 4.0)


def activation(name, function, ulps, options=""):
    def make(g):
        x = g.value(NUMBERS if name == "relu" else DTYPES)
        dtype = x.dtype if name == "relu" else float_dtype(x.dtype)

        def within(arrays, epsilon):
            return ulps * epsilon * (np.abs(ref.at_dtype(arrays[0], dtype)) + 1)

        return Step(
            f"ko.{name}({x.name}{options})", (x,), dtype, x.dims, lambda a: function(ref.at_dtype(a[0], dtype)),
            within=within if ulps else None, tame=int(ulps > 0),
        )  # fmt: skip

    return Entry(name, make)


def with_extent():
    """An extent is a number beside a tensor, also where only the run knows it."""

    def make(g):
        x, sign = g.value(NUMBERS, least=1), g.pick(["+", "-", "*", ">="])
        dim = int(g.rng.integers(x.rank))
        dtype = "bool" if sign == ">=" else x.dtype
        functions = {"+": np.add, "-": np.subtract, "*": np.multiply, ">=": np.greater_equal}

        def is_unfit(arrays):
            return not is_float(x.dtype) and arrays[0].shape[dim] > np.iinfo(x.dtype).max

        def expected(arrays):
            return ref.widen(np.asarray(functions[sign](arrays[0], ref.cast_saturating(np.int64(arrays[0].shape[dim]), x.dtype))))

        require(not is_known(x.dims[dim]) or is_float(x.dtype) or x.dims[dim] <= np.iinfo(x.dtype).max)
        return Step(
            f"{x.name} {sign} {x.name}.shape[{dim}]", (x,), dtype, x.dims, expected, raises=lambda a: "scalar-does-not-fit" if is_unfit(a) else None
        )

    return Entry("extent", make, 1.5)


def nextafter():
    def make(g):
        x = g.value(FLOATS)
        y = g.partner([x], (x.dtype,))
        dims = broadcast_dims(x.dims, y.dims)
        require(dims is not None)
        return Step(f"ko.nextafter({x.name}, {y.name})", (x, y), x.dtype, dims, lambda a: ref.widen(np.nextafter(*a)))

    return Entry("nextafter", make, 0.5)


def positive():
    def make(g):
        x = g.value(NUMBERS)
        return Step(g.pick([f"+{x.name}", f"ko.positive({x.name})"]), (x,), x.dtype, x.dims, lambda a: ref.widen(a[0]))

    return Entry("positive", make, 0.3)


def casting():
    def make(g):
        x, dtype = g.value(), g.pick(DTYPES)
        return Step(f"ko.astype({x.name}, '{dtype}')", (x,), dtype, x.dims, lambda a: ref.widen(ref.cast_saturating(a[0], dtype)))

    return Entry("astype", make, 2.0)


def bitcast():
    widths = (("int8", "uint8"), ("int16", "uint16", "float16", "bfloat16"), ("int32", "uint32", "float32"), ("int64", "uint64", "float64"))

    def make(g):
        x = g.value(NUMBERS)
        dtype = g.pick(next(width for width in widths if x.dtype in width))

        def expected(arrays):
            array = arrays[0]
            if is_float(x.dtype):  # every NaN becomes the positive quiet one
                array = np.where(np.isnan(array.astype(np.float64)), np.array(np.nan, array.dtype), array)
            return ref.widen(np.ascontiguousarray(array).view(numpy_dtype(dtype)).reshape(array.shape))

        return Step(f"ko.bitcast({x.name}, '{dtype}')", (x,), dtype, x.dims, expected)

    return Entry("bitcast", make)


def clip():
    def make(g):
        x = g.value(NUMBERS)
        operands, texts, takes = [x], [], []
        for _ in range(2):
            kind = g.pick(["none", "number", "tensor"])
            if kind == "tensor":
                bound = g.partner([x], (x.dtype,))
                require(broadcast_dims(x.dims, bound.dims) == x.dims)
                texts.append(bound.name), takes.append(len(operands)), operands.append(bound)
            else:
                number = None if kind == "none" else g.pick([0, 1, 2, 3]) - (2 if x.dtype in SIGNED + FLOATS else 0)
                texts.append(str(number)), takes.append(None if number is None else np.array(number, numpy_dtype(x.dtype)))

        def expected(arrays):
            out = arrays[0]
            for take, function in zip(takes, (np.maximum, np.minimum), strict=True):
                if take is not None:
                    out = function(out, arrays[take] if isinstance(take, int) else take)
            return ref.widen(out)

        return Step(f"ko.clip({x.name}, {', '.join(texts)})", tuple(operands), x.dtype, x.dims, expected)

    return Entry("clip", make, 2.0)


def select():
    def make(g):
        x = g.value()
        y = g.partner([x], (x.dtype,) if x.dtype == "bool" or g.chance(0.5) else NUMBERS)
        condition = g.partner([x, y], ("bool", *INTEGERS))
        dtype, dims = common_dtype([x.dtype, y.dtype]), broadcast_dims(condition.dims, x.dims, y.dims)
        require(dims is not None)

        def expected(arrays):
            return np.where(arrays[0] != 0, ref.at_dtype(arrays[1], dtype), ref.at_dtype(arrays[2], dtype))

        return Step(f"ko.select({join((condition, x, y))})", (condition, x, y), dtype, dims, expected)

    return Entry("select", make, 2.0)
