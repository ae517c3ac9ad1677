/// tanh in f32 and f64.
#pragma once

#include "kolam/support/scalar/exp.h"

namespace kolam::scalar {

/// tanh(x) = x + x^3 series(x^2) for |x| < kTanhSmall.
inline constexpr double kTanhSmall = 0.625;
template <DType dtype> struct TanhConstants;
template <> struct TanhConstants<DType::f32> {
  static constexpr std::array series = {-0.333333313, 0.133332118,    -0.0539474674,
                                        0.0217042081, -0.00818537362, 0.00214975257};
};
template <> struct TanhConstants<DType::f64> {
  static constexpr std::array series = {
      -0.33333333333333315,   0.13333333333330202,    -0.053968253966269607,
      0.021869488473706941,   -0.0088632343826979005, 0.0035921146277046729,
      -0.00145572966579009,   0.00058946654053558057, -0.00023705045718795735,
      9.1623090481221975e-05, -3.02494004469798e-05,  6.0686651925652327e-06};
};

/// The hyperbolic tangent: a polynomial near 0, elsewhere 1 - 2 / (e^2|x| + 1), which saturates
/// at 1.
template <DType dtype, class B, class V> V tanh(B& b, V x) {
  const V magnitude = b.abs(x);
  const V square = b.mul(x, x);
  const V near_zero = b.fma(b.mul(magnitude, square),
                            polynomial(b, square, TanhConstants<dtype>::series), magnitude);
  const V one = b.constant_like(x, 1);
  const V two = b.constant_like(x, 2);
  const V power = exp<dtype>(b, b.mul(magnitude, two));
  const V elsewhere = b.sub(one, b.div(two, b.add(power, one)));
  const auto is_small = b.flt(magnitude, b.constant_like(x, kTanhSmall));
  return b.copysign(b.select(is_small, near_zero, elsewhere), x);
}

} // namespace kolam::scalar
