/// asin, acos, atan and atan2 in f32 and f64.
#pragma once

#include "kolam/support/scalar/pair.h"
#include "kolam/support/scalar/polynomial.h"

#include <limits>

namespace kolam::scalar {

/// asin(x) = x + x^3 asin_series(x^2) for |x| <= 1/2; pi/2 is the sum of two. For |x| <= 1, atan(x)
/// = x + x^3 atan_series(x^2), in f32 7/8 x + x atan_series(x^2 - 1/2), whose second part is
/// smaller. Fits of scripts/fit_polynomials.
template <DType dtype> struct InverseTrigConstants;
template <> struct InverseTrigConstants<DType::f32> {
  static constexpr double half_pi_high = 1.5707963705062866, half_pi_low = -4.3711388286737929e-08;
  static constexpr std::array asin_series = {0.166666597,  0.0750052184, 0.044513382,
                                             0.0318388231, 0.0143172359, 0.0376906879};
  static constexpr std::array atan_series = {
      -0.00458024675, -0.203753099,  0.0834070072,   -0.0402462557, 0.0210619643,
      -0.0115645826,  0.00640833611, -0.00368216308, 0.0028342919,  -0.00175396621};
};
template <> struct InverseTrigConstants<DType::f64> {
  static constexpr double half_pi_high = 1.5707963267948966, half_pi_low = 6.123233995736766e-17;
  static constexpr std::array asin_series = {
      0.1666666666666676,   0.074999999999708633,  0.04464285717456587,  0.03038194270946673,
      0.022372214955019318, 0.017351612226448151,  0.013980825394381771, 0.011398774250338906,
      0.010781848433518683, 0.0036961335998217612, 0.02174559687802595,  -0.021075421447541601,
      0.032692475550872735};
  static constexpr std::array atan_series = {
      -0.33333333333333071,    0.19999999999951729,    -0.14285714282581938,
      0.11111111007019595,     -0.090909069999181677,  0.076922797750144101,
      -0.066664033363386888,   0.058805225126134453,   -0.052534909546638531,
      0.047222162622567329,    -0.042188717670889504,  0.036635095920657508,
      -0.029892226077053372,   0.021969599608997054,   -0.013885329674121098,
      0.0071851349133731975,   -0.0028787778340897113, 0.00082905536656903021,
      -0.00015164956669131154, 1.3171910494578566e-05};
};

/// The arc sine of |x| <= 1/2, or that of sqrt((1 - |x|) / 2), as leading + rest.
template <class V, class C> struct ArcSine {
  V leading, rest;
  C is_large; ///< |x| > 1/2
};

template <DType dtype, class B, class V> auto arc_sine(B& b, V x) {
  const V magnitude = b.abs(x), half = b.constant_like(x, 0.5);
  const auto is_large = b.fgt(magnitude, half);
  const V halved = b.fma(magnitude, b.constant_like(x, -0.5), half); // exact where it is large
  const V root = b.sqrt(halved);
  const V square = b.select(is_large, halved, b.mul(x, x));
  const V leading = b.select(is_large, root, magnitude);
  V rest = b.mul(b.mul(leading, square),
                 polynomial(b, square, InverseTrigConstants<dtype>::asin_series));
  if constexpr (dtype == DType::f32) { // the root's error: one unit is all there is
    const V lost = root_error<dtype>(b, root, {halved, b.constant_like(x, 0)});
    rest = b.add(rest, b.select(is_large, lost, b.constant_like(x, 0)));
  }
  return ArcSine<V, decltype(is_large)>{leading, rest, is_large};
}

/// The arc sine; NaN beyond [-1, 1].
template <DType dtype, class B, class V> V asin(B& b, V x) {
  using Constants = InverseTrigConstants<dtype>;
  const auto sine = arc_sine<dtype>(b, x);
  const V minus_two = b.constant_like(x, -2);
  const auto turned =
      fast_two_sum(b, b.constant_like(x, Constants::half_pi_high), b.mul(sine.leading, minus_two));
  const V low = b.fma(sine.rest, minus_two, b.constant_like(x, Constants::half_pi_low));
  const V large = b.add(turned.high, b.add(turned.low, low));
  return b.copysign(b.select(sine.is_large, large, b.add(sine.leading, sine.rest)), x);
}

/// The arc cosine; NaN beyond [-1, 1].
template <DType dtype, class B, class V> V acos(B& b, V x) {
  using Constants = InverseTrigConstants<dtype>;
  const auto sine = arc_sine<dtype>(b, x);
  // pi/2 - asin(x); for large x twice the other arc sine, or pi minus that.
  const V zero = b.constant_like(x, 0);
  const auto is_negative = b.flt(x, zero);
  const auto is_near_one = b.and_(sine.is_large, b.not_(is_negative));
  const V quarters = b.select(sine.is_large, b.constant_like(x, 2), b.constant_like(x, 1));
  const V base = b.select(is_near_one, zero, quarters);
  const V sign =
      b.select(b.xor_(is_negative, sine.is_large), b.constant_like(x, 1), b.constant_like(x, -1));
  const V factor = b.mul(sign, quarters);
  const auto sum = fast_two_sum(b, b.mul(base, b.constant_like(x, Constants::half_pi_high)),
                                b.mul(sine.leading, factor));
  const V low = b.fma(base, b.constant_like(x, Constants::half_pi_low), b.mul(sine.rest, factor));
  return b.add(sum.high, b.add(sum.low, low));
}

/// base pi/2 + atan(quotient + low) for |quotient| <= 1.
template <DType dtype, class B, class V> V arc_tangent(B& b, Pair<V> quotient, V base) {
  using Constants = InverseTrigConstants<dtype>;
  const V q = quotient.high, square = b.mul(q, q);
  Pair<V> leading = quotient;
  V factor = b.mul(q, square), argument = square;
  if constexpr (dtype == DType::f32) {
    // Near denormal numbers parts of q are not exact.
    const auto is_tiny = b.flt(b.abs(q), b.constant_like(q, 0x1p-100));
    factor = b.select(is_tiny, b.constant_like(q, 0), q);
    leading = fast_two_sum(b, q, b.mul(factor, b.constant_like(q, -0.125)));
    leading.low = b.add(leading.low, quotient.low);
    argument = b.sub(square, b.constant_like(q, 0.5));
  }
  const V series = polynomial(b, argument, Constants::atan_series);
  const V turned = b.mul(base, b.constant_like(q, Constants::half_pi_high));
  const auto sum = fast_two_sum(b, turned, leading.high);
  const V rest = b.fma(base, b.constant_like(q, Constants::half_pi_low), leading.low);
  return b.add(sum.high, b.fma(factor, series, b.add(sum.low, rest)));
}

/// The arc tangent: beyond 1 by the inverse.
template <DType dtype, class B, class V> V atan(B& b, V x) {
  const V magnitude = b.abs(x), one = b.constant_like(x, 1), zero = b.constant_like(x, 0);
  const auto is_large = b.fgt(magnitude, one);
  const V limit = b.constant_like(x, 0x1p60); // pi/2 from here on
  const V limited = b.select(b.fgt(magnitude, limit), limit, magnitude);
  const V dividend = b.select(is_large, b.constant_like(x, -1), magnitude);
  const V divisor = b.select(is_large, limited, one);
  const V quotient = b.div(dividend, divisor);
  V low = zero;
  if constexpr (dtype == DType::f32) // one unit is all there is; 1 / divisor is -quotient beyond 1
    low = b.mul(b.fma(quotient, divisor, b.neg(dividend)), quotient);
  return b.copysign(arc_tangent<dtype>(b, {quotient, low}, b.select(is_large, one, zero)), x);
}

/// A rough 1 / x for x from 2^-100 to 2^100, 12 % off: the bits of x are its logarithm.
template <class B, class V> V rough_reciprocal(B& b, V x) {
  const auto bits = b.bits(x);
  return b.template from_bits<DType::f32>(b.isub(b.int_constant_like(bits, 0x7ef311c7), bits));
}

/// p / q and what that loses, for |p| <= q, in f32.
template <class B, class V> Pair<V> exact_quotient(B& b, V p, V q) {
  const auto number = [&](double value) { return b.constant_like(p, value); };
  const V upwards = b.select(b.flt(q, number(0x1p-64)), number(0x1p64), number(1));
  const V scale = b.select(b.fgt(q, number(0x1p64)), number(0x1p-64), upwards);
  p = b.mul(p, scale), q = b.mul(q, scale);
  const V quotient = b.div(p, q);
  const V residual = b.fma(b.neg(quotient), q, p);
  const auto is_number = b.fle(b.abs(residual), b.abs(p)); // not so for infinite q
  return {quotient, b.mul(b.select(is_number, residual, number(0)), rough_reciprocal(b, q))};
}

/// The angle of the point with ordinate y and abscissa x, in [-pi, pi]: from the axis that lies
/// nearer, by a quotient of at most 1.
template <DType dtype, class B, class V> V atan2(B& b, V y, V x) {
  const V zero = b.constant_like(x, 0), one = b.constant_like(x, 1);
  const V height = b.abs(y), width = b.abs(x);
  const auto is_steep = b.fgt(height, width);
  const auto bits = b.bits(x);
  const auto is_left = b.slt(bits, b.int_constant_like(bits, 0));
  const V base = b.select(is_steep, one, b.select(is_left, b.constant_like(x, 2), zero));
  V smaller = b.select(is_steep, width, height), larger = b.select(is_steep, height, width);
  // Of two infinite ones the quotient is 1, of two zeros 0.
  const auto are_equal = b.feq(smaller, larger);
  smaller = b.select(are_equal, b.select(b.feq(larger, zero), zero, one), smaller);
  smaller = b.select(b.xor_(is_steep, is_left), b.neg(smaller), smaller);
  larger = b.select(are_equal, one, larger);
  Pair<V> quotient{zero, zero};
  if constexpr (dtype == DType::f32) // one unit is all there is
    quotient = exact_quotient(b, smaller, larger);
  else
    quotient.high = b.div(smaller, larger);
  return b.copysign(arc_tangent<dtype>(b, quotient, base), y);
}

} // namespace kolam::scalar
