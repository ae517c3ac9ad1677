"""Derivatives where functions have none, or formulas would be wrong: zeros, ties, infinities, NaN."""

import math

import numpy as np
import pytest

import kolam as ko

INF, NAN = math.inf, math.nan
HALF = 0.5


def slopes(function, *values, dtype=np.float64):
    """The derivative to each argument at numbers, equal in native code and interpreter."""
    gradient = ko.grad(function, argnums=tuple(range(len(values))))
    arrays = [np.asarray(value, dtype) for value in values]
    native = [float(np.asarray(g)) for g in ko.jit(gradient)(*arrays)]
    oracle = [float(np.asarray(g)) for g in ko.jit(gradient, backend="interpret")(*arrays)]
    assert same(native, oracle)
    return oracle


def same(left, right):
    return all(a == b or (math.isnan(a) and math.isnan(b)) for a, b in zip(left, right, strict=True))


PI_HALF = math.pi / 2
#: (function, arguments, derivative to each)
ROWS = {
    "abs at 0": (ko.abs, [0.0], [0]),
    "abs at -0": (ko.abs, [-0.0], [0]),
    "abs": (ko.abs, [-2.0], [-1]),
    "maximum of equals": (ko.maximum, [1.0, 1.0], [HALF, HALF]),
    "maximum": (ko.maximum, [1.0, 2.0], [0, 1]),
    "maximum of zeros": (ko.maximum, [0.0, -0.0], [HALF, HALF]),
    "maximum of NaN and a number": (ko.maximum, [NAN, 1.0], [0, 0]),
    "maximum of a number and NaN": (ko.maximum, [1.0, NAN], [0, 0]),
    "minimum of equals": (ko.minimum, [1.0, 1.0], [HALF, HALF]),
    "minimum of infinities": (ko.minimum, [INF, INF], [HALF, HALF]),
    "minimum of NaN": (ko.minimum, [NAN, 1.0], [0, 0]),
    "sqrt at 0": (ko.sqrt, [0.0], [INF]),
    "rsqrt at 4": (ko.rsqrt, [4.0], [-1 / 16]),
    "rsqrt at 0": (ko.rsqrt, [0.0], [-INF]),
    "log at 0": (ko.log, [0.0], [INF]),
    "log2 at 0": (ko.log2, [0.0], [INF]),
    "log10 at 0": (ko.log10, [0.0], [INF]),
    "log1p at -1": (ko.log1p, [-1.0], [INF]),
    "reciprocal at 0": (ko.reciprocal, [0.0], [-INF]),
    "divide by 0": (ko.divide, [1.0, 0.0], [INF, -INF]),
    "pow at (0, 0)": (ko.pow, [0.0, 0.0], [0, 0]),
    "pow at (0, 2)": (ko.pow, [0.0, 2.0], [0, 0]),
    "pow at (0, 1)": (ko.pow, [0.0, 1.0], [1, 0]),
    "pow at (3, 0)": (ko.pow, [3.0, 0.0], [0, math.log(3)]),
    "pow of a negative": (ko.pow, [-2.0, 3.0], [12, NAN]),
    "pow of a negative to a constant": (lambda x: ko.pow(x, ko.asarray(3.0, dtype=x.dtype)), [-2.0], [12]),
    "pow of a negative to the power -1": (lambda x: ko.pow(x, ko.asarray(-1.0, dtype=x.dtype)), [-2.0], [-0.25]),
    "pow of 0 to a constant": (lambda x: ko.pow(x, ko.asarray(0.0, dtype=x.dtype)), [0.0], [0]),
    "hypot at 0": (ko.hypot, [0.0, 0.0], [0, 0]),
    "atan2 at 0": (ko.atan2, [0.0, 0.0], [0, 0]),
    "atan2 far out": (ko.atan2, [1e200, 1e200], [0.5e-200, -0.5e-200]),
    "logaddexp of nothing": (ko.logaddexp, [-INF, -INF], [0, 0]),
    "logaddexp of infinity and a number": (ko.logaddexp, [INF, 1.0], [1, 0]),
    "logaddexp of a number and infinity": (ko.logaddexp, [1.0, INF], [0, 1]),
    "logaddexp of infinities": (ko.logaddexp, [INF, INF], [HALF, HALF]),
    "logaddexp of nothing and a number": (ko.logaddexp, [-INF, 1.0], [0, 1]),
    "copysign of equal signs": (ko.copysign, [-2.0, -1.0], [1, 0]),
    "copysign of other signs": (ko.copysign, [2.0, -0.0], [-1, 0]),
    "remainder": (ko.remainder, [7.0, -2.0], [1, 4]),
    "nextafter": (ko.nextafter, [1.0, 2.0], [1, 0]),
    "nextafter of equals": (ko.nextafter, [1.0, 1.0], [1, 0]),
    "floor": (lambda x: ko.floor(x) * x, [2.5], [2]),
    "comparison": (lambda x: ko.astype(x > 1, x.dtype) * x, [2.5], [1]),
    "where keeps NaN out": (lambda x: ko.where(x > 0, ko.log(x), 0.0), [-1.0], [0]),
    "where at 0": (lambda x: ko.where(x > 0, ko.log(x), 0.0), [0.0], [0]),
    "where of a root": (lambda x: ko.where(x > 0, ko.sqrt(x), x), [0.0], [1]),
    "a product with infinity": (lambda x, y: ko.where(x > 5, x * y, 0.0), [1.0, INF], [0, 0]),
    "fma": (lambda x, y: ko.where(x > 5, ko.exp(x) / y, x), [1.0, 0.0], [1, 0]),
    "erf_inv at 1": (ko.erf_inv, [1.0], [INF]),
    "erf_inv at -1": (ko.erf_inv, [-1.0], [INF]),
    "acos at 1": (ko.acos, [1.0], [-INF]),
    "acos at -1": (ko.acos, [-1.0], [-INF]),
    "asin at -1": (ko.asin, [-1.0], [INF]),
    "asin at 1": (ko.asin, [1.0], [INF]),
    "acosh at 1": (ko.acosh, [1.0], [INF]),
    "atanh at 1": (ko.atanh, [1.0], [INF]),
    "atanh at -1": (ko.atanh, [-1.0], [INF]),
    "relu at 0": (ko.relu, [0.0], [0]),
    "relu below": (ko.relu, [-1.0], [0]),
    "relu of NaN": (ko.relu, [NAN], [0]),
    "clip inside": (lambda x: ko.clip(x, -1.0, 1.0), [0.5], [1]),
    "clip at a bound": (lambda x: ko.clip(x, -1.0, 1.0), [1.0], [1]),
    "clip outside": (lambda x: ko.clip(x, -1.0, 1.0), [2.0], [0]),
    "clip to its bounds": (ko.clip, [0.5, -1.0, 1.0], [1, 0, 0]),
    "clip below": (ko.clip, [-3.0, -1.0, 1.0], [0, 1, 0]),
    "clip above": (ko.clip, [3.0, -1.0, 1.0], [0, 0, 1]),
    "clip between crossed bounds": (ko.clip, [0.0, 1.0, -1.0], [0, 0, 1]),
    "clip at its lower bound alone": (lambda x: ko.clip(x, 0.0, None), [0.0], [1]),
    "clip at its upper bound alone": (lambda x: ko.clip(x, None, 1.0), [1.0], [1]),
    "clip to one bound below": (lambda x, low: ko.clip(x, low, None), [-1.0, 0.0], [0, 1]),
    "clip to one bound above": (lambda x, high: ko.clip(x, None, high), [2.0, 1.0], [0, 1]),
    "clip within one bound": (lambda x, high: ko.clip(x, None, high), [-INF, 1.0], [1, 0]),
    "hard_tanh at its bounds": (lambda x, y: ko.hard_tanh(x) + ko.hard_tanh(y), [-1.0, 1.0], [1, 1]),
    "relu6 at its bounds": (lambda x, y: ko.relu6(x) + ko.relu6(y), [0.0, 6.0], [HALF, HALF]),
    "xlogy at 0": (ko.xlogy, [0.0, 2.0], [math.log(2), 0]),
    "xlogy of -0": (ko.xlogy, [-0.0, 0.5], [math.log(0.5), -0.0]),
    "xlogy of zeros": (ko.xlogy, [0.0, 0.0], [0, 0]),
    "xlogy at 0 of a negative": (ko.xlogy, [0.0, -1.0], [0, 0]),
    "xlogy at 0 of infinity": (ko.xlogy, [0.0, INF], [0, 0]),
    "xlog1py at 0": (ko.xlog1py, [0.0, 2.0], [math.log(3), 0]),
    "xlog1py at 0 of -1": (ko.xlog1py, [0.0, -1.0], [0, 0]),
    "sinc at 0": (ko.sinc, [0.0], [0]),
    "sinc at 0 twice": (ko.grad(ko.sinc), [0.0], [-(math.pi**2) / 3]),
    "sinc at 0 four times": (ko.grad(ko.grad(ko.grad(ko.sinc))), [0.0], [math.pi**4 / 5]),
    "sinc near 0 twice": (ko.grad(ko.sinc), [1e-9], [-(math.pi**2) / 3]),
    "sigmoid far below": (ko.sigmoid, [-1000.0], [0]),
    "sigmoid far above": (ko.sigmoid, [1000.0], [0]),
    "sigmoid at -infinity": (ko.sigmoid, [-INF], [0]),
    "silu far below": (ko.silu, [-1000.0], [0]),
    "silu far above": (ko.silu, [1000.0], [1]),
    "silu at -infinity": (ko.silu, [-INF], [0]),
    "silu at infinity": (ko.silu, [INF], [1]),
    "softplus far below": (ko.softplus, [-1000.0], [0]),
    "softplus far above": (ko.softplus, [1000.0], [1]),
    "gelu far below": (ko.gelu, [-1e30], [0]),
    "gelu far above": (ko.gelu, [1e30], [1]),
    "gelu at -infinity": (ko.gelu, [-INF], [0]),
    "gelu of tanh far below": (lambda x: ko.gelu(x, approximate="tanh"), [-1e30], [0]),
    "gelu of tanh at infinity": (lambda x: ko.gelu(x, approximate="tanh"), [INF], [1]),
    "tanh far out": (ko.tanh, [1e30], [0]),
    "square root of a square": (lambda x: ko.where(x == 0, 0.0, ko.sqrt(x * x)), [0.0], [0]),
}


