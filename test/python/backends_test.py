"""Cases in which native code once differed from the interpreter, or refused what it should run."""

import numpy as np
import pytest

import kolam as ko

FLOATS = ("float16", "bfloat16", "float32", "float64")


def run(function, *arrays):
    """The result of both backends, which must agree in every bit."""
    results = [np.asarray(ko.jit(function, backend=backend)(*arrays)) for backend in ("interpret", "cpu")]
    assert results[0].tobytes() == results[1].tobytes()
    return results[1]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("elements", [[0.0, 0.0, -0.0], [0.0, -0.0], [-0.0, 0.0]])
def test_zeros_are_ordered(dtype, elements):
    column = np.asarray(ko.asarray(elements, dtype))[:, None]
    assert not np.signbit(run(lambda x: ko.max(x, axis=0), column).astype(float)).any()
    assert np.signbit(run(lambda x: ko.min(x, axis=0), column).astype(float)).all()
    assert not np.signbit(run(lambda x: ko.maximum(x[0], x[-1]), column).astype(float)).any()


@pytest.mark.parametrize("extent", [1, 2])
def test_sorted_rows_move_on(extent):
    assert run(lambda x: ko.reshape(ko.sort(x, axis=2), (-1,)), np.zeros((1, 1, extent), np.uint32)).shape == (extent,)


@pytest.mark.parametrize("function", [ko.asin, ko.sinh, ko.hypot, ko.pow, ko.sin, ko.floor_divide])
def test_library_functions_inside_loops(function):
    x = np.full((3, 4), 0.5, np.float32)
    arity = 2 if function in (ko.hypot, ko.pow, ko.floor_divide) else 1
    assert run(lambda x: ko.sum(function(*[x] * arity), axis=0), x).shape == (4,)


@pytest.mark.parametrize("combiner", ["kAdd", "kMul", "kMin", "kMax", "kUpdate", lambda a, b: a - b])
@pytest.mark.parametrize("shape", [(1, 16), (3, 16), (1, 1)])
def test_scatter_of_batches_at_constant_places(combiner, shape):
    x, updates = np.ones(shape, np.float32), np.full((shape[0], 1, 1), 3, np.float32)
    for place in (5, 0, -1, 99):
        run(lambda x, u: ko.scatter(x, u, np.full((shape[0], 1, 1), place), [0], combiner, batched_dims=1), x, updates)
    two = np.array([[[0], [0]]] * shape[0])
    run(lambda x, u: ko.scatter(x, ko.concat([u, u], axis=1), two, [0], combiner, batched_dims=1), x, updates)


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("reduce", ["ARGMAX", "ARGMIN"])
def test_places_of_coordinates(rank, reduce):
    """The elements are the same for all elements that are reduced side by side."""
    for extent in (1, 5, 40):
        x = np.zeros([extent] * rank, np.float32)
        for axis in range(rank):
            for body in (lambda e, d=axis: ko.iter_idx(d), lambda e: ko.iter_idx(0, "int64"), lambda e: ko.iter_idx(0) + e):
                for dynamic in (None, {"x": list(range(rank))}, {"x": [0]}):
                    f = lambda x: ko.zip_map_reduce(body, [x], reduce=reduce, axis=axis)
                    native, meant = (ko.jit(f, backend=b, dynamic=dynamic)(x) for b in ("cpu", "interpret"))
                    assert np.array_equal(native, meant)


@pytest.mark.parametrize("function", [lambda x: x + ko.pad(x, ((0, 1),)), lambda x: ko.broadcast_to(x, (x.shape[0] + 1,)), lambda x: ko.matmul(x, ko.pad(x, ((2, 0),)))])
def test_extents_that_are_never_equal(function):
    for length in (0, 1, 2):
        with pytest.raises(ko.KolamError, match=r"\[shape-mismatch\].*x\.0 \+ [12]"):
            ko.jit(function, dynamic={"x": [0]})(np.ones(length, np.float32))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_a_nan_is_positive(dtype):
    """The processor makes NaN with a sign, the interpreter's may have another."""

    def f(x):
        nan = x / x
        values = (nan, -nan, x + nan, nan * x, ko.minimum(nan, x), ko.maximum(x, -nan), ko.sort(-nan), ko.sqrt(x - 1.0), ko.sum(nan))
        return [ko.signbit(v) for v in values] + [ko.copysign(ko.ones_like(v), v) for v in values]

    x = np.array([0, np.nan, -np.nan, -0.0] * 9, dtype)
    for result in run_all(f, x):
        assert np.all(np.asarray(result) == (result.dtype != "bool"))


