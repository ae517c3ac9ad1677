"""Rows at places given by data."""

import numpy as np
from case import Case, floats, places
from sizes import size

WIDTH = 64


def gather(ko, name, rows):
    return Case(
        name, [floats(1, rows, WIDTH), places(2, rows, rows)], tolerance=0, ours=lambda x, i: ko.take(x, i, axis=0),
        reference=lambda x, i: x[i], torch=lambda torch, x, i: torch.index_select(x, 0, i),
        jax=lambda jax, x, i: jax.numpy.take(x, i, axis=0, mode="clip"),
        onnx=lambda: [("Gather", ["x0", "x1"], "y", {})],
    )


def embedding_bag(ko, name, rows, bags, bag_size):
    return Case(
        name, [floats(1, rows, WIDTH), places(2, rows, bags, bag_size)], goal=0.95,
        ours=lambda table, i: ko.sum(ko.take(table, i, axis=0), axis=1),
        reference=lambda table, i: table[i].sum(1),
        torch=lambda torch, table, i: torch.nn.functional.embedding_bag(i, table, mode="sum"),
        jax=lambda jax, table, i: jax.numpy.take(table, i, axis=0, mode="clip").sum(1),
    )


def scatter_add(ko, name, rows, targets):
    def added(update, i):
        result = np.zeros((targets, WIDTH))
        np.add.at(result, i, update)
        return result

    def by_scatter_add(torch, update, i):
        wide = i.long()[:, None].expand(-1, WIDTH)
        return torch.zeros(targets, WIDTH).scatter_add(0, wide, update)

    def by_index_add(torch, update, i):
        return torch.zeros(targets, WIDTH).index_add(0, i, update)

    def by_segment_reduce(torch, update, i):
        order = torch.argsort(i)
        lengths = torch.bincount(i, minlength=targets)
        return torch.segment_reduce(update[order], "sum", lengths=lengths)

    def ours(update, i):
        rows_of = ko.reshape(update, (rows, 1, WIDTH))
        return ko.scatter(ko.zeros((targets, WIDTH)), rows_of, ko.reshape(i, (rows, 1)), [0], rmw_op="kAdd")

    return Case(
        name, [floats(1, rows, WIDTH), places(2, targets, rows)], goal=1.0, ours=ours, reference=added,
        torch=by_index_add, jax=lambda jax, update, i: jax.ops.segment_sum(update, i, targets),
        more={"scatter_add": ("torch", by_scatter_add), "segment_reduce": ("torch", by_segment_reduce)},
    )


def cases(ko):
    """(name, a function that makes the case)."""
    name = "row gather 131072x64"
    yield name, lambda: gather(ko, name, size(131072, 30))
    bag = "embedding bag 1000000x64, 4096 of 32"
    yield bag, lambda: embedding_bag(ko, bag, *size((1_000_000, 4096, 32), (40, 6, 3)))
    add = "scatter-add 131072x64 to 10000 rows"
    yield add, lambda: scatter_add(ko, add, *size((131072, 10000), (50, 7)))
