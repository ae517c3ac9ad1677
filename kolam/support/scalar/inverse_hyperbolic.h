/// asinh, acosh and atanh in f32 and f64.
#pragma once

#include "kolam/support/scalar/log.h"
#include "kolam/support/scalar/pair.h"

namespace kolam::scalar {

/// atanh(s) = s + s z series(z), z = s^2, for |s| <= 0.365; in f32, which is computed in f64, s
/// series(z). Fits of scripts/fit_polynomials.
template <DType dtype> struct InverseHyperbolicConstants;
template <> struct InverseHyperbolicConstants<DType::f32> {
  static constexpr std::array series = {1.000000010396211, 0.33332949116479127, 0.20022600645033004,
                                        0.13826012776942989, 0.14809583358498626};
};
template <> struct InverseHyperbolicConstants<DType::f64> {
  static constexpr std::array series = {
      0.33333333333333331,  0.2000000000000095,   0.14285714285545439,  0.11111111126094392,
      0.090909083141486352, 0.076923332479669829, 0.066661082358961524, 0.058906324772514063,
      0.051797796388034806, 0.053197351468599295, 0.020109792691706523, 0.092929598608907746};
};

/// unit (k ln(2) + 2 atanh(p / q)), of f64 as exact as `dtype`.
template <DType dtype, class B, class V>
V log_of_ratio(B& b, V k, Pair<V> p, Pair<V> q, double unit) {
  using Constants = LogConstants<DType::f64>;
  const auto& series = InverseHyperbolicConstants<dtype>::series;
  const V factor = b.constant_like(k, 2 * unit);
  if constexpr (dtype == DType::f32) {
    const V s = b.div(p.high, q.high);
    const V of_s = b.mul(b.mul(s, factor), polynomial(b, b.mul(s, s), series));
    return b.fma(k, b.constant_like(k, 0.69314718055994529 * unit), of_s);
  }
  const V inverse = b.div(b.constant_like(k, 1), q.high);
  const V quotient = b.mul(p.high, inverse), minus_quotient = b.neg(quotient);
  const V residual =
      b.fma(minus_quotient, q.low, b.add(b.fma(minus_quotient, q.high, p.high), p.low));
  const V s = b.mul(quotient, factor), s_low = b.mul(b.mul(residual, inverse), factor);
  const V z = b.mul(quotient, quotient);
  const V rest = b.fma(k, b.constant_like(k, Constants::ln2_low * unit), s_low);
  const V low = b.fma(b.mul(s, z), polynomial(b, z, series), rest);
  const V high = b.mul(k, b.constant_like(k, Constants::ln2_high * unit)); // exact
  const auto sum = fast_two_sum(b, high, s);
  return b.add(sum.high, b.add(sum.low, low));
}

/// The exponent of a positive number.
template <DType dtype, class B, class V> auto exponent_of(B& b, V x) {
  const auto bits = b.bits(x);
  return b.isub(b.lshr(bits, b.int_constant_like(bits, FloatLayout<dtype>::mantissa_bits)),
                b.int_constant_like(bits, FloatLayout<dtype>::bias));
}

/// The inverse hyperbolic tangent, half of log((1 + x) / (1 - x)): with k the exponent of that
/// ratio, k ln(2)/2 + atanh of a quotient, which is x itself for k = 0.
template <DType dtype, class B, class V> V wide_atanh(B& b, V x) {
  const V one = b.constant_like(x, 1), magnitude = b.abs(x);
  const V above = b.add(one, magnitude), below = b.sub(one, magnitude);
  const auto ratio = b.isub(b.bits(above), b.bits(below));
  const auto k = b.ashr(ratio, b.int_constant_like(ratio, FloatLayout<DType::f64>::mantissa_bits));
  const V inverse = power_of_two<DType::f64>(b, b.isub(b.int_constant_like(k, 0), k));
  // p = above / 2^k - below, q the sum: sums with 1 are exact in one form for small k, in the other
  // for large ones.
  V p = b.fma(magnitude, b.add(inverse, one), b.sub(inverse, one));
  V q = b.fma(magnitude, b.sub(inverse, one), b.add(inverse, one));
  const V zero = b.constant_like(x, 0);
  if constexpr (dtype == DType::f64) {
    const auto is_far = b.sgt(k, b.int_constant_like(k, 1));
    const V lost = b.sub(magnitude, b.sub(above, one));
    p = b.select(is_far, b.fma(lost, inverse, b.fma(above, inverse, b.neg(below))), p);
    q = b.select(is_far, b.fma(above, inverse, below), q);
  }
  return log_of_ratio<dtype>(b, small_int_to_float<DType::f64>(b, k), {p, zero}, {q, zero}, 0.5);
}

/// log(sum) + k ln(2) for a sum of two numbers whose squares differ by 1: near 0 by p / q, the
/// tangent of its half, elsewhere by its exponent. The values are f64.
template <DType dtype, class B, class V>
V log_of_sum(B& b, Pair<V> sum, V k, Pair<V> p, Pair<V> q) {
  const auto exponent = exponent_of<DType::f64>(b, sum.high);
  const auto zero = b.int_constant_like(exponent, 0);
  const V inverse = power_of_two<DType::f64>(b, b.isub(zero, exponent));
  const V one = b.constant_like(k, 1);
  const Pair<V> above = {b.fma(sum.high, inverse, b.constant_like(k, -1)), b.mul(sum.low, inverse)};
  const V below = b.fma(sum.high, inverse, one);
  const auto is_small = b.ieq(exponent, zero);
  const auto pick = [&](V x, V y) { return b.select(is_small, x, y); };
  return log_of_ratio<dtype>(b, b.add(small_int_to_float<DType::f64>(b, exponent), k),
                             {pick(p.high, above.high), pick(p.low, above.low)},
                             {pick(q.high, below), pick(q.low, b.constant_like(k, 0))}, 1);
}

/// x + root, where that overflows or root does as 2 x; x 2^-k with k the power.
template <class V> struct ScaledSum {
  Pair<V> sum;
  V power;
};
template <DType dtype, class B, class V> auto scaled_sum(B& b, V x, Pair<V> sum) {
  if constexpr (dtype == DType::f32)
    return ScaledSum<V>{sum, b.constant_like(x, 0)};
  const auto is_huge = b.fgt(x, b.constant_like(x, 0x1p500));
  const V zero = b.constant_like(x, 0), scaled = b.mul(x, b.constant_like(x, 0x1p-450));
  return ScaledSum<V>{{b.select(is_huge, scaled, sum.high), b.select(is_huge, zero, sum.low)},
                      b.select(is_huge, b.constant_like(x, 451), zero)};
}

/// log(x + sqrt(x^2 + 1)) of x >= 0.
template <DType dtype, class B, class V> V wide_asinh(B& b, V x) {
  const V one = b.constant_like(x, 1);
  const V square = b.fma(x, x, one);
  const V root = b.sqrt(square);
  const auto scaled = scaled_sum<dtype>(b, x, fast_two_sum(b, root, x));
  auto above = fast_two_sum(b, root, one);
  const V zero = b.constant_like(x, 0);
  above.low = b.add(above.low, root_error<DType::f64>(b, root, {square, zero}));
  return log_of_sum<dtype>(b, scaled.sum, scaled.power, {x, zero}, above);
}

/// log(x + sqrt(x^2 - 1)) of x >= 1.
template <DType dtype, class B, class V> V wide_acosh(B& b, V x) {
  const V one = b.constant_like(x, 1);
  const V excess = b.sub(x, one); // exact where it is small
  const V twice = b.add(excess, excess);
  const V square = b.fma(excess, excess, twice);
  const V lost = b.fma(excess, excess, b.sub(twice, square));
  const V root = b.sqrt(square);
  const auto scaled = scaled_sum<dtype>(b, x, fast_two_sum(b, x, root));
  return log_of_sum<dtype>(b, scaled.sum, scaled.power,
                           {root, root_error<DType::f64>(b, root, {square, lost})},
                           fast_two_sum(b, x, one));
}

template <DType dtype, class B, class V> V atanh(B& b, V x) {
  const V magnitude = b.abs(x), one = b.constant_like(x, 1);
  V result = x;
  if constexpr (dtype == DType::f32)
    result = b.narrow(wide_atanh<dtype>(b, b.widen(magnitude)));
  else
    result = wide_atanh<dtype>(b, magnitude);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const V at_one = b.select(b.feq(magnitude, one), b.constant_like(x, infinity),
                            b.constant_like(x, std::numeric_limits<double>::quiet_NaN()));
  return b.copysign(b.select(b.flt(magnitude, one), result, at_one), x);
}

/// The inverse hyperbolic sine.
template <DType dtype, class B, class V> V asinh(B& b, V x) {
  const V magnitude = b.abs(x);
  V result = x;
  if constexpr (dtype == DType::f32)
    result = b.narrow(wide_asinh<dtype>(b, b.widen(magnitude)));
  else // x itself where it is tiny
    result = b.select(b.flt(magnitude, b.constant_like(x, LogConstants<dtype>::tiny)), magnitude,
                      wide_asinh<dtype>(b, magnitude));
  const V infinity = b.constant_like(x, std::numeric_limits<double>::infinity());
  return b.copysign(b.select(b.flt(magnitude, infinity), result, magnitude), x);
}

/// The inverse hyperbolic cosine; NaN below 1.
template <DType dtype, class B, class V> V acosh(B& b, V x) {
  V result = x;
  if constexpr (dtype == DType::f32)
    result = b.narrow(wide_acosh<dtype>(b, b.widen(x)));
  else
    result = wide_acosh<dtype>(b, x);
  const V infinity = b.constant_like(x, std::numeric_limits<double>::infinity());
  const V nan = b.constant_like(x, std::numeric_limits<double>::quiet_NaN());
  return b.select(b.fge(x, b.constant_like(x, 1)), b.select(b.flt(x, infinity), result, x), nan);
}

} // namespace kolam::scalar
