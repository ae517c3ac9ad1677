"""Reductions over several dims of what is not flat: vectors lie at the end of one row and the start of the next."""

import numpy as np
import pytest
from same_bits import require_same_bits

import kolam as ko

SHAPES = [(1, 1), (3, 5), (40, 15), (33, 16), (21, 17), (9, 63), (7, 64), (19, 65), (13, 127), (130, 129), (300, 257), (5, 7, 33), (3, 40, 70), (0, 40), (40, 0)]  # fmt: skip
EXPRESSIONS = {
    "less the first row": lambda x: x - x[:1],
    "times a column": lambda x: x * x[..., :1],
    "transposed": lambda x: x * ko.swapaxes(x, -1, -2)[..., :1, :1] + ko.swapaxes(ko.swapaxes(x, -1, -2) * 2, -1, -2),
    "neighbours": lambda x: ko.pad(x, [(0, 0)] * (len(x.shape) - 1) + [(1, 1)])[..., 2:] - x,
    "rolled": lambda x: x * ko.roll(x, 1, axis=0),
    "chosen": lambda x: ko.where(x[..., :1] > 0, x, -x),
}  # fmt: skip
REDUCTIONS = {"sum": ko.sum, "max": ko.max, "count": lambda x: ko.sum(ko.astype(x > 0, "int32")), "std": ko.std, "last two": lambda x: ko.sum(x, axis=(-2, -1))}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_same_bits(shape, expression, seed):
    if 0 in shape and expression in ("less the first row", "times a column", "transposed", "chosen"):
        return  # there is no first one
    x = np.random.default_rng(seed).uniform(-1, 1, shape).astype(np.float32)
    names = [name for name in REDUCTIONS if 0 not in shape or name in ("sum", "count", "last two")]
    require_same_bits(lambda x: tuple(REDUCTIONS[name](EXPRESSIONS[expression](x)) for name in names), x)


@pytest.mark.parametrize("shape", [(300, 257), (1021, 70), (40, 53, 61)])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int8", "float16"])
def test_beside_numpy(shape, dtype, seed):
    """Large ones, which are cut into parts."""
    x = np.random.default_rng(seed).integers(-3, 4, shape).astype(dtype)
    found = ko.jit(lambda x: ko.sum(ko.astype(x - x[:1], "float64")))(x)
    assert float(found) == (x.astype(np.float64) - x[:1]).sum()
    require_same_bits(lambda x: ko.sum(x - x[:1]), x)


def test_reshapes_whose_rows_are_of_other_lengths(seed):
    x = np.random.default_rng(seed).uniform(-1, 1, (30, 77)).astype(np.float32)
    for shape in ((77, 30), (2310,), (7, 330), (10, 3, 77)):
        require_same_bits(lambda x, shape=shape: ko.reshape(x - x[:1], shape) * 2 + 1, x)
        require_same_bits(lambda x, shape=shape: ko.reshape(ko.pad(x, ((0, 0), (3, 0)))[:, 3:] * x[:, :1], shape), x)
