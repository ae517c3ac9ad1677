/// erf and erfc in f32 and f64.
#pragma once

#include "kolam/support/scalar/exp.h"
#include "kolam/support/scalar/pair.h"

namespace kolam::scalar {

/// erf(x) = x + x small(x^2) below 1; erf(x) = 1 - 2^large(x - 1) from 1 to `saturated`, beyond
/// which it rounds to 1. The power is less than 0.16, so that what `large` loses counts a sixth.
template <DType dtype> struct ErfConstants;
template <> struct ErfConstants<DType::f32> {
  static constexpr double saturated = 3.95;
  static constexpr std::array small = {0.128379166,   -0.37612626,     0.112836003,   -0.0268544443,
                                       0.00518953241, -0.000802080962, 7.88900215e-05};
  static constexpr std::array large = {-2.66841674,   -3.80721498, -1.21650314,
                                       -0.0592247322, 0.01305517,  -0.00166979618};
};
template <> struct ErfConstants<DType::f64> {
  static constexpr double saturated = 5.95;
  static constexpr std::array small = {
      0.12837916709551259,     -0.37612638903183748,    0.11283791670954885,
      -0.026866170645077871,   0.0052239776248284029,   -0.00085483269814245306,
      0.00012055331132934594,  -1.4925595771932808e-05, 1.6461008476633503e-06,
      -1.6350396229354681e-07, 1.4660328840411855e-08,  -1.1374956332348621e-09,
      5.9606864179271068e-11};
  static constexpr std::array large = {
      -2.6684166967815997,    -3.8072253458535865,     -1.2163466576872226,
      -0.059959990014233286,  0.014475749817249419,    -0.0028535081809892325,
      0.00034237472196707727, 3.7939418638151032e-05,  -3.9244197510460914e-05,
      1.3960120762804174e-05, -3.0843565949627677e-06, 3.0282381238335411e-07,
      7.9197791445112758e-08, -4.621966713019387e-08,  1.1703424740330265e-08,
      -1.787703506541007e-09, 1.5880887094198294e-10,  -6.3322632637391107e-12};
};

/// The error function, 2 / sqrt(pi) times the integral of exp(-t^2) over [0, x].
template <DType dtype, class B, class V> V erf(B& b, V x) {
  using Constants = ErfConstants<dtype>;
  const V magnitude = b.abs(x);
  const V one = b.constant_like(x, 1);
  const V near_zero = b.fma(magnitude, polynomial(b, b.mul(x, x), Constants::small), magnitude);
  const V saturated = b.constant_like(x, Constants::saturated);
  const V limited = b.select(b.fgt(magnitude, saturated), saturated, magnitude);
  // The power is a normal number, between 2^-54 and 2^-2.
  const V log_erfc = polynomial(b, b.sub(limited, one), Constants::large);
  const auto k = round_product<dtype>(b, log_erfc, 1);
  const V r = b.sub(log_erfc, k.quotient);
  const V mantissa = b.fma(r, polynomial(b, r, ExpConstants<dtype>::exp2_tail), one);
  const V elsewhere = b.fma(b.neg(mantissa), power_of_two<dtype>(b, k.integer), one);
  return b.copysign(b.select(b.fge(magnitude, one), elsewhere, near_zero), x);
}

/// For 0 <= x <= `highest`, beyond which erfc(x) is 0: in f32, which is computed in f64, erfc(x) =
/// exp(-x^2) t series(t) with t = 1 / (x + shift); in f64 exp(-x^2) (1 + series(t)) / (1 + 2 x)
/// with t = (x - shift) / (x + shift), after M. Shepherd and J. Laframboise, "Chebyshev
/// approximation of (1 + 2x) exp(x^2) erfc x" (1981). Fits of scripts/fit_polynomials.
template <DType dtype> struct ErfcConstants;
template <> struct ErfcConstants<DType::f32> {
  static constexpr double shift = 3, highest = 10.1;
  static constexpr std::array series = {
      0.56410933272554464,  1.6980512977730038, 4.6316014812510486,  15.519971615857813,
      -0.09123480881354313, 292.08460263608657, -957.45656580554441, 3498.4395118764091,
      -5729.536625989319,   3278.6483627335615};
};
template <> struct ErfcConstants<DType::f64> {
  static constexpr double shift = 4, highest = 27.3,
                          first_slope = 1.74324166498; // 4 - 4 / sqrt(pi)
  static constexpr std::array series = {
      0.2329951186255525,      -0.13962111684056297,    0.015379652102623195,
      0.068097054254745479,    -0.10103906603649185,    0.093732834996517078,
      -0.066330365808482075,   0.037167515567140541,    -0.016197734092541525,
      0.0050319697103867137,   -0.00075777313300518195, -0.00019925522885845534,
      0.00015062146598058149,  -2.4404262310199663e-05, -1.1223052620912452e-05,
      5.7206187586611477e-06,  2.9920749760617555e-07,  -8.3935361209961894e-07,
      6.3726469694429816e-08,  1.1894139812556258e-07,  -7.2577929111070608e-09,
      -1.4984934144808002e-08, -2.3285204135104736e-09};
};

/// 1 - erf(x) without cancellation; 2 less that of -x below 0.
template <DType dtype, class B, class V> V erfc(B& b, V x) {
  using Constants = ErfcConstants<dtype>;
  const V magnitude = b.abs(x);
  if constexpr (dtype == DType::f32) {
    const V highest = b.constant_like(x, Constants::highest);
    const auto limited = b.widen(b.select(b.fgt(magnitude, highest), highest, magnitude));
    const auto inverse = b.div(b.constant_like(limited, 1),
                               b.add(limited, b.constant_like(limited, Constants::shift)));
    const auto scaled =
        b.mul(b.mul(limited, limited), b.constant_like(limited, -1.4426950408889634));
    const auto power = short_exp2(b, scaled);
    const auto right = b.mul(b.mul(power, inverse), polynomial(b, inverse, Constants::series));
    const auto left = b.sub(b.constant_like(right, 2), right);
    return b.narrow(b.select(b.flt(x, b.constant_like(x, 0)), left, right));
  } else {
    const V highest = b.constant_like(x, Constants::highest);
    const V limited = b.select(b.fgt(magnitude, highest), highest, magnitude);
    const V ratio = b.div(limited, b.add(limited, b.constant_like(x, Constants::shift)));
    const V one = b.constant_like(x, 1), twice = b.add(ratio, ratio), t = b.sub(twice, one);
    // What rounding t loses is felt near x = 0, where this is the slope.
    const V t_low = b.sub(twice, b.add(t, one));
    const V series = b.fma(t_low, b.constant_like(x, Constants::first_slope),
                           polynomial(b, t, Constants::series));
    // exp(-x^2) = 2^k (1 + rest), with the square's error
    const V square = b.mul(limited, limited);
    const V error = b.fma(b.neg(limited), limited, square);
    const auto reduced = reduce_exp<dtype>(b, b.neg(square), error);
    const auto power = fast_two_sum(b, one, reduced.remainder);
    // 1 / (1 + 2 x), with its error
    const auto divisor = two_sum(b, one, b.add(limited, limited));
    const V inverse = b.div(one, divisor.high), minus = b.neg(inverse);
    const V lost = b.fma(minus, divisor.low, b.fma(minus, divisor.high, one));
    const V rest = b.add(b.fma(reduced.remainder, series, series), b.add(power.low, lost));
    const V mantissa = b.fma(inverse, power.high, b.mul(inverse, rest));
    const V right = scale_by_power<dtype>(b, mantissa, reduced.exponent);
    return b.select(b.flt(x, b.constant_like(x, 0)), b.sub(b.constant_like(x, 2), right), right);
  }
}

} // namespace kolam::scalar
