"""Draws array expressions of a few ops, as the text that a user would type: names of NumPy, which JAX and Kolam share.

Each draw starts at arrays of a random shape, of an order of magnitude of elements each, and applies ops that fit the
shape it has: elementwise functions, reductions over any axes, moves, products, running sums, choices. The text is what
all libraries run, so a slow row can be pasted and looked at.
"""

import math
from dataclasses import dataclass

import numpy as np

EXTENTS = (2, 3, 4, 5, 7, 8, 10, 12, 16, 17, 24, 31, 32, 50, 64, 100, 128, 200, 256, 300, 512, 784, 1000, 1024, 2000, 4096)
DTYPES = ("float32",) * 8 + ("float64", "float64", "int32", "int32", "uint8", "bool")
FLOATS = ("float32", "float64")


@dataclass
class Drawn:
    """`text` of the arrays x, y, ... named in `arrays`."""

    text: str
    arrays: dict
    dtype: str  # of the result

    def function(self, _, namespace):
        """As a library with NumPy's names runs it, not jitted yet."""
        return eval(f"lambda {', '.join(self.arrays)}: {self.text}", {"np": namespace})

    @property
    def is_smooth(self):
        """Whether the result and the first array are floats."""
        return self.dtype in FLOATS and next(iter(self.arrays.values())).dtype.name in FLOATS


@dataclass
class Value:
    """A part of an expression: what it says, and the shape and dtype of its result."""

    text: str
    shape: tuple
    dtype: str


def random_array(rng, shape, dtype):
    if dtype in FLOATS:
        return rng.uniform(-1, 1, shape).astype(dtype)
    return rng.integers(0, 2 if dtype == "bool" else 100, shape).astype(dtype)


class Draw:
    """One expression in the making."""

    def __init__(self, seed, elements):
        self.rng = np.random.default_rng(seed)
        self.elements = elements
        self.arrays = {}

    def pick(self, choices):
        return choices[self.rng.integers(len(choices))]

    def some(self, count, least=1):
        """An ascending, not empty choice of axes."""
        if not count:
            return ()
        number = self.rng.integers(least, count + 1)
        return tuple(sorted(int(axis) for axis in self.rng.choice(count, number, replace=False)))

    def array(self, shape, dtype):
        name = "xyzuvw"[len(self.arrays)] if len(self.arrays) < 6 else f"a{len(self.arrays)}"
        self.arrays[name] = random_array(self.rng, shape, dtype)
        return Value(name, tuple(shape), dtype)

    def shape(self):
        """1 to 4 extents whose product is of the order of `elements`."""
        rank = self.pick((1, 2, 2, 2, 3, 3, 3, 4))
        while True:
            extents = [int(self.pick(EXTENTS)) for _ in range(rank - 1)]
            rest = self.elements // math.prod(extents)
            if rest >= 2:
                extents.insert(int(self.rng.integers(rank)), rest)
                return tuple(extents)

    def grown(self, steps):
        value = self.array(self.shape(), self.pick(DTYPES))
        for _ in range(steps):
            for _ in range(20):
                made = self.pick(OPS)(self, value)
                if made is not None and 0 < math.prod(made.shape) <= 4 * self.elements:
                    value = made
                    break
        return Drawn(value.text, self.arrays, value.dtype)


def elementwise(draw, v):
    if v.dtype in FLOATS:
        form = draw.pick((
            "np.exp({})", "np.tanh({})", "np.sqrt(np.abs({}))", "np.maximum({}, 0)", "({} * 2 + 1)", "np.sin({})", "np.abs({})",
            "({} / 3)", "np.log1p(np.abs({}))", "(-{})", "np.clip({}, -0.5, 0.5)", "np.floor({} * 4)", "({} ** 2)", "np.sign({})",
        ))  # fmt: skip
        return Value(form.format(v.text), v.shape, v.dtype)
    if v.dtype == "bool":
        return Value(f"(~{v.text})", v.shape, v.dtype)
    form = draw.pick(("({} + 1)", "({} * 3)", "({} // 3)", "({} % 7)", "({} & 15)", "np.maximum({}, 5)", "({} >> 1)"))
    return Value(form.format(v.text), v.shape, v.dtype)


def with_another(draw, v):
    """Beside another array, of its shape or one that is broadcast to it."""
    shape = tuple(1 if draw.rng.random() < 0.3 else extent for extent in v.shape)
    other = draw.array(shape[int(draw.rng.integers(len(shape))) :] if draw.rng.random() < 0.3 and shape else shape, v.dtype)
    ops = ("&", "|", "^") if v.dtype == "bool" else ("+", "-", "*", "*")
    return Value(f"({v.text} {draw.pick(ops)} {other.text})", v.shape, v.dtype)


