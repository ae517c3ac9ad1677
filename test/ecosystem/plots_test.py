"""matplotlib draws our arrays."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

import kolam as ko


@pytest.fixture
def axes():
    figure, axes = plt.subplots()
    yield axes
    figure.canvas.draw()
    plt.close(figure)


def test_bars(axes, pair):
    x, given = pair
    bars = axes.bar(ko.arange(4), x[0], yerr=ko.abs(x[1]))
    np.testing.assert_array_equal([bar.get_height() for bar in bars], given[0])
    axes.barh(ko.arange(4), x[0])


def test_lines(axes, pair):
    x, given = pair
    lines = axes.plot(ko.arange(60), x)
    np.testing.assert_array_equal(lines[1].get_ydata(), given[:, 1])
    axes.fill_between(ko.arange(60), x[:, 0], x[:, 1])
    axes.errorbar(ko.arange(60), x[:, 0], yerr=ko.abs(x[:, 1]))
    axes.set_xlim(ko.asarray(0), ko.asarray(10))


def test_pictures_and_counts(axes, pair):
    x, given = pair
    np.testing.assert_array_equal(axes.imshow(x).get_array(), given)
    counts, _, _ = axes.hist(x[:, 0], bins=5)
    np.testing.assert_array_equal(counts, np.histogram(given[:, 0], 5)[0])
    axes.scatter(x[:, 0], x[:, 1], c=x[:, 2], s=ko.abs(x[:, 3]))
