"""Reductions over axes that hold nothing to reduce."""

import numpy as np
import pytest
from same_bits import require_same_bits

import kolam as ko


@pytest.mark.parametrize("function", [ko.sum, ko.prod, ko.max, ko.mean])
def test_over_no_axes(function):
    x = np.random.default_rng(0).random((1500, 700), np.float32)
    assert np.array_equal(function(x, axis=()), x)
    assert np.array_equal(ko.jit(lambda x: function(x, axis=()), dynamic={"x": [0, 1]})(x[:2, :2]), x[:2, :2])


@pytest.mark.parametrize("count", [63, 64, 65, 128, 192, 256, 320])
def test_sums_by_lanes_of_elements_that_lie_apart(count):
    """Columns side by side; of whole rows of lanes these merge in registers."""
    x = np.random.default_rng(count).standard_normal((count, 70)).astype(np.float32)
    f = lambda x: ko.sum(ko.exp(x).T, axis=-1)
    np.testing.assert_array_equal(np.asarray(ko.jit(f)(x)), np.asarray(ko.jit(f, backend="interpret")(x)))


@pytest.mark.parametrize("each", [1, 2, 3, 8, 16, 33, 64])
@pytest.mark.parametrize("segments", [0, 1, 7, 8, 9, 100, 127])
def test_sums_of_a_first_and_a_last_axis(segments, each):
    """Runs of a few elements are merged some at a time: the tree over all of them stays."""
    x = np.random.default_rng(each).standard_normal((3, segments, 5, each)).astype(np.float32)
    for function in (ko.sum, ko.prod, lambda x, axis: ko.sum(x * 2 - 1, axis=axis)):
        require_same_bits(lambda x: function(x, axis=(1, 3)), x)
        require_same_bits(lambda x: function(x.transpose(1, 0, 3, 2), axis=(0, 2)), x)
    require_same_bits(lambda x: ko.sum(x, axis=(1, 3)), x, dynamic={"x": [1]})