def compared(draw, v):
    if v.dtype == "bool":
        return None
    other = draw.array(v.shape, v.dtype)
    return draw.pick((
        Value(f"({v.text} > {other.text})", v.shape, "bool"),
        Value(f"np.where({v.text} > {other.text}, {v.text}, {other.text})", v.shape, v.dtype),
        Value(f"np.minimum({v.text}, {other.text})", v.shape, v.dtype),
    ))  # fmt: skip


def reduced(draw, v):
    axes = draw.some(len(v.shape))
    if not axes:
        return None
    names, dtype = ("sum", "max", "min", "mean", "prod"), v.dtype
    if v.dtype == "bool":
        names = ("any", "all", "count_nonzero")
    elif v.dtype not in FLOATS:
        names = ("max", "min")
    name = draw.pick(names)
    if name == "count_nonzero":
        dtype = "int64"
    axis = axes[0] if len(axes) == 1 else axes
    left = tuple(extent for place, extent in enumerate(v.shape) if place not in axes)
    if draw.rng.random() < 0.4 and name in ("max", "mean", "sum", "min") and v.dtype in FLOATS:
        kept = f"np.{name}({v.text}, axis={axis}, keepdims=True)"
        return Value(f"({v.text} {draw.pick('-*')} {kept})", v.shape, v.dtype)
    return Value(f"np.{name}({v.text}, axis={axis})", left, dtype)


def placed(draw, v):
    """Of the place of an extreme."""
    if not v.shape or v.dtype == "bool":
        return None
    axis = int(draw.rng.integers(len(v.shape)))
    left = v.shape[:axis] + v.shape[axis + 1 :]
    return Value(f"np.{draw.pick(('argmax', 'argmin'))}({v.text}, axis={axis})", left, "int64")


def transposed(draw, v):
    if len(v.shape) < 2:
        return None
    order = tuple(int(axis) for axis in draw.rng.permutation(len(v.shape)))
    return Value(f"np.permute_dims({v.text}, {order})", tuple(v.shape[axis] for axis in order), v.dtype)