@pytest.mark.parametrize("name", ROWS)
def test_numbers(name):
    function, values, expected = ROWS[name]
    found = slopes(function, *values)
    for own, other in zip(found, expected, strict=True):
        assert (math.isnan(own) and math.isnan(other)) or own == other or abs(own - other) <= 1e-15 * abs(other), (found, expected)


@pytest.mark.parametrize("name", ["sigmoid far below", "silu far below", "softplus far above", "gelu far below", "where at 0", "logaddexp of infinity and a number"])
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_numbers_of_other_dtypes(name, dtype):
    function, values, expected = ROWS[name]
    with np.errstate(over="ignore"):
        assert same(slopes(function, *values, dtype=dtype), expected)


@pytest.mark.parametrize("name", ["sigmoid far below", "silu at -infinity", "gelu at -infinity", "softplus far below", "where at 0", "abs at 0"])
def test_numbers_twice(name):
    function, values, _ = ROWS[name]
    assert slopes(ko.grad(function), *values) == [0]


def gradient(function, *arrays):
    """Both backends' gradient to the first array."""
    arrays = [np.asarray(array) for array in arrays]
    native, oracle = (np.asarray(ko.jit(ko.grad(function), backend=name)(*arrays)) for name in ("cpu", "interpret"))
    np.testing.assert_array_equal(native, oracle)
    return oracle


