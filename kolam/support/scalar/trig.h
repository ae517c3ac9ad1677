/// sin and cos in f32 and f64.
#pragma once

#include "kolam/support/scalar/pair.h"
#include "kolam/support/scalar/polynomial.h"

namespace kolam::scalar {

/// pi/2 in three parts (Cody and Waite), used up to |x| <= `reducible`; on |r| <= pi/4, sin(r) = r
/// + r^3 sin_series(r^2) and cos(r) = 1 - r^2/2 + r^4 cos_series(r^2).
template <DType dtype> struct TrigConstants;
template <> struct TrigConstants<DType::f32> {
  static constexpr double reducible = 0x1p17, tiny = 0x1p-13;
  static constexpr double half_pi_high = 1.5707963705062866,
                          half_pi_middle = -4.3711388286737929e-08,
                          half_pi_low = -1.7151245100058819e-15;
  static constexpr std::array sin_series = {-0.166666672, 0.00833332911, -0.000198392561,
                                            2.71756335e-06};
  static constexpr std::array cos_series = {0.0416666456, -0.0013887306, 2.4431205e-05};
};
template <> struct TrigConstants<DType::f64> {
  static constexpr double reducible = 0x1p27, tiny = 0x1p-27;
  static constexpr double half_pi_high = 1.5707963267948966, half_pi_middle = 6.123233995736766e-17,
                          half_pi_low = -1.4973849048591698e-33;
  static constexpr std::array sin_series = {-0.16666666666666627,    0.0083333333333212977,
                                            -0.00019841269828874938, 2.7557313355982602e-06,
                                            -2.5050703837906695e-08, 1.5893564247331867e-10};
  static constexpr std::array cos_series = {0.041666666666666588,   -0.001388888888887265,
                                            2.4801587288517475e-05, -2.7557314062475062e-07,
                                            2.087568252758232e-09,  -1.1357475966295513e-11};
};

template <class V, class I> struct QuarterTurns {
  I count;   ///< k
  Pair<V> r; ///< x - k pi/2
};

/// For |x| <= reducible, to twice the working precision: the product and the difference are taken
/// with their errors.
template <DType dtype, class B, class V> auto reduced_to_quarter(B& b, V x) {
  using Constants = TrigConstants<dtype>;
  const auto k = round_product<dtype>(b, x, 0.63661977236758138);
  const V minus_k = b.neg(k.quotient);
  const V first = b.fma(minus_k, b.constant_like(x, Constants::half_pi_high), x);
  const V middle = b.constant_like(x, Constants::half_pi_middle);
  const V product = b.mul(k.quotient, middle);
  const V product_error = b.fma(minus_k, middle, product); // product - k middle
  const V r = b.sub(first, product);
  const V change = b.sub(r, first);
  const V difference_error = b.sub(b.sub(first, b.sub(r, change)), b.add(product, change));
  const V error = b.add(difference_error, product_error);
  const V tail = b.fma(minus_k, b.constant_like(x, Constants::half_pi_low), error);
  return QuarterTurns<V, decltype(k.integer)>{k.integer, {r, tail}};
}

template <class V> struct SinAndCos {
  Pair<V> sin, cos; ///< sums that are not made
};
template <DType dtype, class B, class V> SinAndCos<V> sin_and_cos(B& b, Pair<V> angle) {
  using Constants = TrigConstants<dtype>;
  const V r = angle.high, square = b.mul(r, r);
  const V sin_rest =
      b.fma(b.mul(r, square), polynomial(b, square, Constants::sin_series), angle.low);
  const V one = b.constant_like(r, 1);
  const V half_square = b.mul(square, b.constant_like(r, 0.5));
  const V leading = b.sub(one, half_square);
  const V lost_leading = b.sub(b.sub(one, leading), half_square);
  const V cos_rest = b.fma(b.mul(square, square), polynomial(b, square, Constants::cos_series),
                           b.neg(b.mul(r, angle.low)));
  return {{r, sin_rest}, {leading, b.add(lost_leading, cos_rest)}};
}

/// sin(x + quarter_turns pi/2) for |x| <= reducible.
template <DType dtype, class B, class V> V sin_of_reduced(B& b, V x, int quarter_turns) {
  const auto turns = reduced_to_quarter<dtype>(b, x);
  const auto [sin, cos] = sin_and_cos<dtype>(b, turns.r);
  const auto quadrant = b.iadd(turns.count, b.int_constant_like(turns.count, quarter_turns));
  const auto one_bit = b.int_constant_like(quadrant, 1);
  const auto is_odd = b.ieq(b.and_(quadrant, one_bit), one_bit);
  const V value = b.add(b.select(is_odd, cos.high, sin.high), b.select(is_odd, cos.low, sin.low));
  const auto sign = b.shl(b.lshr(quadrant, one_bit),
                          b.int_constant_like(quadrant, FloatLayout<dtype>::width - 1));
  return b.template from_bits<dtype>(b.xor_(b.bits(value), sign));
}

/// The sine of x in radians. Beyond |x| > reducible (2^17 in f32, 2^27 in f64) one library
/// function, for those lanes only.
template <DType dtype, class B, class V> V sin(B& b, V x) {
  using Constants = TrigConstants<dtype>;
  const V magnitude = b.abs(x);
  const V reduced = b.select(b.flt(magnitude, b.constant_like(x, Constants::tiny)), x,
                             sin_of_reduced<dtype>(b, x, 0));
  return b.call_where(b.fgt(magnitude, b.constant_like(x, Constants::reducible)),
                      Libcall::sin_large, x, reduced);
}

/// The cosine of x in radians; as for sin.
template <DType dtype, class B, class V> V cos(B& b, V x) {
  const V limit = b.constant_like(x, TrigConstants<dtype>::reducible);
  return b.call_where(b.fgt(b.abs(x), limit), Libcall::cos_large, x,
                      sin_of_reduced<dtype>(b, x, 1));
}

/// tan(r) = 9/8 r + r tan_series(r^2) for |r| <= pi/4, in f32; the second part is smaller. A fit of
/// scripts/fit_polynomials.
inline constexpr std::array kTanSeries = {-0.125,         0.333333492,  0.133326754,
                                          0.0540589131,   0.0212862156, 0.0108273868,
                                          9.83846112e-05, 0.00437258929};

/// tan(x - k pi/2) for even k, its negative inverse for odd k.
template <class B, class V> V tan_by_series(B& b, Pair<V> r, auto is_odd) {
  const V square = b.mul(r.high, r.high);
  const auto leading = fast_two_sum(b, r.high, b.mul(r.high, b.constant_like(square, 0.125)));
  // The slope beside r is 1 + tan(r)^2, roughly.
  const V slope = b.fma(square, b.constant_like(square, 1.4), b.constant_like(square, 1));
  const V low = b.fma(r.high, polynomial(b, square, kTanSeries), b.fma(r.low, slope, leading.low));
  const auto tan = fast_two_sum(b, leading.high, low);
  const V inverse = b.div(b.constant_like(square, -1), tan.high);
  const V residual = b.fma(inverse, tan.low, b.fma(inverse, tan.high, b.constant_like(square, 1)));
  return b.select(is_odd, b.fma(inverse, residual, inverse), tan.high);
}

/// The same as sin / cos or -cos / sin.
template <class B, class V> V tan_by_quotient(B& b, Pair<V> r, auto is_odd) {
  const auto parts = sin_and_cos<DType::f64>(b, r);
  const auto sin = fast_two_sum(b, parts.sin.high, parts.sin.low);
  const auto cos = fast_two_sum(b, parts.cos.high, parts.cos.low);
  const auto pick = [&](V of_even, V of_odd) { return b.select(is_odd, of_odd, of_even); };
  const Pair<V> p = {pick(sin.high, b.neg(cos.high)), pick(sin.low, b.neg(cos.low))};
  const Pair<V> q = {pick(cos.high, sin.high), pick(cos.low, sin.low)};
  const V inverse = b.div(b.constant_like(p.high, 1), q.high);
  const V quotient = b.mul(p.high, inverse), minus_quotient = b.neg(quotient);
  const V residual =
      b.fma(minus_quotient, q.low, b.add(b.fma(minus_quotient, q.high, p.high), p.low));
  return b.fma(residual, inverse, quotient);
}

/// The tangent of x in radians. Beyond |x| > reducible one library function, for those lanes only.
template <DType dtype, class B, class V> V tan(B& b, V x) {
  using Constants = TrigConstants<dtype>;
  const V magnitude = b.abs(x);
  const auto turns = reduced_to_quarter<dtype>(b, x);
  const auto one_bit = b.int_constant_like(turns.count, 1);
  const auto is_odd = b.ieq(b.and_(turns.count, one_bit), one_bit);
  V result = x;
  if constexpr (dtype == DType::f32)
    result = tan_by_series(b, turns.r, is_odd);
  else
    result = tan_by_quotient(b, turns.r, is_odd);
  result = b.select(b.flt(magnitude, b.constant_like(x, Constants::tiny)), x, result);
  return b.call_where(b.fgt(magnitude, b.constant_like(x, Constants::reducible)),
                      Libcall::tan_large, x, result);
}

} // namespace kolam::scalar
