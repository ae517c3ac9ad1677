/// pow in f32 and f64.
#pragma once

#include "kolam/support/scalar/exp.h"
#include "kolam/support/scalar/log.h"
#include "kolam/support/scalar/pair.h"

namespace kolam::scalar {

/// log2((1 + s) / (1 - s)) = s (first + z (second + z series(z))), z = s^2, for |s| <= (sqrt(2) -
/// 1) / (sqrt(2) + 1); the first two, 2 / ln(2) and a third of it, as sums of two. Exponents beyond
/// `bound` give 0 and infinity. Fits of scripts/fit_polynomials.
template <DType dtype> struct PowConstants;
template <> struct PowConstants<DType::f32> {
  static constexpr double first_high = 2.88539004, first_low = 3.85192607e-08;
  static constexpr double second_high = 0.961796701, second_low = -7.02846181e-09;
  static constexpr std::array series = {0.57708019, 0.411849886, 0.33782202};
  static constexpr double bound = 160;
};
template <> struct PowConstants<DType::f64> {
  static constexpr double first_high = 2.8853900817779268, first_low = 4.0710547481862066e-17;
  static constexpr double second_high = 0.96179669392597555, second_low = 5.0577616648125907e-17;
  static constexpr std::array series = {
      0.57707801635561795, 0.4121985830919408,  0.32059890227330001, 0.26230770115963531,
      0.22198399561154797, 0.19125522518907909, 0.19038469772279173};
  static constexpr double bound = 1100;
};

/// log2 of a positive number as a sum of two, 10 bits more exact than one; 0 and infinity give
/// finite nonsense.
template <DType dtype, class B, class V> Pair<V> log2_pair(B& b, V x) {
  using Constants = PowConstants<dtype>;
  const auto number = [&](double value) { return b.constant_like(x, value); };
  const auto [k, f] = log_argument<dtype>(b, x);
  const auto divisor = fast_two_sum(b, number(2), f);
  const V inverse = b.div(number(1), divisor.high);
  const V s = b.mul(f, inverse), minus_s = b.neg(s);
  const V s_low = b.mul(b.fma(minus_s, divisor.low, b.fma(minus_s, divisor.high, f)), inverse);
  const V square = b.mul(s, s);
  const Pair<V> z = {square, b.fma(b.add(s, s), s_low, b.fma(s, s, b.neg(square)))};
  const V inner =
      b.fma(square, polynomial(b, square, Constants::series), number(Constants::second_low));
  const auto second = product(b, z, fast_two_sum(b, number(Constants::second_high), inner));
  auto first = fast_two_sum(b, number(Constants::first_high), second.high);
  first.low = b.add(first.low, b.add(second.low, number(Constants::first_low)));
  const auto fraction = product(b, Pair<V>{s, s_low}, first);
  const auto total = fast_two_sum(b, k, fraction.high);
  return {total.high, b.add(total.low, fraction.low)};
}

/// x^y for finite y and positive finite x. What is small waits, so that nothing waits for it.
template <DType dtype, class B, class V> V power_of_positive(B& b, V x, V y) {
  using Constants = PowConstants<dtype>;
  constexpr auto tail = ExpConstants<dtype>::exp2_tail;
  const auto log2 = log2_pair<dtype>(b, x);
  const auto exponent = product(b, log2, y);
  const V limited = limit(b, exponent.high, -Constants::bound, Constants::bound);
  const auto k = round_product<dtype>(b, limited, 1);
  const V r = b.sub(limited, k.quotient), square = b.mul(r, r);
  // 1 + r (c[0] + r series), the first product and sum with their errors, so that exact powers are.
  const V linear_factor = b.constant_like(x, tail[0]);
  const auto linear = two_product(b, r, linear_factor);
  const auto leading = fast_two_sum(b, b.constant_like(x, 1), linear.high);
  const V series = even_and_odd(b, r, square, coefficients_from<1, 1>(tail));
  const V rest = b.add(leading.low, b.fma(square, series, linear.low));
  // 2^low = 1 + low ln 2; infinite products have no low part.
  const V low = b.mul(exponent.low, linear_factor);
  const V felt = b.select(b.feq(limited, exponent.high), low, b.constant_like(x, 0));
  const V mantissa = b.add(leading.high, b.fma(b.add(leading.high, rest), felt, rest));
  return scale_by_power<dtype>(b, mantissa, k);
}

/// x^y, as C has it: 1 for y = 0 and for x = 1, whatever the other; NaN for finite x < 0 and finite
/// y that is no integer.
template <DType dtype, class B, class V> V pow(B& b, V x, V y) {
  const V zero = b.constant_like(x, 0), one = b.constant_like(x, 1);
  const V infinity = b.constant_like(x, std::numeric_limits<double>::infinity());
  const V magnitude = b.abs(x);
  const V of_positive = power_of_positive<dtype>(b, magnitude, y);
  const auto special = [&] {
    const auto is_zero = b.feq(magnitude, zero);
    const auto is_extreme = b.or_(is_zero, b.feq(magnitude, infinity));
    const V extreme = b.select(b.xor_(is_zero, b.flt(y, zero)), zero, infinity);
    V result = b.select(is_extreme, extreme, of_positive);
    const auto is_unit = b.and_(b.feq(magnitude, one), b.feq(b.abs(y), infinity));
    result = b.select(is_unit, one, result);
    // Of negative x the sign and NaN follow the parity of y.
    const V half = b.mul(y, b.constant_like(x, 0.5));
    const auto is_integer = b.feq(b.trunc(y), y);
    const auto is_odd = b.and_(is_integer, b.fne(b.trunc(half), half));
    const auto is_between = b.and_(b.flt(x, zero), b.not_(is_integer));
    const auto is_nan =
        b.or_(b.and_(is_between, b.not_(is_extreme)), b.or_(b.fne(x, x), b.fne(y, y)));
    const V nan = b.constant_like(x, std::numeric_limits<double>::quiet_NaN());
    result = b.select(is_nan, nan, b.select(is_odd, b.copysign(result, x), result));
    return b.select(b.or_(b.feq(y, zero), b.feq(x, one)), one, result);
  };
  const auto is_ordinary =
      b.and_(b.and_(b.fgt(x, zero), b.flt(x, infinity)), b.flt(b.abs(y), infinity));
  return b.rarely(b.not_(is_ordinary), special, of_positive);
}

} // namespace kolam::scalar