def run_all(f, *arrays):
    native, meant, now = ko.jit(f)(*arrays), ko.jit(f, backend="interpret")(*arrays), f(*map(ko.asarray, arrays))
    for x, y, z in zip(native, meant, now, strict=True):
        assert x.dtype == y.dtype == z.dtype
        for other in (y, z):
            np.testing.assert_array_equal(*(np.asarray(v).astype(np.longdouble) for v in (x, other)))
    return native


@pytest.mark.parametrize("backend", ["cpu", "interpret"])
def test_scans_of_a_negative_length(backend):
    for scan in (lambda: ko.scan(lambda c, x: (c + 1, c), ko.asarray(0.0), length=-1), lambda: ko.scan(lambda c, x: (c, x), ko.asarray(0.0), np.ones(3), length=-1)):
        with pytest.raises(ko.KolamError, match=r"\[(scan-length|shape-mismatch)\].*-1"):
            ko.jit(scan, backend=backend)()
        with pytest.raises(ko.KolamError, match=r"\[(scan-length|shape-mismatch)\].*-1"):
            scan()
    late = ko.jit(lambda x: ko.scan(lambda c, _: (c + 1, c), ko.asarray(0.0), length=x.shape[0] - 2), dynamic={"x": [0]}, backend=backend)
    assert late(np.ones(5, np.float32))[1].shape == (3,) and late(np.ones(2, np.float32))[1].shape == (0,)
    with pytest.raises(ko.KolamError, match=r"\[(scan-length|extent-negative)\].* >= 0"):
        late(np.ones(1, np.float32))


@pytest.mark.parametrize("backend", ["cpu", "interpret"])
@pytest.mark.parametrize("dtype", ["int32", "uint8", "int64", "uint64"])
def test_labels_that_are_no_class(backend, dtype):
    logits = np.random.default_rng(0).standard_normal((4, 3)).astype(np.float32)
    high = np.iinfo(dtype).max
    labels = np.array([0, 3, high, 2], dtype)
    result = np.asarray(ko.jit(ko.cross_entropy, backend=backend)(logits, labels))
    assert np.isnan(result).tolist() == [False, True, True, False]
    np.testing.assert_allclose(result[3], -np.log(np.exp(logits[3, 2]) / np.exp(logits[3]).sum()), rtol=1e-5)
    checked = ko.jit(ko.cross_entropy, backend=backend, checks=True)
    assert checked(logits, np.zeros(4, dtype)).shape == (4,)
    with pytest.raises(ko.KolamError, match=r"\[index-out-of-range\].*'labels': expected classes in \[0, 3\), but got one outside"):
        checked(logits, labels)


SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 2.5, -2.5, 1e-30, 3e4]


@pytest.mark.parametrize("exponent", [1, 2, 3, -1, 0.5, -0.5, 1.0, 2.0, 3.0, -1.0])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_powers_of_numbers(exponent, dtype):
    with np.errstate(all="ignore"):
        x = np.concatenate([SPECIAL, np.random.default_rng(0).standard_normal(200) * 4]).astype(np.asarray(ko.zeros(1, dtype)).dtype)
        (result,) = run_all(lambda x: [x**exponent], x)
        expected = np.power(x.astype("f8"), np.full(x.shape, exponent, "f8")).astype(x.dtype)
    result, expected = (v.astype("f8") for v in (np.asarray(result), expected))
    assert np.array_equal(np.signbit(result[:11]) & ~np.isnan(result[:11]), np.signbit(expected[:11]) & ~np.isnan(expected[:11]))
    np.testing.assert_allclose(result, expected, rtol={"float16": 2e-3, "bfloat16": 1e-2, "float32": 3e-7, "float64": 5e-16}[dtype], atol=1e-44)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64", "uint64"])
def test_powers_of_integers(dtype):
    x = np.arange(100).astype(dtype)
    for exponent in (1, 2, 3):
        (result,) = run_all(lambda x: [x**exponent], x)
        assert result.dtype == dtype and np.array_equal(result, x**exponent)
    (root,) = run_all(lambda x: [x**0.5], x)
    assert root.dtype == "float32"
    np.testing.assert_allclose(np.asarray(root), np.sqrt(x.astype("f4")))
    assert "pow" not in ko.jit(lambda x: x**2 + x**3).lower(x).as_text()
