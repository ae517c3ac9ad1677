/// pow in f32 and f64.
#pragma once

#include "kolam/support/scalar/exp.h"
#include "kolam/support/scalar/log.h"
#include "kolam/support/scalar/pair.h"

namespace kolam::scalar {

/// f32 computes in f64: log2((1 + s) / (1 - s)) = s log2_series(s^2) for |s| <= (sqrt(2) - 1) /
/// (sqrt(2) + 1). f64: atanh(s) = s (1 + z/3 + z^2
/// series(z)), z = s^2. Fits of scripts/fit_polynomials.
template <DType dtype> struct PowConstants;
template <> struct PowConstants<DType::f32> {
  static constexpr std::array log2_series = {2.8853900817900859, 0.96179667334352492,
                                             0.57708358457095954, 0.41167274178885777,
                                             0.34072971958854847};
  static constexpr double bound = 160; ///< of exponents: beyond, 0 and infinity
};
template <> struct PowConstants<DType::f64> {
  static constexpr std::array series = {
      0.20000000000001128,  0.14285714285049805,  0.11111111259962529, 0.090908921829518499,
      0.076933787187694086, 0.066284070671460388, 0.065981860850513635};
  static constexpr double two_log2e_high = 2.8853900817779268,
                          two_log2e_low = 4.0710547481862066e-17;
  static constexpr double third_high = 0.33333333333333331, third_low = 1.850371707708594e-17;
  static constexpr double bound = 1100;
};

/// log2 of a positive number as a sum of two, 2^-64 of it off; 0 and infinity give finite nonsense.
template <class B, class V> Pair<V> log2_pair(B& b, V x) {
  using Constants = PowConstants<DType::f64>;
  const auto [k, f] = log_argument<DType::f64>(b, x);
  const V two = b.constant_like(x, 2);
  const auto divisor = fast_two_sum(b, two, f);
  const V inverse = b.div(b.constant_like(x, 1), divisor.high);
  const V s = b.mul(f, inverse), minus_s = b.neg(s);
  const V s_low = b.mul(b.fma(minus_s, divisor.low, b.fma(minus_s, divisor.high, f)), inverse);
  const V z = b.mul(s, s);
  const V z_low = b.fma(b.add(s, s), s_low, b.fma(s, s, b.neg(z)));
  // z / 3 + z^2 series(z)
  const V third = b.constant_like(x, Constants::third_high);
  const V rest = b.mul(z, third);
  const V series = b.mul(b.mul(z, z), polynomial(b, z, Constants::series));
  const V rest_low = b.add(b.fma(z, b.constant_like(x, Constants::third_low),
                                 b.fma(z_low, third, b.fma(z, third, b.neg(rest)))),
                           series);
  // s (1 + rest)
  const auto grown = fast_two_sum(b, rest, rest_low);
  const V s_rest = b.mul(s, grown.high);
  const V s_rest_low = b.fma(s, grown.low, b.fma(s, grown.high, b.neg(s_rest)));
  const auto sum = fast_two_sum(b, s, s_rest);
  const Pair<V> atanh = {sum.high,
                         b.add(sum.low, b.add(s_low, b.fma(s_low, grown.high, s_rest_low)))};
  const Pair<V> factor = {b.constant_like(x, Constants::two_log2e_high),
                          b.constant_like(x, Constants::two_log2e_low)};
  const auto fraction = product(b, atanh, factor);
  const auto total = fast_two_sum(b, k, fraction.high);
  return {total.high, b.add(total.low, fraction.low)};
}

/// |x|^y for finite y and positive finite x.
template <DType dtype, class B, class V> V power_of_positive(B& b, V x, V y) {
  using Constants = PowConstants<dtype>;
  if constexpr (dtype == DType::f32) {
    const auto wide = b.widen(x);
    const auto parts = significand<DType::f64>(b, wide);
    const auto s = b.div(parts.fraction, b.add(parts.fraction, b.constant_like(wide, 2)));
    const auto log2 = b.fma(s, polynomial(b, b.mul(s, s), Constants::log2_series),
                            small_int_to_float<DType::f64>(b, parts.exponent));
    const auto exponent = limit(b, b.mul(log2, b.widen(y)), -Constants::bound, Constants::bound);
    return b.narrow(short_exp2(b, exponent));
  } else {
    const auto log2 = log2_pair(b, x);
    const V exponent = b.mul(log2.high, y);
    const V low = b.fma(log2.low, y, b.fma(log2.high, y, b.neg(exponent)));
    const V limited = limit(b, exponent, -Constants::bound, Constants::bound);
    const auto k = round_product<dtype>(b, limited, 1);
    // Infinite products have no low part.
    const V r = b.add(b.sub(limited, k.quotient),
                      b.select(b.feq(limited, exponent), low, b.constant_like(x, 0)));
    const V mantissa =
        b.fma(r, polynomial(b, r, ExpConstants<dtype>::exp2_tail), b.constant_like(x, 1));
    return scale_by_power<dtype>(b, mantissa, k);
  }
}

/// x^y, as C has it: 1 for y = 0 and for x = 1, whatever the other; NaN for finite x < 0 and finite
/// y that is no integer.
template <DType dtype, class B, class V> V pow(B& b, V x, V y) {
  const V zero = b.constant_like(x, 0), one = b.constant_like(x, 1);
  const V infinity = b.constant_like(x, std::numeric_limits<double>::infinity());
  const V nan = b.constant_like(x, std::numeric_limits<double>::quiet_NaN());
  const V magnitude = b.abs(x);
  V result = power_of_positive<dtype>(b, magnitude, y);
  const auto is_zero = b.feq(magnitude, zero);
  const auto is_extreme = b.or_(is_zero, b.feq(magnitude, infinity));
  const V extreme = b.select(b.xor_(is_zero, b.flt(y, zero)), zero, infinity);
  result = b.select(is_extreme, extreme, result);
  result = b.select(b.and_(b.feq(magnitude, one), b.feq(b.abs(y), infinity)), one, result);
  // Of negative x the sign and NaN follow the parity of y.
  const V half = b.mul(y, b.constant_like(x, 0.5));
  const auto is_integer = b.feq(b.trunc(y), y);
  const auto is_odd = b.and_(is_integer, b.fne(b.trunc(half), half));
  const auto is_nan = b.or_(b.and_(b.and_(b.flt(x, zero), b.not_(is_integer)), b.not_(is_extreme)),
                            b.or_(b.fne(x, x), b.fne(y, y)));
  result = b.select(is_nan, nan, b.select(is_odd, b.copysign(result, x), result));
  return b.select(b.or_(b.feq(y, zero), b.feq(x, one)), one, result);
}

} // namespace kolam::scalar
