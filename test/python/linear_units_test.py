"""Linear units, losses and elementwise formulas beside their equations in NumPy."""

import math

import numpy as np
import pytest

import kolam as ko

BACKENDS = ["cpu", "interpret"]
X = np.array([-np.inf, -1e30, -100, -7.5, -3, -1, -0.5, -1e-8, -0.0, 0, 1e-8, 0.5, 1, 2.5, 3, 6, 7, 100, 1e30, np.inf, np.nan], np.float64)


def sigmoid(x):
    return np.where(x >= 0, 1 / (1 + np.exp(-np.abs(x))), np.exp(-np.abs(x)) / (1 + np.exp(-np.abs(x))))


def elu(x, alpha=1.0):
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


def relu6(x):
    return np.minimum(np.maximum(x, 0), 6)


UNITS = {
    "elu": elu, "selu": lambda x: 1.0507009873554805 * elu(x, 1.6732632423543772), "celu": elu,
    "leaky_relu": lambda x: np.where(x >= 0, x, 0.01 * x), "relu6": relu6, "hard_tanh": lambda x: np.clip(x, -1, 1),
    "hard_sigmoid": lambda x: relu6(x + 3) / 6, "hard_silu": lambda x: x * (relu6(x + 3) / 6),
    "hard_swish": lambda x: x * (relu6(x + 3) / 6), "mish": lambda x: x * np.tanh(np.logaddexp(x, 0)),
    "soft_sign": lambda x: x / (1 + np.abs(x)), "log_sigmoid": lambda x: -np.logaddexp(-x, 0),
    "squareplus": lambda x: (x + np.sqrt(x * x + 4)) / 2, "hard_shrink": lambda x: np.where(np.abs(x) <= 0.5, 0, x),
    "soft_shrink": lambda x: np.where(np.abs(x) <= 0.5, 0, x - np.copysign(0.5, x)),
    "tanh_shrink": lambda x: x - np.tanh(x), "sinc": np.sinc, "deg2rad": np.deg2rad, "rad2deg": np.rad2deg,
    "logit": lambda x: np.log(x) - np.log1p(-x), "cbrt": np.cbrt, "erfc": np.vectorize(math.erfc),
}  # fmt: skip


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", UNITS)
def test_units(name, backend):
    with np.errstate(all="ignore"):
        expected = UNITS[name](X)
    f = ko.jit(lambda x: getattr(ko, name)(x), backend=backend)
    # What cancels or overflows in f32 is apart: the squares of squareplus, x - tanh(x), large angles of sinc.
    kept = np.abs(X) < (20 if name in ("squareplus", "sinc") else np.inf)
    kept &= ~((name == "tanh_shrink") & (np.abs(X) < 1e-3))
    kept |= np.isnan(X)
    for dtype, rtol in (("float32", 3e-6), ("float64", 1e-13)):
        with np.errstate(all="ignore"):
            x = X.astype(dtype)
        result = np.asarray(f(x))
        assert result.dtype == dtype
        np.testing.assert_allclose(result[kept], expected[kept].astype(dtype), rtol=rtol, atol=rtol / 10)


def test_dtypes_of_units():
    for name in UNITS:
        assert getattr(ko, name)(ko.asarray([1, 2])).dtype == ko.float32
        for dtype in ("float16", "bfloat16"):
            half = ko.asarray([0.25, 0.5], dtype)
            wide = getattr(ko, name)(half.astype("float32")).astype(dtype)
            assert getattr(ko, name)(half).dtype == wide.dtype
            assert getattr(ko, name)(half).tolist() == wide.tolist()
        assert getattr(ko, name)(ko.zeros((0, 3))).shape == (0, 3)


def test_parameters_of_units():
    x = ko.asarray([-2.0, 0.25, 3.0])
    assert ko.elu(x, 2.0).tolist()[1:] == [0.25, 3.0]
    np.testing.assert_allclose(ko.celu(x, 0.5).tolist()[0], 0.5 * np.expm1(-4), rtol=1e-6)
    assert ko.leaky_relu(x, 0.5).tolist() == [-1, 0.25, 3]
    assert ko.hard_tanh(x, 0, 2).tolist() == [0, 0.25, 2]
    assert ko.threshold(x, 0.25, -9).tolist() == [-9, -9, 3]
    assert ko.prelu(x, 0.5).tolist() == [-1, 0.25, 3]
    assert ko.prelu(ko.full((1, 2, 2), -1.0), ko.asarray([2.0, 3.0])).tolist() == [[[-2, -2], [-3, -3]]]
    with pytest.raises(ValueError):
        ko.prelu(ko.zeros((2, 3)), ko.zeros(2))
    np.testing.assert_allclose(ko.glu(ko.asarray([[1.0, 2.0], [0.0, 3.0]]), 0).tolist(), [[0.5, 2 * sigmoid(3.0)]], rtol=1e-6)
    with pytest.raises(ValueError, match="divisor"):
        ko.glu(ko.zeros(3))


