"""BigBird's sparse attention over blocks: what a block of queries sees is a list, made by reading other lists.

    rows 2 .. n-3 see the block before, their own and the next one, the first and the last, and some drawn at random
    the first two rows and the last two see all blocks

Windows, ends and random blocks are maps of places: no block of keys is copied. The attention itself is that of
flash_attention.py.

Source: M. Zaheer et al., "Big Bird: Transformers for Longer Sequences", 2020.
"""

import numpy as np

import kolam as ko
from draw import Draw
from flash_attention import attend, attend_with_numpy
from kolam import fractal as ops
from kolam.fractal import FractalTensor
from side_by_side import main


def sequence(parts):
    qs, ks, vs, drawn = parts

    def seen(blocks, window, places):
        return ops.join(window, blocks[:1], blocks[-1:], ops.gather(blocks, places))

    def sparse(row):
        query, keys, values, places = row
        return attend(query, seen(ks, keys, places), seen(vs, values, places))

    rows = ops.zip(qs, ops.shifted_slide(ks, 3), ops.shifted_slide(vs, 3), drawn)
    first, last = (ops.map(attend, ends, keys=ks, values=vs) for ends in (qs[:2], qs[-2:]))
    return ops.join(first, ops.map(sparse, rows[2:-2]), last)


@ko.jit
def bigbird(queries, keys, values, drawn):
    """[sequence][block] of [rows of a block, width], as the first three; drawn: [sequence][block][i] a block's place."""
    return ops.map(sequence, ops.zip(queries, keys, values, drawn))


def bigbird_with_numpy(queries, keys, values, drawn):
    results = []
    for q, k, v, places in zip(queries, keys, values, drawn):
        n = len(q)
        results.append([])
        for i in range(n):
            seen = range(n) if i < 2 or i >= n - 2 else [i - 1, i, i + 1, 0, n - 1, *places[i]]
            results[-1].append(attend_with_numpy(q[i], *(np.concatenate([blocks[j] for j in seen]) for blocks in (k, v))))
    return results


def draw_places(draw, blocks, count):
    """For each row `count` blocks that it does not see anyway."""
    rows = []
    for i in range(blocks):
        others = [j for j in range(1, blocks - 1) if abs(i - j) > 1]
        rows.append(draw.rng.choice(others, count, replace=False).tolist())
    return rows


def inputs(batch=4, shortest=1024, longest=4096, block=32, width=512, drawn=1, seed=0):
    draw = Draw(seed)
    blocks = draw.lengths(batch, shortest // block, longest // block)
    queries, keys, values = (draw.tensors(batch, blocks, leaf=(block, width)) for _ in range(3))
    return queries, keys, values, FractalTensor([draw_places(draw, n, drawn) for n in blocks])


if __name__ == "__main__":
    main(bigbird, bigbird_with_numpy, inputs)
