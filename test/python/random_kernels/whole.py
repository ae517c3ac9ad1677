"""Random kernels without loops and branches, whose points each compute blocks of their own: those that become programs over whole
arrays, and near misses. Beside them sums of products along the last axes of a grid."""

import functools

import kolam as ko
import numpy as np
from kolam import pallas as pl

from random_kernels.blocks import spec_of

FLOATS = ["float32", "float32", "bfloat16", "float64", "float16", "int32", "int8"]


class Spec:
    """How an array's dims follow the axes of a grid: for each dim of a block its kind, size, axis and first number."""

    def __init__(self, dims, pad):
        self.dims, self.pad = dims, pad

    def spec(self):
        dims = [None if kind == "squeezed" else pl.Element(size, (low, 0)) if kind == "element" else size for kind, size, _, _, low in self.dims]

        def index_map(*point):
            return tuple(0 if axis is None else point[axis] * step for _, _, axis, step, _ in self.dims)

        return pl.BlockSpec(tuple(dims), index_map, pad=self.pad)

    def shape(self):
        return tuple(size for kind, size, _, _, _ in self.dims if kind != "squeezed")


def result_spec(rng, extents, grid, order):
    """A result of which each point has a block of its own, and its shape."""
    dims, shape = [], []
    for axis in order:
        kind = "squeezed" if rng.random() < 0.15 else "blocked"
        size = 1 if kind == "squeezed" else extents[axis]
        dims.append((kind, size, axis, 1, 0))
        most = size * grid[axis]
        shape.append(int(rng.integers(most - size + 1, most + 1)) if rng.random() < 0.5 else most)
    for _ in range(rng.integers(0, 2)):
        size = int(rng.integers(1, 6))
        dims.insert(place := int(rng.integers(len(dims) + 1)), ("blocked", size, None, 0, 0))
        shape.insert(place, size if rng.random() < 0.7 else int(rng.integers(1, size + 1)))
    return dims, tuple(shape)


def input_spec(rng, extents, grid, pad):
    dims, shape = [], []
    axes = [axis for axis in rng.permutation(len(grid)) if rng.random() < 0.7]
    for axis in axes[:3]:
        axis = int(axis)
        kind = rng.choice(["blocked", "squeezed", "element"], p=[0.65, 0.15, 0.2])
        size, step, low = (extents[axis], 1, 0) if kind == "blocked" else (1, 1, 0)
        if kind == "element":
            step = extents[axis] if rng.random() < 0.7 else int(rng.integers(1, 4))
            low = int(rng.integers(0, 3))
            size = max(step + int(rng.integers(0, 3)), low + 1)
        dims.append((str(kind), size, axis, step, low))
        last = (grid[axis] - 1) * (size if kind == "blocked" else step) - low
        shape.append(int(rng.integers(max(last + 1, 1), last + size + 1)))
    if not dims or rng.random() < 0.6:
        size = int(rng.integers(1, 6))
        dims.insert(place := int(rng.integers(len(dims) + 1)), ("blocked", size, None, 0, 0))
        shape.insert(place, int(rng.integers(1, size + 1)))
    return Spec(dims, pad), tuple(shape)


# What a body does to values, by functions of shapes alone.


def chain(rng, x, is_float):
    """Elementwise, along one axis, or moving elements."""
    kind = rng.integers(14)
    axis = int(rng.integers(x.ndim)) if x.ndim else None
    if kind == 0:
        return x * 2 - 1
    if kind == 1:
        return ko.maximum(x, 0)
    if kind == 2 and is_float:
        return ko.tanh(x)
    if kind == 3 and is_float and x.ndim:
        return ko.softmax(x, axis=axis)
    if kind == 4 and x.ndim:
        return ko.sum(x, axis=axis, dtype=x.dtype, keepdims=bool(rng.random() < 0.5))
    if kind == 5 and x.ndim:
        return ko.max(x, axis=axis, keepdims=bool(rng.random() < 0.5))
    if kind == 6 and x.ndim:
        return ko.flip(x, axis=axis)
    if kind == 7 and x.ndim:
        return ko.cumulative_sum(x, axis=axis, dtype=x.dtype)
    if kind == 8 and x.ndim:
        return ko.sort(x, axis=axis)
    if kind == 9 and x.ndim > 1:
        return ko.permute_dims(x, [int(n) for n in rng.permutation(x.ndim)])
    if kind == 10 and x.ndim and x.shape[axis] > 1:
        start, stop = sorted(int(n) for n in rng.choice(x.shape[axis] + 1, 2, replace=False))
        return x[(slice(None),) * axis + (slice(start, stop),)]
    if kind == 11 and x.ndim == 2:
        return ko.matmul(x, ko.matrix_transpose(x), dtype=x.dtype)
    if kind == 12 and x.ndim:
        return ko.roll(x, 1, axis=axis)
    if kind == 13 and x.ndim:
        return x + ko.arange(x.shape[-1]).astype(x.dtype)
    return x


