"""Attention of one query a sequence: keys and values in a row, or in pages that a table names; memory limits both."""

from pathlib import Path

import numpy as np
from case import floats
from kernel import KolamNames, kernel_case, size

READ = Path(__file__).parent / "loops" / "read"


def attend(lib, queries, keys, values, state):
    """The running maximum, sum and values of some queries [g, d], after keys and values [n, d] more."""
    most, total, found = state
    scores = lib.product(queries, keys.T)
    higher = lib.maximum(most, lib.max(scores, axis=1))
    weights, kept = lib.exp(scores - higher[:, None]), lib.exp(most - higher)
    return higher, total * kept + lib.sum(weights, axis=1), found * kept[:, None] + lib.product(weights, values)


def nothing_yet(lib, count, width):
    zeros = lib.zeros((count,), dtype=lib.float32)
    return zeros - 1e30, zeros, lib.zeros((count, width), dtype=lib.float32)


def contiguous(block):
    """q [batch, heads of keys, g, d], k and v [batch, heads of keys, s, d]."""

    def call(lib, pl, **options):
        def run(q, k, v):
            (batch, heads, shared, d), s = q.shape, k.shape[2]

            def kernel(q_ref, k_ref, v_ref, o_ref):
                queries = q_ref[...] * float(1 / np.sqrt(d))

                def step(j, state):
                    part = pl.ds(j * block, block)
                    return attend(lib, queries, k_ref[part, :], v_ref[part, :], state)

                _, total, found = lib.fori_loop(0, s // block, step, nothing_yet(lib, shared, d))
                o_ref[...] = found / total[:, None]

            own = pl.BlockSpec((None, None, shared, d), lambda b, h: (b, h, 0, 0))
            keys = pl.BlockSpec((None, None, s, d), lambda b, h: (b, h, 0, 0))
            return pl.pallas_call(
                kernel, lib.ShapeDtypeStruct(q.shape, q.dtype), grid=(batch, heads), in_specs=[own, keys, keys], out_specs=own, **options
            )(q, k, v)

        return run

    return call


def paged(lib, pl, **options):
    """q [batch, heads, g, d], k and v [heads, pages, page, d], tables [batch, pages of a sequence]; a page a point."""

    def run(q, k, v, tables):
        (batch, heads, shared, d), page = q.shape, k.shape[2]

        def kernel(tables_ref, q_ref, k_ref, v_ref, o_ref, most_ref, total_ref, found_ref):
            @pl.when(pl.program_id(2) == 0)
            def _():
                most_ref[...], total_ref[...], found_ref[...] = nothing_yet(lib, shared, d)

            state = most_ref[...], total_ref[...], found_ref[...]
            queries = q_ref[...] * float(1 / np.sqrt(d))
            most_ref[...], total_ref[...], found_ref[...] = attend(lib, queries, k_ref[...], v_ref[...], state)

            @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
            def _():
                o_ref[...] = found_ref[...] / total_ref[...][:, None]

        own = pl.BlockSpec((None, None, shared, d), lambda b, h, p, tables: (b, h, 0, 0))
        keys = pl.BlockSpec((None, None, page, d), lambda b, h, p, tables: (h, tables[b, p], 0, 0))
        spec = lib.prefetched(
            num_scalar_prefetch=1, grid=(batch, heads, tables.shape[1]), in_specs=[own, keys, keys], out_specs=own,
            scratch_shapes=[lib.scratch(shape, lib.float32) for shape in ((shared,), (shared,), (shared, d))],
        )  # fmt: skip
        return pl.pallas_call(kernel, lib.ShapeDtypeStruct(q.shape, q.dtype), grid_spec=spec, **options)(tables, q, k, v)

    return run


def paged_by_loop(count):
    """As `paged`; a point has a sequence and a head, and takes `count` pages at once."""

    def call(lib, pl, **options):
        def run(q, k, v, tables):
            (batch, heads, shared, d), pages, page = q.shape, *k.shape[1:3]

            def kernel(tables_ref, q_ref, k_ref, v_ref, o_ref):
                sequence, queries = pl.program_id(0), q_ref[...] * float(1 / np.sqrt(d))

                def step(j, state):
                    table = tables_ref[sequence, pl.ds(j * count, count)]
                    keys, values = (ref[table].reshape((count * page, d)) for ref in (k_ref, v_ref))
                    return attend(lib, queries, keys, values, state)

                _, total, found = lib.fori_loop(0, tables.shape[1] // count, step, nothing_yet(lib, shared, d))
                o_ref[...] = found / total[:, None]

            own = pl.BlockSpec((None, None, shared, d), lambda b, h, tables: (b, h, 0, 0))
            keys = pl.BlockSpec((None, pages, page, d), lambda b, h, tables: (h, 0, 0, 0))
            spec = lib.prefetched(num_scalar_prefetch=1, grid=(batch, heads), in_specs=[own, keys, keys], out_specs=own)
            return pl.pallas_call(kernel, lib.ShapeDtypeStruct(q.shape, q.dtype), grid_spec=spec, **options)(tables, q, k, v)

        return run

    return call


def attention_of(q, k, v):
    """Of f64 arrays in the order of `contiguous`, sequence by sequence."""
    result = np.empty_like(q)
    for place in np.ndindex(q.shape[:2]):
        scores = q[place] @ k[place].T / np.sqrt(q.shape[-1])
        weights = np.exp(scores - scores.max(1, keepdims=True))
        result[place] = weights @ v[place] / weights.sum(1, keepdims=True)
    return result


def in_a_row(pages, tables):
    """[heads, pages, page, d] to [batch, heads, s, d]."""
    return np.stack([np.concatenate([pages[:, page] for page in table], axis=1) for table in tables])


def extents():
    """batch, heads of keys, queries that share one, width, keys, block, page."""
    return size((16, 8, 4, 128, 4096, 128, 16), (2, 2, 4, 8, 32, 8, 4), (1, 8, 4, 128, 4096, 128, 16))


def read(k, v):
    """Nothing but reading as many bytes."""
    return {"read": ("clang", READ, [k.reshape(k.shape[0], -1), v.reshape(v.shape[0], -1)])}


def contiguous_case(ko, name):
    batch, heads, shared, width, keys, block, _ = extents()
    inputs = [floats(1, batch, heads, shared, width), floats(2, batch, heads, keys, width), floats(3, batch, heads, keys, width)]
    return kernel_case(
        ko, name, inputs, contiguous(block), attention_of, tolerance=1e-4, beside={"read": 0.8}, unmatched=read(*inputs[1:]),
        peers={
            "ko.attention": ("kolam", lambda q, k, v: ko.attention(q, k, v), None),
            "PyTorch": ("torch", lambda torch, q, k, v: torch.nn.functional.scaled_dot_product_attention(q, k, v), None),
        },
    )  # fmt: skip


def in_pages():
    """k and v [heads of keys, pages, page, width], and the table of pages of each sequence."""
    batch, heads, _, width, keys, _, page = extents()
    count = keys // page
    tables = np.random.default_rng(4).permutation(batch * count).astype(np.int32).reshape(batch, count)
    return *(floats(seed, heads, batch * count, page, width) for seed in (2, 3)), tables


def paged_case(ko, name, kernel):
    batch, heads, shared, width, _, block, _ = extents()
    k, v, tables = in_pages()
    q = floats(1, batch, heads, shared, width)

    in_rows, lib = [q, in_a_row(k, tables), in_a_row(v, tables)], KolamNames(ko)
    return kernel_case(
        ko, name, [q, k, v, tables], kernel, lambda q, k, v, tables: attention_of(q, in_a_row(k, tables), in_a_row(v, tables)),
        tolerance=1e-4, beside={"contiguous": 0.9}, unmatched={"contiguous": ("kolam", contiguous(block)(lib, lib.pallas), in_rows), **read(k, v)},
    )  # fmt: skip


def cases(ko):
    """(name, a function that makes the case)."""
    row = "decode 16x32/8x4096x128, contiguous keys"
    yield row, lambda: contiguous_case(ko, row)
    for word, kernel in (("one a point", paged), ("8 a step of a loop", paged_by_loop(8))):
        name = f"decode 16x32/8x4096x128, pages of 16 keys, {word}"
        yield name, lambda name=name, kernel=kernel: paged_case(ko, name, kernel)
