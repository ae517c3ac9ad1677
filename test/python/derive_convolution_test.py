"""Gradients of convolutions: the order of their sums, strides, dilation and groups, lengths that only a call knows."""

import numpy as np
import pytest
from derivatives.checks import assert_near, assert_same_bits, interpreted

import kolam as ko

CASES = {
    "plain": {},
    "padded": {"padding": [(2, 1)]},
    "by steps": {"strides": 2, "padding": [(1, 2)]},
    "by steps beyond the window": {"strides": 5},
    "with gaps": {"dilation": 2, "padding": [(1, 0)]},
    "with gaps by steps": {"dilation": 2, "strides": 4, "padding": [(3, 2)]},
    "steps and gaps of no common factor": {"dilation": 3, "strides": 2},
    "groups": {"groups": 2, "padding": [(1, 1)]},
    "groups by steps": {"groups": 2, "strides": 3, "padding": [(0, 2)]},
}


def operands(groups=1, length=13, dtype=np.float32):
    """Of 32 channels: sums for 16 columns or more are chains."""
    rng = np.random.default_rng(0)
    return rng.standard_normal((1, 32, length)).astype(dtype), rng.standard_normal((8, 32 // groups, 3)).astype(dtype)


def input_gradient(v, w, length, strides=1, dilation=1, groups=1, padding=((0, 0),)):
    """One fused step after the other: over the window from its first element, then over the outputs of the group."""
    batch, outputs, places = v.shape
    channels, own = w.shape[1] * groups, outputs // groups
    found = np.zeros((batch, channels, length), np.float32)
    for n, c, x in np.ndindex(*found.shape):
        group, total = c // w.shape[1], np.float32(0)
        for k in range(w.shape[2]):
            y, rest = divmod(x + padding[0][0] - dilation * k, strides)
            if rest or not 0 <= y < places:
                continue
            for o in range(group * own, (group + 1) * own):
                total = np.float32(np.float64(total) + np.float64(v[n, o, y]) * np.float64(w[o, c % w.shape[1], k]))
        found[n, c, x] = total
    return found


@pytest.mark.parametrize("name", CASES)
def test_sums_go_over_the_window_then_over_outputs(name):
    options = CASES[name]
    x, w = operands(options.get("groups", 1))
    y = np.asarray(ko.conv(x, w, **options))
    v = np.random.default_rng(1).standard_normal(y.shape).astype(np.float32)
    gradient = lambda x, w: ko.vjp(lambda x: ko.conv(x, w, **options), x)[1](ko.asarray(v))[0]  # noqa: E731
    found = ko.jit(gradient)(x, w)
    assert_same_bits(found, input_gradient(v, w, x.shape[2], **options), name)
    assert_same_bits(interpreted(gradient)(x, w), found, name)


@pytest.mark.parametrize("name", CASES)
def test_lengths_that_only_a_call_knows(name):
    options = CASES[name]

    def gradient(x, w):
        return ko.grad(lambda x, w: ko.sum(ko.sin(ko.conv(x, w, **options))), argnums=(0, 1))(x, w)

    native = ko.jit(gradient, dynamic={"x": [2]})
    for length in (13, 9, 20, 7):
        x, w = operands(options.get("groups", 1), length, np.float64)
        for own, other in zip(native(x, w), gradient(x, w), strict=True):
            assert_near(own, other, f"{name}, {length}", 1e-13)
    assert native.cache_size == 1


def test_differences_in_two_dims():
    rng = np.random.default_rng(2)
    x, w = rng.standard_normal((1, 2, 7, 6)), rng.standard_normal((4, 2, 3, 2))
    loss = lambda x, w: ko.sum(ko.sin(ko.conv(x, w, strides=(2, 3), dilation=(1, 2), padding=[(1, 0), (2, 1)])))  # noqa: E731
    ko.check_grads(loss, (x, w), order=2)


def test_windows_that_only_a_call_knows_are_refused():
    x, w = operands()
    with pytest.raises(ko.KolamError, match=r"\[not-differentiable\] conv.*: expected windows whose extents are numbers"):
        ko.jit(lambda x, w: ko.grad(lambda x: ko.sum(ko.conv(x, w)))(x), dynamic={"w": [2]})(x, w)
