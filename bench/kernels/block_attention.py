"""Attention of eight heads over some of the blocks of keys, which a prefetched table names."""

import numpy as np
from attention import attention_of  # of bench/peers
from case import floats
from decode import attend, nothing_yet
from kernel import kernel_case, size

HEADS, WIDTH = 8, 64


def over_blocks(lib, pl, **options):
    """q, k and v [heads, s, d], table [blocks of queries, blocks of keys that each sees]."""

    def run(q, k, v, table):
        (heads, s, d), (blocks, count) = q.shape, table.shape
        block = s // blocks

        def kernel(table_ref, q_ref, k_ref, v_ref, o_ref):
            own, queries = pl.program_id(1), q_ref[...] * float(1 / np.sqrt(d))

            def step(j, state):
                part = pl.ds(table_ref[own, j] * block, block)
                return attend(lib, queries, k_ref[part, :], v_ref[part, :], state)

            _, total, found = lib.fori_loop(0, count, step, nothing_yet(lib, block, d))
            o_ref[...] = found / total[:, None]

        rows = pl.BlockSpec((None, block, d), lambda h, i, table: (h, i, 0))
        keys = pl.BlockSpec((None, s, d), lambda h, i, table: (h, 0, 0))
        spec = lib.prefetched(num_scalar_prefetch=1, grid=(heads, blocks), in_specs=[rows, keys, keys], out_specs=rows)
        return pl.pallas_call(kernel, lib.ShapeDtypeStruct(q.shape, q.dtype), grid_spec=spec, **options)(table, q, k, v)

    return run


def quarter_case(ko, name):
    """Of ko.attention over all blocks the kernel is to take a quarter."""
    blocks, block = size((64, 64), (8, 8), (64, 64))
    random = np.random.default_rng(4)
    table = np.stack([np.sort(random.permutation(blocks)[: blocks // 4]) for _ in range(blocks)]).astype(np.int32)
    live = np.zeros((blocks, blocks), bool)
    live[np.arange(blocks)[:, None], table] = True
    seen, s = live.repeat(block, 0).repeat(block, 1), blocks * block

    def flex(torch, q, k, v, table):
        from torch.nn.attention import flex_attention as flexible

        there = torch.from_numpy(live)
        chosen = flexible.create_block_mask(lambda b, h, i, j: there[i // block, j // block], None, None, s, s, device="cpu")
        torch.compiler.reset()
        run = torch.compile(flexible.flex_attention)
        return lambda: run(q[None], k[None], v[None], block_mask=chosen)[0]

    inputs = [floats(seed, HEADS, s, WIDTH) for seed in (1, 2, 3)]
    return kernel_case(
        ko, name, [*inputs, table], over_blocks, lambda q, k, v, table: attention_of(q[None], k[None], v[None], seen)[0],
        peers={"flex_attention": ("torch-made", flex, 2.0)}, beside={"ko.attention, all blocks": 4 * 0.97}, tolerance=1e-4, scales=True,
        unmatched={"ko.attention, all blocks": ("kolam", lambda q, k, v: ko.attention(q, k, v), inputs)},
    )  # fmt: skip


def cases(ko):
    """(name, a function that makes the case)."""
    name = "attention 1x8x4096x64 over a quarter of the blocks"
    yield name, lambda: quarter_case(ko, name)
