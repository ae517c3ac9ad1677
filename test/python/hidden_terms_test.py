"""Products of which some terms do not count, and sums in one chain: beside NumPy's loops, native and interpreted, bit by bit."""

import itertools

import kolam as ko
import ml_dtypes
import numpy as np
import pytest
from kolam import pallas as pl

BACKENDS = ["cpu", "interpret"]
DTYPES = [np.float32, np.float64, np.float16, ml_dtypes.bfloat16, np.int32, np.int8]


def small_numbers(rng, shape, dtype):
    """Whole numbers, whose sums are exact in any order."""
    return rng.integers(-3, 4, shape).astype(dtype)


def by_loops(subscripts, x, y, where):
    """The sum over the terms that count, element by element."""
    left, result = subscripts.split("->")
    own, other = left.split(",")
    summed = [letter for letter in dict.fromkeys(own + other) if letter not in result]
    extents = dict(zip(own + other, x.shape + y.shape, strict=True))
    letters = [*result, *summed]
    counts = np.broadcast_to(where, [extents[letter] for letter in letters])
    total = np.zeros([extents[letter] for letter in result], np.float64)
    for place in itertools.product(*(range(extents[letter]) for letter in letters)):
        if counts[place]:
            at = dict(zip(letters, place, strict=True))
            term = np.float64(x[tuple(at[k] for k in own)]) * np.float64(y[tuple(at[k] for k in other)])
            total[place[: len(result)]] += term
    return total


def run(backend, function, *arrays):
    return np.asarray(ko.jit(function, backend=backend)(*arrays))


CASES = [
    ("ij,jk->ik", (5, 7), (7, 18), (5, 18, 7)),
    ("ij,jk->ik", (5, 7), (7, 18), (5, 1, 7)),
    ("ij,jk->ik", (5, 7), (7, 18), (18, 7)),
    ("ij,jk->ik", (5, 7), (7, 18), (7,)),
    ("ij,jk->ik", (5, 7), (7, 18), (5, 18, 1)),
    ("ij,jk->ik", (5, 7), (7, 18), ()),
    ("ij,jk->ik", (5, 7), (7, 3), (5, 1, 7)),
    ("ij,kj->ki", (5, 7), (4, 7), (4, 5, 7)),
    ("bij,bjk->bik", (2, 3, 6), (2, 6, 17), (2, 3, 1, 6)),
    ("bij,bjk->bik", (2, 3, 6), (2, 6, 17), (2, 1, 1, 6)),
    ("bij,jk->bik", (2, 3, 6), (6, 17), (3, 17, 6)),
    ("ijl,jlk->ik", (3, 4, 5), (4, 5, 16), (3, 1, 4, 5)),
    ("i,i->", (9,), (9,), (9,)),
    ("ij,jk->ik", (3, 0), (0, 4), (3, 4, 0)),
    ("ij,jk->ik", (0, 3), (3, 4), (4, 3)),
]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: np.dtype(dtype).name)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_terms_that_count(case, dtype, backend):
    subscripts, of_x, of_y, of_where = case
    rng = np.random.default_rng(1)
    x, y = small_numbers(rng, of_x, dtype), small_numbers(rng, of_y, dtype)
    where = rng.random(of_where) < 0.5
    found = run(backend, lambda x, y, where: ko.einsum(subscripts, x, y, where=where), x, y, where)
    assert found.dtype == dtype
    np.testing.assert_array_equal(found.astype(np.float64), by_loops(subscripts, x, y, where))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, ml_dtypes.bfloat16], ids=lambda dtype: np.dtype(dtype).name)
@pytest.mark.parametrize("case", CASES[:13], ids=str)
@pytest.mark.parametrize("poison", [np.nan, np.inf, -np.inf])
def test_what_is_hidden_does_not_leak(poison, case, dtype, backend):
    """A factor's element is poison only where all terms that it is part of are hidden, except for one factor in one case."""
    subscripts, of_x, of_y, of_where = case
    rng = np.random.default_rng(2)
    x, y = small_numbers(rng, of_x, dtype), small_numbers(rng, of_y, dtype)
    where = rng.random(of_where) < 0.5
    x.flat[::3], y.flat[::4] = poison, poison
    with np.errstate(invalid="ignore"):
        expected = by_loops(subscripts, x, y, where)
    found = run(backend, lambda x, y, where: ko.einsum(subscripts, x, y, where=where), x, y, where)
    np.testing.assert_array_equal(found.astype(np.float64), expected)


