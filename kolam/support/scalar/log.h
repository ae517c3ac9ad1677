/// log, log2, log10 and log1p in f32 and f64.
#pragma once

#include "kolam/support/scalar/polynomial.h"

#include <limits>

namespace kolam::scalar {

/// With s = f / (2 + f) and z = s^2: log(1 + f) = 2 s + s z series(z) for 1 + f in [sqrt(1/2),
/// sqrt(2)]. Other constants are split in two for the sum with an exponent.
template <DType dtype> struct LogConstants;
template <> struct LogConstants<DType::f32> {
  static constexpr std::array series = {0.666667819, 0.399770796, 0.298851907};
  static constexpr double ln2_high = 0.693145751953125, ln2_low = 1.428606765330187e-06;
  static constexpr double log2e_high = 1.4426950216293335, log2e_low = 1.9259630335000111e-08;
  static constexpr double log10e_high = 0.43429449200630188, log10e_low = -1.0103049952192578e-08;
  static constexpr double log10_2_high = 0.301025390625, log10_2_low = 4.6050390665186569e-06;
  static constexpr int64_t sqrt_half_bits = 0x3f3504f3;
  static constexpr double sqrt_two = 0x1.6a09e6p0; // twice that number
  static constexpr double smallest_normal = 0x1p-126, upscale = 0x1p25, upscale_log2 = 25;
  static constexpr double tiny = 0x1p-26;
};
template <> struct LogConstants<DType::f64> {
  static constexpr std::array series = {
      0.66666666666666663, 0.4000000000000668,  0.28571428568945945, 0.2222222266800199,
      0.18181773959174863, 0.15387165742165812, 0.13248419859294158, 0.13266831117491446};
  static constexpr double ln2_high = 0.6931471805601177, ln2_low = -1.7239444525614835e-13;
  static constexpr double log2e_high = 1.4426950408889634, log2e_low = 2.0355273740931033e-17;
  static constexpr double log10e_high = 0.43429448190325182, log10e_low = 1.0983196502167651e-17;
  static constexpr double log10_2_high = 0.30102999566406652, log10_2_low = -8.5323443170571066e-14;
  static constexpr int64_t sqrt_half_bits = 0x3fe6a09e667f3bcd;
  static constexpr double sqrt_two = 0x1.6a09e667f3bcdp0;
  static constexpr double smallest_normal = 0x1p-1022, upscale = 0x1p54, upscale_log2 = 54;
  static constexpr double tiny = 0x1p-55;
};

template <class V, class I> struct Significand {
  V fraction; ///< f with 1 + f in [sqrt(1/2), sqrt(2)]
  I exponent; ///< k with x = 2^k (1 + f)
};

/// Takes a normal positive x apart; others give finite nonsense.
template <DType dtype, class B, class V> auto significand(B& b, V x) {
  using Layout = FloatLayout<dtype>;
  auto bits = b.bits(x);
  const auto pivot = b.int_constant_like(bits, LogConstants<dtype>::sqrt_half_bits);
  const auto offset = b.isub(bits, pivot);
  const auto exponent = b.ashr(offset, b.int_constant_like(bits, Layout::mantissa_bits));
  const auto mantissa =
      b.and_(offset, b.int_constant_like(bits, (int64_t{1} << Layout::mantissa_bits) - 1));
  const V one_plus_f = b.template from_bits<dtype>(b.iadd(mantissa, pivot));
  return Significand<V, decltype(bits)>{b.sub(one_plus_f, b.constant_like(x, 1)), exponent};
}

/// log(1 + f) - f for 1 + f in [sqrt(1/2), sqrt(2)]: s (f^2/2 + z series(z)) - f^2/2.
template <DType dtype, class B, class V> V log1p_tail(B& b, V f) {
  const V s = b.div(f, b.add(f, b.constant_like(f, 2)));
  const V z = b.mul(s, s);
  const V half_square = b.mul(b.mul(f, f), b.constant_like(f, 0.5));
  const V rest = b.mul(z, polynomial(b, z, LogConstants<dtype>::series));
  return b.fma(s, b.add(half_square, rest), b.neg(half_square));
}

/// k ln 2 + log(1 + f).
template <DType dtype, class B, class V> V log_of_parts(B& b, V k, V f) {
  using Constants = LogConstants<dtype>;
  const V low = b.fma(k, b.constant_like(f, Constants::ln2_low), log1p_tail<dtype>(b, f));
  return b.fma(k, b.constant_like(f, Constants::ln2_high), b.add(f, low));
}

template <class V> struct LogArgument {
  V exponent;
  V fraction;
};

/// Exponent and fraction of any positive finite x, denormals included. A builder that has
/// instructions for it takes x apart by them.
template <DType dtype, class B, class V> LogArgument<V> log_argument(B& b, V x) {
  using Constants = LogConstants<dtype>;
  if constexpr (requires { b.mantissa(x); })
    if (b.has_float_parts(x)) {
      const V mantissa = b.mantissa(x), exponent = b.exponent(x), one = b.constant_like(x, 1);
      const auto is_above = b.fge(mantissa, b.constant_like(x, Constants::sqrt_two));
      const V halved = b.select(is_above, b.mul(mantissa, b.constant_like(x, 0.5)), mantissa);
      return {b.select(is_above, b.add(exponent, one), exponent), b.sub(halved, one)};
    }
  const auto is_denormal = b.flt(x, b.constant_like(x, Constants::smallest_normal));
  const V upscaled = b.mul(x, b.constant_like(x, Constants::upscale));
  const auto parts = significand<dtype>(b, b.select(is_denormal, upscaled, x));
  const V correction =
      b.select(is_denormal, b.constant_like(x, Constants::upscale_log2), b.constant_like(x, 0));
  return {b.sub(small_int_to_float<dtype>(b, parts.exponent), correction), parts.fraction};
}

/// `result` for positive finite x; -inf at 0, NaN below, inf and NaN as they are.
template <class B, class V> V with_log_specials(B& b, V x, V result) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const V zero = b.constant_like(x, 0);
  result = b.select(b.flt(x, b.constant_like(x, infinity)), result, x);
  result = b.select(b.flt(x, zero), b.constant_like(x, std::numeric_limits<double>::quiet_NaN()),
                    result);
  return b.select(b.feq(x, zero), b.constant_like(x, -infinity), result);
}

