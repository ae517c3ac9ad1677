"""Products of matrices on sizes around those of tiles: native code beside the interpreter, bit by bit, and NumPy."""

import itertools

import kolam as ko
import ml_dtypes
import numpy as np
import pytest

ROWS = [1, 2, 3, 5, 8, 9, 24, 95, 96, 97, 130]
COLUMNS = [16, 17, 31, 33, 47, 48, 49, 80, 96, 97, 145, 200]
SUMMED = [4, 5, 16, 33, 64, 130]
FORMS = [
    "ij,jk->ik",
    "ij,kj->ik",
    "ji,jk->ik",
    "ij,jk->ki",
    "bij,jk->bik",
    "bij,bjk->bik",
    "ijb,bjk->bik",
    "ij,bjk->bik",
    "ij,ljk->ilk",
    "ijl,jlk->ik",
    "lij,jkl->ik",
]
DTYPES = [np.float32, np.float64, np.int32, np.int8, np.float16, ml_dtypes.bfloat16]


def random_array(rng, shape, dtype):
    if np.issubdtype(dtype, np.integer):
        return rng.integers(-100, 100, shape).astype(dtype)
    return rng.standard_normal(shape).astype(dtype)


def same_bits(x, y):
    x, y = np.asarray(x), np.asarray(y)
    return x.dtype == y.dtype and x.shape == y.shape and x.tobytes() == y.tobytes()


def check(function, arrays, dtype, reference, jit_options={}):
    native = ko.jit(function, **jit_options)(*arrays)
    interpreted = ko.jit(function, backend="interpret", **jit_options)(*arrays)
    assert same_bits(native, interpreted)
    if not jit_options:  # factors that are always the same are packed once, before the first run
        first, *others = map(ko.asarray, arrays)
        captured = ko.jit(lambda x: function(x, *others))
        assert all(same_bits(captured(first), interpreted) for _ in range(2))
        *others, last = map(ko.asarray, arrays)
        captured = ko.jit(lambda x: function(*others, x))
        assert all(same_bits(captured(last), interpreted) for _ in range(2))
    result = np.asarray(native)
    if np.issubdtype(dtype, np.integer):
        assert np.array_equal(result, reference.astype(np.int64).astype(result.dtype))
    else:
        tolerance = {2: 2e-2, 4: 2e-5, 8: 1e-12}[np.dtype(dtype).itemsize]
        scale = np.abs(reference).max(initial=1)
        assert np.abs(result.astype(np.float64) - reference).max(initial=0) <= tolerance * scale


def cases(count, seed):
    rng = np.random.default_rng(seed)
    for number in range(count):
        sizes = {"i": rng.choice(ROWS), "j": rng.choice(SUMMED), "k": rng.choice(COLUMNS), "b": 3, "l": 2}
        yield pytest.param(FORMS[number % len(FORMS)], sizes, DTYPES[rng.integers(len(DTYPES))], int(rng.integers(1 << 30)))


@pytest.mark.parametrize("form, sizes, dtype, seed", list(cases(110, 1)))
def test_forms_and_sizes(form, sizes, dtype, seed):
    rng = np.random.default_rng(seed)
    inputs = form.split("->")[0].split(",")
    x, y = (random_array(rng, [sizes[letter] for letter in letters], dtype) for letters in inputs)
    wide = np.int64 if np.issubdtype(dtype, np.integer) else np.float64
    check(lambda a, b: ko.einsum(form, a, b), (x, y), dtype, np.einsum(form, x.astype(wide), y.astype(wide)))


@pytest.mark.parametrize("rows, columns", list(itertools.product([1, 7, 97], [16, 49, 100])))
def test_factors_and_sums_that_are_computed_on_the_way(rows, columns):
    rng = np.random.default_rng(rows * 1000 + columns)
    x, y = random_array(rng, (rows, 40), np.float32), random_array(rng, (columns, 40), np.float32)
    bias, residual = random_array(rng, columns, np.float32), random_array(rng, (rows, columns), np.float32)

    def layer(x, y, bias, residual):
        return ko.maximum(ko.matmul(-x, ko.abs(y).T) + bias, 0) * 2 + residual

    reference = np.maximum(-x.astype(np.float64) @ np.abs(y).T + bias, 0) * 2 + residual
    check(layer, (x, y, bias, residual), np.float32, reference)


