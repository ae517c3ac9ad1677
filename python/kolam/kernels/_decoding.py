"""Attention of one token for each sequence, over keys that lie in rows or in pages."""

import functools
import math

import kolam
from kolam import pallas as pl
from kolam.errors import KolamValueError
from kolam.kernels._arguments import FLOATS, INTEGERS, bind_dims, is_empty, require_count, require_kind, sums_of, within


def _finite(most):
    """A maximum to take away from scores: 0 where there are none."""
    return kolam.where(most == -math.inf, 0, most)


def _scores(q, keys, scale, visible, dtype):
    """[queries, keys], minus infinity where a key is not visible."""
    scores = kolam.matmul(q, keys.T, dtype=dtype) * scale
    return scores if visible is None else kolam.where(visible, scores, -math.inf)


def _values(v_ref, visible, dtype):
    """What is hidden has no part in a sum, also where it is NaN."""
    values = v_ref[...].astype(dtype)
    return values if visible is None else kolam.where(visible[:, None], values, 0)


def _split_kernel(q_ref, k_ref, v_ref, length_ref, o_ref, most_ref, sum_ref, *, scale, is_masked):
    dtype = o_ref.dtype
    keys = k_ref.shape[0]
    visible = pl.program_id(2) * keys + kolam.arange(keys) < length_ref[()] if is_masked else None
    scores = _scores(q_ref[...], k_ref[...], scale, visible, dtype)
    most = kolam.max(scores, axis=-1)
    powers = kolam.exp(scores - _finite(most)[:, None])
    o_ref[...] = kolam.matmul(powers, _values(v_ref, visible, dtype), dtype=dtype)
    most_ref[...] = most
    sum_ref[...] = kolam.sum(powers, axis=-1)


def _merge_kernel(parts_ref, most_ref, sum_ref, o_ref):
    most = most_ref[...]  # [splits, queries]
    weights = kolam.exp(most - _finite(kolam.max(most, axis=0)))
    total = kolam.sum(weights * sum_ref[...], axis=0)
    merged = kolam.sum(weights[:, :, None] * parts_ref[...], axis=0)
    o_ref[...] = kolam.where(total[:, None] > 0, merged / total[:, None], 0).astype(o_ref.dtype)