def test_sums_of_products_with_zeros():
    assert gradient(ko.prod, [2.0, 0.0, 5.0]).tolist() == [0, 10, 0]
    assert gradient(ko.prod, [0.0, 0.0, 5.0]).tolist() == [0, 0, 0]
    running = gradient(lambda x: ko.sum(ko.cumulative_prod(x)), [2.0, 0.0, 3.0])
    assert running.tolist() == [1, 2 + 6, 0]


def test_extremes_share_among_equals():
    assert gradient(ko.max, [1.0, 3.0, 3.0]).tolist() == [0, HALF, HALF]
    assert gradient(ko.min, [2.0, 2.0, 2.0]).tolist() == pytest.approx([1 / 3] * 3)
    assert gradient(ko.max, [1.0, NAN, 3.0]).tolist() == [0, 0, 0]
    assert gradient(ko.max, [INF, 1.0, INF]).tolist() == [HALF, 0, HALF]


def test_running_extremes_of_equals_halve_step_by_step():
    assert gradient(lambda x: ko.cumulative_max(x)[-1], [3.0, 3.0, 1.0]).tolist() == [HALF, HALF, 0]
    assert gradient(lambda x: ko.cumulative_max(x)[-1], [3.0, 3.0, 3.0]).tolist() == [0.25, 0.25, HALF]
    assert gradient(lambda x: ko.sum(ko.cumulative_min(x)), [2.0, 1.0, 1.0, 3.0]).tolist() == [1, 2, 1, 0]


