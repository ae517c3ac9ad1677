"""Products of a few rows, whose number only the run knows, with columns packed before: panels of falling widths."""

import numpy as np
import pytest

import kolam as ko


def products(xs, w):
    return ko.scan(lambda count, x: (count + 1, ko.matmul(x, w)), np.float32(0), xs)[1]


@pytest.mark.parametrize("columns", [1, 7, 8, 9, 15, 16, 17, 20, 23, 31, 33, 40, 47, 63, 65, 97, 100, 131])
def test_every_width_is_the_interpreters(columns):
    rng = np.random.default_rng(columns)
    w = rng.standard_normal((5, columns)).astype(np.float32)
    native = ko.jit(products, dynamic={"xs": {1: "m"}})
    meaning = ko.jit(products, dynamic={"xs": {1: "m"}}, backend="interpret")
    for rows in (1, 2, 3, 5):
        xs = rng.standard_normal((3, rows, 5)).astype(np.float32)
        np.testing.assert_array_equal(np.asarray(native(xs, w)), np.asarray(meaning(xs, w)))
        np.testing.assert_allclose(np.asarray(native(xs, w)), xs @ w, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("columns", [17, 25, 33, 41, 65])
def test_sums_that_wait_in_a_tile_stay_in_their_matrix(columns):
    rng = np.random.default_rng(columns)
    x = rng.standard_normal((3, 2, 1537)).astype(np.float32)
    w = rng.standard_normal((3, 1537, columns)).astype(np.float32)
    meaning = ko.jit(lambda x, w: x @ w, backend="interpret")(x, w)
    np.testing.assert_array_equal(np.asarray(ko.jit(lambda x, w: x @ w)(x, w)), np.asarray(meaning))
