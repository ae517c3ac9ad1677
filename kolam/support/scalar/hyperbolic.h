/// sinh and cosh in f32 and f64.
#pragma once

#include "kolam/support/scalar/exp.h"
#include "kolam/support/scalar/pair.h"

namespace kolam::scalar {

/// On |r| <= ln(2)/2, with z = r^2: cosh(r) = 1 + z cosh_series(z), sinh(r) = r + r z
/// sinh_series(z); in f32, which is computed in f64, cosh_series(z) and r sinh_series(z). Beyond
/// `highest` the results are infinite. Fits of scripts/fit_polynomials.
template <DType dtype> struct HyperbolicConstants;
template <> struct HyperbolicConstants<DType::f32> {
  static constexpr double highest = 89.5;
  static constexpr std::array cosh_series = {0.99999999996041844, 0.50000001066341082,
                                             0.041666220363656858, 0.0013948485597924897};
  static constexpr std::array sinh_series = {1.0000000107390767, 0.16666505272704998,
                                             0.0083691652126492433};
};
template <> struct HyperbolicConstants<DType::f64> {
  static constexpr double highest = 710.5;
  static constexpr std::array cosh_series = {0.5,
                                             0.041666666666666685,
                                             0.0013888888888873283,
                                             2.4801587349202208e-05,
                                             2.7557251819472425e-07,
                                             2.0921770046939389e-09};
  static constexpr std::array sinh_series = {0.16666666666666677, 0.0083333333333213862,
                                             0.00019841269886815649, 2.7557243451453897e-06,
                                             2.5109321634058732e-08};
};

/// With |x| = k ln 2 + r: 2^k + 2^-k and 2^k - 2^-k, a quarter of each.
template <class V> struct HyperbolicParts {
  V sum, difference, r, r_low;
};

template <DType dtype, class B, class V> auto hyperbolic_parts(B& b, V x) {
  using Exp = ExpConstants<DType::f64>;
  V magnitude = b.abs(x);
  const V highest = b.constant_like(x, HyperbolicConstants<dtype>::highest);
  magnitude = b.select(b.fgt(magnitude, highest), highest, magnitude);
  const auto k = round_product<DType::f64>(b, magnitude, 1.4426950408889634);
  const V minus_k = b.neg(k.quotient), ln2_low = b.constant_like(x, Exp::ln2_low);
  const V first = b.fma(minus_k, b.constant_like(x, Exp::ln2_high), magnitude); // exact
  const V r = b.fma(minus_k, ln2_low, first);
  const V r_low = b.fma(minus_k, ln2_low, b.sub(first, r));
  // 2^-k is nothing beside 2^k long before it is denormal.
  constexpr int64_t nothing = 80;
  const auto last = b.int_constant_like(k.integer, nothing);
  const auto least = b.select(b.slt(k.integer, last), k.integer, last);
  const V power = power_of_two<DType::f64>(b, b.isub(k.integer, b.int_constant_like(k.integer, 2)));
  const V inverse = power_of_two<DType::f64>(b, b.isub(b.int_constant_like(k.integer, -2), least));
  return HyperbolicParts<V>{b.add(power, inverse), b.sub(power, inverse), r, r_low};
}

/// 2 (even cosh(r) + odd sinh(r)), of f64 as exact as `dtype`.
template <DType dtype, class B, class V>
V hyperbolic_sum(B& b, V even, V odd, const HyperbolicParts<V>& parts) {
  using Constants = HyperbolicConstants<dtype>;
  const V r = parts.r, square = b.mul(r, r), two = b.constant_like(r, 2);
  const V cosh = polynomial(b, square, Constants::cosh_series);
  const V sinh = polynomial(b, square, Constants::sinh_series);
  if constexpr (dtype == DType::f32)
    return b.mul(b.fma(b.mul(odd, r), sinh, b.mul(even, cosh)), two);
  const auto odd_product = two_product(b, odd, r);
  const auto leading = fast_two_sum(b, even, odd_product.high);
  const V of_odd = b.fma(odd, b.fma(b.mul(r, square), sinh, parts.r_low), odd_product.low);
  const V rest = b.fma(b.mul(even, square), cosh, of_odd);
  return b.mul(b.add(leading.high, b.add(leading.low, rest)), two);
}

/// (e^x + e^-x) / 2.
template <DType dtype, class B, class V> V cosh(B& b, V x) {
  const auto compute = [&](auto wide) {
    const auto parts = hyperbolic_parts<dtype>(b, wide);
    return hyperbolic_sum<dtype>(b, parts.sum, parts.difference, parts);
  };
  if constexpr (dtype == DType::f32)
    return b.narrow(compute(b.widen(x)));
  else
    return compute(x);
}

/// (e^x - e^-x) / 2: sinh(r) near 0, and x itself where it is tiny.
template <DType dtype, class B, class V> V sinh(B& b, V x) {
  const auto compute = [&](auto wide) {
    const auto parts = hyperbolic_parts<dtype>(b, wide);
    return hyperbolic_sum<dtype>(b, parts.difference, parts.sum, parts);
  };
  if constexpr (dtype == DType::f32)
    return b.copysign(b.narrow(compute(b.widen(x))), x);
  else {
    const V tiny = b.constant_like(x, ExpConstants<dtype>::tiny);
    return b.select(b.flt(b.abs(x), tiny), x, b.copysign(compute(x), x));
  }
}

} // namespace kolam::scalar