@pytest.mark.parametrize(("update", "values", "expected"), [
    ("max", ([4.0], [4.0, 4.0]), ([1], [0, 0])),
    ("max", ([4.0], [5.0, 5.0]), ([0], [1, 0])),
    ("max", ([4.0], [5.0, 6.0]), ([0], [0, 1])),
    ("min", ([4.0], [4.0, 4.0]), ([1], [0, 0])),
    ("min", ([4.0], [3.0, 3.0]), ([0], [1, 0])),
    ("max", ([4.0], [NAN, 5.0]), ([0], [0, 0])),
    ("min", ([NAN], [1.0, 5.0]), ([0], [0, 0])),
])  # fmt: skip
def test_the_holder_of_an_extreme_at_places_gets_all(update, values, expected):
    def f(a, b):
        return ko.sum(getattr(a.at[np.array([0, 0])], update)(b))

    for backend in ("cpu", "interpret"):
        found = ko.jit(ko.grad(f, argnums=(0, 1)), backend=backend)(*map(np.array, values))
        assert [np.asarray(g).tolist() for g in found] == list(expected)
    if not np.isnan(np.concatenate(values)).any():  # NaN, which kMax does not spread, apart
        combiner = {"max": "kMax", "min": "kMin"}[update]
        scattered = lambda a, b: ko.sum(ko.scatter(a, b[:, None], np.array([[0], [0]]), (0,), combiner))  # noqa: E731
        assert [np.asarray(g).tolist() for g in ko.grad(scattered, argnums=(0, 1))(*map(np.array, values))] == list(expected)


@pytest.mark.parametrize("index", [0, slice(0, 1), np.array([True])])
@pytest.mark.parametrize(("x", "v", "expected"), [(4.0, 4.0, (1, 0)), (4.0, 5.0, (0, 1)), (5.0, 4.0, (1, 0)), (NAN, 4.0, (0, 0))])
def test_the_holder_of_an_extreme_at_one_place_gets_all(index, x, v, expected):
    for update, sign in (("max", 1.0), ("min", -1.0)):
        f = lambda a, b: ko.sum(getattr(a.at[index], update)(b))  # noqa: B023, E731
        first, second = ko.grad(f, argnums=(0, 1))(np.array([sign * x]), np.array(sign * v))
        assert (first.tolist(), second.item()) == ([expected[0]], expected[1])
        each = ko.vmap(f, in_axes=(None, 0))
        first, second = ko.grad(lambda a, b: ko.sum(each(a, b)), argnums=(0, 1))(np.array([sign * x]), np.full(2, sign * v))  # noqa: B023
        assert (first.tolist(), second.tolist()) == ([2 * expected[0]], [expected[1]] * 2)


