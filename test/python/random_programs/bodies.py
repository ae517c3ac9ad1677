"""Random bodies of zip_map_reduce: expressions over scalars, with their meaning on whole arrays."""

from dataclasses import dataclass
from typing import Callable

import numpy as np
from random_programs import reference as ref
from random_programs.places import count_from_end
from random_programs.values import DTYPES, INTEGERS, NUMBERS, is_float, numpy_dtype, promote


@dataclass
class Cell:
    """A scalar of a body."""

    text: str
    dtype: str
    meaning: Callable  # (arrays of the inputs, the iteration space) -> array of the dtype


ARITHMETIC = {"+": np.add, "-": np.subtract, "*": np.multiply}
BITS = {"&": np.bitwise_and, "|": np.bitwise_or, "^": np.bitwise_xor}
COMPARISONS = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal, "==": np.equal, "!=": np.not_equal}


def convert(cell, dtype):
    """The array of a cell at another dtype, as promotion and astype convert."""
    if cell.dtype == dtype:
        return cell.meaning
    return lambda arrays, space: ref.cast_saturating(cell.meaning(arrays, space), dtype)


def apply(text, dtype, function, cells, common):
    """`function` of cells at their common dtype; each op of NumPy rounds once."""
    parts = [convert(cell, common) for cell in cells]

    def meaning(arrays, space):
        out = np.asarray(function(*[part(arrays, space) for part in parts]))
        return ref.to_float(out, dtype) if is_float(dtype) else out.astype(numpy_dtype(dtype))

    return Cell(text, dtype, meaning)


class Body:
    """Draws expressions over the inputs of a pattern."""

    def __init__(self, g, names, inputs, outer, rank):
        """`outer` are values that the body names: scalars, and vectors that it takes cells of; their arrays follow the inputs'."""
        self.g, self.rank, self.outer, self.count = g, rank, outer, len(inputs)
        self.leaves = [Cell(name, v.dtype, lambda arrays, space, i=i: arrays[i]) for i, (name, v) in enumerate(zip(names, inputs, strict=True))]

    def outer_cell(self):
        number = int(self.g.rng.integers(len(self.outer)))
        value, at = self.outer[number], self.count + number
        if value.rank == 0:
            return Cell(value.name, value.dtype, lambda arrays, space: arrays[at])
        place = self.astype(self.cell(1), "int32")

        def meaning(arrays, space):
            return arrays[at][count_from_end(place.meaning(arrays, space), arrays[at].shape[0])]

        return Cell(f"{value.name}[{place.text}]", value.dtype, meaning)

    def leaf(self):
        kind = self.g.pick(["input"] * 4 + ["imm", "place"] + ["outer"] * len(self.outer))
        if kind == "outer":
            return self.outer_cell()
        if kind == "imm":
            dtype = self.g.pick(NUMBERS)
            number = self.g.pick([0.5, 1.5, 3.0] if is_float(dtype) else [0, 1, 5])
            return Cell(f"ko.imm({number}, '{dtype}')", dtype, lambda arrays, space: np.asarray(number, numpy_dtype(dtype)))
        if kind == "place" and self.rank:
            dim, dtype = self.g.axis(self.rank), self.g.pick(["int32", "int32", *INTEGERS])

            def places(arrays, space):
                shape = [-1 if i == dim % self.rank else 1 for i in range(self.rank)]
                return np.arange(space[dim]).astype(dtype).reshape(shape)

            option = "" if dtype == "int32" and self.g.chance(0.5) else f", '{dtype}'"
            return Cell(f"ko.iter_idx({dim}{option})", dtype, places)
        return self.g.pick(self.leaves)

    def number(self, depth):
        """A cell that is no boolean."""
        cell = self.cell(depth)
        return self.astype(cell, "int32") if cell.dtype == "bool" else cell

    def astype(self, cell, dtype):
        return Cell(f"ko.astype({cell.text}, '{dtype}')", dtype, convert(cell, dtype))

    def pair(self, depth, dtypes=NUMBERS):
        """Two cells with a common dtype among `dtypes`, and that."""
        left, right = self.number(depth), self.number(depth)
        common = promote(left.dtype, right.dtype)
        if common in dtypes:
            return left, right, common
        common = self.g.pick([d for d in (left.dtype, right.dtype) if d in dtypes] or [dtypes[0]])
        return self.astype(left, common), self.astype(right, common), common

    def cell(self, depth):
        if depth <= 0 or self.g.chance(0.1):
            return self.leaf()
        kind = self.g.pick(["arithmetic"] * 3 + ["extreme", "compare", "select", "select", "bits", "fma", "unary", "recast", "scale", "divide"])
        return getattr(self, kind)(depth - 1)

    def arithmetic(self, depth):
        sign = self.g.pick(list(ARITHMETIC))
        left, right, common = self.pair(depth)
        return apply(f"({left.text} {sign} {right.text})", common, ARITHMETIC[sign], (left, right), common)

    def divide(self, depth):
        left, right, common = self.pair(depth, ("float16", "bfloat16", "float32", "float64"))
        return apply(f"({left.text} / {right.text})", common, np.divide, (left, right), common)

    def extreme(self, depth):
        name = self.g.pick(["maximum", "minimum"])
        left, right, common = self.pair(depth)
        return apply(f"ko.{name}({left.text}, {right.text})", common, getattr(np, name), (left, right), common)

    def compare(self, depth):
        sign = self.g.pick(list(COMPARISONS))
        left, right, common = self.pair(depth)
        return apply(f"({left.text} {sign} {right.text})", "bool", COMPARISONS[sign], (left, right), common)

    def select(self, depth):
        condition = self.compare(depth) if self.g.chance(0.6) else self.cell(0)
        if is_float(condition.dtype):
            condition = self.astype(condition, "bool")
        left, right, common = self.pair(depth)
        parts = [convert(left, common), convert(right, common)]

        def meaning(arrays, space):
            return np.where(condition.meaning(arrays, space) != 0, *[part(arrays, space) for part in parts])

        return Cell(f"ko.select({condition.text}, {left.text}, {right.text})", common, meaning)

    def bits(self, depth):
        sign = self.g.pick(list(BITS))
        left, right, common = self.pair(depth, INTEGERS)
        return apply(f"({left.text} {sign} {right.text})", common, BITS[sign], (left, right), common)

    def fma(self, depth):
        """x y + z rounded once: in float64 sums of products of narrower floats hardly round."""
        left, right, common = self.pair(depth, ("float16", "bfloat16"))
        third = self.astype(self.cell(0), common)

        def meaning(x, y, z):
            return np.asarray(x).astype(np.float64) * np.asarray(y).astype(np.float64) + np.asarray(z).astype(np.float64)

        return apply(f"ko.fma({left.text}, {right.text}, {third.text})", common, meaning, (left, right, third), common)

    def unary(self, depth):
        x = self.number(depth)
        text, function = self.g.pick([(f"ko.abs({x.text})", np.abs), (f"(-{x.text})", np.negative), (f"ko.sign({x.text})", np.sign)])
        return apply(text, x.dtype, function, (x,), x.dtype)

    def scale(self, depth):
        x, number = self.number(depth), self.g.pick([1, 2, 3])
        sign = self.g.pick(list(ARITHMETIC))
        constant = np.asarray(number, numpy_dtype(x.dtype))
        return apply(f"({x.text} {sign} {number})", x.dtype, lambda a: ARITHMETIC[sign](a, constant), (x,), x.dtype)

    def recast(self, depth):
        return self.astype(self.cell(depth), self.g.pick(DTYPES))
