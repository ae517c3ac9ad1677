"""Calls of random kernels: random blocks of random arrays, statements.py in the body, and what NumPy makes of both."""

import functools

import kolam as ko
import numpy as np
from kolam import pallas as pl

from random_kernels.blocks import Block, random_shape, spec_of
from random_kernels.libraries import Kolam, NumPy
from random_kernels.numpy_refs import NumpyRef, whole
from random_kernels.statements import Body

DTYPES = ["int32", "int32", "float32", "int8", "int64", "uint8", "float64"]


def make_call(rng, dtypes=DTYPES):
    """(a function of arrays, the arrays, what it gives for them)."""
    grid = tuple(int(n) for n in rng.integers(1, 4, rng.integers(0, 4)))
    if grid and rng.random() < 0.05:
        grid = (*grid[:-1], 0)
    dtype = np.dtype(rng.choice(dtypes))
    has_prefetched = bool(grid) and rng.random() < 0.25
    prefetched = [rng.integers(0, 3, max(extent, 1)).astype(np.int32) for extent in grid] if has_prefetched else []
    arrays = [rng.integers(-9 if dtype.kind != "u" else 0, 9, random_shape(rng)).astype(dtype) for _ in range(rng.integers(1, 4))]
    make_block = functools.partial(Block, rng, grid=grid, prefetched=prefetched)
    blocks = [make_block(array.shape) for array in arrays]
    outs, aliases = [], {}
    for result in range(rng.integers(1, 3)):
        source = int(rng.integers(len(arrays)))
        if rng.random() < 0.35 and source not in aliases:
            aliases[source] = result
            outs.append(blocks[source] if rng.random() < 0.6 else make_block(arrays[source].shape))
        else:
            outs.append(make_block(random_shape(rng)))
    if dtype.kind == "u":
        for block in blocks + outs:
            block.pad = block.pad and abs(block.pad)
    scratch = [tuple(int(n) for n in rng.integers(1, 4, rng.integers(0, 3))) for _ in range(rng.integers(0, 3))]
    seed, is_dynamic = int(rng.integers(2**32)), bool(grid) and not prefetched and rng.random() < 0.2
    run = functools.partial(run_body, seed=seed, tables=len(prefetched), inputs=len(arrays), aliases=aliases, rank=len(grid))

    def call(*given):
        bounds, rest = (given[: len(grid)], given[len(grid) :]) if is_dynamic else (grid, given)
        specs = dict(in_specs=[block.spec() for block in blocks], out_specs=[block.spec() for block in outs])
        specs |= dict(grid=bounds, scratch_shapes=[spec_of(shape, dtype) for shape in scratch])
        if prefetched:
            specs = dict(grid_spec=pl.PrefetchScalarGridSpec(num_scalar_prefetch=len(prefetched), **specs))
        return pl.pallas_call(
            lambda *refs: run(Kolam(dtype), refs), [spec_of(out.shape, dtype) for out in outs],
            input_output_aliases={source + len(prefetched): result for source, result in aliases.items()}, **specs,
        )(*rest)  # fmt: skip

    inputs = [*([np.int32(n) for n in grid] if is_dynamic else []), *prefetched, *arrays]
    return call, inputs, expected_of(run, grid, dtype, prefetched, arrays, blocks, outs, aliases, scratch)


def run_body(library, refs, *, seed, tables, inputs, aliases, rank):
    refs = refs[tables:]
    points = [library.program_id(axis) for axis in range(rank)]
    writable = [ref for number, ref in enumerate(refs) if number >= inputs or number in aliases]
    Body(library, refs, writable, points, rank).run(seed)


def expected_of(run, grid, dtype, prefetched, arrays, blocks, outs, aliases, scratch):
    memories = [array.flatten() for array in arrays]
    results = [np.zeros(int(np.prod(out.shape)), dtype) for out in outs]
    for source, result in aliases.items():
        results[result] = memories[source]
    kept = [whole(np.zeros(int(np.prod(shape)), dtype), shape) for shape in scratch]
    tables = [whole(table, table.shape) for table in prefetched]
    with np.errstate(all="ignore"):
        for point in np.ndindex(grid):
            refs = [NumpyRef(memory, block.places(point), block.pad or 0) for memory, block in zip(memories + results, blocks + outs, strict=True)]
            run(NumPy(dtype, point), tables + refs + kept)
    return [memory.reshape(out.shape) for memory, out in zip(results, outs, strict=True)]


def check(seed, backends=("interpret", "cpu")):
    """Fails where a backend gives something else than NumPy."""
    call, inputs, expected = make_call(np.random.default_rng(seed))
    for backend in backends:
        actual = ko.jit(call, backend=backend)(*inputs)
        for number, (result, own) in enumerate(zip(actual, expected, strict=True)):
            np.testing.assert_array_equal(np.asarray(result), own, err_msg=f"{backend}, result {number}, seed {seed}")


def check_instances(seed, count=3):
    """Fails where vmap of a call gives something else than single calls; bounds, tables and arrays may differ between instances."""
    rng = np.random.default_rng(seed)
    call, inputs, _ = make_call(rng)
    axes = [0 if rng.random() < 0.6 else None for _ in inputs]
    axes[int(rng.integers(len(inputs)))] = 0
    given = [np.stack([varied(rng, own) for _ in range(count)]) if axis == 0 else own for own, axis in zip(inputs, axes, strict=True)]
    single = ko.jit(call, backend="interpret")
    expected = [single(*(own[i] if axis == 0 else own for own, axis in zip(given, axes, strict=True))) for i in range(count)]
    for backend in ("interpret", "cpu"):
        actual = ko.jit(ko.vmap(call, in_axes=tuple(axes)), backend=backend)(*given)
        for number, result in enumerate(actual):
            own = np.stack([np.asarray(results[number]) for results in expected])
            np.testing.assert_array_equal(np.asarray(result), own, err_msg=f"{backend}, result {number}, seed {seed}")


def varied(rng, own):
    """Other values in the range of an input: a smaller bound, elements in another order."""
    own = np.asarray(own)
    return np.int32(rng.integers(int(own) + 1)) if own.ndim == 0 and own.dtype == np.int32 else rng.permutation(own.flatten()).reshape(own.shape)
