"""Random kernels: grids, blocks, tails, windows, index forms, masks, scratch and aliases, beside a loop over NumPy blocks."""

import os

import conftest

import kolam as ko
import numpy as np
import pytest
from kolam import pallas as pl

SEED = conftest.SEED
COUNT = int(os.environ.get("KOLAM_RANDOM_KERNELS", "60"))


class Block:
    """A block spec of random kinds, and where its blocks lie."""

    def __init__(self, rng, shape, grid):
        self.shape, self.dims, self.terms = shape, [], []
        for extent in shape:
            self.add_dim(rng, extent, grid)
            while not self.touches(extent, grid):  # a block wholly outside is an error
                self.dims.pop(), self.terms.pop()
                self.add_dim(rng, extent, grid)
        self.pad = int(rng.integers(-3, 4))

    def touches(self, extent, grid):
        """Whether the last dim has elements of the array at every point."""
        (kind, size, low), (axis, step, offset) = self.dims[-1], self.terms[-1]
        numbers = np.arange(grid[axis]) * step + offset
        starts = numbers - low if kind == "element" else numbers * size
        return bool(np.all((starts < extent) & (starts + size > 0)))

    def add_dim(self, rng, extent, grid):
        kind = rng.choice(["blocked", "squeezed", "element", "whole"], p=[0.5, 0.15, 0.2, 0.15])
        axis = int(rng.integers(len(grid)))
        step, offset, size, low = 1, 0, int(rng.integers(1, 5)), 0
        if kind == "whole":
            step, size = 0, extent
        elif kind == "squeezed":
            size = 1
        elif kind == "element":
            low, step = int(rng.integers(0, 3)), int(rng.integers(0, 3))
        if kind != "whole" and rng.random() < 0.3:
            step, offset = -step, (grid[axis] - 1) * step
        self.dims.append((kind, size, low))
        self.terms.append((axis, step, offset))

    def spec(self):
        def index_map(*point):
            return tuple(point[axis] * step + offset for axis, step, offset in self.terms)

        kinds = {"squeezed": lambda size, low: None, "element": lambda size, low: pl.Element(size, (low, 3))}
        dims = [kinds.get(kind, lambda size, low: size)(size, low) for kind, size, low in self.dims]
        return pl.BlockSpec(tuple(dims), index_map, pad=self.pad)

    def places(self, point):
        """For each dim of the array the places of the block."""
        result = []
        for (kind, size, low), (axis, step, offset) in zip(self.dims, self.terms, strict=True):
            number = point[axis] * step + offset
            start = number - low if kind == "element" else number * size
            result.append(np.arange(start, start + size))
        return result

    def ref_shape(self):
        return tuple(size for kind, size, _ in self.dims if kind != "squeezed")

    def inside(self, point):
        """Which elements of the block the array has."""
        holds = np.ones([size for _, size, _ in self.dims], bool)
        for dim, (places, extent) in enumerate(zip(self.places(point), self.shape, strict=True)):
            own = (places >= 0) & (places < extent)
            holds &= own.reshape([-1 if d == dim else 1 for d in range(holds.ndim)])
        return holds

    def read(self, array, point):
        clipped = [np.clip(places, 0, n - 1) for places, n in zip(self.places(point), self.shape, strict=True)]
        block = np.where(self.inside(point), array[np.ix_(*clipped)], self.pad)
        return block.reshape(self.ref_shape()).astype(array.dtype)

    def write(self, array, point, value):
        places = self.places(point)
        value = value.reshape([size for _, size, _ in self.dims])
        for index in np.argwhere(self.inside(point)):
            array[tuple(p[i] for p, i in zip(places, index, strict=True))] = value[tuple(index)]


def random_shape(rng):
    return tuple(int(n) for n in rng.integers(1, 8, rng.integers(1, 4)))


def total(x):
    return x.sum(dtype=x.dtype)


