"""Functions of NumPy's main module give what they give in NumPy."""

import numpy as np
import pytest

import kolam as ko

RNG = np.random.default_rng(3)
F = RNG.normal(size=(4, 5)).astype(np.float32)
V = RNG.normal(size=7).astype(np.float32)
W = RNG.normal(size=4).astype(np.float32)
I = RNG.integers(-9, 9, (4, 5)).astype(np.int32)

CALLS = {
    "allclose": lambda m: m.allclose(F, F), "isclose": lambda m: m.isclose(F, F + 1e-6), "array_equal": lambda m: m.array_equal(F, I),
    "isclose nan": lambda m: m.isclose(m.asarray([np.nan, np.inf, 1]), m.asarray([np.nan, np.inf, -np.inf]), equal_nan=True),
    "bartlett": lambda m: m.bartlett(9), "blackman": lambda m: m.blackman(9), "hamming": lambda m: m.hamming(8),
    "hanning": lambda m: m.hanning(8), "hanning of one": lambda m: m.hanning(1), "hanning of none": lambda m: m.hanning(0),
    "convolve": lambda m: m.convolve(V, W), "convolve same": lambda m: m.convolve(V, W, "same"),
    "convolve same odd": lambda m: m.convolve(V, W[:3], "same"), "convolve valid": lambda m: m.convolve(W, V, "valid"),
    "convolve same exchanged": lambda m: m.convolve(W, V, "same"), "correlate": lambda m: m.correlate(V, W),
    "correlate full": lambda m: m.correlate(V, W, "full"), "correlate same": lambda m: m.correlate(V, W, "same"),
    "correlate exchanged": lambda m: m.correlate(W, V, "full"), "correlate same exchanged": lambda m: m.correlate(W, V, "same"),
    "cross": lambda m: m.cross(F[:, :3], F[:, 2:]), "cross along": lambda m: m.cross(F[:3], F[1:], axis=0),
    "divmod": lambda m: m.divmod(I, 4)[1], "gradient": lambda m: m.gradient(V), "gradient of all": lambda m: m.gradient(F)[0],
    "gradient along": lambda m: m.gradient(F, 0.5, axis=1), "kron": lambda m: m.kron(F, I[:2, :2]), "kron ranks": lambda m: m.kron(V, F),
    "polyval": lambda m: m.polyval(W, V), "ravel": lambda m: m.ravel(F), "rot90": lambda m: m.rot90(F), "rot180": lambda m: m.rot90(F, 2),
    "rot270": lambda m: m.rot90(F, -1), "swapaxes": lambda m: m.swapaxes(F, 0, -1),
    "trapezoid": lambda m: m.trapezoid(F), "trapezoid dx": lambda m: m.trapezoid(F, dx=0.5, axis=0), "tri": lambda m: m.tri(3, 5, 1),
    "unravel": lambda m: m.unravel_index(m.asarray([3, 19, 0]), (4, 5))[1], "vander": lambda m: m.vander(V, 4),
    "vander increasing": lambda m: m.vander(V, increasing=True), "size": lambda m: m.asarray(m.size(F, 1)),
    "ndim": lambda m: m.asarray(m.ndim(F)), "shape": lambda m: m.asarray(m.shape(F)),
}  # fmt: skip


@pytest.mark.parametrize("case", CALLS)
def test_like_numpy(case):
    call = CALLS[case]
    with np.errstate(invalid="ignore"):
        expected = np.asarray(call(np))
    result = np.asarray(call(ko))
    assert result.shape == expected.shape
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name, call", [
    ("convolve", lambda x: ko.convolve(x, [1.0, 2.0])), ("gradient", lambda x: ko.gradient(x)), ("vander", lambda x: ko.vander(x, 3)),
    ("trapezoid", lambda x: ko.trapezoid(x)), ("polyval", lambda x: ko.polyval(x, x)), ("kron", lambda x: ko.kron(x, x)),
])  # fmt: skip
def test_under_jit(name, call):
    np.testing.assert_allclose(np.asarray(ko.jit(call)(V)), np.asarray(call(ko.asarray(V))), rtol=1e-6)


@pytest.mark.parametrize("call, words", [
    (lambda: ko.convolve(F, V), "convolve: \\[rank-mismatch\\] argument 'x': expected rank 1, but got shape \\[4, 5\\]"),
    (lambda: ko.convolve(V, V[:0]), "convolve: \\[empty-dim\\]"), (lambda: ko.convolve(V, W, "some"), "bad-option"),
    (lambda: ko.cross(F, F), "expected 3 elements along axis -1, but got 5"), (lambda: ko.gradient(V[:1]), "empty-dim"),
    (lambda: ko.rot90(V), "rank-mismatch"), (lambda: ko.rot90(F, 1, (0, 0)), "duplicate-axis"),
    (lambda: ko.swapaxes(F, 0, 2), "axis-out-of-range"), (lambda: ko.hanning(2.5), "argument-type"),
])  # fmt: skip
def test_errors(call, words):
    with pytest.raises(ko.KolamError, match=words) as info:
        call()
    assert info.value.where[0] == __file__


def test_a_label_outside_fails_where_bounds_are_checked():
    loss = ko.jit(lambda x, labels: ko.nll_loss(x, labels), checks=True)
    assert loss(np.zeros((2, 3), np.float32), np.array([0, 2])).item() == 0
    with pytest.raises(IndexError, match=r"nll_loss: argument 'labels': expected classes in \[0, 3\)"):
        loss(np.zeros((2, 3), np.float32), np.array([0, 7]))
