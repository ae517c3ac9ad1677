/// The elementwise functions on f32 and f64 values.
#pragma once

#include "kolam/support/elementwise.h"
#include "kolam/support/scalar/erf.h"
#include "kolam/support/scalar/erf_inv.h"
#include "kolam/support/scalar/float_arithmetic.h"
#include "kolam/support/scalar/gamma.h"
#include "kolam/support/scalar/hyperbolic.h"
#include "kolam/support/scalar/inverse_hyperbolic.h"
#include "kolam/support/scalar/inverse_trig.h"
#include "kolam/support/scalar/pow.h"
#include "kolam/support/scalar/root.h"
#include "kolam/support/scalar/tanh.h"
#include "kolam/support/scalar/trig.h"

namespace kolam {

/// One function of one float; `dtype` is f32 or f64.
template <Fn fn, DType dtype, class B, class V> auto elementwise_float(B& b, V x) {
  if constexpr (fn == Fn::abs)
    return b.abs(x);
  else if constexpr (fn == Fn::acos)
    return scalar::acos<dtype>(b, x);
  else if constexpr (fn == Fn::acosh)
    return scalar::acosh<dtype>(b, x);
  else if constexpr (fn == Fn::asin)
    return scalar::asin<dtype>(b, x);
  else if constexpr (fn == Fn::asinh)
    return scalar::asinh<dtype>(b, x);
  else if constexpr (fn == Fn::atan)
    return scalar::atan<dtype>(b, x);
  else if constexpr (fn == Fn::atanh)
    return scalar::atanh<dtype>(b, x);
  else if constexpr (fn == Fn::cbrt)
    return scalar::cbrt<dtype>(b, x);
  else if constexpr (fn == Fn::ceil)
    return b.ceil(x);
  else if constexpr (fn == Fn::cos)
    return scalar::cos<dtype>(b, x);
  else if constexpr (fn == Fn::cosh)
    return scalar::cosh<dtype>(b, x);
  else if constexpr (fn == Fn::erf)
    return scalar::erf<dtype>(b, x);
  else if constexpr (fn == Fn::erf_inv)
    return scalar::erf_inv<dtype>(b, x);
  else if constexpr (fn == Fn::erfc)
    return scalar::erfc<dtype>(b, x);
  else if constexpr (fn == Fn::exp)
    return scalar::exp<dtype>(b, x);
  else if constexpr (fn == Fn::exp2)
    return scalar::exp2<dtype>(b, x);
  else if constexpr (fn == Fn::expm1)
    return scalar::expm1<dtype>(b, x);
  else if constexpr (fn == Fn::floor)
    return b.floor(x);
  else if constexpr (fn == Fn::isfinite)
    return scalar::is_finite(b, x);
  else if constexpr (fn == Fn::isinf)
    return scalar::is_infinite(b, x);
  else if constexpr (fn == Fn::isnan)
    return scalar::is_nan(b, x);
  else if constexpr (fn == Fn::lgamma)
    return scalar::lgamma<dtype>(b, x);
  else if constexpr (fn == Fn::log)
    return scalar::log<dtype>(b, x);
  else if constexpr (fn == Fn::log10)
    return scalar::log10<dtype>(b, x);
  else if constexpr (fn == Fn::log1p)
    return scalar::log1p<dtype>(b, x);
  else if constexpr (fn == Fn::log2)
    return scalar::log2<dtype>(b, x);
  else if constexpr (fn == Fn::negative)
    return b.neg(x);
  else if constexpr (fn == Fn::reciprocal)
    return b.div(b.constant_like(x, 1), x);
  else if constexpr (fn == Fn::round)
    return b.round_even(x);
  else if constexpr (fn == Fn::rsqrt)
    return b.div(b.constant_like(x, 1), b.sqrt(x));
  else if constexpr (fn == Fn::sign)
    return scalar::float_sign(b, x);
  else if constexpr (fn == Fn::signbit)
    return scalar::sign_bit(b, x);
  else if constexpr (fn == Fn::sin)
    return scalar::sin<dtype>(b, x);
  else if constexpr (fn == Fn::sinh)
    return scalar::sinh<dtype>(b, x);
  else if constexpr (fn == Fn::sqrt)
    return b.sqrt(x);
  else if constexpr (fn == Fn::square)
    return b.mul(x, x);
  else if constexpr (fn == Fn::tan)
    return scalar::tan<dtype>(b, x);
  else if constexpr (fn == Fn::tanh)
    return scalar::tanh<dtype>(b, x);
  else if constexpr (fn == Fn::trunc)
    return b.trunc(x);
  else
    static_assert(fn != fn, "a row without code for one float");
}

/// One function of two floats.
template <Fn fn, DType dtype, class B, class V> auto elementwise_float(B& b, V x, V y) {
  if constexpr (fn == Fn::add)
    return b.add(x, y);
  else if constexpr (fn == Fn::atan2)
    return scalar::atan2<dtype>(b, x, y);
  else if constexpr (fn == Fn::copysign)
    return scalar::copy_sign(b, x, y);
  else if constexpr (fn == Fn::divide)
    return b.div(x, y);
  else if constexpr (fn == Fn::equal)
    return b.feq(x, y);
  else if constexpr (fn == Fn::floor_divide)
    return scalar::float_floor_division<dtype>(b, x, y).quotient;
  else if constexpr (fn == Fn::fmod)
    return scalar::fmod<dtype>(b, x, y);
  else if constexpr (fn == Fn::greater)
    return b.fgt(x, y);
  else if constexpr (fn == Fn::greater_equal)
    return b.fge(x, y);
  else if constexpr (fn == Fn::hypot)
    return scalar::hypot<dtype>(b, x, y);
  else if constexpr (fn == Fn::less)
    return b.flt(x, y);
  else if constexpr (fn == Fn::less_equal)
    return b.fle(x, y);
  else if constexpr (fn == Fn::logaddexp)
    return scalar::logaddexp<dtype>(b, x, y);
  else if constexpr (fn == Fn::maximum)
    return b.maximum(x, y);
  else if constexpr (fn == Fn::minimum)
    return b.minimum(x, y);
  else if constexpr (fn == Fn::multiply)
    return b.mul(x, y);
  else if constexpr (fn == Fn::not_equal)
    return b.fne(x, y);
  else if constexpr (fn == Fn::pow)
    return scalar::pow<dtype>(b, x, y);
  else if constexpr (fn == Fn::remainder)
    return scalar::float_floor_division<dtype>(b, x, y).remainder;
  else if constexpr (fn == Fn::scale)
    return scalar::guarded_product(b, x, y);
  else if constexpr (fn == Fn::scale_either)
    return scalar::product_guarded_by_both(b, x, y);
  else if constexpr (fn == Fn::subtract)
    return b.sub(x, y);
  else
    static_assert(fn != fn, "a row without code for two floats");
}

/// One function of three floats.
template <Fn fn, DType dtype, class B, class V> V elementwise_float(B& b, V x, V y, V z) {
  static_assert(fn == Fn::fma, "a row without code for three floats");
  return b.fma(x, y, z);
}

} // namespace kolam