def _grouped(function, q, heads, kv_heads):
    """q as [batch, heads of keys, queries of each, d]."""
    if not kv_heads or heads % kv_heads:
        raise KolamValueError.make(
            function, "shape-mismatch", f"argument 'q': expected a number of heads that those of the keys, {kv_heads}, divide, but got {heads}; repeat the keys"
        )
    return kolam.reshape(q, (q.shape[0], kv_heads, heads // kv_heads, q.shape[2]))


def decode_attention(q, k, v, *, lengths=None, scale=None, splits=8, interpret=False):
    """What one token of each sequence finds among the keys so far:

        result[b, h] = sum_s p[s] v[b, s, g],   p = softmax_s(scale sum_d q[b, h, d] k[b, s, g, d]),   s < lengths[b]

    where g = h div (heads / kv_heads): neighbours share a head of the keys.

    >>> import kolam as ko
    >>> q, k = ko.zeros((1, 2, 4)), ko.zeros((1, 3, 1, 4))
    >>> ko.kernels.decode_attention(q, k, ko.reshape(ko.arange(3.0), (1, 3, 1, 1)), lengths=ko.asarray([2])).tolist()
    [[[0.5], [0.5]]]

    q is [batch, heads, d], k [batch, keys, kv_heads, d], v [batch, keys, kv_heads, e], promoted to one dtype of floats; the
    result is [batch, heads, e]. kv_heads divides heads. `lengths`, integers [batch], are all keys unless given; a sequence
    of length 0 gives 0, and what lies behind has no part, also where it is NaN. `scale` is 1 / sqrt(d) unless given. The
    keys are cut into `splits` parts ("split k"), which points of the grid take side by side; a second kernel merges them by
    their maxima and sums. bfloat16 and float16 compute in float32 and round once. Raises `[rank-mismatch]`,
    `[shape-mismatch]`, `[dtype-mismatch]`, and `[bad-block]` for less than one part. Source: Dao and others,
    "Flash-Decoding for long-context inference", 2023.
    """
    q, k, v = kolam.asarray(q), kolam.asarray(k), kolam.asarray(v)
    letters = {"q": (q, "batch heads d"), "k": (k, "batch keys kv_heads d"), "v": (v, "batch keys kv_heads e")}
    is_given = lengths is not None
    lengths = kolam.asarray(lengths) if is_given else kolam.zeros(q.shape[:1], dtype=kolam.int32)
    extents = bind_dims("decode_attention", **letters, lengths=(lengths, "batch"))
    batch, heads, d, keys, kv_heads, e = extents.values()
    require_kind("decode_attention", FLOATS, q=q, k=k, v=v)
    require_kind("decode_attention", INTEGERS, lengths=lengths)
    require_count("decode_attention", splits=splits)
    q, group, dtype = _grouped("decode_attention", q, heads, kv_heads), heads // kv_heads, kolam.result_type(q, k, v)
    if is_empty(batch, keys, d, e, heads):
        return kolam.zeros((batch, heads, e), dtype=dtype)
    size = pl.cdiv(keys, splits)
    splits = pl.cdiv(keys, size)
    sums = sums_of(dtype)
    is_masked = is_given or not isinstance(keys, int) or keys % size != 0
    if not is_given:
        lengths = kolam.zeros(batch, dtype=kolam.int32) + keys

    def by_head(*block):
        return pl.BlockSpec((None, None, *block), lambda b, h, s: (b, h) + (0,) * len(block))

    def of_split(*block):
        return pl.BlockSpec((None, None, None, *block), lambda b, h, s: (b, h, s) + (0,) * len(block))

    parts = pl.pallas_call(
        functools.partial(_split_kernel, scale=1 / math.sqrt(d) if scale is None else scale, is_masked=is_masked),
        tuple(kolam.ShapeDtypeStruct((batch, kv_heads, splits, group, *more), sums) for more in ((e,), (), ())),
        grid=(batch, kv_heads, splits),
        in_specs=[
            by_head(group, d),
            pl.BlockSpec((None, size, None, d), lambda b, h, s: (b, s, h, 0)),
            pl.BlockSpec((None, size, None, e), lambda b, h, s: (b, s, h, 0)),
            pl.BlockSpec((None,), lambda b, h, s: (b,)),
        ],
        out_specs=(of_split(group, e), of_split(group), of_split(group)),
        name="decode_attention",
        interpret=interpret,
    )(q.astype(dtype), k.astype(dtype), v.astype(dtype), lengths.astype(kolam.int32))

    def whole(*block):
        return pl.BlockSpec((None, None, *block), lambda b, h: (b, h) + (0,) * len(block))

    merged = pl.pallas_call(
        _merge_kernel,
        kolam.ShapeDtypeStruct((batch, kv_heads, group, e), dtype),
        grid=(batch, kv_heads),
        in_specs=[whole(splits, group, e), whole(splits, group), whole(splits, group)],
        out_specs=whole(group, e),
        name="decode_attention_merge",
        interpret=interpret,
    )(*parts)
    return kolam.reshape(merged, (batch, heads, e))


def _paged_kernel(tables_ref, lengths_ref, q_ref, k_ref, v_ref, o_ref, most_ref, total_ref, sum_ref, *, scale):
    step, length = pl.program_id(2), lengths_ref[pl.program_id(0)]
    keys = k_ref.shape[0]
    dtype = sum_ref.dtype

    @pl.when(step == 0)
    def _():
        most_ref[...] = kolam.full(most_ref.shape, -math.inf, dtype=dtype)
        total_ref[...] = kolam.zeros(total_ref.shape, dtype=dtype)
        sum_ref[...] = kolam.zeros(sum_ref.shape, dtype=dtype)

    @pl.when(step * keys < length)
    def _():
        visible = step * keys + kolam.arange(keys) < length
        scores = _scores(q_ref[...], k_ref[...], scale, visible, dtype)
        before = most_ref[...]
        most = kolam.maximum(before, kolam.max(scores, axis=-1))
        powers = kolam.exp(scores - _finite(most)[:, None])
        shrink = kolam.exp(before - _finite(most))
        most_ref[...] = most
        total_ref[...] = total_ref[...] * shrink + kolam.sum(powers, axis=-1)
        sum_ref[...] = sum_ref[...] * shrink[:, None] + kolam.matmul(powers, _values(v_ref, visible, dtype), dtype=dtype)

    @pl.when(step == pl.num_programs(2) - 1)
    def _():
        total = total_ref[...][:, None]
        o_ref[...] = kolam.where(total > 0, sum_ref[...] / total, 0).astype(o_ref.dtype)


def paged_attention(q, k_pages, v_pages, block_tables, lengths, *, scale=None, interpret=False):
    """`decode_attention` over keys that lie in pages, which a table finds:

        result[b, h] = sum_s p[s] v(b, s),   p = softmax_s(scale sum_d q[b, h, d] k(b, s)[d]),   s < lengths[b],
        k(b, s) = k_pages[g, block_tables[b, s div page_size], s mod page_size]

    where g = h div (heads / kv_heads), and v(b, s) as k(b, s).

    >>> import kolam as ko
    >>> q, k_pages = ko.zeros((1, 1, 2)), ko.zeros((1, 3, 2, 2))
    >>> v_pages = ko.reshape(ko.arange(6.0), (1, 3, 2, 1))
    >>> ko.kernels.paged_attention(q, k_pages, v_pages, ko.asarray([[2, 0]]), ko.asarray([3])).tolist()
    [[[3.0]]]

    q is [batch, heads, d], k_pages [kv_heads, pages, page_size, d], v_pages [kv_heads, pages, page_size, e], promoted to
    one dtype of floats; block_tables, integers [batch, pages of a sequence], and lengths, integers [batch], say what is
    used of them; the result is [batch, heads, e]. Entries of the table behind a length are not read; others are clipped to the
    pages that there are. A sequence of length 0 gives 0, and keys behind a length have no part, also where they are NaN. `scale` is 1 / sqrt(d) unless given. A point of
    the grid has one page; the table is prefetched, so that it chooses blocks. bfloat16 and float16 compute in float32 and
    round once. Raises `[rank-mismatch]`, `[shape-mismatch]`, `[dtype-mismatch]`. Source: Kwon and others, "Efficient memory
    management for large language model serving with PagedAttention", 2023.
    """
    q, k_pages, v_pages = kolam.asarray(q), kolam.asarray(k_pages), kolam.asarray(v_pages)
    block_tables, lengths = kolam.asarray(block_tables), kolam.asarray(lengths)
    extents = bind_dims(
        "paged_attention", q=(q, "batch heads d"), k_pages=(k_pages, "kv_heads pages page_size d"), v_pages=(v_pages, "kv_heads pages page_size e"),
        block_tables=(block_tables, "batch pages_of_one"), lengths=(lengths, "batch"),
    )  # fmt: skip
    batch, heads, d, kv_heads, pages, page_size, e, steps = extents.values()
    require_kind("paged_attention", FLOATS, q=q, k_pages=k_pages, v_pages=v_pages)
    require_kind("paged_attention", INTEGERS, block_tables=block_tables, lengths=lengths)
    q, group, dtype = _grouped("paged_attention", q, heads, kv_heads), heads // kv_heads, kolam.result_type(q, k_pages, v_pages)
    if is_empty(batch, heads, steps, page_size, pages, d, e):
        return kolam.zeros((batch, heads, e), dtype=dtype)
    sums = sums_of(dtype)

    def page(b, h, s, tables_ref, lengths_ref):
        return h, within(kolam.where(s * page_size < lengths_ref[b], tables_ref[b, s], 0), pages), 0, 0

    def of_group(b, h, s, tables_ref, lengths_ref):
        return b, h, 0, 0

    result = pl.pallas_call(
        functools.partial(_paged_kernel, scale=1 / math.sqrt(d) if scale is None else scale),
        kolam.ShapeDtypeStruct((batch, kv_heads, group, e), dtype),
        grid_spec=pl.PrefetchScalarGridSpec(
            num_scalar_prefetch=2,
            grid=(batch, kv_heads, steps),
            in_specs=[
                pl.BlockSpec((None, None, group, d), of_group),
                pl.BlockSpec((None, None, page_size, d), page),
                pl.BlockSpec((None, None, page_size, e), page),
            ],
            out_specs=pl.BlockSpec((None, None, group, e), of_group),
            scratch_shapes=[kolam.ShapeDtypeStruct(shape, sums) for shape in ((group,), (group,), (group, e))],
        ),
        name="paged_attention",
        interpret=interpret,
    )(block_tables.astype(kolam.int32), lengths.astype(kolam.int32), q.astype(dtype), k_pages.astype(dtype), v_pages.astype(dtype))
    return kolam.reshape(result, (batch, heads, e))