def test_formulas_of_two():
    x, y = np.array([0.0, 0.0, 2.0, 0.0, -1.0]), np.array([0.0, np.nan, 3.0, -1.0, 1.0])
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(ko.xlogy(x, y), [0, np.nan, 2 * np.log(3), 0, 0])
        np.testing.assert_allclose(ko.xlog1py(x, y), [0, np.nan, 2 * np.log(4), 0, -np.log(2)])
        a, b = np.array([1.0, 1000, -np.inf, np.inf, -2]), np.array([2.0, 1000, -np.inf, -np.inf, 5])
        np.testing.assert_allclose(ko.logaddexp2(a, b), np.logaddexp2(a, b))
        z = np.array([-1.0, 0, 2, np.nan, -np.inf])
        np.testing.assert_array_equal(ko.heaviside(z, 0.25), np.heaviside(z, 0.25))
    for n, m in ((7, 3), (-7, 3), (7, -3), (5, 0), (-128, -1)):
        assert ko.fmod(ko.asarray([n], "int8"), ko.asarray([m], "int8")).tolist() == [math.fmod(n, m) if m else 0]
    assert ko.fmod(ko.asarray([-7.5]), 2.0).tolist() == [-1.5]
    for dtype in ("int8", "uint16", "int32", "uint64", "int64"):
        info = np.iinfo(dtype)
        numbers = np.array([0, 1, 7, info.max, info.min, info.max // 3], dtype)
        np.testing.assert_array_equal(ko.bitwise_count(numbers), [bin(abs(int(n))).count("1") for n in numbers])


LOSSES = {
    "mse_loss": lambda x, y: (x - y) ** 2, "l1_loss": lambda x, y: np.abs(x - y),
    "huber_loss": lambda x, y: np.where(np.abs(x - y) <= 1, 0.5 * (x - y) ** 2, np.abs(x - y) - 0.5),
    "smooth_l1_loss": lambda x, y: np.where(np.abs(x - y) < 1, 0.5 * (x - y) ** 2, np.abs(x - y) - 0.5),
    "binary_cross_entropy_with_logits": lambda x, y: np.logaddexp(0, x) - x * y,
    "kl_div": lambda x, y: np.where(y > 0, y * (np.log(np.maximum(y, 1e-300)) - x), -y * x),
    "hinge_loss": lambda x, y: np.maximum(0, 1 - x * y),
}  # fmt: skip


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", LOSSES)
def test_losses(name, backend, seed):
    rng = np.random.default_rng(seed)
    x, y = rng.standard_normal((4, 5)).astype(np.float32), rng.random((4, 5)).astype(np.float32)
    y[0, 0] = 0
    expected = LOSSES[name](x.astype(np.float64), y.astype(np.float64))
    for reduction, reduced in (("none", expected), ("sum", expected.sum()), ("mean", expected.mean())):
        f = ko.jit(lambda x, y: getattr(ko, name)(x, y, reduction=reduction), backend=backend)
        np.testing.assert_allclose(np.asarray(f(x, y)), reduced, rtol=2e-5, atol=1e-6)
    with pytest.raises(ValueError, match="'none', 'mean', 'sum'"):
        getattr(ko, name)(x, y, reduction="max")


def test_other_losses():
    p, y = np.array([0.0, 1.0, 0.25]), np.array([1.0, 1.0, 0.5])
    expected = [100, 0, -0.5 * np.log(0.25) - 0.5 * np.log(0.75)]
    np.testing.assert_allclose(ko.binary_cross_entropy(p, y, "none"), expected, atol=1e-7)
    x = np.array([-200.0, 0.5, 200.0])
    weighted = ko.binary_cross_entropy_with_logits(x, y, 3.0, "none")
    np.testing.assert_allclose(weighted, 3 * y * np.logaddexp(0, -x) + (1 - y) * np.logaddexp(0, x), rtol=1e-6)
    np.testing.assert_allclose(ko.kl_div(np.log([0.5, 0.5]), [[0.25, 0.75]], reduction="batchmean").item(),
                               0.25 * np.log(0.5) + 0.75 * np.log(1.5), rtol=1e-6)  # fmt: skip
    assert ko.kl_div(np.zeros(2), np.zeros(2), log_target=True).item() == 0
    assert ko.huber_loss(np.zeros(1), np.array([3.0]), 2.0).item() == 4
    assert ko.smooth_l1_loss(np.zeros(1), np.array([3.0]), 0.0).item() == 3
    logs = np.log(np.array([[0.1, 0.9], [0.5, 0.5]]))
    np.testing.assert_allclose(ko.nll_loss(logs, np.array([1, 0]), reduction="none"), [-np.log(0.9), -np.log(0.5)])
    assert np.isnan(ko.nll_loss(logs, np.array([1, 2])).item())
    assert ko.nll_loss(np.zeros((2, 3, 4)), np.zeros((2, 4), int), 1, "none").shape == (2, 4)
    with pytest.raises(ValueError, match="without its axis"):
        ko.nll_loss(logs, np.zeros((2, 2), int))
    a, b = np.array([[3.0, 4.0], [0.0, 0.0]]), np.array([[4.0, -3.0], [1.0, 1.0]])
    np.testing.assert_allclose(ko.cosine_similarity(a, b), [0, 0])
    np.testing.assert_allclose(ko.cosine_similarity(a, a, 0), [1, 1])
