"""Checks leave alone what functions do on purpose."""

import numpy as np
import pytest

import kolam as ko

MASK = np.array([1, 0, 1, 1, 0], bool)
IDS = np.array([0, 5, -1, 1])

CALLS = [
    lambda: ko.jit(lambda m: ko.nonzero(m, size=3)[0], checks=True)(MASK),
    lambda: ko.jit(lambda m: ko.nonzero(m)[0], checks=True)(MASK),
    lambda: ko.jit(lambda m: ko.flatnonzero(m), checks=True)(MASK),
    lambda: ko.jit(lambda m: ko.argwhere(m), checks=True)(MASK),
    lambda: ko.jit(lambda x: ko.unique_values(x, size=3), checks=True)(np.array([3, 1, 3, 2])),
    lambda: ko.jit(lambda x: ko.unique_inverse(x).inverse_indices, checks=True)(np.array([3, 1, 3, 2])),
    lambda: ko.jit(lambda x: x[x > 1], checks=True)(np.array([3, 1, 3, 2])),
    lambda: ko.jit(lambda x: ko.histogram(x, 2, range=(1, 3))[0], checks=True)(np.array([0.0, 1.0, 2.5, 9.0])),
    lambda: ko.jit(lambda i: ko.bincount(i, length=3), checks=True)(np.array([0, 5, 1])),
    lambda: ko.jit(lambda i: ko.segment_sum(i, i, 2), checks=True)(IDS),
]


@pytest.mark.parametrize("number", range(len(CALLS)))
def test_what_is_left_out_by_definition_is_no_error(number):
    CALLS[number]()


def test_an_update_outside_is_one():
    with pytest.raises(IndexError, match="index-out-of-range"):
        ko.jit(lambda x, i: x.at[i].set(1), checks=True)(np.zeros(3), np.array([7]))