def case(seed):
    """A call of random specs, and what it gives."""
    rng = np.random.default_rng((SEED, seed))
    grid = tuple(int(n) for n in rng.integers(1, 4, rng.integers(1, 4)))
    x, y = (rng.integers(-9, 9, random_shape(rng)).astype(np.int32) for _ in range(2))
    blocks = [Block(rng, x.shape, grid), Block(rng, y.shape, grid)]
    out_shape = y.shape if rng.random() < 0.4 else random_shape(rng)
    is_alias = out_shape == y.shape and rng.random() < 0.5
    out = blocks[1] if is_alias else Block(rng, out_shape, grid)
    has_scratch, reads_back, is_masked, in_loop, steps = rng.random(5) < 0.5
    factor = int(rng.integers(1, 4))

    def mask_of(shape, library):
        numbers = library.arange(int(np.prod(shape)), dtype=library.int32).reshape(shape)
        return numbers % 3 != 1

    def kernel(x_ref, y_ref, o_ref, *scratch):
        value = ko.sum(x_ref[...], dtype=ko.int32) + ko.sum(y_ref[...], dtype=ko.int32) * factor + pl.program_id(0)
        if has_scratch:

            @pl.when(pl.program_id(len(grid) - 1) == 0)
            def _():
                scratch[0][...] = ko.zeros((), dtype=ko.int32)

            scratch[0][...] += value
            value = scratch[0][...]
        filled = ko.zeros(o_ref.shape, dtype=ko.int32) + value
        if reads_back:
            filled = filled + o_ref[...]
        if in_loop and o_ref.ndim:

            @pl.loop(0, o_ref.shape[0])
            def _(i):
                pl.store(o_ref, i, filled[i] + i, mask=mask_of(o_ref.shape[1:], ko) if is_masked and o_ref.ndim > 1 else None)
        elif steps and o_ref.ndim:
            o_ref[::2] = filled[::2]
        else:
            pl.store(o_ref, ..., filled, mask=mask_of(o_ref.shape, ko) if is_masked and o_ref.ndim else None)

    expected, memory = (y.copy() if is_alias else np.zeros(out_shape, np.int32)), np.int32(0)
    for point in np.ndindex(grid):
        second = expected if is_alias else y
        value = total(blocks[0].read(x, point)) + total(blocks[1].read(second, point)) * factor + point[0]
        if has_scratch:
            memory = np.int32(0 if point[-1] == 0 else memory) + value
            value = memory
        before = out.read(expected, point)
        filled = np.zeros(out.ref_shape(), np.int32) + np.int32(value)
        if reads_back:
            filled = filled + before
        after = before.copy()
        shape = out.ref_shape()
        if in_loop and shape:
            for i in range(shape[0]):
                rows = mask_of(shape[1:], np) if is_masked and len(shape) > 1 else np.ones(shape[1:], bool)
                after[i] = np.where(rows, filled[i] + i, after[i])
        elif steps and shape:
            after[::2] = filled[::2]
        else:
            after = np.where(mask_of(shape, np) if is_masked and shape else True, filled, before)
        out.write(expected, point, after)

    call = pl.pallas_call(
        kernel,
        ko.ShapeDtypeStruct(out_shape, ko.int32),
        grid=grid,
        in_specs=[block.spec() for block in blocks],
        out_specs=out.spec(),
        scratch_shapes=[ko.ShapeDtypeStruct((), ko.int32)] if has_scratch else [],
        input_output_aliases={1: 0} if is_alias else {},
    )
    return call, (x, y), expected


@pytest.mark.parametrize("seed", range(COUNT))
def test_random_kernel(seed):
    call, inputs, expected = case(seed)
    for backend in ("interpret", "cpu"):
        actual = np.asarray(ko.jit(call, backend=backend)(*inputs))
        np.testing.assert_array_equal(actual, expected, err_msg=f"{backend}, KOLAM_SEED={SEED}, case {seed}")
