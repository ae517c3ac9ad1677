"""Reductions over axes that hold nothing to reduce."""

import numpy as np
import pytest

import kolam as ko


@pytest.mark.parametrize("function", [ko.sum, ko.prod, ko.max, ko.mean])
def test_over_no_axes(function):
    x = np.random.default_rng(0).random((1500, 700), np.float32)
    assert np.array_equal(function(x, axis=()), x)
    assert np.array_equal(ko.jit(lambda x: function(x, axis=()), dynamic={"x": [0, 1]})(x[:2, :2]), x[:2, :2])
