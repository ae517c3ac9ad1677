"""Functions of rows: a block of whole rows at each point of the grid."""

import numpy as np
from case import floats
from kernel import kernel_case, size


def by_rows(function, block):
    """`function(lib, x)` of a block of rows."""

    def call(lib, pl, **options):
        def kernel(x_ref, o_ref):
            o_ref[...] = function(lib, x_ref[...])

        def run(x):
            rows = pl.BlockSpec((block, x.shape[1]), lambda i: (i, 0))
            shape = lib.ShapeDtypeStruct(x.shape, x.dtype)
            return pl.pallas_call(kernel, shape, grid=(pl.cdiv(x.shape[0], block),), in_specs=[rows], out_specs=rows, **options)(x)

        return run

    return call


def softmax(lib, x):
    weights = lib.exp(x - lib.max(x, axis=1)[:, None])
    return weights / lib.sum(weights, axis=1)[:, None]


def layer_norm(lib, x):
    centred = x - lib.mean(x, axis=1)[:, None]
    return centred / lib.sqrt(lib.mean(centred * centred, axis=1) + 1e-5)[:, None]


def cases(ko):
    """(name, a function that makes the case)."""
    found = (
        ("softmax", softmax, lambda x: ko.softmax(x), lambda torch, x: torch.softmax(x, 1)),
        ("layer norm", layer_norm, lambda x: ko.layer_norm(x), lambda torch, x: torch.nn.functional.layer_norm(x, x.shape[1:])),
    )
    for word, function, ours, peer in found:
        for block in (8, 64):
            name = f"{word} 4096x1024 by {block} rows"
            peers = {f"ko.{word.replace(' ', '_')}": ("kolam", ours, 0.95), "PyTorch": ("torch", peer, None)}
            yield name, lambda name=name, function=function, block=block, peers=peers: kernel_case(
                ko, name, [floats(1, *size((4096, 1024), (16, 20), (4096, 1024)))], by_rows(function, size(block, 4, block)),
                lambda x: function(np, x), peers=peers,
            )
