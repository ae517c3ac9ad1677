"""Sums of few components compute what these have in common once: beside loops in NumPy, with the interpreter's bits, in one nest."""

import numpy as np
import pytest
from random_edges.values import specials
from same_bits import require_same_bits

import kolam as ko


def forces_in_front(x, m):
    """Of bodies [3, n]."""
    apart = x[:, None, :] - x[:, :, None]
    r2 = ko.sum(apart * apart, axis=0) + 0.25
    return ko.sum(apart * (m / (r2 * ko.sqrt(r2))), axis=2)


def forces_behind(x, m):
    """Of bodies [n, 3]."""
    apart = x[None, :, :] - x[:, None, :]
    r2 = ko.sum(apart * apart, axis=-1) + 0.25
    return ko.sum(apart * (m / (r2 * ko.sqrt(r2)))[:, :, None], axis=1)


def by_numpy(x, m):
    """Of bodies [n, d]."""
    f = np.zeros_like(x)
    for i in range(len(x)):
        apart = x - x[i]
        r2 = (apart * apart).sum(1) + x.dtype.type(0.25)
        f[i] = (apart * (m / (r2 * np.sqrt(r2)))[:, None]).sum(0)
    return f


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("components", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("n", [1, 15, 16, 33, 100])
def test_forces(components, n, dtype, seed):
    rng = np.random.default_rng(seed)
    x, m = rng.standard_normal((n, components)).astype(dtype), rng.random(n).astype(dtype)
    expected, tolerance = by_numpy(x, m), 1e-4 if dtype == np.float32 else 1e-10
    (behind,) = require_same_bits(forces_behind, x, m)
    (in_front,) = require_same_bits(forces_in_front, np.ascontiguousarray(x.T), m)
    np.testing.assert_allclose(behind, expected, rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(in_front.T, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("f", [forces_in_front, forces_behind])
def test_nothing_is_stored(f):
    x, m = np.zeros((3, 256) if f is forces_in_front else (256, 3), np.float32), np.zeros(256, np.float32)
    text = ko.jit(f).lower(x, m).as_text("nests")
    assert "arena: 0 bytes" in text and "nest1" not in text


@pytest.mark.parametrize("f", [forces_in_front, forces_behind])
def test_special_values(f):
    x = np.resize(specials(np.float32), (3, 67) if f is forces_in_front else (67, 3))
    require_same_bits(f, x, np.resize(specials(np.float32)[::-1], 67))


def test_extremes_products_and_several_dims(seed):
    rng = np.random.default_rng(seed)
    x, w = rng.standard_normal((3, 5, 40)).astype(np.float32), rng.standard_normal((5, 40)).astype(np.float32)
    for combine in (ko.max, ko.min, ko.prod, ko.sum):
        shared = lambda w: ko.exp(ko.sin(w) * w + 1) / (1 + w * w)
        require_same_bits(lambda x, w: combine(x * shared(w), axis=2), x, w)
        require_same_bits(lambda x, w: combine(x * shared(w), axis=(1, 2)), x, w)
        require_same_bits(lambda x, w: combine(x.transpose((1, 2, 0)) * shared(w)[:, :, None], axis=1), x, w)
        require_same_bits(lambda x, w: combine((x * shared(w)).astype(ko.float16), axis=2), x, w)
