"""Programs that the engines' tests run, their arguments, plans and results."""

import functools

import numpy as np

import kolam as ko

PROCESSES = 2


def product(x, w):
    return x @ w


def stencils(x):
    for _ in range(5):
        p = ko.pad(x, 1)
        x = 0.2 * (p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] + x)
    return x


def layers(x, w):
    for _ in range(4):
        x = ko.tanh(x @ w)
    return x


_SHAPES = {product: ((512, 8192), (8192, 512)), stencils: ((1024, 1024),), layers: ((512, 256), (256, 256))}


@functools.cache
def planned(f, workers=8):
    """(plan, arguments, bytes of the result) of one of the programs above. Merges are in that of `product`."""
    random = np.random.default_rng(7)
    args = tuple(random.standard_normal(shape).astype(np.float32) for shape in _SHAPES[f])
    plan = ko.plan(f, *args, workers=workers, steps=0)
    assert plan.check() == []
    return plan, args, np.asarray(ko.jit(f)(*args)).tobytes()


def has_its_bits(f, engine, workers=8, **options):
    """Whether a run gives every bit of the program's result."""
    plan, args, expected = planned(f, workers)
    return np.asarray(plan.run(*args, engine=engine, processes=PROCESSES, **options)).tobytes() == expected