@pytest.mark.parametrize("bounds", [(1, None), (None, 1), (1, 9), (-9, 1)])
def test_clip_to_bounds_of_more_dims_than_instances_have(bounds):
    """Instances of vmap stand in front of the dims of x, not beside those of its bounds."""
    place = bounds.index(1)
    limits = np.array([0.0, 1.0, 2.0])
    given = [limits if bound == 1 else bound for bound in bounds]
    for x in (np.array([0.5, 1.5]), np.array([0.5, 1.5, 1.7])):
        found = ko.grad(lambda x: ko.sum(ko.vmap(lambda x: ko.clip(x, *given))(x)))(x)
        side = x[:, None] >= limits if place == 0 else x[:, None] <= limits
        assert found.tolist() == side.sum(axis=1).tolist()
    shared = ko.grad(lambda low: ko.sum(ko.vmap(lambda low: ko.clip(limits, low, None))(low)))(np.array([0.5, 1.5]))
    assert shared.tolist() == [1, 2]


@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_gelu_of_narrow_floats_is_computed_wide(approximate):
    """The derivative in float32, rounded once: half a unit of bfloat16 at most."""
    import ml_dtypes

    x = np.linspace(-6, 6, 97).astype(ml_dtypes.bfloat16)
    f = lambda x: ko.sum(ko.gelu(x, approximate=approximate))  # noqa: E731
    found, wide = gradient(f, x), gradient(f, x.astype(np.float64))
    assert found.dtype == x.dtype
    np.testing.assert_allclose(found.astype(np.float64), wide, rtol=1.02 * 2.0**-8, atol=1e-6)


def test_rows_that_are_all_hidden():
    x = np.array([-INF, -INF])
    assert gradient(ko.logsumexp, x).tolist() == [0, 0]
    assert gradient(lambda x: ko.logsumexp(x), [0.0, -INF]).tolist() == [1, 0]
    weighted = gradient(lambda x: ko.sum(ko.softmax(x) * ko.asarray([1.0, 2.0, 3.0], dtype=ko.float64)), [0.0, -INF, 0.0])
    assert weighted.tolist() == [-HALF, 0, HALF]


def test_softmax_of_large_numbers():
    x = np.array([1000.0, 0.0, -1000.0])
    assert gradient(lambda x: ko.softmax(x)[0], x).tolist() == [0, 0, 0]
    assert gradient(lambda x: ko.log_softmax(x)[2], x).tolist() == [-1, 0, 1]


def test_standard_deviation_of_equal_numbers():
    assert gradient(ko.std, [2.0, 2.0, 2.0]).tolist() == [0, 0, 0]


def test_norms_of_equal_numbers_are_finite():
    found = gradient(lambda x: ko.sum(ko.layer_norm(x) * ko.asarray([1.0, 2.0, 3.0], dtype=ko.float64)), [1.0, 1.0, 1.0])
    np.testing.assert_allclose(found, np.array([-1, 0, 1]) / math.sqrt(1e-5), rtol=1e-9)


def test_cross_entropy_of_weighted_labels():
    x, p = np.array([[0.3, -0.2, 0.1]]), np.array([[0.5, 0.2, 0.1]])
    y = np.exp(x) / np.exp(x).sum()
    found = gradient(lambda x: ko.sum(ko.cross_entropy(x, ko.asarray(p))), x)
    np.testing.assert_allclose(found, y * p.sum() - p, rtol=1e-12)
    labels = ko.grad(lambda p: ko.sum(ko.cross_entropy(ko.asarray(x), p)))(p)
    np.testing.assert_allclose(np.asarray(labels), -np.log(y), rtol=1e-12)


def test_casts_end_at_integers():
    found = gradient(lambda x: ko.sum(ko.astype(ko.astype(x, ko.int32), ko.float64) * x), [1.5, -2.5])
    assert found.tolist() == [1, -2]
    assert gradient(lambda x: ko.sum(ko.astype(ko.astype(x, ko.float32), ko.float64) ** 2), [1.5, 2.5]).tolist() == [3, 5]


