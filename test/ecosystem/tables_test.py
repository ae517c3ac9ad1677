"""pandas and our arrays, both ways."""

import numpy as np
import pandas as pd

import kolam as ko


def test_columns(pair):
    x, given = pair
    frame = pd.DataFrame(x, columns=list("abcd")).assign(e=x[:, 0], f=ko.arange(60))
    expected = pd.DataFrame(given, columns=list("abcd")).assign(e=given[:, 0], f=np.arange(60, dtype=np.int32))
    pd.testing.assert_frame_equal(frame, expected)
    pd.testing.assert_frame_equal(frame.describe(), expected.describe())
    assert frame.groupby("f").sum().shape == (60, 5)


def test_series(pair):
    x, given = pair
    series = pd.Series(x[:, 0])
    pd.testing.assert_series_equal(series, pd.Series(given[:, 0]))
    pd.testing.assert_series_equal(pd.Series(given[:, 0]) + x[:, 1], pd.Series(given[:, 0] + given[:, 1]))
    assert list(pd.cut(x[:, 0], 3).codes) == list(pd.cut(given[:, 0], 3).codes)


def test_back(pair):
    x, given = pair
    frame = pd.DataFrame(given)
    np.testing.assert_array_equal(np.asarray(ko.asarray(frame)), given)
    np.testing.assert_array_equal(np.asarray(ko.asarray(frame[1]) * 2), given[:, 1] * 2)
    np.testing.assert_array_equal(np.asarray(ko.jit(ko.sum)(frame[0])), ko.sum(x[:, 0]))