@pytest.mark.parametrize("rows, columns", list(itertools.product([1, 97, 400], [49, 400])))
def test_sums_that_columns_share_are_computed_once(rows, columns):
    """Tiles pack a column's elements each by itself, and would sum it again for each."""
    rng = np.random.default_rng(rows * 1000 + columns)
    x, y = random_array(rng, (rows, 64), np.float32), random_array(rng, (columns, 64), np.float32)
    unit = lambda lib, v: v / lib.sqrt(lib.sum(v * v, axis=-1, keepdims=True))
    cosines = lambda x, y: unit(ko, x) @ unit(ko, y).T
    check(cosines, (x, y), np.float32, unit(np, x.astype(np.float64)) @ unit(np, y.astype(np.float64)).T)
    if rows > 1:
        nests = ko.jit(cosines).lower(x, y).as_text("nests").splitlines()
        assert [line for line in nests if "contract" in line] and not [
            line for line in nests if "contract" in line and "reduce" in line
        ]


@pytest.mark.parametrize("rows", [1, 5, 40, 97])
def test_two_products_in_one_nest(rows):
    rng = np.random.default_rng(rows)
    x, h = random_array(rng, (rows, 33), np.float32), random_array(rng, (rows, 70), np.float32)
    w, u = random_array(rng, (33, 130), np.float32), random_array(rng, (70, 130), np.float32)
    reference = np.tanh(x.astype(np.float64) @ w + h.astype(np.float64) @ u)
    check(lambda x, h, w, u: ko.tanh(x @ w + h @ u), (x, h, w, u), np.float32, reference)


@pytest.mark.parametrize("rows", [1, 8, 130])
@pytest.mark.parametrize("name, read", {
    "columns": lambda y: y[:, :64] * 2, "rows": lambda y: y[:3] * 2, "every second": lambda y: y[::2],
    "more columns": lambda y: ko.pad(y, ((0, 0), (0, 100))), "more rows": lambda y: ko.pad(y, ((0, 200), (0, 0))),
    "joined columns": lambda y: ko.concat([y, y[:, :9]], axis=1), "joined rows": lambda y: ko.concat([y * 2, y]),
}.items())  # fmt: skip
def test_cells_read_by_results_of_another_shape(name, read, rows):
    rng = np.random.default_rng(rows)
    x, w = random_array(rng, (rows, 64), np.float32), random_array(rng, (64, 256), np.float32)
    reference = np.asarray(read(ko.asarray(x.astype(np.float64) @ w)))
    check(lambda x, w: read(x @ w), (x, w), np.float32, reference)
    check(lambda x, w: read(x @ w), (x, w), np.float32, reference, {"dynamic": {"x": {0: "n"}}})


@pytest.mark.parametrize("dtype", [np.float32, ml_dtypes.bfloat16])
@pytest.mark.parametrize("rows", [1, 97])
def test_sums_of_several_chunks(rows, dtype):
    rng = np.random.default_rng(rows)
    x, y = random_array(rng, (rows, 20000), dtype), random_array(rng, (20000, 17), dtype)
    check(lambda x, y: x @ y, (x, y), dtype, x.astype(np.float64) @ y.astype(np.float64))


@pytest.mark.parametrize("shape", [(1, 300, 40), (9, 300, 100), (97, 64, 49), (200, 33, 17), (0, 5, 20), (5, 0, 20)])
def test_sizes_of_the_call(shape):
    rows, summed, columns = shape
    rng = np.random.default_rng(sum(shape))
    x, y = random_array(rng, (rows, summed), np.float32), random_array(rng, (summed, columns), np.float32)
    reference = x.astype(np.float64) @ y.astype(np.float64)
    function = lambda x, y: x @ y
    for dynamic in ({"x": {0: "m"}}, {"x": {0: "m", 1: "k"}, "y": {0: "k"}}, {"x": {1: "k"}, "y": {0: "k", 1: "n"}}):
        check(function, (x, y), np.float32, reference, {"dynamic": dynamic})


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("columns", [5, 16, 100, 257, 400])
def test_rows_of_the_call_and_columns_that_are_packed_before(columns, dtype):
    rng = np.random.default_rng(columns)
    w, bias = random_array(rng, (64, columns), dtype), random_array(rng, columns, dtype)
    kept = ko.asarray(w)
    programs = [ko.jit(lambda x: ko.abs(x @ kept) + bias, backend=backend, dynamic={"x": {0: "n"}}) for backend in ("cpu", "interpret")]
    batches = [ko.jit(lambda x: x @ kept, backend=backend, dynamic={"x": {0: "b", 1: "n"}}) for backend in ("cpu", "interpret")]
    for rows in (0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 97):
        x = random_array(rng, (rows, 64), dtype)
        native, interpreted = (program(x) for program in programs)
        assert same_bits(native, interpreted), rows
        native, interpreted = (program(np.stack([x, x * 2, x])) for program in batches)
        assert same_bits(native, interpreted), rows


