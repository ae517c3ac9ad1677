"""digamma and the derivatives of lgamma, beside numbers of mpmath 1.3 with 50 digits."""

import math

import ml_dtypes
import numpy as np
import pytest
from derivatives.checks import assert_same_bits

import kolam as ko

DIGAMMA = [
    (1e-300, -9.99999999999999975e299), (1e-08, -100000000.577215646), (0.1, -10.4237549404110762), (0.25, -4.22745353337626541),
    (0.5, -1.96351002602142348), (0.9, -0.754926949947051349), (1.0, -0.577215664901532861), (1.25, -0.227453533376265408),
    (1.4616321449683622, -9.24126552172942752e-17), (1.4616321449683625, 1.2245374622004069e-16), (1.5, 0.0364899739785765206),
    (2.0, 0.422784335098467139), (2.5, 0.703156640645243187), (3.0, 0.922784335098467139), (5.7, 1.6501897670785902), (9.999, 2.25164741720573531),
    (10.0, 2.25175258906672111), (10.5, 2.30300103429768638), (25.0, 3.19874251285197401), (1000.0, 6.90725519564881205),
    (1e10, 23.0258509298904568), (1e300, 690.775527898213705),
]  # fmt: skip
BELOW_ZERO = [
    (-1e-08, 99999999.4227843166), (-0.25, 2.91413912021352783), (-0.5, 0.0364899739785765206), (-0.75, -2.89412020004293207), (-1.5, 0.703156640645243187),
    (-2.25, 4.15858356465797227), (-9.7, 0.040286868521830783), (-10.5, 2.39823912953578161), (-100.25, 7.75423895920864545), (-12345.625, 8.11980724334412548),
]  # fmt: skip
TRIGAMMA = [
    (0.1, 101.433299150792748), (0.5, 4.93480220054467931), (1.0, 1.64493406684822644), (1.5, 0.934802200544679309), (2.0, 0.644934066848226436),
    (3.5, 0.330357756100234865), (7.25, 0.14787923315893217), (12.0, 0.0869018728717683908), (100.0, 0.0100501666633335714), (-0.5, 8.93480220054467931),
    (-1.25, 19.1818796476716065), (-3.75, 19.5049800605995753),
]  # fmt: skip


def columns(table):
    return tuple(np.array(column) for column in zip(*table, strict=True))


def both(f, x):
    """The same bits natively and in the interpreter."""
    native, interpreted = (np.asarray(ko.jit(f, backend=backend)(x)) for backend in ("cpu", "interpret"))
    assert_same_bits(native, interpreted, "native")
    return native


def test_few_units_above_zero():
    """Also at the root: the numbers around it are some 1e-16."""
    x, expected = columns(DIGAMMA)
    np.testing.assert_allclose(both(ko.digamma, x), expected, rtol=5 * 2.0**-53)


def test_below_zero():
    """What is left of two terms that cancel is off by their units."""
    x, expected = columns(BELOW_ZERO)
    cancelled = np.abs(math.pi / np.tan(math.pi * (x - np.round(x))))
    assert (np.abs(both(ko.digamma, x) - expected) <= 2.0**-51 * (cancelled + np.abs(expected) + 1)).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16])
def test_narrow_floats_are_rounded_once(dtype):
    x = np.array([0.25, 0.5, 1.25, 2.5, 3.0, -0.25, -2.25], dtype)
    wide = np.asarray(ko.digamma(x.astype(np.float64)))
    assert_same_bits(both(ko.digamma, x), wide.astype(dtype), "narrow")


def test_poles_and_ends():
    x = np.array([0.0, -0.0, -1.0, -7.0, -(2.0**60), np.inf, -np.inf, np.nan])
    expected = np.array([-np.inf, np.inf, np.nan, np.nan, np.nan, np.inf, np.nan, np.nan])
    np.testing.assert_array_equal(both(ko.digamma, x), expected)


def test_integers_become_float32():
    found = ko.digamma(np.array([1, 2], np.int32))
    assert found.dtype == ko.float32
    np.testing.assert_allclose(np.asarray(found), [-0.5772157, 0.4227843], rtol=1e-6)


def test_the_derivatives_of_lgamma():
    x, expected = columns(DIGAMMA[1:] + BELOW_ZERO)
    first = both(lambda x: ko.grad(lambda x: ko.sum(ko.lgamma(x)))(x), x)
    assert_same_bits(first, ko.digamma(x), "the first derivative")
    assert np.isfinite(first).all() and expected.shape == first.shape
    x, expected = columns(TRIGAMMA)
    second = both(ko.vmap(ko.grad(ko.grad(ko.lgamma))), x)
    np.testing.assert_allclose(second, expected, rtol=1e-12)
