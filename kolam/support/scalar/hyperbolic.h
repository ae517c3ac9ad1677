/// sinh and cosh in f32 and f64.
#pragma once

#include "kolam/support/scalar/exp.h"
#include "kolam/support/scalar/pair.h"

namespace kolam::scalar {

/// On |r| <= ln(2)/2, with z = r^2: cosh(r) = 1 + z cosh_series(z), sinh(r) = r + r z
/// sinh_series(z). Beyond `highest` the results are infinite. Fits of scripts/fit_polynomials.
template <DType dtype> struct HyperbolicConstants;
template <> struct HyperbolicConstants<DType::f32> {
  static constexpr double highest = 89.5;
  static constexpr std::array cosh_series = {0.5, 0.0416664593, 0.00139354379};
  static constexpr std::array sinh_series = {0.16666542, 0.00836671796};
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

/// |x| = k ln 2 + r + r_low, a quarter of 2^k and 2^-k, cosh(r) - 1 and sinh(r) - r.
template <class V> struct HyperbolicParts {
  V r, r_low, power, inverse, cosh_rest, sinh_rest;
};

template <DType dtype, class B, class V> auto hyperbolic_parts(B& b, V x) {
  using Constants = HyperbolicConstants<dtype>;
  using Exp = ExpConstants<dtype>;
  const V magnitude = b.abs(x), highest = b.constant_like(x, Constants::highest);
  const V limited = b.select(b.fgt(magnitude, highest), highest, magnitude);
  const auto k = round_product<dtype>(b, limited, 1.4426950408889634);
  const V minus_k = b.neg(k.quotient), ln2_low = b.constant_like(x, Exp::ln2_low);
  const V first = b.fma(minus_k, b.constant_like(x, Exp::ln2_high), limited); // exact
  const V r = b.fma(minus_k, ln2_low, first), square = b.mul(r, r);
  const V r_low = b.fma(minus_k, ln2_low, b.sub(first, r));
  const V cosh_rest = b.mul(square, polynomial(b, square, Constants::cosh_series));
  const V sinh_rest = b.mul(b.mul(r, square), polynomial(b, square, Constants::sinh_series));
  const auto minus_two = b.int_constant_like(k.integer, -2);
  // 2^-k is nothing beside 2^k long before it is denormal.
  const auto last = b.int_constant_like(k.integer, 80);
  const auto least = b.select(b.slt(k.integer, last), k.integer, last);
  const V power = power_of_two<dtype>(b, b.iadd(k.integer, minus_two));
  const V inverse = power_of_two<dtype>(b, b.isub(minus_two, least));
  return HyperbolicParts<V>{r, r_low, power, inverse, cosh_rest, sinh_rest};
}

/// (e^x + e^-x) / 2: 2^k e^r + 2^-k e^-r, of which 2^k (1 + r) is an exact sum.
template <DType dtype, class B, class V> V cosh(B& b, V x) {
  const auto parts = hyperbolic_parts<dtype>(b, x);
  const auto leading = fast_two_sum(b, parts.power, b.mul(parts.power, parts.r));
  const V falling =
      b.add(b.sub(b.constant_like(x, 1), parts.r), b.sub(parts.cosh_rest, parts.sinh_rest)); // e^-r
  const V rising = b.add(parts.cosh_rest, parts.sinh_rest); // e^r - 1 - r
  const V rest = b.fma(parts.inverse, falling, b.fma(parts.power, rising, leading.low));
  return b.mul(b.add(leading.high, rest), b.constant_like(x, 2));
}

/// (e^x - e^-x) / 2: (2^k - 2^-k) cosh(r) + (2^k + 2^-k) sinh(r), which is sinh(r) itself near 0; x
/// where it is tiny.
template <DType dtype, class B, class V> V sinh(B& b, V x) {
  const auto parts = hyperbolic_parts<dtype>(b, x);
  const V even = b.sub(parts.power, parts.inverse), odd = b.add(parts.power, parts.inverse);
  const auto linear = two_product(b, odd, parts.r);
  const auto leading = fast_two_sum(b, even, linear.high);
  V low = b.add(linear.low, leading.low);
  if constexpr (dtype == DType::f32) { // what the sum and the difference lose
    const V even_low = b.sub(b.sub(parts.power, even), parts.inverse);
    const V odd_low = b.add(b.sub(parts.power, odd), parts.inverse);
    low = b.add(low, b.fma(odd_low, parts.r, even_low));
  }
  const V of_sinh = b.fma(odd, b.add(parts.sinh_rest, parts.r_low), low);
  const V rest = b.fma(even, parts.cosh_rest, of_sinh);
  const V result = b.mul(b.add(leading.high, rest), b.constant_like(x, 2));
  const V tiny = b.constant_like(x, ExpConstants<dtype>::tiny);
  return b.select(b.flt(b.abs(x), tiny), x, b.copysign(result, x));
}

} // namespace kolam::scalar
