/// tanh in f32 and f64.
#pragma once

#include "kolam/support/scalar/exp.h"

namespace kolam::scalar {

/// The hyperbolic tangent: t / (t + 2) with t = e^2|x| - 1 = 2^k expm1(r) + (2^k - 1), which loses
/// nothing near 0; the quotient is corrected by what the sum and itself lost. 1 beyond `saturated`.
template <DType dtype, class B, class V> V tanh(B& b, V x) {
  constexpr double saturated = dtype == DType::f32 ? 10 : 20;
  const V magnitude = b.abs(x), highest = b.constant_like(x, saturated);
  const V limited = b.select(b.fgt(magnitude, highest), highest, magnitude);
  const auto reduced = reduce_exp<dtype>(b, b.add(limited, limited));
  const V one = b.constant_like(x, 1), two = b.constant_like(x, 2);
  const V power = power_of_two<dtype>(b, reduced.exponent.integer);
  const V t = b.fma(reduced.remainder, power, b.sub(power, one));
  const V sum = b.add(t, two), sum_low = b.sub(t, b.sub(sum, two));
  const V inverse = b.div(one, sum);
  const V quotient = b.mul(t, inverse), minus_quotient = b.neg(quotient);
  const V residual = b.fma(minus_quotient, sum_low, b.fma(minus_quotient, sum, t));
  return b.copysign(b.fma(residual, inverse, quotient), x);
}

} // namespace kolam::scalar
