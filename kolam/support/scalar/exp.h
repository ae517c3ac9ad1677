/// exp, exp2 and expm1 in f32 and f64.
#pragma once

#include "kolam/support/scalar/polynomial.h"

namespace kolam::scalar {

/// Minimax polynomials on |r| <= ln(2)/2: exp(r) = 1 + r + r^2 tail(r), exp2(r) = 1 + r
/// exp2_tail(r). ln 2 as a sum whose first part has trailing zeros. Beyond `lowest` and `highest`
/// the results are 0 and infinity.
template <DType dtype> struct ExpConstants;
template <> struct ExpConstants<DType::f32> {
  static constexpr double ln2_high = 0.693145751953125, ln2_low = 1.428606765330187e-06;
  static constexpr double lowest = -104, highest = 89, lowest_exp2 = -151, highest_exp2 = 129;
  static constexpr double lowest_expm1 = -20, tiny = 0x1p-26;
  static constexpr std::array tail = {0.5, 0.166665405, 0.041666273, 0.00836689677, 0.00139471586};
  static constexpr std::array exp2_tail = {0.693147182,   0.240226507,   0.0555032641,
                                           0.00961800106, 0.00134009065, 0.000154770023};
};
template <> struct ExpConstants<DType::f64> {
  static constexpr double ln2_high = 0.6931471805601177, ln2_low = -1.7239444525614835e-13;
  static constexpr double lowest = -746, highest = 710, lowest_exp2 = -1076, highest_exp2 = 1025;
  static constexpr double lowest_expm1 = -40, tiny = 0x1p-55;
  static constexpr std::array tail = {0.5,
                                      0.16666666666666677,
                                      0.041666666666666699,
                                      0.0083333333333212248,
                                      0.0013888888888866711,
                                      0.00019841269887318588,
                                      2.4801587360585572e-05,
                                      2.7557242860699958e-06,
                                      2.7557242877213649e-07,
                                      2.5109553769418988e-08,
                                      2.0924377558830594e-09};
  static constexpr std::array exp2_tail = {
      0.69314718055994529,    0.24022650695910072,    0.055504108664821701,
      0.009618129107628496,   0.0013333558146389022,  0.0001540353039334084,
      1.5252733857714386e-05, 1.3215486833287782e-06, 1.0178050548824794e-07,
      7.0548881555945948e-09, 4.4567795433419493e-10, 2.5741952832271976e-11};
};

/// x limited to [low, high]; NaN passes.
template <class B, class V> V limit(B& b, V x, double low, double high) {
  const V lowest = b.constant_like(x, low);
  const V highest = b.constant_like(x, high);
  x = b.select(b.flt(x, lowest), lowest, x);
  return b.select(b.fgt(x, highest), highest, x);
}

/// x 2^k in two steps, so that one rounding makes the denormal or infinite result. |k| < 2 * bias.
/// A builder that has an instruction for it does it in one.
template <DType dtype, class B, class V, class I>
V scale_by_power(B& b, V x, const RoundedQuotient<V, I>& power) {
  if constexpr (requires { b.scaled(x, x); })
    if (b.has_float_parts(x))
      return b.scaled(x, power.quotient);
  const I k = power.integer;
  const I half = b.ashr(k, b.int_constant_like(k, 1));
  const V scaled = b.mul(x, power_of_two<dtype>(b, half));
  return b.mul(scaled, power_of_two<dtype>(b, b.isub(k, half)));
}

template <class V, class I> struct ExpReduction {
  RoundedQuotient<V, I> exponent; ///< k with x = k ln 2 + r
  V remainder;                    ///< expm1(r)
};

/// Of x or, with a small `rest`, of x + rest.
template <DType dtype, class B, class V, class... Rest> auto reduce_exp(B& b, V x, Rest... rest) {
  using Constants = ExpConstants<dtype>;
  const auto k = round_product<dtype>(b, x, 1.4426950408889634);
  const V minus_k = b.neg(k.quotient);
  V r = b.fma(minus_k, b.constant_like(x, Constants::ln2_high), x);
  const V ln2_low = b.constant_like(x, Constants::ln2_low);
  if constexpr (sizeof...(rest) > 0)
    r = b.add(r, b.fma(minus_k, ln2_low, rest...));
  else
    r = b.fma(minus_k, ln2_low, r);
  const V expm1 = b.fma(b.mul(r, r), polynomial(b, r, Constants::tail), r);
  return ExpReduction<V, decltype(k.integer)>{k, expm1};
}

/// f(x) for x up to `high`, 0 below `low`. Elements below go another way around than through f at
/// `low`: a machine may take a hundred times as long where a result is denormal, and -inf is what
/// hides elements from a softmax.
template <class B, class V, class F> V zero_below(B& b, V x, double low, double high, const F& f) {
  const V zero = b.constant_like(x, 0);
  const auto is_below = b.flt(x, b.constant_like(x, low));
  const V highest = b.constant_like(x, high);
  x = b.select(is_below, zero, x);
  return b.select(is_below, zero, f(b.select(b.fgt(x, highest), highest, x)));
}

/// e^x. exp(-inf) = 0, exp(inf) = inf.
template <DType dtype, class B, class V> V exp(B& b, V x) {
  using Constants = ExpConstants<dtype>;
  return zero_below(b, x, Constants::lowest, Constants::highest, [&](V limited) {
    const auto reduced = reduce_exp<dtype>(b, limited);
    const V mantissa = b.add(b.constant_like(x, 1), reduced.remainder);
    return scale_by_power<dtype>(b, mantissa, reduced.exponent);
  });
}

/// 2^x, exact for integral x.
template <DType dtype, class B, class V> V exp2(B& b, V x) {
  using Constants = ExpConstants<dtype>;
  return zero_below(b, x, Constants::lowest_exp2, Constants::highest_exp2, [&](V limited) {
    const auto k = round_product<dtype>(b, limited, 1);
    const V r = b.sub(limited, k.quotient);
    const V mantissa = b.fma(r, polynomial(b, r, Constants::exp2_tail), b.constant_like(x, 1));
    return scale_by_power<dtype>(b, mantissa, k);
  });
}

/// e^x - 1 without cancellation: 2^k expm1(r) + (2^k - 1). x itself, with its sign of zero, where
/// |x| is tiny.
template <DType dtype, class B, class V> V expm1(B& b, V x) {
  using Constants = ExpConstants<dtype>;
  const auto reduced =
      reduce_exp<dtype>(b, limit(b, x, Constants::lowest_expm1, Constants::highest));
  const auto k = reduced.exponent.integer;
  // Half the power, so that it stays finite up to the overflow of the result.
  const V half = power_of_two<dtype>(b, b.isub(k, b.int_constant_like(k, 1)));
  const V sum = b.fma(reduced.remainder, half, b.sub(half, b.constant_like(x, 0.5)));
  const V result = b.mul(sum, b.constant_like(x, 2));
  return b.select(b.flt(b.abs(x), b.constant_like(x, Constants::tiny)), x, result);
}

/// 2^r = kShortExp2(r) for |r| <= 1/2, 2^-29 of it off: of f64, for results in f32. A fit of
/// scripts/fit_polynomials.
inline constexpr std::array kShortExp2 = {
    1.000000000552133,     0.69314720573711874,   0.24022646898801331,   0.055503287774262555,
    0.0096184883912247242, 0.0013399930606426526, 0.00015345919149224952};

/// 2^x of an f64 in [-1022, 1023], as exact as f32.
template <class B, class V> V short_exp2(B& b, V x) {
  const auto k = round_product<DType::f64>(b, x, 1);
  const V mantissa = polynomial(b, b.sub(x, k.quotient), kShortExp2);
  return b.mul(mantissa, power_of_two<DType::f64>(b, k.integer));
}

} // namespace kolam::scalar
