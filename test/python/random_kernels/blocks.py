"""Blocks of random kinds: their specs, and where they lie in their arrays."""

import kolam as ko
import numpy as np
from kolam import pallas as pl


class Block:
    """A block spec of random kinds over an array, and the places of its elements at each point.

    `prefetched` are arrays of numbers that maps may read instead of computing them: by axis of the grid one, of which element
    i is the number at coordinate i.
    """

    def __init__(self, rng, shape, grid, prefetched=()):
        self.shape, self.dims, self.terms = shape, [], []
        self.prefetched = prefetched
        for extent in shape:
            self.add_dim(rng, extent, grid)
            while not self.touches(extent, grid):  # a block wholly outside is an error
                self.dims.pop(), self.terms.pop()
                self.add_dim(rng, extent, grid)
        self.pad = int(rng.integers(-3, 4)) if rng.random() < 0.7 else None

    def add_dim(self, rng, extent, grid):
        kind = rng.choice(["blocked", "squeezed", "element", "whole"], p=[0.5, 0.15, 0.2, 0.15]) if grid else "whole"
        axis = int(rng.integers(len(grid))) if grid else None
        step, offset, size, low = 1, 0, int(rng.integers(1, 5)), 0
        if kind == "whole":
            step, size = 0, extent
        elif kind == "squeezed":
            size = 1
        elif kind == "element":
            low, step = int(rng.integers(0, 3)), int(rng.integers(0, 3))
        if kind != "whole" and rng.random() < 0.3:
            step, offset = -step, (max(grid[axis], 1) - 1) * step
        by_data = kind != "whole" and self.prefetched and rng.random() < 0.5
        self.dims.append((kind, size, low))
        self.terms.append((axis, step, offset, bool(by_data)))

    def numbers(self, axis_coordinates, term):
        axis, step, offset, by_data = term
        if axis is None:
            return np.zeros_like(axis_coordinates)
        return self.prefetched[axis][axis_coordinates] if by_data else axis_coordinates * step + offset

    def touches(self, extent, grid):
        """Whether the last dim has elements of the array at every point."""
        (kind, size, low), term = self.dims[-1], self.terms[-1]
        numbers = self.numbers(np.arange(grid[term[0]] if grid else 1), term)
        starts = numbers - low if kind == "element" else numbers * size
        return bool(np.all((starts < extent) & (starts + size > 0)))

    def spec(self):
        def index_map(*given):
            count = len(given) - len(self.prefetched)
            point, tables = given[:count], given[count:]
            return tuple(
                0 if axis is None else tables[axis][point[axis]] if by_data else point[axis] * step + offset
                for axis, step, offset, by_data in self.terms
            )

        kinds = {"squeezed": lambda size, low: None, "element": lambda size, low: pl.Element(size, (low, 3))}
        dims = [kinds.get(kind, lambda size, low: size)(size, low) for kind, size, low in self.dims]
        return pl.BlockSpec(tuple(dims), index_map, pad=self.pad)

    def ref_shape(self):
        return tuple(size for kind, size, _ in self.dims if kind != "squeezed")

    def places(self, point):
        """By element of the Ref its row-major place in the array; -1 outside."""
        result = np.zeros((), np.int64)
        for (kind, size, low), term, extent in zip(self.dims, self.terms, self.shape, strict=True):
            number = int(self.numbers(np.asarray(point[term[0]] if term[0] is not None else 0), term))
            start = number - low if kind == "element" else number * size
            own = np.arange(start, start + size)
            own = np.where((own >= 0) & (own < extent), own, -1)
            result = np.where((result[..., None] < 0) | (own < 0), -1, result[..., None] * extent + own)
        return result.reshape(self.ref_shape())


def random_shape(rng, most=8):
    return tuple(int(n) for n in rng.integers(1, most, rng.integers(1, 4)))


def spec_of(shape, dtype):
    return ko.ShapeDtypeStruct(shape, getattr(ko, np.dtype(dtype).name))