def test_duplicates_in_scatter():
    places = ko.asarray([1, 1, 0])
    rows = np.array([10.0, 20.0, 30.0])
    added = gradient(lambda u: ko.sum(ko.zeros(3, dtype=ko.float64).at[places].add(u) ** 2), rows)
    assert added.tolist() == [60, 60, 60]
    written = gradient(lambda u: ko.sum(ko.zeros(3, dtype=ko.float64).at[places].set(u) ** 2), rows)
    assert written.tolist() == [0, 40, 60]  # the last writer of a cell gets all
    kept = gradient(lambda x: ko.sum(x.at[places].set(ko.zeros(3, dtype=ko.float64)) ** 2), rows)
    assert kept.tolist() == [0, 0, 60]


def test_duplicates_in_products_and_extremes():
    places, rows = ko.asarray([1, 1, 0]), np.array([10.0, 20.0, 30.0])
    ones = ko.ones(3, dtype=ko.float64)
    assert gradient(lambda u: ko.sum(ones.at[places].multiply(u)), rows).tolist() == [20, 10, 1]
    assert gradient(lambda u: ko.sum(ones.at[places].multiply(u)), [0.0, 20.0, 30.0]).tolist() == [20, 0, 1]
    assert gradient(lambda u: ko.sum(ones.at[places].multiply(u)), [0.0, 0.0, 30.0]).tolist() == [0, 0, 1]
    assert gradient(lambda x: ko.sum(x.at[places].multiply(ko.asarray(rows))), [0.0, 1.0, 2.0]).tolist() == [30, 200, 1]
    # The holder gets all: the destination, else the first update that reached the extreme.
    extreme = lambda x, u, name: ko.sum(ko.scatter(x, u[:, None], places[:, None], (0,), name))  # noqa: E731
    assert gradient(lambda u: extreme(ones, u, "kMax"), [5.0, 5.0, 1.0]).tolist() == [1, 0, 0]
    assert gradient(lambda x: extreme(x, ko.asarray([5.0, 5.0, 1.0], dtype=ko.float64), "kMax"), [1.0, 2.0, 3.0]).tolist() == [1, 0, 1]
    assert gradient(lambda u: extreme(ones, u, "kMin"), [0.5, 0.25, NAN]).tolist() == [0, 1, 0]


def test_places_outside():
    x = np.array([1.0, 2.0, 3.0])
    taken = gradient(lambda x: ko.sum(ko.take(x, ko.asarray([0, 7, -1, -9])) * ko.asarray([1.0, 10.0, 100.0, 1000.0], dtype=ko.float64)), x)
    assert taken.tolist() == [1001, 0, 110]
    start = gradient(lambda x: ko.sum(ko.dynamic_slice(x, (ko.asarray(9),), (2,)) * ko.asarray([1.0, 10.0], dtype=ko.float64)), x)
    assert start.tolist() == [0, 1, 10]


@pytest.mark.parametrize("mode", ["clip", "fill", "wrap", "promise"])
def test_modes_of_gather(mode):
    x = np.array([1.0, 2.0, 3.0])
    places = ko.asarray([[0], [2], [2]] if mode == "promise" else [[0], [5], [-1]])
    weights = ko.asarray([[1.0], [10.0], [100.0]], dtype=ko.float64)
    found = gradient(lambda x: ko.sum(ko.gather(x, places, (0,), (1,), mode=mode) * weights), x)
    assert found.tolist() == {"clip": [101, 0, 10], "fill": [1, 0, 0], "wrap": [1, 0, 110], "promise": [1, 0, 110]}[mode]


