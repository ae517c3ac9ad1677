"""Products by lanes of what lies in rows along the result, `x.T @ y` with few columns, and reductions of rows that are read
transposed: the interpreter's bits, NumPy's values, and vectors along the rows."""

import numpy as np
import pytest

import kolam as ko


def agreed(function, *arrays, expected=None):
    """What native code gives, whose bits are the interpreter's."""
    native = np.asarray(ko.jit(function)(*arrays))
    interpreted = np.asarray(ko.jit(function, backend="interpret")(*arrays))
    assert native.dtype == interpreted.dtype and native.tobytes() == interpreted.tobytes()
    if expected is not None:
        np.testing.assert_allclose(native, expected, rtol=1e-4, atol=1e-4)
    return native


def random(seed, *shape, dtype=np.float32):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("terms", [1, 2, 17, 31, 33, 40, 63, 64, 65, 80, 96, 127, 128, 129, 191, 1000, 4096, 4097, 4106, 4160, 4200, 8192, 8210, 12300])
def test_terms_that_fill_chunks_and_lanes_or_do_not(terms, dtype):
    for columns, results in ((16, 1), (21, 3), (17, 15)):
        x, y = random(1, terms, columns, dtype=dtype), random(2, terms, results, dtype=dtype)
        agreed(lambda x, y: x.T @ y, x, y, expected=x.T @ y)
    agreed(lambda x, y: x.T @ y[:, 0], x, y, expected=x.T @ y[:, 0])


@pytest.mark.parametrize(
    "spec", ["bkd,bkm->bdm", "bkd,bkm->dbm", "bkd,bkm->bmd", "bkd,bmk->bdm", "bkd,k->bd", "bkd,bkd->bd", "bkd,bkd->db", "bkd,k->db", "bkd,b->dk", ",bkd->dk"]
)
def test_letters_in_any_order(spec):
    extents = {"b": 3, "k": 300, "d": 20, "m": 2}
    arrays = [random(number, *(extents[letter] for letter in letters)) for number, letters in enumerate(spec.split("->")[0].split(","))]
    agreed(lambda x, y: ko.einsum(spec, x, y), *arrays, expected=np.einsum(spec, *(array.astype(float) for array in arrays)))


@pytest.mark.parametrize("dtype", ["int32", "int8", "float16", "bfloat16"])
def test_other_dtypes_keep_their_sums(dtype):
    x, y = (ko.astype(np.random.default_rng(seed).integers(-3, 4, shape), getattr(ko, dtype)) for seed, shape in ((1, (300, 20)), (2, (300, 2))))
    agreed(lambda x, y: x.T @ y, x, y)


@pytest.mark.parametrize("terms", [17, 64, 80, 300])
def test_special_values(terms):
    x = random(1, terms, 24)
    x[5, 3], x[7, 4], x[9, 4] = np.nan, np.inf, -np.inf
    x[:, 6:9] = -0.0, 1e-30, -1e-30
    for y in (np.full((terms, 2), 1e-30, np.float32), np.zeros((terms, 2), np.float32), np.full((terms, 2), -0.0, np.float32)):
        agreed(lambda x, y: x.T @ y, x, y)


def test_vectors_lie_along_the_rows():
    x, y = random(1, 1000, 100), random(2, 1000, 3)
    assert "in tiles" in ko.jit(lambda x, y: x.T @ y).lower(x, y).as_text("nests")
    few = ko.jit(lambda x, y: x.T @ y).lower(x[:50], y[:50]).as_text("nests")
    assert "contract" not in few and "lanes" in few
    gradient = ko.jit(lambda w, x, y: ko.grad(lambda w: ko.sum((x @ w - y) ** 2))(w)).lower(random(3, 100, 3), x, y)
    assert "in tiles" in gradient.as_text("nests")


ROWS = {
    "sum": lambda x: ko.sum(x, axis=0).T,
    "mean of two dims": lambda x: ko.permute_dims(ko.mean(ko.reshape(x, (2, 3, 20, 40)), axis=1), (2, 0, 1)),
    "twice": lambda x: (ko.sum(x, axis=0) * 2).T,
    "maximum": lambda x: ko.max(x, axis=0).T,
    "argmax": lambda x: ko.argmax(x, axis=0).T,
    "var": lambda x: ko.var(x, axis=0).T,
    "logsumexp": lambda x: ko.logsumexp(x, axis=0).T,
    "einsum": lambda x: ko.einsum("aij,aij->ji", x, x),
}


@pytest.mark.parametrize("name", ROWS)
def test_reductions_of_rows_are_stored_before_they_are_transposed(name):
    x = random(4, 6, 20, 40)
    agreed(ROWS[name], x)
    nests = ko.jit(ROWS[name]).lower(x).as_text("nests")
    last = [line for line in nests.splitlines() if line.startswith("nest") and "=" in line][-1]
    assert "reduce" not in last and "contract" not in last, nests


def test_what_lies_in_rows_of_the_result_goes_through_no_memory():
    x = random(5, 6, 20, 40)
    assert "nest1" not in ko.jit(lambda x: ko.sum(ko.permute_dims(x, (0, 2, 1)), axis=0).T).lower(x).as_text("nests")
