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
  I count;          ///< k
  Pair<V> sin, cos; ///< of x - k pi/2
};

/// For |x| <= reducible.
template <DType dtype, class B, class V> auto reduced_to_quarter(B& b, V x) {
  using Constants = TrigConstants<dtype>;
  const auto k = round_product<dtype>(b, x, 0.63661977236758138);
  const V minus_k = b.neg(k.quotient);
  // r + tail = x - k pi/2 to twice the working precision: the product and the difference are taken
  // with their errors.
  const V first = b.fma(minus_k, b.constant_like(x, Constants::half_pi_high), x);
  const V middle = b.constant_like(x, Constants::half_pi_middle);
  const V product = b.mul(k.quotient, middle);
  const V product_error = b.fma(minus_k, middle, product); // product - k middle
  const V r = b.sub(first, product);
  const V change = b.sub(r, first);
  const V difference_error = b.sub(b.sub(first, b.sub(r, change)), b.add(product, change));
  const V error = b.add(difference_error, product_error);
  const V tail = b.fma(minus_k, b.constant_like(x, Constants::half_pi_low), error);

  const V square = b.mul(r, r);
  const V sin_rest = b.fma(b.mul(r, square), polynomial(b, square, Constants::sin_series), tail);
  const V one = b.constant_like(x, 1);
  const V half_square = b.mul(square, b.constant_like(x, 0.5));
  const V leading = b.sub(one, half_square);
  const V lost_leading = b.sub(b.sub(one, leading), half_square);
  const V cos_rest = b.fma(b.mul(square, square), polynomial(b, square, Constants::cos_series),
                           b.neg(b.mul(r, tail)));
  return QuarterTurns<V, decltype(k.integer)>{
      k.integer, {r, sin_rest}, {leading, b.add(lost_leading, cos_rest)}};
}

/// sin(x + quarter_turns pi/2) for |x| <= reducible.
template <DType dtype, class B, class V> V sin_of_reduced(B& b, V x, int quarter_turns) {
  const auto reduced = reduced_to_quarter<dtype>(b, x);
  const auto quadrant = b.iadd(reduced.count, b.int_constant_like(reduced.count, quarter_turns));
  const auto one_bit = b.int_constant_like(quadrant, 1);
  const auto is_odd = b.ieq(b.and_(quadrant, one_bit), one_bit);
  const V value = b.add(b.select(is_odd, reduced.cos.high, reduced.sin.high),
                        b.select(is_odd, reduced.cos.low, reduced.sin.low));
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

/// For tan in f32, by f64: sin(r) = r + r z sin_series(z) and cos(r) = 1 + z cos_series(z), z =
/// r^2. Fits of scripts/fit_polynomials. Up to `reducible` the multiples of pi/2 are exact enough.
struct WideTan {
  static constexpr double reducible = 0x1p48;
  static constexpr std::array sin_series = {-0.16666666641625491, 0.0083333293852790851,
                                            -0.00019839334456153845, 2.7183065904899915e-06};
  static constexpr std::array cos_series = {-0.49999999725090732, 0.041666623316961415,
                                            -0.0013886763356342679, 2.439039493888458e-05};
};

/// The tangent of x in radians, sin / cos; beyond |x| > reducible one library function, for those
/// lanes only.
template <DType dtype, class B, class V> V tan(B& b, V x) {
  const V magnitude = b.abs(x);
  const auto is_odd = [&](const auto& k) {
    const auto one = b.int_constant_like(k, 1);
    return b.ieq(b.and_(k, one), one);
  };
  if constexpr (dtype == DType::f32) {
    using Constants = TrigConstants<DType::f64>;
    const auto wide = b.widen(x);
    const auto k = round_product<DType::f64>(b, wide, 0.63661977236758138);
    const auto minus_k = b.neg(k.quotient);
    const auto first = b.fma(minus_k, b.constant_like(wide, Constants::half_pi_high), wide);
    const auto r = b.fma(minus_k, b.constant_like(wide, Constants::half_pi_middle), first);
    const auto square = b.mul(r, r);
    const auto sin = b.fma(b.mul(r, square), polynomial(b, square, WideTan::sin_series), r);
    const auto cos =
        b.fma(square, polynomial(b, square, WideTan::cos_series), b.constant_like(wide, 1));
    const auto swapped = is_odd(k.integer);
    const V result =
        b.narrow(b.div(b.select(swapped, b.neg(cos), sin), b.select(swapped, sin, cos)));
    return b.call_where(b.fgt(magnitude, b.constant_like(x, WideTan::reducible)), Libcall::tan, x,
                        b.select(b.feq(x, b.constant_like(x, 0)), x, result));
  } else {
    using Constants = TrigConstants<dtype>;
    const auto reduced = reduced_to_quarter<dtype>(b, x);
    const auto swapped = is_odd(reduced.count);
    const auto sin = fast_two_sum(b, reduced.sin.high, reduced.sin.low);
    const auto cos = fast_two_sum(b, reduced.cos.high, reduced.cos.low);
    const V p = b.select(swapped, b.neg(cos.high), sin.high),
            q = b.select(swapped, sin.high, cos.high);
    const V p_low = b.select(swapped, b.neg(cos.low), sin.low),
            q_low = b.select(swapped, sin.low, cos.low);
    const V inverse = b.div(b.constant_like(x, 1), q);
    const V quotient = b.mul(p, inverse), minus_quotient = b.neg(quotient);
    const V residual = b.fma(minus_quotient, q_low, b.add(b.fma(minus_quotient, q, p), p_low));
    const V result = b.select(b.flt(magnitude, b.constant_like(x, Constants::tiny)), x,
                              b.fma(residual, inverse, quotient));
    return b.call_where(b.fgt(magnitude, b.constant_like(x, Constants::reducible)), Libcall::tan, x,
                        result);
  }
}

} // namespace kolam::scalar
