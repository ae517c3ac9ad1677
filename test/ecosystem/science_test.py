"""SciPy's functions take our arrays, and give what they give for NumPy's."""

import numpy as np
import pytest
import scipy.linalg
import scipy.optimize
import scipy.signal
import scipy.sparse
import scipy.spatial.distance
import scipy.special
import scipy.stats

import kolam as ko

CALLS = {
    "expit": lambda x: scipy.special.expit(x), "gammaln": lambda x: scipy.special.gammaln(np.abs(x)), "erfc": scipy.special.erfc,
    "logsumexp": lambda x: scipy.special.logsumexp(x, axis=1), "softmax": lambda x: scipy.special.softmax(x, axis=1),
    "xlogy": lambda x: scipy.special.xlogy(np.abs(x), np.abs(x)), "ndtri": lambda x: scipy.special.ndtri(scipy.special.expit(x)),
    "zscore": scipy.stats.zscore, "pdf": scipy.stats.norm.pdf, "svd": lambda x: scipy.linalg.svd(x)[1],
    "distances": lambda x: scipy.spatial.distance.cdist(x, x), "convolve": lambda x: scipy.signal.convolve(x[:, 0], x[:, 1]),
    "sparse": lambda x: scipy.sparse.csr_matrix(x).toarray(), "slope": lambda x: scipy.stats.linregress(x[:, 0], x[:, 1]).slope,
}  # fmt: skip


@pytest.mark.parametrize("case", CALLS)
def test_as_for_numpy(case, pair):
    x, given = pair
    result, expected = CALLS[case](x), CALLS[case](given)
    assert np.asarray(result).dtype == np.asarray(expected).dtype
    np.testing.assert_allclose(np.asarray(result), expected, rtol=1e-5, atol=1e-6)


def test_products_with_sparse_matrices(pair):
    x, given = pair
    eye = scipy.sparse.csr_matrix(2 * np.eye(60, dtype=np.float32))
    np.testing.assert_array_equal(np.asarray(eye @ x), 2 * given)


def test_minimizing_a_compiled_function():
    loss = ko.jit(lambda x: ko.sum(ko.square(x - ko.asarray([1.0, 2.0], ko.float64))))
    found = scipy.optimize.minimize(lambda x: loss(x).item(), np.zeros(2))
    np.testing.assert_allclose(found.x, [1, 2], atol=1e-4)
