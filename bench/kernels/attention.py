"""Attention by blocks of queries, with a running maximum and sum over blocks of keys: a kernel of the user beside ko.attention."""

import numpy as np
from case import floats
from kernel import kernel_case, size

HEADS, WIDTH = 8, 64


def attention_kernel(causal=False, reach=None, has_lengths=False, blocks=(64, 128)):
    """q [batch, heads, s, d], k and v [batch, heads of keys, s, d], then lengths [batch] of the keys that there are.

    Scores lie with queries side by side, [keys, queries]. Blocks of keys of which each query of a block sees all have a loop
    without masks.
    """

    def call(lib, pl, **options):
        def run(q, k, v, *lengths):
            (batch, heads, s, d), kv_heads = q.shape, k.shape[1]
            (block_q, block_k), shared = (min(block, s // 2) for block in blocks), heads // kv_heads

            def kernel(*refs):
                q_ref, k_ref, v_ref, o_ref = refs[-4:]
                first = pl.program_id(2) * block_q
                end = lib.minimum(refs[0][pl.program_id(0)], s) if has_lengths else s  # so that all blocks lie inside
                queries = q_ref[...].T * float(1 / np.sqrt(d))

                def visible(j):
                    row = first + lib.arange(block_q)[None, :]
                    column = j * block_k + lib.arange(block_k)[:, None]
                    if causal:
                        return column <= row
                    if reach is not None:
                        return (column - row <= reach) & (row - column <= reach)
                    return column < end + 0 * row

                def step(j, state, seen=None):
                    most, total, found = state
                    keys, values = k_ref[pl.ds(j * block_k, block_k), :], v_ref[pl.ds(j * block_k, block_k), :]
                    scores = lib.product(keys, queries)
                    if seen is not None:
                        scores = lib.where(seen, scores, -np.inf)
                    higher = lib.maximum(most, lib.max(scores, axis=0))
                    weights = lib.exp(scores - higher)
                    kept = lib.exp(most - higher)
                    return higher, total * kept + lib.sum(weights, axis=0), found * kept + lib.product(values.T, weights, seen)

                def masked_step(j, state):
                    return step(j, state, visible(j))

                # Blocks [start, inner) and [inner_stop, stop) are seen in part, those between wholly.
                start, inner, inner_stop, stop = 0, 0, end // block_k, pl.cdiv(end, block_k)
                if causal:
                    inner_stop, stop = (first + 1) // block_k, pl.cdiv(first + block_q, block_k)
                if reach is not None:
                    start = lib.maximum(first - reach, 0) // block_k
                    stop = lib.minimum(stop, (first + block_q - 1 + reach) // block_k + 1)
                    inner = lib.clip(pl.cdiv(first + block_q - 1 - reach, block_k), start, stop)
                    inner_stop = lib.clip((first + reach + 1) // block_k, inner, stop)
                zeros = lib.zeros((block_q,), dtype=lib.float32)
                # Of finite numbers the least: a block may hide all keys of a query.
                state = zeros - 1e30, zeros, lib.zeros((d, block_q), dtype=lib.float32)
                if reach is not None:
                    state = lib.fori_loop(start, inner, masked_step, state)
                state = lib.fori_loop(inner, inner_stop, step, state)
                if causal or reach is not None or has_lengths:
                    state = lib.fori_loop(inner_stop, stop, masked_step, state)
                _, total, found = state
                o_ref[...] = (found / total).T

            keys = pl.BlockSpec((None, None, s, d), lambda b, h, i, *lengths: (b, h // shared, 0, 0))
            queries = pl.BlockSpec((None, None, block_q, d), lambda b, h, i, *lengths: (b, h, i, 0))
            length = [pl.BlockSpec((batch,), lambda b, h, i: (0,))] * len(lengths)
            return pl.pallas_call(
                kernel, lib.ShapeDtypeStruct(q.shape, q.dtype), grid=(batch, heads, pl.cdiv(s, block_q)),
                in_specs=[*length, queries, keys, keys], out_specs=queries, **options,
            )(*lengths, q, k, v)  # fmt: skip

        return run

    return call


def attention_of(q, k, v, seen):
    """Head by head in f64; `seen` [batch, query, key] says which keys each query sees, None for all."""
    result = np.empty_like(q)
    for batch, head in np.ndindex(q.shape[:2]):
        own = head * k.shape[1] // q.shape[1]
        scores = q[batch, head] @ k[batch, own].T / np.sqrt(q.shape[3])
        if seen is not None:
            scores[~seen[batch]] = -np.inf
        scores = np.exp(scores - scores.max(1, keepdims=True))
        result[batch, head] = scores @ v[batch, own] / scores.sum(1, keepdims=True)
    return result


def scaled(torch, q, k, v, **options):
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, **options)


def flex(rule):
    """flex_attention, compiled; `rule(query, key)` says which keys a query sees."""

    def made(torch, q, k, v):
        from torch.nn.attention import flex_attention as flexible

        s = q.shape[2]
        blocks = flexible.create_block_mask(lambda b, h, i, j: rule(i, j), None, None, s, s, device="cpu")
        torch.compiler.reset()
        run = torch.compile(flexible.flex_attention)
        return lambda: run(q, k, v, block_mask=blocks)

    return made


def attention(ko, name, shape, kv_heads, kernel, ours, seen, peers, lengths=None, **given):
    batch, heads, s, d = shape
    extra = [] if lengths is None else [lengths]
    inputs = [floats(1, *shape), floats(2, batch, kv_heads, s, d), floats(3, batch, kv_heads, s, d), *extra]
    return kernel_case(
        ko, name, inputs, kernel, lambda q, k, v, *_: attention_of(q, k, v, seen),
        peers={"ko.attention": ("kolam", ours, 0.97), **peers}, tolerance=1e-4, scales=True, **given,
    )  # fmt: skip


def full(ko, name, s, **given):
    return attention(
        ko, name, (1, HEADS, s, WIDTH), HEADS, attention_kernel(), ko.attention, None, {"PyTorch": ("torch", scaled, 2.0)},
        **given,
    )  # fmt: skip


def causal(ko, name, s, **given):
    def ours(q, k, v):
        return ko.attention(q, k, v, causal=True)

    def peer(torch, q, k, v):
        return scaled(torch, q, k, v, is_causal=True)

    seen = np.tri(s, dtype=bool)[None]
    peers = {"PyTorch": ("torch", peer, 2.0)}
    return attention(ko, name, (1, HEADS, s, WIDTH), HEADS, attention_kernel(causal=True), ours, seen, peers, **given)


def windowed(ko, name, s, reach):
    place = np.arange(s)
    seen = (np.abs(place[:, None] - place) <= reach)[None]
    peers = {"flex_attention": ("torch-made", flex(lambda i, j: (i - j <= reach) & (j - i <= reach)), 2.0)}
    kernel = attention_kernel(reach=reach)
    return attention(ko, name, (1, HEADS, s, WIDTH), HEADS, kernel, lambda q, k, v: ko.attention(q, k, v, window=reach), seen, peers)


def with_lengths(ko, name, batch, s):
    lengths = np.random.default_rng(4).integers(s // 4, s + 1, batch, dtype=np.int32)
    seen = np.broadcast_to((np.arange(s) < lengths[:, None])[:, None], (batch, s, s))

    def ours(q, k, v, lengths):
        return ko.attention(q, k, v, mask=(ko.arange(s) < lengths[:, None])[:, None, None, :])

    def peer(torch, q, k, v, lengths):
        return scaled(torch, q, k, v, attn_mask=(torch.arange(s) < lengths[:, None])[:, None, None, :])

    peers = {"PyTorch": ("torch", peer, 2.0)}
    return attention(ko, name, (batch, HEADS, s, WIDTH), HEADS, attention_kernel(has_lengths=True), ours, seen, peers, lengths)


def with_shared_keys(ko, name, s):
    def peer(torch, q, k, v):
        return scaled(torch, q, k, v, enable_gqa=True)

    peers = {"PyTorch": ("torch", peer, 2.0)}
    return attention(ko, name, (1, HEADS, s, WIDTH), HEADS // 4, attention_kernel(), ko.attention, None, peers)


def cases(ko):
    """(name, a function that makes the case)."""
    for s in (512, 2048, 4096):
        name = f"attention 1x8x{s}x64"
        # One length is enough beside Pallas's interpreter.
        yield name, lambda name=name, s=s: full(ko, name, size(s, 64, s), pallas=s == 512)
        name = f"{name} causal"
        yield name, lambda name=name, s=s: causal(ko, name, size(s, 64, s), pallas=s == 512)
    yield (name := "attention 1x8x4096x64 in a window of a quarter"), lambda: windowed(ko, name, size(4096, 64, 4096), size(548, 10, 548))
    lengths = "attention 4x8x1024x64, lengths of keys"
    yield lengths, lambda: with_lengths(ko, lengths, size(4, 2, 4), size(1024, 64, 1024))
    shared = "attention 1x8x2048x64, four heads share keys"
    yield shared, lambda: with_shared_keys(ko, shared, size(2048, 64, 512))