def test_keys_that_some_queries_do_not_see():
    """Rows of values with NaN are hidden from the queries that do not see them, and from no other."""
    rng = np.random.default_rng(3)
    weights, values = rng.random((6, 40), np.float32), rng.random((40, 32), np.float32)
    seen = np.arange(40)[None] <= 6 * np.arange(6)[:, None]
    values[20:] = np.nan
    found = np.asarray(ko.matmul(weights, values, where=seen[:, None, :]))
    for query in range(6):
        own = seen[query]
        expected = weights[query, own].astype(np.float64) @ values[own]
        np.testing.assert_allclose(found[query], expected, rtol=1e-6)  # 40 sums of f32
    assert np.isnan(found[4]).all() and not np.isnan(found[3]).any()


def test_all_hidden_is_zero():
    x = np.full((2, 3), np.nan, np.float32)
    for found in (ko.matmul(x, x.T, where=False), ko.vecdot(x, x, where=False), ko.tensordot(x, x.T, 1, where=np.zeros(3, bool))):
        assert not np.asarray(found).any() and not np.signbit(found).any()


@pytest.mark.parametrize("backend", BACKENDS)
def test_in_a_kernel(backend):
    """Blocks of a causal product, whose hidden elements are NaN."""
    rng = np.random.default_rng(4)
    x, y = rng.integers(-3, 4, (32, 32)).astype(np.float32), rng.integers(-3, 4, (32, 32)).astype(np.float32)
    visible = np.tril(np.ones((32, 32), bool))
    hidden = np.where(visible, x, np.nan).astype(np.float32)

    def kernel(x_ref, y_ref, o_ref):
        i, k = pl.program_id(0), pl.program_id(1)
        rows, columns = i * 8 + ko.arange(8), k * 8 + ko.arange(8)
        o_ref[...] += ko.matmul(x_ref[...], y_ref[...], where=(columns <= rows[:, None])[:, None, :])

    call = pl.pallas_call(
        kernel, ko.ShapeDtypeStruct((32, 32), ko.float32), grid=(4, 4), interpret=backend == "interpret",
        in_specs=[pl.BlockSpec((8, 8), lambda i, k: (i, k)), pl.BlockSpec((8, 32), lambda i, k: (k, 0))],
        out_specs=pl.BlockSpec((8, 32), lambda i, k: (i, 0)),
    )  # fmt: skip
    np.testing.assert_array_equal(np.asarray(ko.jit(call)(hidden, y)), np.where(visible, x, 0) @ y)


@pytest.mark.parametrize("axes", [(0, 0, 0), (0, None, None), (None, 0, None), (None, None, 0)], ids=str)
def test_under_vmap(axes):
    rng = np.random.default_rng(5)
    shapes = [(4, 5), (5, 17), (4, 1, 5)]
    x, y, where = (
        rng.integers(-3, 4, (3, *shape) if axis == 0 else shape) for axis, shape in zip(axes, shapes, strict=True)
    )
    x, y, where = x.astype(np.float32), y.astype(np.float32), where > 0
    x.flat[::7] = np.nan
    found = np.asarray(ko.vmap(lambda x, y, where: ko.matmul(x, y, where=where), in_axes=axes)(x, y, where))
    for n in range(3):
        own = [value[n] if axis == 0 else value for value, axis in zip((x, y, where), axes, strict=True)]
        np.testing.assert_array_equal(found[n], by_loops("ij,jk->ik", *own))


def test_with_symbolic_extents():
    function = ko.jit(lambda x, y, where: ko.matmul(x, y, where=where), dynamic={"x": [0, 1], "y": [0], "where": [0, 2]})
    rng = np.random.default_rng(6)
    for rows, summed in ((3, 5), (0, 4), (7, 0), (2, 33)):
        x, y = small_numbers(rng, (rows, summed), np.float32), small_numbers(rng, (summed, 20), np.float32)
        where = rng.random((rows, 1, summed)) < 0.5
        np.testing.assert_array_equal(np.asarray(function(x, y, where)), by_loops("ij,jk->ik", x, y, where))


def test_checks_see_only_terms_that_count():
    x, y = np.array([[np.inf, 1.0]], np.float32), np.array([[0.0], [2.0]], np.float32)
    checked = ko.jit(lambda x, y, where: ko.matmul(x, y, where=where), checks=True)
    assert np.asarray(checked(x, y, np.array([False, True]))).item() == 2
    with pytest.raises(ko.KolamError, match="nan-created"):
        checked(x, y, np.array([True, True]))
    checked = ko.jit(lambda x, y, where: ko.matmul(x, y, where=where), checks="overflow")
    big = np.full((1, 2), 2**30, np.int32)
    assert np.asarray(checked(big, big.T, np.array([[[False, False]]]))).item() == 0
    with pytest.raises(ko.KolamError, match="integer-overflow"):
        checked(big, big.T, np.array([[[True, False]]]))


