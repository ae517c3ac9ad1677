/// cbrt and hypot in f32 and f64.
#pragma once

#include "kolam/support/scalar/log.h"

namespace kolam::scalar {

/// m^(-1/3) for m in [sqrt(1/2), sqrt(2)], 2^-17 off: a fit of scripts/fit_polynomials.
inline constexpr std::array kInverseCubeRoot = {1.99916708,  -2.48589158, 2.792135,
                                                -1.89803958, 0.700685203, -0.108052284};

/// The cube root, of x's sign: with x = 2^3n m, |m| < 3, from q near m^(-1/3) one step of Newton's
/// method for y = m q^2, whose residual m - y^3 is taken to twice the working precision.
template <DType dtype, class B, class V> V cbrt(B& b, V x) {
  constexpr int mantissa_bits = FloatLayout<dtype>::mantissa_bits;
  const V magnitude = b.abs(x);
  const auto [exponent, fraction] = log_argument<dtype>(b, magnitude);
  const auto third = round_product<dtype>(b, exponent, 1.0 / 3);
  const V left = b.fma(third.quotient, b.constant_like(x, -3), exponent); // -1, 0 or 1
  const V zero = b.constant_like(x, 0), one = b.constant_like(x, 1);
  const auto is_above = b.fgt(left, zero), is_below = b.flt(left, zero);
  const auto of_three = [&](double below, double same, double above) {
    return b.select(is_below, b.constant_like(x, below),
                    b.select(is_above, b.constant_like(x, above), b.constant_like(x, same)));
  };
  const V unscaled = b.add(fraction, one);
  const V m = b.mul(unscaled, of_three(0.5, 1, 2));
  V q = b.mul(polynomial(b, unscaled, kInverseCubeRoot),
              of_three(1.2599210498948732, 1, 0.79370052598409974));
  if constexpr (dtype == DType::f64) { // a step of Newton's method for q
    const V cube = b.mul(b.mul(q, q), q);
    const V error = b.fma(b.neg(m), cube, one);
    q = b.fma(b.mul(q, error), b.constant_like(x, 1.0 / 3), q);
  }
  const V q_square = b.mul(q, q);
  const V y = b.mul(m, q_square);
  const V square = b.mul(y, y), minus_y = b.neg(y);
  const V square_error = b.fma(y, y, b.neg(square));
  const V residual = b.fma(square_error, minus_y, b.fma(square, minus_y, m));
  const V root = b.fma(b.mul(q_square, b.constant_like(x, 1.0 / 3)), residual, y);
  const auto bits =
      b.iadd(b.bits(root), b.shl(third.integer, b.int_constant_like(third.integer, mantissa_bits)));
  // Zeros, infinities and NaN are their own.
  const auto is_normal =
      b.and_(b.fgt(magnitude, zero),
             b.flt(magnitude, b.constant_like(x, std::numeric_limits<double>::infinity())));
  return b.copysign(b.select(is_normal, b.template from_bits<dtype>(bits), x), x);
}

/// sqrt(x^2 + y^2) without overflow; infinite where either is, even beside NaN.
template <DType dtype, class B, class V> V hypot(B& b, V x, V y) {
  constexpr double large = dtype == DType::f32 ? 0x1p62 : 0x1p510,
                   unit = dtype == DType::f32 ? 0x1p110 : 0x1p700;
  const V width = b.abs(x), height = b.abs(y);
  const auto is_steep = b.fgt(height, width);
  const V larger = b.select(is_steep, height, width), smaller = b.select(is_steep, width, height);
  const auto is_large = b.fgt(larger, b.constant_like(x, large)),
             is_small = b.flt(larger, b.constant_like(x, 1 / large));
  const auto of_three = [&](double below, double same, double above) {
    return b.select(is_small, b.constant_like(x, below),
                    b.select(is_large, b.constant_like(x, above), b.constant_like(x, same)));
  };
  const V scale = of_three(unit, 1, 1 / unit);
  const V p = b.mul(larger, scale), q = b.mul(smaller, scale);
  // p^2 + q^2 where q is small, else 2 p q + (p - q)^2, whose difference is exact.
  const V twice = b.add(p, p), difference = b.sub(p, q);
  const auto is_near = b.fle(p, b.add(q, q));
  const V rest = b.select(is_near, difference, q);
  const V square = b.fma(b.select(is_near, twice, p), b.select(is_near, q, p), b.mul(rest, rest));
  const V root = b.mul(b.sqrt(square), of_three(1 / unit, 1, unit));
  const V infinity = b.constant_like(x, std::numeric_limits<double>::infinity());
  const auto is_infinite = b.or_(b.feq(width, infinity), b.feq(height, infinity));
  return b.select(is_infinite, infinity, root);
}

} // namespace kolam::scalar
