"""Sums of several products of matrices: two in a nest, whose sums registers hold; the same bits as the interpreter's."""

import numpy as np
import pytest

import kolam as ko


def program(count):
    def total(x, w):
        parts = [x @ w[i] for i in range(count)]
        result = parts[0]
        for part in parts[1:]:
            result = result + part
        return ko.relu(result)

    return total


@pytest.mark.parametrize("rows", [1, 3, 100])
@pytest.mark.parametrize("count", [1, 2, 3, 9])
def test_sums_of_products(rows, count):
    rng = np.random.default_rng(count)
    x, w = rng.standard_normal((rows, 40)).astype(np.float32), rng.standard_normal((count, 40, 50)).astype(np.float32)
    native = ko.jit(program(count))
    got = np.asarray(native(x, w))
    assert got.tobytes() == np.asarray(ko.jit(program(count), backend="interpret")(x, w)).tobytes()
    np.testing.assert_allclose(got, np.maximum(np.einsum("ij,njk->ik", x.astype(float), w), 0), rtol=1e-4, atol=1e-4)
    nests = native.lower(x, w).as_text("nests")
    most = max(line.count("contract") for line in nests.splitlines() if line.startswith("  ops"))
    assert most == (count if rows <= 4 else min(count, 2))