@pytest.mark.parametrize("stride, dilation, channels", list(itertools.product([1, 2], [1, 2], [3, 8])))
def test_convolutions(stride, dilation, channels):
    rng = np.random.default_rng(stride * 100 + dilation * 10 + channels)
    x = random_array(rng, (2, channels, 14, 11), np.float32)
    f = random_array(rng, (40, channels, 3, 2), np.float32)
    padded = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (1, 1), (1, 1)))
    height = (padded.shape[2] - 2 * dilation - 1) // stride + 1
    width = (padded.shape[3] - dilation - 1) // stride + 1
    reference = np.zeros((2, 40, height, width))
    for dy, dx in itertools.product(range(3), range(2)):
        window = padded[:, :, dy * dilation :: stride, dx * dilation :: stride][:, :, :height, :width]
        reference += np.einsum("nchw,oc->nohw", window, f[:, :, dy, dx].astype(np.float64))
    check(
        lambda x, f: ko.conv2d(x, f, strides=(stride, stride), padding=[(1, 1), (1, 1)], dilation=(dilation, dilation)),
        (x, f),
        np.float32,
        reference,
    )


@pytest.mark.parametrize("summed", [4, 5, 7, 64, 66, 131])
@pytest.mark.parametrize("form", ["ij,jk->ik", "ij,kj->ik", "ji,jk->ik", "ijl,jlk->ik"])
@pytest.mark.parametrize("rows, columns", [(1, 17), (9, 48), (100, 130)])
def test_groups_of_bytes_and_of_pairs(form, rows, columns, summed):
    """Extremes of int8, and every kind of bf16: denormals count as zero in sums, infinities and NaN pass on."""
    rng = np.random.default_rng(summed)
    sizes = {"i": rows, "j": summed, "k": columns, "l": 3}
    shapes = [[sizes[letter] for letter in letters] for letters in form.split("->")[0].split(",")]
    x, y = (rng.choice(np.array([-128, -127, -1, 0, 1, 127], np.int8), shape) for shape in shapes)
    check(
        lambda a, b: ko.einsum(form, a, b, dtype=np.int32),
        (x, y),
        np.int32,
        np.einsum(form, x.astype(np.int64), y.astype(np.int64)),
    )
    x, y = (rng.integers(0, 1 << 16, shape, np.uint16).view(ml_dtypes.bfloat16) for shape in shapes)
    results = [np.asarray(ko.jit(lambda a, b: ko.einsum(form, a, b), backend=backend)(x, y)) for backend in ("cpu", "interpret")]
    assert np.array_equal(np.isnan(results[0]), np.isnan(results[1]))
    known = ~np.isnan(results[0])
    assert np.array_equal(results[0][known].view(np.uint16), results[1][known].view(np.uint16))


@pytest.mark.parametrize("summed", [4, 5, 7, 64, 67])
@pytest.mark.parametrize("form", ["ij,jk->ik", "ij,kj->ik", "ji,jk->ik", "ijl,jlk->ik"])
@pytest.mark.parametrize("rows, columns", [(1, 17), (7, 48), (100, 130)])
@pytest.mark.parametrize("dtype", [np.uint8, np.int16])
def test_pairs_of_integers(form, rows, columns, summed, dtype):
    """Extremes, whose sums in pairs wrap as int32 does."""
    rng = np.random.default_rng(summed)
    sizes = {"i": rows, "j": summed, "k": columns, "l": 3}
    shapes = [[sizes[letter] for letter in letters] for letters in form.split("->")[0].split(",")]
    limits = np.iinfo(dtype)
    extremes = np.array([limits.min, limits.min + 1, 0, 1, limits.max - 1, limits.max], dtype)
    x, y = (rng.choice(extremes, shape) for shape in shapes)
    check(
        lambda a, b: ko.einsum(form, a, b, dtype=np.int32),
        (x, y),
        np.int32,
        np.einsum(form, x.astype(np.int64), y.astype(np.int64)),
    )


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16])
def test_terms_of_integers_that_take_no_part(dtype):
    rng = np.random.default_rng(0)
    x, y = random_array(rng, (30, 40), dtype), random_array(rng, (40, 50), dtype)
    where = rng.random((30, 1, 40)) < 0.5
    function = lambda x, y, where: ko.matmul(x, y, where=where, dtype=np.int32)
    meant = ko.jit(function, backend="interpret")(x, y, where)
    assert same_bits(ko.jit(function)(x, y, where), meant)
    assert np.array_equal(meant, np.einsum("ij,jk->ik", x.astype(np.int64) * where[:, 0], y.astype(np.int64)).astype(np.int32))


