"""scikit-learn takes our arrays, and gives what it gives for NumPy's."""

import numpy as np
from sklearn.cluster import KMeans
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, mean_squared_error
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

import kolam as ko


def same(result, expected):
    assert type(result) is type(expected) and result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)


def test_scalers(pair):
    x, given = pair
    for scaler in (StandardScaler, MinMaxScaler):
        same(scaler().fit_transform(x), scaler().fit_transform(given))


def test_clusters(pair):
    x, given = pair
    fit = KMeans(3, n_init=2, random_state=0).fit
    same(fit(x).labels_, fit(given).labels_)
    same(fit(given).predict(x), fit(given).labels_)


def test_a_pipeline(pair):
    x, given = pair
    y = (given[:, 0] > 0).astype(np.int32)
    ours = make_pipeline(StandardScaler(), LogisticRegression()).fit(x, ko.asarray(y)).predict(x)
    same(ours, make_pipeline(StandardScaler(), LogisticRegression()).fit(given, y).predict(given))
    assert accuracy_score(ko.asarray(y), ours) == accuracy_score(y, ours) > 0.9


def test_a_regression_and_a_split(pair):
    x, given = pair
    ours, theirs = train_test_split(x, random_state=0), train_test_split(given, random_state=0)
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(np.asarray(a), b)
    fit = Ridge().fit(x[:, :3], x[:, 3])
    np.testing.assert_allclose(fit.coef_, Ridge().fit(given[:, :3], given[:, 3]).coef_, rtol=1e-6)
    assert mean_squared_error(x[:, 3], x[:, 3]) == 0