def reshaped(draw, v):
    """Two dims joined, or one split."""
    if len(v.shape) >= 2 and draw.rng.random() < 0.5:
        axis = int(draw.rng.integers(len(v.shape) - 1))
        shape = v.shape[:axis] + (v.shape[axis] * v.shape[axis + 1],) + v.shape[axis + 2 :]
    else:
        able = [(axis, part) for axis, extent in enumerate(v.shape) for part in (2, 3, 4, 8, 16) if extent % part == 0 and extent > part]
        if not able or len(v.shape) > 4:
            return None
        axis, part = draw.pick(able)
        parts = (part, v.shape[axis] // part)
        shape = v.shape[:axis] + (parts if draw.rng.random() < 0.5 else parts[::-1]) + v.shape[axis + 1 :]
    return Value(f"np.reshape({v.text}, {shape})", shape, v.dtype)


def sliced(draw, v):
    if not v.shape:
        return None
    axis = int(draw.rng.integers(len(v.shape)))
    extent = v.shape[axis]
    if extent < 4:
        return None
    text, left = draw.pick(((":-1", extent - 1), ("1:", extent - 1), ("::2", (extent + 1) // 2), ("::-1", extent), ("1::2", extent // 2)))
    where = ", ".join([":"] * axis + [text])
    return Value(f"{v.text}[{where}]", v.shape[:axis] + (left,) + v.shape[axis + 1 :], v.dtype)


def neighbours(draw, v):
    """A stencil of three, or a difference, along an axis."""
    if not v.shape or v.dtype == "bool" or v.dtype == "uint8":
        return None
    axis = int(draw.rng.integers(len(v.shape)))
    if v.shape[axis] < 4:
        return None
    if draw.rng.random() < 0.4:
        return Value(f"np.diff({v.text}, axis={axis})", v.shape[:axis] + (v.shape[axis] - 1,) + v.shape[axis + 1 :], v.dtype)
    at = [f"{v.text}[{', '.join([':'] * axis + [part])}]" for part in (":-2", "1:-1", "2:")]
    return Value(f"({at[0]} - 2 * {at[1]} + {at[2]})", v.shape[:axis] + (v.shape[axis] - 2,) + v.shape[axis + 1 :], v.dtype)


def moved(draw, v):
    """Rolled, padded, repeated, tiled, reversed."""
    if not v.shape:
        return None
    axis = int(draw.rng.integers(len(v.shape)))
    extent = v.shape[axis]

    def with_extent(new):
        return v.shape[:axis] + (new,) + v.shape[axis + 1 :]

    pads = tuple((1, 1) if place == axis else (0, 0) for place in range(len(v.shape)))
    mode = draw.pick(("constant", "edge", "wrap", "reflect"))
    return draw.pick((
        Value(f"np.roll({v.text}, 1, axis={axis})", v.shape, v.dtype),
        Value(f"np.pad({v.text}, {pads}, mode='{mode}')", with_extent(extent + 2), v.dtype),
        Value(f"np.repeat({v.text}, 2, axis={axis})", with_extent(2 * extent), v.dtype),
        Value(f"np.flip({v.text}, axis={axis})", v.shape, v.dtype),
        Value(f"np.concat([{v.text}, {v.text}], axis={axis})", with_extent(2 * extent), v.dtype),
        Value(f"np.stack([{v.text}, {v.text}], axis={axis})", v.shape[:axis] + (2,) + v.shape[axis:], v.dtype),
    ))  # fmt: skip


def taken(draw, v):
    """Rows by indices."""
    if not v.shape:
        return None
    axis = int(draw.rng.integers(len(v.shape)))
    name = f"i{len(draw.arrays)}"
    count = max(1, v.shape[axis] // draw.pick((1, 2)))
    draw.arrays[name] = draw.rng.integers(0, v.shape[axis], count).astype(np.int32)
    return Value(f"np.take({v.text}, {name}, axis={axis})", v.shape[:axis] + (count,) + v.shape[axis + 1 :], v.dtype)


def running(draw, v):
    if not v.shape or v.dtype not in FLOATS:
        return None
    return Value(f"np.cumulative_sum({v.text}, axis={int(draw.rng.integers(len(v.shape)))})", v.shape, v.dtype)


def sorted_rows(draw, v):
    if not v.shape or v.dtype == "bool":
        return None
    axis = int(draw.rng.integers(len(v.shape)))
    if draw.rng.random() < 0.3:
        return Value(f"np.argsort({v.text}, axis={axis}, stable=True)", v.shape, "int64")
    return Value(f"np.sort({v.text}, axis={axis})", v.shape, v.dtype)


def product(draw, v):
    """With a matrix, a vector, from either side."""
    if len(v.shape) < 2 or v.dtype not in FLOATS:
        return None
    width = int(draw.pick((1, 2, 3, 4, 8, 10, 16, 17, 32, 64, 100)))
    if v.shape[-1] * width > 4 * draw.elements:
        return None
    kind = draw.rng.integers(4)
    if kind == 0:
        w = draw.array((v.shape[-1],), v.dtype)
        return Value(f"({v.text} @ {w.text})", v.shape[:-1], v.dtype)
    if kind == 1:
        w = draw.array((width, v.shape[-2]), v.dtype)
        return Value(f"({w.text} @ {v.text})", v.shape[:-2] + (width, v.shape[-1]), v.dtype)
    if kind == 2:
        w = draw.array((width, v.shape[-1]), v.dtype)
        return Value(f"({v.text} @ {w.text}.T)", v.shape[:-1] + (width,), v.dtype)
    w = draw.array((v.shape[-1], width), v.dtype)
    return Value(f"({v.text} @ {w.text})", v.shape[:-1] + (width,), v.dtype)


def summed_pairs(draw, v):
    """einsum of two arrays of one shape: some letters summed, the others in any order."""
    rank = len(v.shape)
    if rank < 2 or v.dtype not in FLOATS:
        return None
    other = draw.array(v.shape, v.dtype)
    gone = draw.some(rank)
    letters = "abcdef"[:rank]
    kept = [axis for axis in range(rank) if axis not in gone]
    order = [kept[place] for place in draw.rng.permutation(len(kept))]
    text = "".join(letters[axis] for axis in order)
    return Value(f"np.einsum('{letters},{letters}->{text}', {v.text}, {other.text})", tuple(v.shape[axis] for axis in order), v.dtype)


OPS = (
    elementwise, elementwise, with_another, with_another, compared, reduced, reduced, reduced, placed, transposed, transposed, reshaped,
    sliced, neighbours, moved, taken, running, sorted_rows, product, product, summed_pairs,
)  # fmt: skip


def drawn(seed, elements, steps):
    return Draw(seed, elements).grown(steps)
