"""The table of operations that random programs are made of: one entry for each function, with its NumPy equivalent.

An entry's `make(g)` picks operands from the generator and returns a Step, or None where nothing fits. A step is a line of
Python over `ko`, so that a program prints as its own reproducer, and a reference over the operands' arrays.
"""

import numpy as np
from random_programs import moves, sums
from random_programs import reference as ref
from random_programs.cells import activation, casting, elementwise
from random_programs.moves import indexing, joining, sorting, unary_shape
from random_programs.steps import Entry, Step
from random_programs.sums import cumulative, matmul, reduction
from random_programs.values import DTYPES, FLOATS, INTEGERS


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


def _known(x):
    return all(isinstance(d, int) for d in x.dims)


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
        unary_shape("permute_dims", moves.permute), unary_shape("flip", moves.flip), unary_shape("roll", moves.roll),
        unary_shape("reshape", moves.flat), unary_shape("reshape", moves.reshape), unary_shape("expand_dims", moves.expand),
        unary_shape("squeeze", moves.squeeze), unary_shape("tile", moves.tile), unary_shape("repeat", moves.repeat),
        unary_shape("pad", moves.pad), unary_shape("broadcast_to", moves.broadcast), unary_shape("tril", moves.triangle(np.tril)),
        unary_shape("triu", moves.triangle(np.triu)), indexing(), joining("concat"), joining("stack"), casting(),
        reduction("sum", sums.total, DTYPES, sums.sum_dtype, ulps=40), reduction("prod", sums.product, INTEGERS, sums.sum_dtype),
        reduction("min", sums.by_axes(np.min), INTEGERS + FLOATS, str, needs_cells=True),
        reduction("max", sums.by_axes(np.max), INTEGERS + FLOATS, str, needs_cells=True),
        reduction("mean", sums.by_axes(np.mean), FLOATS, str, needs_cells=True, ulps=40),
        reduction("any", sums.by_axes(np.any), DTYPES, lambda d: "bool"), reduction("all", sums.by_axes(np.all), DTYPES, lambda d: "bool"),
        reduction("argmin", sums.arg(np.argmin), INTEGERS + FLOATS, lambda d: "int32", needs_cells=True),
        reduction("argmax", sums.arg(np.argmax), INTEGERS + FLOATS, lambda d: "int32", needs_cells=True),
        reduction("logsumexp", sums.logsumexp, FLOATS, str, needs_cells=True, ulps=40),
        cumulative("cumulative_sum", np.cumsum), cumulative("cumulative_prod", np.cumprod),
        matmul(), sorting("sort"), sorting("argsort"),
        line("fori_loop", INTEGERS + FLOATS, "ko.fori_loop(0, 3, lambda i, s: s * {y} + ko.astype(i, s.dtype), {x})", _same),
        line("cond", INTEGERS + FLOATS, "ko.cond(ko.any({x} > 0), lambda a: a + {y}, lambda a: a - {y}, {x})", _same),
        line("scan", INTEGERS + FLOATS, "ko.scan(lambda s, x: (s + x, s), {y}[0], {x})[1]",
             lambda x: _same(x) if x.rank and isinstance(x.dims[0], int) and x.dims[0] else None),
        line("zip_map_reduce", INTEGERS + FLOATS,
             "ko.zip_map_reduce(lambda a, b: ko.select(a > b, a, b * a), [{x}, {y}], reduce='sum', axis=-1)",
             lambda x: (sums.sum_dtype(x.dtype), x.dims[:-1]) if x.rank else None),
        line("softmax", FLOATS, "ko.softmax({x})", lambda x: _same(x) if x.rank else None),
        line("log_softmax", FLOATS, "ko.log_softmax({x}, axis=0)", lambda x: _same(x) if x.rank else None),
        line("layer_norm", FLOATS, "ko.layer_norm({x})", lambda x: _same(x) if x.rank else None),
        line("rms_norm", FLOATS, "ko.rms_norm({x}) * {y}", lambda x: _same(x) if x.rank else None),
        line("einsum", INTEGERS + FLOATS, "ko.einsum('ij,ij->ji', {x}, {y})",
             lambda x: (x.dtype, x.dims[::-1]) if x.rank == 2 else None),
        line("tensordot", INTEGERS + FLOATS, "ko.tensordot({x}, {y}, axes=([0], [0]))",
             lambda x: (x.dtype, x.dims[1:] * 2) if x.rank == 2 else None),
        line("conv", FLOATS, "ko.conv1d({x}, {y}[:, :, :2], padding='same')",
             lambda x: (x.dtype, (x.dims[0], x.dims[0], x.dims[2])) if x.rank == 3 and _known(x) and min(x.dims) > 1 else None),
        line("take", DTYPES, "ko.take({x}, [1, -1, 0, 7], axis=0)",
             lambda x: (x.dtype, (4, *x.dims[1:])) if x.rank and isinstance(x.dims[0], int) and x.dims[0] else None),
        line("take_along_axis", INTEGERS + FLOATS, "ko.take_along_axis({x}, ko.argsort({y}, axis=0), axis=0)",
             lambda x: _same(x) if x.rank and _known(x) and 0 not in x.dims else None),
        line("gather", DTYPES, "ko.gather({x}, [[0], [9], [-2]], [0], [1], mode='wrap')",
             lambda x: (x.dtype, (3, 1, *x.dims[1:])) if x.rank and isinstance(x.dims[0], int) and x.dims[0] else None),
        line("scatter", INTEGERS + FLOATS, "ko.scatter({x}, {y}[None, :1] * ko.ones((3,) + {y}[:1].shape, {y}.dtype), "
             "[[0], [0], [9]], [0], 'kAdd')", lambda x: _same(x) if x.rank and isinstance(x.dims[0], int) and x.dims[0] else None),
        line("dynamic_slice", DTYPES, "ko.dynamic_slice({x}, (ko.argmax({y}.astype('f32')), ), (1,))",
             lambda x: (x.dtype, (1,)) if x.rank == 1 and isinstance(x.dims[0], int) and x.dims[0] else None),
        line("random", FLOATS, "{x} + ko.random.uniform(ko.random.key(3), {x}.shape, {x}.dtype)", _same),
        line("var", FLOATS, "ko.var({x} - {y})", lambda x: (x.dtype, ())),
        line("associative_scan", INTEGERS + FLOATS, "ko.associative_scan(lambda a, b: a * b, {x})",
             lambda x: _same(x) if x.rank else None),
        line("top_k", DTYPES, "ko.top_k({x}, 2)[0]",
             lambda x: (x.dtype, x.dims[:-1] + (2,)) if x.rank and isinstance(x.dims[-1], int) and x.dims[-1] >= 2 else None),
    ]  # fmt: skip
    return entries