def test_programs_of_equal_text_pack_their_own_columns():
    rng = np.random.default_rng(0)
    x = random_array(rng, (40, 64), np.float32)
    weights = [random_array(rng, (64, 48), np.float32) for _ in range(3)]
    functions = [ko.jit(lambda x, w=w: x @ w) for w in weights]
    for _ in range(2):
        for function, w in zip(functions, weights):
            assert same_bits(function(x), ko.jit(lambda x, w: x @ w)(x, w))


def test_columns_that_are_computed_of_constants_are_packed_once():
    rng = np.random.default_rng(0)
    x, w = random_array(rng, (40, 64), np.float32), random_array(rng, (48, 64), np.float32)
    function = ko.jit(lambda x: x @ ko.tanh(w).T)
    assert "packed before" in function.explain(x)
    assert same_bits(function(x), ko.jit(lambda x: x @ ko.tanh(w).T, backend="interpret")(x))


def test_columns_are_packed_once_for_all_sizes():
    rng = np.random.default_rng(0)
    w = random_array(rng, (64, 48), np.float32)
    function = ko.jit(lambda x: x @ w, dynamic={"x": {0: "m"}})
    assert "packed before" in function.explain(random_array(rng, (8, 64), np.float32))
    for rows in (1, 100, 0, 7):
        x = random_array(rng, (rows, 64), np.float32)
        assert same_bits(function(x), ko.jit(lambda x: x @ w, backend="interpret")(x))


@pytest.mark.parametrize("rows, summed, columns", [(1, 300, 3), (40, 64, 1), (40, 100, 10), (97, 1000, 15)])
@pytest.mark.parametrize("dtype", [np.float32, np.int8, ml_dtypes.bfloat16])
def test_few_columns(rows, summed, columns, dtype):
    """Sums by lanes: columns are turned, once where they are always the same."""
    rng = np.random.default_rng(columns)
    x, y = random_array(rng, (rows, summed), dtype), random_array(rng, (summed, columns), dtype)
    wide = np.int64 if dtype == np.int8 else np.float64
    check(lambda x, y: x @ y, (x, y), dtype, x.astype(wide) @ y.astype(wide))


def test_weights_of_loops_are_prepared_in_front_of_them():
    rng = np.random.default_rng(0)
    w, few = random_array(rng, (64, 64), np.float32) / 20, random_array(rng, (64, 8), np.float32)
    inputs, start = random_array(rng, (7, 64), np.float32), np.ones((4, 64), np.float32)

    def step(state, x):
        state = ko.tanh(state @ w + x)
        return state, state @ few

    function = lambda inputs: ko.scan(step, start, inputs)
    text = ko.jit(function).explain(inputs)
    assert text.count("once nest") == 2 and "= packed columns of contract" in text
    for result, meant in zip(ko.jit(function)(inputs), ko.jit(function, backend="interpret")(inputs)):
        assert same_bits(result, meant)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8, ml_dtypes.bfloat16])
@pytest.mark.parametrize("rows", [1, 9, 100])
def test_rows_at_places_given_by_data(rows, dtype):
    """Rows by an index vector are read where they lie; places outside are moved to the nearest row."""
    rng = np.random.default_rng(rows)
    x, w = random_array(rng, (37, 64), dtype), random_array(rng, (64, 130), dtype)
    places = rng.integers(-60, 60, rows)
    wide = np.int64 if dtype == np.int8 else np.float64
    inside = np.clip(np.where(places < 0, places + 37, places), 0, 36)
    check(lambda x, places, w: x[places] @ w, (x, places, w), dtype, x[inside].astype(wide) @ w.astype(wide))
    text = ko.jit(lambda x, places, w: x[places] @ w).explain(x, places, w)
    assert "contract(b0, b1, b2)" in text and "with squeeze gather" in text


