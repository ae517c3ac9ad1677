"""Products of a few rows: their number known or not, columns packed before, where they lie or turned in registers."""

import numpy as np
import pytest
from same_bits import require_same_bits

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
        assert np.asarray(native(xs, w)).tobytes() == np.asarray(meaning(xs, w)).tobytes()
        np.testing.assert_allclose(np.asarray(native(xs, w)), xs @ w, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("columns", [17, 25, 33, 41, 65])
def test_sums_that_wait_in_a_tile_stay_in_their_matrix(columns):
    rng = np.random.default_rng(columns)
    x = rng.standard_normal((3, 2, 1537)).astype(np.float32)
    w = rng.standard_normal((3, 1537, columns)).astype(np.float32)
    require_same_bits(lambda x, w: x @ w, x, w)


@pytest.mark.parametrize("dtype", ["float32", "int32", "float16", "float64"])
@pytest.mark.parametrize("rows", [1, 3, 4, 8, 12])
@pytest.mark.parametrize("columns, terms", [(1, 16), (16, 128), (33, 32), (50, 24), (96, 512), (20, 544), (40, 1552), (17, 2048)])
def test_columns_along_the_summed_dim(dtype, rows, columns, terms):
    rng = np.random.default_rng(rows)
    x, w = (ko.asarray((rng.standard_normal((2, n, terms)) * 9).astype(dtype)) for n in (rows, columns))

    def product(x, w, i):
        """Of whole arrays, and of a block at a place that data choose, behind work on the rows."""
        whole = x[0] @ w[0].T
        return whole, ko.abs(ko.dynamic_slice(x, [i, 0, 0], (1, rows, terms))[0] * 2) @ ko.dynamic_slice(w, [i, 0, 0], (1, columns, terms))[0].T

    native, meaning = ko.jit(product)(x, w, 1), ko.jit(product, backend="interpret")(x, w, 1)
    for got, there in zip(native, meaning, strict=True):
        assert np.asarray(got).tobytes() == np.asarray(there).tobytes()


@pytest.mark.parametrize("turned", [False, True])
def test_blocks_of_far_arrays(turned):
    """What is asked for ahead lies beyond the array at its end."""
    blocks = ko.asarray(np.random.default_rng(1).standard_normal((700, 16, 128)).astype(np.float32))
    x = ko.ones((4, 128 if turned else 16))

    def product(x, blocks, i):
        block = ko.dynamic_slice(blocks, [i, 0, 0], (1, 16, 128))[0]
        return x @ (block.T if turned else block)

    for i in (0, 350, 699):
        native, meaning = ko.jit(product)(x, blocks, i), ko.jit(product, backend="interpret")(x, blocks, i)
        assert np.asarray(native).tobytes() == np.asarray(meaning).tobytes()