def fitted(rng, x, shape):
    """`x` in another shape: broadcast where that is possible, picked from its elements elsewhere."""
    own = x.shape
    if len(own) <= len(shape) and all(a in (1, b) for a, b in zip(own[::-1], shape[::-1], strict=False)):
        return ko.broadcast_to(x, shape)
    for axes in (range(n, x.ndim) for n in range(x.ndim)):
        reduced = tuple(n for a, n in enumerate(own) if a not in axes)
        if len(reduced) <= len(shape) and all(a in (1, b) for a, b in zip(reduced[::-1], shape[::-1], strict=False)):
            return ko.broadcast_to(ko.max(x, axis=tuple(axes)), shape)
    return ko.broadcast_to(ko.max(x), shape)


def body(refs, *, seed, inputs, rank, is_float):
    rng = np.random.default_rng(seed)
    for out in refs[inputs:]:
        value = None
        for _ in range(rng.integers(1, 3)):
            x = refs[rng.integers(inputs)][...]
            for _ in range(rng.integers(0, 4)):
                x = chain(rng, x, is_float)
            x = fitted(rng, x, out.shape)
            value = x if value is None else ko.minimum(value, x) if rng.random() < 0.4 else value + x
        if rng.random() < 0.15:
            value = value + pl.program_id(int(rng.integers(rank))).astype(value.dtype)
        if rng.random() < 0.15:
            value = value + out[...]
        kind = rng.integers(8)
        if kind == 0 and out.ndim:
            out[: max(1, out.shape[0] - 1)] = value[: max(1, out.shape[0] - 1)]
        elif kind == 1 and out.ndim:
            pl.store(out, ..., value, mask=ko.arange(out.shape[-1]) % 2 == 0)
        else:
            out[...] = value


def make_blocks_call(rng):
    """(a function of arrays, the arrays)."""
    rank = int(rng.integers(1, 5))
    grid = tuple(int(n) for n in rng.integers(1, 5 if rank < 3 else 4, rank))
    extents = [int(n) for n in rng.choice([1, 2, 3, 4, 8], rank)]
    dtype = str(rng.choice(FLOATS))
    kind = getattr(ko, dtype)
    outs = [result_spec(rng, extents, grid, [int(n) for n in rng.permutation(rank)]) for _ in range(rng.integers(1, 3))]
    pads = rng.integers(-2, 3, 8) if rng.random() < 0.5 else [None] * 8
    ins = [input_spec(rng, extents, grid, None if pad is None else int(pad)) for pad in pads[: rng.integers(1, 4)]]
    arrays = [ko.asarray(rng.integers(-8, 9, shape).astype(np.int32)).astype(kind) for _, shape in ins]
    if dtype not in ("int32", "int8"):
        arrays = [array / 4 for array in arrays]
    run = functools.partial(body, seed=int(rng.integers(2**32)), inputs=len(ins), rank=rank, is_float=dtype not in ("int32", "int8"))
    call = pl.pallas_call(
        lambda *refs: run(refs), [ko.ShapeDtypeStruct(shape, kind) for _, shape in outs], grid=grid,
        in_specs=[spec.spec() for spec, _ in ins], out_specs=[Spec(dims, None).spec() for dims, _ in outs],
    )  # fmt: skip
    return call, arrays