@pytest.mark.parametrize("dtype", [np.float32, np.int8, ml_dtypes.bfloat16])
@pytest.mark.parametrize("rows", [1, 8, 97])
def test_a_weight_for_each_group(rows, dtype):
    rng = np.random.default_rng(rows)
    x, w = random_array(rng, (6, rows, 40), dtype), random_array(rng, (3, 40, 50), dtype)
    groups = rng.integers(0, 3, 6)
    wide = np.int64 if dtype == np.int8 else np.float64
    reference = np.einsum("brk,bkn->brn", x.astype(wide), w[groups].astype(wide))
    check(lambda x, groups, w: x @ w[groups], (x, groups, w), dtype, reference)


GROUPED = {
    "plain": lambda x, groups, w: x @ w[groups],
    "columns along the summed dim": lambda x, groups, w: x @ ko.permute_dims(w, (0, 2, 1))[groups],
    "with what follows": lambda x, groups, w: ko.maximum(x @ w[groups] + 1, x[:, :, :1]),
    "two products": lambda x, groups, w: x @ w[groups] + x @ ko.flip(w, axis=0)[groups],
    "rows by data": lambda x, groups, w: x[groups] @ w[groups],
}


@pytest.mark.parametrize("form", GROUPED)
@pytest.mark.parametrize("dtype", DTYPES)
def test_neighbours_of_one_group_are_one_matrix(form, dtype):
    """Runs of 1, 2, 7, 8, 9, 100 and 200 rows, also across the units that threads share; sizes of the call."""
    rng = np.random.default_rng(len(form))
    lengths = [1, 2, 7, 100, 1, 1, 8, 9, 200, 2]
    all_groups = np.repeat([0, 2, 1, 0, 2, 4, 1, 3, 0, 1], lengths)
    summed, columns = (50, 40) if form == "columns along the summed dim" else (40, 150)
    w = random_array(rng, (5, columns, summed) if columns < summed else (5, summed, columns), dtype)
    sized = ko.jit(GROUPED[form], dynamic={"x": {0: "n"}, "groups": {0: "n"}})
    for count, rows in [(331, 1), (331, 3), (12, 1), (1, 1), (0, 1)]:
        x, groups = random_array(rng, (count, rows, summed), dtype), all_groups[:count]
        chosen = w[groups].astype(np.float64)
        if form == "rows by data":
            groups = groups * (count > 4)  # inside x
        meant = ko.jit(GROUPED[form], backend="interpret")(x, groups, w)
        assert same_bits(sized(x, groups, w), meant)
        assert same_bits(ko.jit(GROUPED[form])(x, groups, w), meant)
        if form == "plain":
            expected = np.einsum("brk,bkn->brn", x.astype(np.float64), chosen)
            tolerance = 2e-2 * np.abs(expected).max(initial=0)
            is_integer = np.issubdtype(dtype, np.integer)
            expected = expected.astype(np.int64).astype(dtype) if is_integer else expected
            assert np.allclose(np.asarray(meant).astype(np.float64), expected, rtol=0, atol=0 if is_integer else tolerance)


def test_what_depends_on_sizes_is_not_prepared():
    """Places counted from the end of a dim whose length differs from call to call, and columns that are made of them."""
    places, w = [-2, -1, 4], random_array(np.random.default_rng(0), (64, 48), np.float32)
    taken = ko.jit(lambda x: ko.take(x, places, axis=-1), dynamic={"x": {1: "n"}})
    product = ko.jit(lambda x: x[:, :64] @ (ko.asarray(w) * x.shape[1]), dynamic={"x": {1: "n"}})
    for size in (70, 65, 64):
        x = random_array(np.random.default_rng(size), (3, size), np.float32)
        assert same_bits(taken(x), x[:, places])
        assert same_bits(product(x), ko.jit(lambda x: x[:, :64] @ (ko.asarray(w) * x.shape[1]), backend="interpret")(x))


@pytest.mark.parametrize("rows, columns", [(8, 130), (97, 130), (100, 200)])
def test_products_of_two_dtypes_in_one_nest(rows, columns):
    """Wide sums have narrower tiles: units of all products must be whole tiles of each."""
    rng = np.random.default_rng(rows)
    x, w = random_array(rng, (rows, 40), np.float32), random_array(rng, (40, columns), np.float32)
    y, u = random_array(rng, (rows, 30), np.float64), random_array(rng, (30, columns), np.float64)
    reference = x.astype(np.float64) @ w.astype(np.float64) + y @ u
    check(lambda x, w, y, u: ko.astype(x @ w, np.float64) + y @ u, (x, w, y, u), np.float32, reference)