def chain(x, y, pairs=False):
    """One chain of f32 steps; the numbers are so short that f64 holds each step."""
    sums = np.zeros((x.shape[0], y.shape[1]), np.float32)
    order = np.arange(x.shape[1])
    if pairs:
        order[: len(order) // 2 * 2] = order[: len(order) // 2 * 2] ^ 1
    for k in order:
        step = x[:, k, None].astype(np.float64) * y[k].astype(np.float64) + sums
        sums = step.astype(np.float32)
    return sums


def short_numbers(rng, shape, bits):
    return (rng.integers(-(2**bits), 2**bits, shape) / 2.0 ** rng.integers(0, 9, shape)).astype(np.float32)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("columns", [1, 3, 16, 40])
@pytest.mark.parametrize("summed", [0, 1, 7, 513, 1500])
def test_one_chain(summed, columns, backend):
    rng = np.random.default_rng(7)
    x, y = short_numbers(rng, (5, summed), 9), short_numbers(rng, (summed, columns), 9)
    found = run(backend, lambda x, y: ko.matmul(x, y, accumulate="chain"), x, y)
    np.testing.assert_array_equal(found, chain(x, y))
    by_default = run(backend, ko.matmul, x, y)
    assert summed < 600 or not np.array_equal(by_default, found)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("columns", [3, 40])
def test_one_chain_of_bfloat16(columns, backend):
    rng = np.random.default_rng(8)
    x, y = (short_numbers(rng, shape, 7).astype(ml_dtypes.bfloat16) for shape in ((4, 1200), (1200, columns)))
    found = run(backend, lambda x, y: ko.matmul(x, y, dtype=ko.float32, accumulate="chain"), x, y)
    np.testing.assert_array_equal(found, chain(x, y, pairs=True))


@pytest.mark.parametrize("backend", BACKENDS)
def test_one_chain_of_terms_that_count(backend):
    rng = np.random.default_rng(9)
    x, y = short_numbers(rng, (4, 900), 9), short_numbers(rng, (900, 24), 9)
    where = rng.random(900) < 0.5
    found = run(backend, lambda x, y: ko.matmul(x, y, where=where[None, None] & np.ones((4, 1, 900), bool), accumulate="chain"), x, y)
    np.testing.assert_array_equal(found, chain(x[:, where], y[where]))


def test_one_chain_of_a_length_that_the_run_knows():
    function = ko.jit(lambda x, y: ko.matmul(x, y, accumulate="chain"), dynamic={"x": [0, 1], "y": [0]})
    rng = np.random.default_rng(10)
    for summed in (0, 3, 1100):
        x, y = short_numbers(rng, (5, summed), 9), short_numbers(rng, (summed, 32), 9)
        np.testing.assert_array_equal(np.asarray(function(x, y)), chain(x, y))


def test_the_program_says_it():
    x = np.ones((4, 4), np.float32)
    text = ko.jit(lambda x: ko.matmul(x, x, where=np.ones((4, 1, 4), bool), accumulate="chain")).lower(x).as_text()
    assert '"mk,kn,mk->mn"' in text
    assert '<"chain">' in text


WRONG = {
    "numbers": (lambda x: ko.matmul(x, x, where=np.ones((3, 3, 3))), r"argument 'where': expected booleans, but got .*\[3, 3, 3\]"),
    "another shape": (lambda x: ko.matmul(x, x, where=np.ones((3, 4), bool)), r"\[3, 3, 3\], the dims of the result and then the summed ones, but got bool\[3, 4\]"),
    "more dims": (lambda x: ko.vecdot(x, x, where=np.ones((1, 3, 3), bool)), r"\[rank-mismatch\] argument 'where'"),
    "another word": (lambda x: ko.matmul(x, x, accumulate="tree"), r"\[bad-option\] argument 'accumulate': expected 'chain', or nothing, but got 'tree'"),
    "three operands": (lambda x: ko.einsum("ij,jk,kl->il", x, x, x, where=True), r"\[bad-option\] argument 'where': expected two operands"),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_terms(what):
    wrong, words = WRONG[what]
    with pytest.raises(ko.KolamError, match=words):
        wrong(np.ones((3, 3), np.float32))


TILES = [
    ("columns of keys", "dk,kr->dr", (60, 700), (700, 100), lambda d, r, k: (r[:, None] + 20 <= k), "rk"),
    ("one block of columns", "dk,kr->dr", (64, 128), (128, 48), lambda d, r, k: (k <= r[:, None] + 30), "rk"),
    ("rows of keys", "ik,kj->ij", (100, 130), (130, 70), lambda i, j, k: (k <= i[:, None]), "ik"),
    ("rows far apart", "ik,kj->ij", (90, 600), (600, 40), lambda i, j, k: ((k - 5 * i[:, None]) ** 2 < 900), "ik"),
    ("both", "ik,kj->ij", (50, 40), (40, 50), lambda i, j, k: ((i[:, None, None] + j[:, None] + k) % 3 > 0), "ijk"),
    ("of the result alone", "ik,kj->ij", (100, 64), (64, 100), lambda i, j, k: (j <= i[:, None]), "ij"),
    ("summed alone", "ik,kj->ij", (50, 40), (40, 50), lambda i, j, k: (k % 3 == 0), "k"),
    ("of a batch", "bik,bkj->bij", (3, 50, 40), (3, 40, 50), lambda b, i, j, k: (k < 11 * b[:, None]), "bk"),
    ("none", "ik,kj->ij", (50, 40), (40, 50), lambda i, j, k: (k[None] + i[:, None] < 0), "ik"),
]


@pytest.mark.parametrize("form", ["indices", "memory"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, np.int32], ids=lambda dtype: np.dtype(dtype).name)
@pytest.mark.parametrize("case", TILES, ids=lambda case: case[0])
def test_tiles_of_terms_that_count(case, dtype, form):
    """Products large enough for tiles; what is hidden is poison, where some element of the result does not see it."""
    _, subscripts, of_x, of_y, seen, letters = case
    left, result = subscripts.split("->")
    own, other = left.split(",")
    extents = dict(zip(own + other, of_x + of_y, strict=True))
    order = result + "k"

    def mask(lib):
        where = seen(*(lib.arange(extents[letter]) for letter in order))
        return where.reshape(tuple(extents[letter] if letter in letters else 1 for letter in order))

    rng = np.random.default_rng(20)
    x, y = rng.integers(-2, 3, of_x).astype(dtype), rng.integers(-2, 3, of_y).astype(dtype)
    where = np.broadcast_to(mask(np), [extents[letter] for letter in order])
    expected = np.einsum(f"{own},{other},{order}->{result}", x.astype(np.float64), y.astype(np.float64), where.astype(np.float64))
    if np.issubdtype(dtype, np.floating):
        seen_letters = [letter for letter in order if letter in other]
        unseen = ~where.any(axis=tuple(order.index(letter) for letter in order if letter not in other))
        y[unseen.transpose([seen_letters.index(letter) for letter in other])] = np.nan
    given = [] if form == "indices" else [np.ascontiguousarray(mask(np))]

    def product(x, y, *given):
        return ko.einsum(subscripts, x, y, where=given[0] if given else mask(ko))

    found = {backend: run(backend, product, x, y, *given) for backend in BACKENDS}
    np.testing.assert_array_equal(found["cpu"].astype(np.float64), expected)
    np.testing.assert_array_equal(found["cpu"], found["interpret"])


@pytest.mark.parametrize("hides_first", [False, True])
@pytest.mark.parametrize("shape", [(100, 64, 100), (37, 20, 150), (8, 700, 49)])
def test_tiles_that_nothing_reads(shape, hides_first):
    """What is chosen of a product, where another is chosen elsewhere: NaN there does not show."""
    rows, summed, columns = shape
    rng = np.random.default_rng(21)
    x, y = rng.standard_normal((rows, summed), np.float32), rng.standard_normal((summed, columns), np.float32)
    y[:, columns // 2 :] = np.nan

    def chosen(x, y):
        i, j = ko.arange(rows)[:, None], ko.arange(columns)[None]
        scaled = ko.matmul(x, y) * 0.5
        hidden = (j > i) | (j >= columns // 2)
        return ko.exp(ko.where(hidden, -np.inf, scaled) if hides_first else ko.where(~hidden, scaled, -np.inf))

    jitted = ko.jit(chosen)
    found = np.asarray(jitted(x, y))
    i, j = np.arange(rows)[:, None], np.arange(columns)[None]
    hidden = (j > i) | (j >= columns // 2)
    assert (found[hidden] == 0).all()
    with np.errstate(invalid="ignore"):
        expected = np.exp(x.astype(np.float64) @ y * 0.5)
    np.testing.assert_allclose(found[~hidden], expected[~hidden], rtol=1e-4)  # sums of f32 in an exponent
    np.testing.assert_array_equal(found, run("interpret", chosen, x, y))
    assert "but for those that nothing reads" in jitted.explain(x, y)
