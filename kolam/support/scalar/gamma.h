/// lgamma.
#pragma once

#include "kolam/support/scalar/log.h"

namespace kolam::scalar {

/// For f32, computed in f64: lgamma(2 + d) = d near_two(d) for |d| <= 1/2, and for p >= 6.5
/// (Stirling) (p - 1/2) log(p) - p + log(2 pi) / 2 + stirling(1/p^2) / p. Fits of
/// scripts/fit_polynomials.
struct GammaConstants {
  static constexpr double half_log_two_pi = 0.91893853320467274;
  static constexpr std::array near_two = {
      0.42278433510632552,    0.32246703366085738,    -0.067352302745308706,
      0.020580789187361892,   -0.0073854913109137783, 0.0028909438838618331,
      -0.0011935246723760622, 0.00050572299185163848, -0.00021872123353314511,
      0.00011488709769431481, -5.62249864420891e-05};
  static constexpr std::array stirling = {0.083333331619935669, -0.0027773830603162832,
                                          0.00076647379697035434};
};

/// log(|gamma(x)|) of f32. Below 0 one library function, for those lanes only: zeros lie between
/// all integers there. From 0 to 6.5 lgamma near 2 and the logarithm of a product, above it
/// Stirling's formula.
template <class B, class V> V lgamma(B& b, V x) {
  const auto p = b.widen(x);
  const auto number = [&](double value) { return b.constant_like(p, value); };
  const auto one = number(1);
  const auto is_large = b.fge(p, number(6.5));
  // n = round(p) - 2, the steps to 2: -2 to 4.
  const auto n = b.sub(b.round_even(p), number(2));
  auto rising = b.select(b.flt(n, number(-1)), b.mul(p, b.add(p, one)), p);
  auto falling = b.sub(p, one);
  for (int step = 2; step <= 4; ++step)
    falling = b.select(b.flt(n, number(step)), falling, b.mul(falling, b.sub(p, number(step))));
  const auto is_below = b.flt(n, number(0));
  const auto is_at_two = b.feq(n, number(0));
  auto product = b.select(is_below, rising, b.select(is_at_two, one, falling));
  product = b.select(is_large, p, product);

  const auto d = b.sub(b.sub(p, number(2)), n);
  const auto near_two = b.mul(d, polynomial(b, d, GammaConstants::near_two));
  const auto inverse = b.div(one, p);
  const auto series =
      b.mul(inverse, polynomial(b, b.mul(inverse, inverse), GammaConstants::stirling));
  const auto stirling = b.add(b.sub(number(GammaConstants::half_log_two_pi), p), series);
  const auto factor =
      b.select(is_large, b.sub(p, number(0.5)), b.select(is_below, number(-1), one));
  const auto parts = significand<DType::f64>(b, product);
  const auto log = log_of_parts<DType::f64>(b, small_int_to_float<DType::f64>(b, parts.exponent),
                                            parts.fraction);
  const V result = b.narrow(b.fma(factor, log, b.select(is_large, stirling, near_two)));
  const V zero = b.constant_like(x, 0);
  const V infinity = b.constant_like(x, std::numeric_limits<double>::infinity());
  const V finite = b.select(b.flt(b.abs(x), infinity), result, b.mul(x, x));
  return b.call_where(b.flt(x, zero), Libcall::lgamma, x,
                      b.select(b.feq(x, zero), infinity, finite));
}

template <DType dtype, class B, class V> V lgamma(B& b, V x) {
  if constexpr (dtype == DType::f32)
    return lgamma(b, x);
  else
    return b.call(Libcall::lgamma, x);
}

} // namespace kolam::scalar