def test_values_used_several_times_in_narrow_floats_add_up_wide():
    """One rounding at the end: 1 + 2^-9 + 2^-9 in bfloat16 would stay 1 if each sum were rounded."""
    import ml_dtypes

    x = np.asarray(1.0, ml_dtypes.bfloat16)
    tiny = ko.asarray(np.asarray(2.0**-8, ml_dtypes.bfloat16))
    found = ko.grad(lambda x: ((((x + x * tiny) + x * tiny) + x * tiny) + x * tiny))(x)
    assert float(np.asarray(found)) == 1 + 2.0**-6


@pytest.mark.parametrize("use", ["broadcast", "product", "take"])
def test_sums_of_narrow_floats_are_rounded_once(use):
    """Each use adds one half unit beside 1: rounded one by one they are lost, or doubled."""
    import ml_dtypes

    unit = np.asarray(2.0**-8, ml_dtypes.bfloat16)  # half of what lies between 1 and the next number
    weights = [np.asarray([1.0, 0.0], ml_dtypes.bfloat16)] + [np.asarray([unit, 0], ml_dtypes.bfloat16)] * 4
    uses = {
        "broadcast": lambda x, w: ko.sum(ko.broadcast_to(x, (2,)) * ko.asarray(w)),
        "product": lambda x, w: ko.matmul(ko.broadcast_to(x, (1, 1)), ko.asarray(w.reshape(1, 2)))[0, 0],
        "take": lambda x, w: ko.sum(ko.take(ko.reshape(x, (1,)), ko.asarray([0, 0])) * ko.asarray(w)),
    }
    found = ko.grad(lambda x: sum((uses[use](x, w) for w in weights), ko.zeros((), dtype=ko.bfloat16)))(np.asarray(1.0, ml_dtypes.bfloat16))
    assert float(np.asarray(found)) == 1 + 2.0**-6


def test_integers_and_empty_arrays():
    assert ko.grad(lambda t: ko.sum(t["x"]))({"x": np.ones((0, 3)), "i": np.arange(2)})["x"].shape == (0, 3)
    found = ko.grad(lambda t: ko.sum(t["x"][t["i"]]))({"x": np.ones(3), "i": np.array([1, 1])})
    assert found["i"] is None and found["x"].tolist() == [0, 2, 0]


NOT_TAKEN = {
    "log": (ko.log, 0.0), "sqrt": (ko.sqrt, -1.0), "rsqrt": (ko.rsqrt, 0.0), "power": (lambda x: x**0.5, -1.0), "quotient": (lambda x: 1 / x, 0.0),
    "cbrt": (ko.cbrt, 0.0), "sine over x": (lambda x: ko.sin(x) / x, 0.0), "x log x": (lambda x: x * ko.log(x), 0.0),
    "log of a root": (lambda x: ko.log(ko.sqrt(x)), -1.0), "acos": (lambda x: ko.acos(x + 2), 0.0),
}  # fmt: skip


@pytest.mark.parametrize("name", NOT_TAKEN)
def test_what_is_not_taken_gives_zeros_at_every_order(name):
    function, at = NOT_TAKEN[name]
    f, x, one = (lambda x: ko.where(x > at, function(x), 0.0)), np.float64(at), np.float64(1)
    directional = lambda f: lambda x: ko.jvp(f, (x,), (one,))[1]  # noqa: E731
    orders = [ko.hessian(f)] + [first(second(f)) for first in (ko.grad, directional) for second in (ko.grad, directional)]
    orders += [outer(ko.grad(ko.grad(f))) for outer in (ko.grad, directional)]
    assert [float(order(x)) for order in orders] == [0.0] * 7


def test_what_an_instance_does_not_take_gives_zeros():
    chosen = lambda x: ko.cond(x > 0, ko.log, lambda v: v * v, x)  # noqa: E731
    found = ko.hessian(lambda x: ko.sum(ko.vmap(chosen)(x)))(np.array([0.0, 1.0, -1.0]))
    assert np.asarray(found).tolist() == [[2, 0, 0], [0, -1, 0], [0, 0, 2]]


