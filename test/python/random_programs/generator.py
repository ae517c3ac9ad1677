"""Makes random programs: typed steps over inputs and earlier results."""

import numpy as np
from random_programs.extents import is_known, is_symbol, most_cells, shape_at
from random_programs.operations import table
from random_programs.programs import Call, Program
from random_programs.steps import Unfit, broadcast_dims, require
from random_programs.values import DTYPES, INTEGERS, Value, random_array, random_places

import kolam as ko

EXTENTS = (0, 1, 1, 2, 3, 4, 5, 8, 17, 65)
LONG = (130, 700, 5000)  # beyond lanes and chunks of reductions
LARGE = (1, 7, 64, 130, 257, 300)  # enough cells for several threads
SHARED = (1, 2, 65, 300, 513, 1100)  # for more of them
# Vectors, tiles and lanes of every kind, and what is left behind the last whole one.
WIDE = tuple(width * count + left for width in (16, 48, 64, 96, 128) for count in (1, 2, 3, 5, 7) for left in (-1, 0, 1, 9))
SIZES = (0, 1, 1, 2, 3, 7, 20)
SYMBOLS = ("n", "m")


class Generator:
    """Makes one program."""

    def __init__(self, rng, entries, dynamic, kind="small"):
        self.rng, self.entries, self.kind = rng, entries, kind
        self.symbols = SYMBOLS if dynamic else ()
        self.inputs, self.steps, self.values, self.fills = [], [], [], {}

    def pick(self, choices):
        return choices[int(self.rng.integers(len(choices)))]

    def chance(self, probability):
        return bool(self.rng.random() < probability)

    def extent(self, choices=EXTENTS):
        if self.symbols and self.chance(0.4):
            return self.pick(self.symbols)
        return self.pick(self._extents() if choices is EXTENTS else choices)

    def _extents(self):
        if self.kind == "wide":
            return self.pick((WIDE, WIDE, EXTENTS))
        if self.kind == "small":
            return LONG if self.chance(0.02) else EXTENTS
        return {"large": LARGE, "shared": SHARED}[self.kind]

    def most_cells(self):
        return {"large": 100_000, "shared": 600_000}.get(self.kind, 40_000)

    def axis(self, rank, axis=None):
        """An axis, sometimes counted from the end."""
        require(rank > 0)
        axis = int(self.rng.integers(rank)) if axis is None else axis
        return axis - rank if self.chance(0.3) else axis

    def input(self, dtype, dims, fill=None):
        """A new input. `fill` is (rng, shape, sizes) -> array."""
        require(all(is_known(dim) or is_symbol(dim) for dim in dims))
        value = Value(f"x{len(self.inputs)}", dtype, tuple(dims))
        require(most_cells(value.dims) <= self.most_cells())
        self.inputs.append(value)
        self.values.append(value)
        self.fills[value.name] = fill or (lambda rng, shape, sizes: random_array(rng, dtype, shape))
        return value

    def value(self, dtypes=DTYPES, accepts=None, least=0, most=4):
        """An existing value of one of the dtypes and `least` to `most` dims, or a new input."""

        def fits(value):
            return value.dtype in dtypes and least <= value.rank <= most and (accepts is None or accepts(value))

        fitting = [v for v in self.values if fits(v)]
        if fitting and (self.chance(0.8) or len(self.inputs) >= 6):
            return fitting[-1] if self.chance(0.3) else self.pick(fitting)  # chains, for what fuses and what rules rewrite
        rank = self.pick([r for r in (0, 1, 1, 2, 2, 2, 3, 3, 4) if least <= r <= most])
        value = self.input(self.pick(dtypes), [self.extent() for _ in range(rank)])
        require(fits(value))
        return value

    def partner(self, operands, dtypes):
        """A value that broadcasts with the operands: existing, or a new input."""
        dims = [v.dims for v in operands]
        fitting = [v for v in self.values if v.dtype in dtypes and broadcast_dims(v.dims, *dims) is not None]
        if fitting and self.chance(0.7):
            return self.pick(fitting)
        kept = operands[0].dims[int(self.rng.integers(0, operands[0].rank + 1)) :]
        return self.input(self.pick(dtypes), [1 if self.chance(0.2) or not (is_known(d) or is_symbol(d)) else d for d in kept])

    def like(self, value, dtype=None):
        """A value of the same dims: existing, or a new input."""
        dtype = dtype or value.dtype
        fitting = [v for v in self.values if (v.dtype, v.dims) == (dtype, value.dims)]
        if fitting and (self.chance(0.6) or not all(is_known(d) or is_symbol(d) for d in value.dims)):
            return self.pick(fitting)
        return self.input(dtype, value.dims)

    def places(self, dims, extent, dtypes=INTEGERS):
        """Integers, mostly in [-2, extent + 2]: an existing value, or a new input."""
        fitting = [v for v in self.values if v.dtype in dtypes and v.dims == tuple(dims)]
        if fitting and self.chance(0.3):
            return self.pick(fitting)
        dtype = self.pick(dtypes)
        return self.input(dtype, dims, lambda rng, shape, sizes: random_places(rng, dtype, shape, shape_at((extent,), sizes)[0]))

    def step(self):
        """One more step; what a failed attempt has made is taken back."""
        weights = np.array([entry.weight for entry in self.entries])
        entry = self.entries[int(self.rng.choice(len(self.entries), p=weights / weights.sum()))]
        inputs, values = len(self.inputs), len(self.values)
        try:
            step = entry.make(self)
            require(most_cells(step.dims) <= self.most_cells())
        except Unfit:
            del self.inputs[inputs:], self.values[values:]
            return
        result = Value(f"v{len(self.steps)}", step.dtype, tuple(step.dims))
        self.steps.append((result, step))
        self.values.append(result)

    def program(self, length):
        while len(self.steps) < length:
            self.step()
        calls = []
        for _ in range(2 if self.symbols else 1):
            sizes = {symbol: self.pick(SIZES) for symbol in self.symbols}
            if self.chance(0.4):
                sizes = dict.fromkeys(sizes, self.pick(SIZES))
            arrays = {v.name: self.fills[v.name](self.rng, shape_at(v.dims, sizes), sizes) for v in self.inputs}
            calls.append(Call(sizes, arrays))
        return Program(self.inputs, self.steps, calls)


def kind_of(number):
    return {13: "large", 7: "wide", 19: "wide", 23: "shared"}.get(number % 25, "small")


def make_program(seed, number):
    """Program `number` of a run; every fourth has dynamic extents, of 25 two have wide rows and two many cells."""
    rng = np.random.default_rng([seed, number])
    entries = table(ko._kolam._elementwise_rows)
    kind = kind_of(number)
    return Generator(rng, entries, number % 4 == 0 and kind in ("small", "wide"), kind).program(int(rng.integers(2, 8)))
