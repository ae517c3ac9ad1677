"""Edges of bins must be in order."""

import numpy as np
import pytest

import kolam as ko


@pytest.mark.parametrize("edges", [[3.0, 1.0, 0.0], [0.0, 2.0, 1.0]])
def test_histograms_need_rising_edges(edges):
    with pytest.raises(ValueError, match=r"unordered-bins\] argument 'bins': expected rising edges"):
        ko.histogram(ko.asarray([0.0, 1.0, 2.0]), edges)


def test_digitize_takes_falling_edges_but_no_others():
    x = np.array([3.0, 1.0, -2.0, 0.5])
    falling = np.array([2.0, 1.0, 0.0])
    assert ko.digitize(ko.asarray(x), falling).tolist() == np.digitize(x, falling).tolist()
    with pytest.raises(ValueError, match="unordered-bins"):
        ko.digitize(ko.asarray(x), [1.0, 0.0, 2.0])