AT_ZERO = {  # derivatives of orders 1 to 6 at 0, where factors of products vanish but change
    "square of a sine": (lambda x: ko.square(ko.sin(x)), [0, 2, 0, -8, 0, 32]),
    "power of a sine": (lambda x: ko.sin(x) ** 2, [0, 2, 0, -8, 0, 32]),
    "x sin x": (lambda x: x * ko.sin(x), [0, 2, 0, -4, 0, 6]),
    "x exp x": (lambda x: x * ko.exp(x), [1, 2, 3, 4, 5, 6]),
    "square of a logarithm": (lambda x: ko.square(ko.log1p(x)), [0, 2, -6, 22, -100, 548]),
    "cube": (lambda x: x**3, [0, 0, 6, 0, 0, 0]),
    "cosine of a square": (lambda x: ko.cos(x * x), [0, 0, 0, -12, 0, 0]),
}


@pytest.mark.parametrize("name", AT_ZERO)
def test_every_order_where_a_factor_is_zero(name):
    function, expected = AT_ZERO[name]
    zero, one = np.float64(0), np.float64(1)
    directional = lambda f: lambda x: ko.jvp(f, (x,), (one,))[1]  # noqa: E731
    for ways in ([ko.grad], [directional], [ko.grad, directional], [directional, ko.grad]):
        f, found = function, []
        for order in range(6):
            f = ways[order % len(ways)](f)
            found.append(float(f(zero)))
        np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-13)


def at_places(x):
    return ko.ones(1, dtype="float64").at[np.array([0, 0])].multiply(x)[0]


HESSIANS = {  # functions that are smooth at the point, though a formula of theirs is not
    "power whose exponent is 0": (lambda v: v[0] ** v[1], [2.0, 0.0], [[0, 1 / 2], [1 / 2, math.log(2) ** 2]]),
    "power whose exponent is 1": (lambda v: v[0] ** v[1], [2.0, 1.0], [[0, math.log(2) + 1], [math.log(2) + 1, 2 * math.log(2) ** 2]]),
    "factors at one place": (at_places, [0.0, 2.0], [[0, 1], [1, 0]]),
    "two zeros at one place": (at_places, [0.0, 0.0], [[0, 1], [1, 0]]),
    "product of a segment": (lambda x: ko.segment_prod(x, ko.asarray(np.zeros(3, np.int32)), 1)[0], [0.0, 2.0, 3.0], [[0, 3, 2], [3, 0, 0], [2, 0, 0]]),
    "log_sigmoid": (lambda x: ko.log_sigmoid(x[0]), [0.0], [[-0.25]]),
    "cross entropy of a logit": (lambda x: ko.binary_cross_entropy_with_logits(x[0], np.float64(0.3)), [0.0], [[0.25]]),
    "logaddexp2": (lambda v: ko.logaddexp2(v[0], v[1]), [1.0, 1.0], [[math.log(2) / 4, -math.log(2) / 4], [-math.log(2) / 4, math.log(2) / 4]]),
    "huber": (lambda x: ko.huber_loss(x[0], np.float64(0)), [0.0], [[1]]),
    "smooth_l1": (lambda x: ko.smooth_l1_loss(x[0], np.float64(0)), [0.0], [[1]]),
    "softplus far below": (lambda x: ko.softplus(x[0]), [-800.0], [[0]]),
    "silu far below": (lambda x: ko.silu(x[0]), [-800.0], [[0]]),
    "mish far below": (lambda x: ko.mish(x[0]), [-800.0], [[0]]),
    "glu far below": (ko.glu, [1.0, -800.0], [[0, 0], [0, 0]]),
}  # fmt: skip


@pytest.mark.parametrize("name", HESSIANS)
def test_hessians_of_what_is_smooth(name):
    function, point, expected = HESSIANS[name]
    f, point = (lambda v: ko.sum(function(v))), np.array(point)
    for way in (ko.hessian, lambda f: ko.jacrev(ko.jacfwd(f)), lambda f: ko.jacrev(ko.jacrev(f)), lambda f: ko.jacfwd(ko.jacfwd(f))):
        np.testing.assert_allclose(np.asarray(way(f)(point)), expected, rtol=1e-13, atol=1e-13)
