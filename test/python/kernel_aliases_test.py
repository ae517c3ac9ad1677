"""Results that are the memory of an input: where their blocks are those of the input, all points run at once. Both backends give
the same bits, and what NumPy gives.
"""

import kolam as ko
import numpy as np
import pytest
from kolam import pallas as pl

S = ko.ShapeDtypeStruct
RNG = np.random.default_rng(0)
X = RNG.integers(-9, 9, (8, 6)).astype(np.float32)
Y = RNG.integers(-9, 9, (7, 6)).astype(np.float32)
AT_ONCE, IN_STEPS, LOOPS = "all points of its grid at once", "points along its first axes at once", "loops over its grid"


def aliased(kernel, x, *more, grid=2, spec=None, in_specs=None, **options):
    spec = spec or pl.BlockSpec((4, 6), lambda i: (i, 0))
    specs = in_specs or [spec for _ in (x, *more)]
    return pl.pallas_call(kernel, S(x.shape, ko.float32), grid=grid, in_specs=specs, out_specs=spec, input_output_aliases={0: 0}, **options)(x, *more)


def blocks(function, x):
    """A function of each block of four rows, padded by zeros."""
    padded = np.concatenate([x, np.zeros((-len(x) % 4, 6), np.float32)])
    return np.concatenate([function(padded[first : first + 4].copy()) for first in range(0, len(x), 4)])[: len(x)]


def in_two_steps(x, o):
    o[...] = x[...] * 2
    o[0] = x[1] + o[2]


def numpy_two_steps(part):
    part *= 2
    part[0] = part[1] + part[2]
    return part


def some_rows(x, o):
    """The other rows stay."""
    o[1] = ko.sum(x[...], axis=0)


def numpy_some_rows(part):
    part[1] = part.sum(0)
    return part


def doubling(x, o):
    o[...] = x[...] * 2 + ko.sum(o[...])


def numpy_doubling(part):
    for _ in range(3):
        part = part * 2 + part.sum()
    return part


STEPS = dict(grid=(2, 3), spec=pl.BlockSpec((4, 6), lambda i, j: (i, 0)))

CASES = {
    "own blocks": (lambda: aliased(lambda x, o: o.set(x[...] + 1), X), X + 1, AT_ONCE),
    "reads behind writes": (lambda: aliased(in_two_steps, X), blocks(numpy_two_steps, X), AT_ONCE),
    "a part of each block": (lambda: aliased(some_rows, X), blocks(numpy_some_rows, X), AT_ONCE),
    "beside another input": (lambda: aliased(lambda x, y, o: o.set(x[...] - y[...]), X, 2 * X), -X, AT_ONCE),
    "a tail": (lambda: aliased(lambda x, o: o.set(x[...] - ko.sum(x[...])), Y), blocks(lambda part: part - part.sum(), Y), AT_ONCE),
    "steps": (lambda: aliased(doubling, X, **STEPS), blocks(numpy_doubling, X), IN_STEPS),
    "one point": (lambda: aliased(in_two_steps, X[:4], grid=1), numpy_two_steps(X[:4].copy()), AT_ONCE),
    # Elements outside keep nothing that is written to them.
    "a tail that is read again": (lambda: aliased(lambda x, o: (o.set(x[...] + 1), o.set(x[...] - ko.sum(x[...])))[0], Y), None, LOOPS),
    "steps with a tail": (lambda: aliased(lambda x, o: o.set(x[...] + 1 + ko.sum(x[...])), Y, **STEPS), None, LOOPS),
    "other blocks": (
        lambda: aliased(lambda x, o: o.set(x[...] + 1), X, in_specs=[pl.BlockSpec((4, 6), lambda i: (1 - i, 0))]),
        np.concatenate([X[4:] + 1, X[4:] + 2]), LOOPS,
    ),
    "blocks that leave elements out": (lambda: aliased(lambda x, o: o.set(x[...] + 1), X, grid=1), np.concatenate([X[:4] + 1, X[4:]]), LOOPS),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_aliases(name):
    function, expected, how = CASES[name]
    interpreted, native = (np.asarray(ko.jit(function, backend=backend)()) for backend in ("interpret", "cpu"))
    assert native.tobytes() == interpreted.tobytes()
    if expected is not None:
        np.testing.assert_array_equal(native, expected)
    assert how in ko.jit(function).explain()