def make_products_call(rng):
    """Sums of products over the last axes of a grid, in a result or in scratch memory, of blocks with tails."""
    inner = int(rng.integers(1, 3))  # axes that are summed over
    grid = tuple(int(n) for n in rng.integers(1, 4, 2 + inner))
    m, n, k = (int(n) for n in rng.choice([1, 2, 3, 5, 8, 16, 33], 3))
    dtype, sums = [("float32", "float32"), ("bfloat16", "float32"), ("float64", "float64"), ("int32", "int32"), ("float16", "float32")][rng.integers(5)]
    kind, total = getattr(ko, dtype), getattr(ko, sums)
    steps = int(np.prod(grid[2:]))
    turned = [bool(b) for b in rng.random(2) < 0.3]
    has_tails = rng.random(3) < 0.5
    sizes = [m * grid[0], n * grid[1], k * steps]
    rows, columns, depth = (int(rng.integers(size - own + 1, size + 1)) if tail else size for size, own, tail in zip(sizes, (m, n, k), has_tails, strict=True))

    def number(inner_point):
        place = inner_point[0]
        for axis in range(1, inner):
            place = place * grid[2 + axis] + inner_point[axis]
        return place

    def side(size, is_turned, axis):
        def index_map(*point):
            own = (point[axis], number(point[2:])) if axis == 0 else (number(point[2:]), point[axis])
            return own[::-1] if is_turned else own

        shape = (size, k) if axis == 0 else (k, size)
        return pl.BlockSpec(shape[::-1] if is_turned else shape, index_map)

    in_scratch, first, last, more = rng.random(4) < 0.5
    seed = int(rng.integers(2**32))

    def kernel(x_ref, y_ref, o_ref, *scratch):
        own = np.random.default_rng(seed)
        acc = scratch[0] if in_scratch else o_ref
        points = [pl.program_id(axis) for axis in range(2, 2 + inner)]
        starts, ends = points[0] == 0, points[0] == grid[2] - 1
        for axis in range(1, inner):
            starts, ends = starts & (points[axis] == 0), ends & (points[axis] == grid[2 + axis] - 1)
        if in_scratch or first:
            pl.when(starts)(lambda: acc.set(ko.zeros(acc.shape, dtype=acc.dtype)))
        x, y = x_ref[...], y_ref[...]
        x, y = x.T if turned[0] else x, y.T if turned[1] else y
        if more:
            x = [ko.maximum, ko.minimum, ko.add][own.integers(3)](x, own.integers(-1, 2).item())
        product = ko.matmul(x, y, dtype=total)
        if own.random() < 0.3:
            acc[...] = product + acc[...]
        else:
            acc[...] += product
        if in_scratch:
            finish = lambda: o_ref.set((ko.maximum(acc[...], 0) if own.random() < 0.5 else acc[...]).astype(o_ref.dtype))  # noqa: E731
            pl.when(ends)(finish) if last else finish()

    call = pl.pallas_call(
        kernel, ko.ShapeDtypeStruct((rows, columns), kind if in_scratch else total), grid=grid,
        in_specs=[side(m, turned[0], 0), side(n, turned[1], 1)],
        out_specs=pl.BlockSpec((m, n), lambda *point: point[:2]),
        scratch_shapes=[ko.ShapeDtypeStruct((m, n), total)] if in_scratch else [],
    )  # fmt: skip
    shapes = [(rows, depth), (depth, columns)]
    arrays = [rng.integers(-8, 9, shape[::-1] if is_turned else shape).astype(np.int32) for shape, is_turned in zip(shapes, turned, strict=True)]
    arrays = [ko.asarray(array).astype(kind) for array in arrays]
    return call, arrays if dtype == "int32" else [array / 4 for array in arrays]


def check_bits(make, seed):
    """Fails where native code gives other bits than the interpreter. Both NaN is the same."""
    call, arrays = make(np.random.default_rng(seed))
    expected = ko.jit(call, backend="interpret")(*arrays)
    actual = ko.jit(call)(*arrays)
    if not isinstance(expected, tuple | list):
        expected, actual = [expected], [actual]
    for number, (own, other) in enumerate(zip(actual, expected, strict=True)):
        own, other = np.asarray(own), np.asarray(other)
        same = (own.view(f"u{own.itemsize}") == other.view(f"u{own.itemsize}")) | ((own != own) & (other != other))
        assert same.all(), f"result {number}, seed {seed}: {own[~same][:4]} natively, {other[~same][:4]} interpreted at {np.argwhere(~same)[:4].tolist()}"
