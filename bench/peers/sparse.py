"""Attention of eight heads of 64 over 64 blocks of 64 rows, of which each sees some: beside its live share of dense work."""

import numpy as np
from attention import HEADS, WIDTH, attention_of
from case import Case, floats
from ragged import called
from sizes import size

BLOCKS, BLOCK = size((64, 64), (8, 3))
LENGTH = BLOCKS * BLOCK


def attend(ko, queries, keys, values):
    """A block of queries over all rows of two lists of blocks."""
    ops = ko.fractal
    return ko.attention(queries, ops.flatten(keys), ops.flatten(values))


def bigbird(ko, q, k, v):
    """Blocks see the first, the last, and the three around themselves; the two at either end see all."""
    ops = ko.fractal

    def head(blocks):
        q, k, v = blocks
        ends = lambda xs: ops.join(xs[:1], xs[-1:])
        everything = lambda queries: attend(ko, queries, k, v)
        some = lambda seen: attend(ko, seen[0], ops.join(ends(k), seen[1]), ops.join(ends(v), seen[2]))
        middle = ops.map(some, ops.zip(q[2:-2], ops.slide(k[1:-1], 3), ops.slide(v[1:-1], 3)))
        return ops.join(ops.map(everything, q[:2]), middle, ops.map(everything, q[-2:]))

    return ops.map(head, ops.zip(q, k, v))


def bigbird_mask():
    place = np.arange(BLOCKS)
    mask = np.abs(place[:, None] - place) <= 1
    mask[:, [0, -1]] = mask[[0, 1, -2, -1]] = True
    return mask


def masked(ko, q, k, v, places):
    """Block i sees the blocks at places[i]."""
    ops = ko.fractal

    def head(blocks):
        q, k, v = blocks
        some = lambda seen: attend(ko, seen[0], ops.gather(k, seen[1]), ops.gather(v, seen[1]))
        return ops.map(some, ops.zip(q, places))

    return ops.map(head, ops.zip(q, k, v))


def quarter_mask():
    """A quarter of all blocks, drawn anew for each."""
    random = np.random.default_rng(4)
    mask = np.zeros((BLOCKS, BLOCKS), dtype=bool)
    for row in mask:
        row[random.permutation(BLOCKS)[: BLOCKS // 4]] = True
    return mask


def block_case(ko, name, mask, ours, *more):
    arrays = [floats(seed, 1, HEADS, LENGTH, WIDTH) for seed in (1, 2, 3)]
    seen = mask.repeat(BLOCK, 0).repeat(BLOCK, 1)

    def blocks(array):
        return ko.fractal.FractalTensor.from_offsets(
            array.reshape(HEADS * BLOCKS, BLOCK, WIDTH), np.arange(0, HEADS * BLOCKS + 1, BLOCKS)
        )

    def flex(torch, q, k, v):
        from torch.nn.attention import flex_attention as flexible

        live = torch.from_numpy(mask)
        rule = lambda batch, head, i, j: live[i // BLOCK, j // BLOCK]
        chosen = flexible.create_block_mask(rule, None, None, LENGTH, LENGTH, device="cpu")
        run = torch.compile(flexible.flex_attention)
        return lambda: run(q, k, v, block_mask=chosen)

    def torch_attention(torch, q, k, v):
        return torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=torch.from_numpy(seen))

    return Case(
        name, arrays, lists=[*map(blocks, arrays), *more], ours=ours, reference=lambda q, k, v: attention_of(q, k, v, seen),
        in_order=lambda y: y.reshape(HEADS * BLOCKS, BLOCK, WIDTH), torch=torch_attention, compiled=False,
        more={"flex_attention": ("torch-made", flex)}, dense=lambda ko: called(ko, ko.attention, *arrays),
        live=mask.mean(), live_goal=1 / 1.25, flops=4 * HEADS * WIDTH * int(mask.sum()) * BLOCK**2,
    )


def cases(ko):
    """(name, a function that makes the case)."""
    yield "bigbird attention 1x8x4096x64", lambda: block_case(
        ko, "bigbird attention 1x8x4096x64", bigbird_mask(), lambda q, k, v: bigbird(ko, q, k, v)
    )
    name = "attention 1x8x4096x64 over a quarter of the blocks"

    def make():
        mask = quarter_mask()
        places = ko.fractal.FractalTensor([np.flatnonzero(row).tolist() for row in mask])
        return block_case(ko, name, mask, lambda q, k, v, p: masked(ko, q, k, v, p), places)

    yield name, make
