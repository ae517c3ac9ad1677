/// erf in f32 and f64.
#pragma once

#include "kolam/support/scalar/exp.h"

namespace kolam::scalar {

/// erf(x) = x + x small(x^2) below 1; erf(x) = 1 - exp(-large(x - 1)) from 1 to `saturated`, beyond
/// which it rounds to 1.
template <DType dtype> struct ErfConstants;
template <> struct ErfConstants<DType::f32> {
  static constexpr double saturated = 3.95;
  static constexpr std::array small = {0.128379166,   -0.37612626,     0.112836003,   -0.0268544443,
                                       0.00518953241, -0.000802080962, 7.88900215e-05};
  static constexpr std::array large = {1.84960556,     2.6389668,     0.84311831,     0.0415006839,
                                       -0.00989088416, 0.00182615733, -0.000185572469};
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
      1.8496055099332482,      2.6389675142347881,      0.84310725635867678,
      0.041561098041807444,    -0.010033825374379877,   0.0019779025676123271,
      -0.00023732247975752309, -2.6277881154027144e-05, 2.7159126841894649e-05,
      -9.6089251073360545e-06, 2.0598021631621362e-06,  -1.4290202387841753e-07,
      -9.7530123944781578e-08, 5.2029708992227513e-08,  -1.4908659530648832e-08,
      2.8633713151937017e-09,  -3.6814166854503136e-10, 2.8805487257442531e-11,
      -1.0386705505683807e-12};
};

/// The error function, 2 / sqrt(pi) times the integral of exp(-t^2) over [0, x].
template <DType dtype, class B, class V> V erf(B& b, V x) {
  using Constants = ErfConstants<dtype>;
  const V magnitude = b.abs(x);
  const V one = b.constant_like(x, 1);
  const V near_zero = b.fma(magnitude, polynomial(b, b.mul(x, x), Constants::small), magnitude);
  const V saturated = b.constant_like(x, Constants::saturated);
  const V limited = b.select(b.fgt(magnitude, saturated), saturated, magnitude);
  const V log_erfc = b.neg(polynomial(b, b.sub(limited, one), Constants::large));
  const V elsewhere = b.sub(one, exp<dtype>(b, log_erfc));
  return b.copysign(b.select(b.flt(magnitude, one), near_zero, elsewhere), x);
}

} // namespace kolam::scalar