/// The natural logarithm.
template <DType dtype, class B, class V> V log(B& b, V x) {
  const auto [k, f] = log_argument<dtype>(b, x);
  return with_log_specials(b, x, log_of_parts<dtype>(b, k, f));
}

/// log(1 + f) * (high + low), where the product with `high` alone would lose a bit.
template <DType dtype, class B, class V> V scaled_log1p(B& b, V f, double high, double low) {
  const V tail = log1p_tail<dtype>(b, f);
  const V sum = b.add(f, tail);
  const V rest = b.add(b.sub(f, sum), tail);
  const V factor = b.constant_like(f, high);
  const V small = b.fma(sum, b.constant_like(f, low), b.mul(rest, factor));
  return b.fma(sum, factor, small);
}

/// The logarithm to base 2, exact for powers of two.
template <DType dtype, class B, class V> V log2(B& b, V x) {
  using Constants = LogConstants<dtype>;
  const auto [k, f] = log_argument<dtype>(b, x);
  const V result = b.add(k, scaled_log1p<dtype>(b, f, Constants::log2e_high, Constants::log2e_low));
  return with_log_specials(b, x, result);
}

/// The logarithm to base 10.
template <DType dtype, class B, class V> V log10(B& b, V x) {
  using Constants = LogConstants<dtype>;
  const auto [k, f] = log_argument<dtype>(b, x);
  const V fraction = scaled_log1p<dtype>(b, f, Constants::log10e_high, Constants::log10e_low);
  const V low = b.fma(k, b.constant_like(x, Constants::log10_2_low), fraction);
  const V result = b.fma(k, b.constant_like(x, Constants::log10_2_high), low);
  return with_log_specials(b, x, result);
}

/// log(1 + x): the rounding error of 1 + x goes back into the fraction.
template <DType dtype, class B, class V> V log1p(B& b, V x) {
  using Constants = LogConstants<dtype>;
  const V one = b.constant_like(x, 1);
  const V u = b.add(one, x);
  const V x_in_u = b.sub(u, one);
  const V error = b.add(b.sub(one, b.sub(u, x_in_u)), b.sub(x, x_in_u));
  const auto parts = significand<dtype>(b, u);
  const V unit =
      power_of_two<dtype>(b, b.isub(b.int_constant_like(parts.exponent, 0), parts.exponent));
  const V corrected = b.fma(error, unit, parts.fraction);
  // For large x the error does not matter, and 2^-k leaves the exponent range.
  const V f = b.select(b.fgt(x, b.constant_like(x, 0x1p60)), parts.fraction, corrected);
  const V result = log_of_parts<dtype>(b, small_int_to_float<dtype>(b, parts.exponent), f);
  // The specials of log at u = 1 + x: log1p(-1) = -inf, log1p(inf) = inf.
  return b.select(b.flt(b.abs(x), b.constant_like(x, Constants::tiny)), x,
                  with_log_specials(b, u, result));
}

} // namespace kolam::scalar
