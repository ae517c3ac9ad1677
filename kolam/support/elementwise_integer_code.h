/// The elementwise functions on integers and on booleans.
#pragma once

#include "kolam/support/elementwise.h"
#include "kolam/support/scalar/integer.h"

namespace kolam {

/// One function of one integer of that dtype.
template <Fn fn, DType dtype, class B, class V> auto elementwise_integer(B& b, V x) {
  if constexpr (fn == Fn::abs)
    return scalar::integer_abs<dtype>(b, x);
  else if constexpr (fn == Fn::bitwise_invert)
    return b.xor_(x, b.int_constant_like(x, -1));
  else if constexpr (fn == Fn::ceil || fn == Fn::floor || fn == Fn::round || fn == Fn::trunc)
    return x;
  else if constexpr (fn == Fn::isfinite)
    return b.ieq(x, x);
  else if constexpr (fn == Fn::isinf || fn == Fn::isnan)
    return b.ine(x, x);
  else if constexpr (fn == Fn::negative)
    return scalar::integer_negative(b, x);
  else if constexpr (fn == Fn::sign)
    return scalar::integer_sign<dtype>(b, x);
  else if constexpr (fn == Fn::square)
    return b.imul(x, x);
  else
    static_assert(fn != fn, "a row without code for one integer");
}

/// One function of two integers.
template <Fn fn, DType dtype, class B, class V> auto elementwise_integer(B& b, V x, V y) {
  if constexpr (fn == Fn::add)
    return b.iadd(x, y);
  else if constexpr (fn == Fn::bitwise_and)
    return b.and_(x, y);
  else if constexpr (fn == Fn::bitwise_left_shift)
    return scalar::shift_left<dtype>(b, x, y);
  else if constexpr (fn == Fn::bitwise_or)
    return b.or_(x, y);
  else if constexpr (fn == Fn::bitwise_right_shift)
    return scalar::shift_right<dtype>(b, x, y);
  else if constexpr (fn == Fn::bitwise_xor)
    return b.xor_(x, y);
  else if constexpr (fn == Fn::equal)
    return b.ieq(x, y);
  else if constexpr (fn == Fn::floor_divide)
    return scalar::floor_division<dtype>(b, x, y).quotient;
  else if constexpr (fn == Fn::fmod)
    return scalar::truncated_remainder<dtype>(b, x, y);
  else if constexpr (fn == Fn::greater)
    return scalar::less<dtype>(b, y, x);
  else if constexpr (fn == Fn::greater_equal)
    return b.not_(scalar::less<dtype>(b, x, y));
  else if constexpr (fn == Fn::less)
    return scalar::less<dtype>(b, x, y);
  else if constexpr (fn == Fn::less_equal)
    return b.not_(scalar::less<dtype>(b, y, x));
  else if constexpr (fn == Fn::maximum)
    return scalar::integer_maximum<dtype>(b, x, y);
  else if constexpr (fn == Fn::minimum)
    return scalar::integer_minimum<dtype>(b, x, y);
  else if constexpr (fn == Fn::multiply)
    return b.imul(x, y);
  else if constexpr (fn == Fn::not_equal)
    return b.ine(x, y);
  else if constexpr (fn == Fn::pow)
    return scalar::integer_pow<dtype>(b, x, y);
  else if constexpr (fn == Fn::remainder)
    return scalar::floor_division<dtype>(b, x, y).remainder;
  else if constexpr (fn == Fn::subtract)
    return b.isub(x, y);
  else
    static_assert(fn != fn, "a row without code for two integers");
}

/// One function of one boolean.
template <Fn fn, class B, class V> V elementwise_boolean(B& b, V x) {
  static_assert(fn == Fn::bitwise_invert || fn == Fn::logical_not,
                "a row without code for one boolean");
  return b.not_(x);
}

/// One function of two booleans; false is less than true.
template <Fn fn, class B, class V> V elementwise_boolean(B& b, V x, V y) {
  if constexpr (fn == Fn::bitwise_and || fn == Fn::logical_and)
    return b.and_(x, y);
  else if constexpr (fn == Fn::bitwise_or || fn == Fn::logical_or)
    return b.or_(x, y);
  else if constexpr (fn == Fn::bitwise_xor || fn == Fn::logical_xor || fn == Fn::not_equal)
    return b.xor_(x, y);
  else if constexpr (fn == Fn::equal)
    return b.not_(b.xor_(x, y));
  else if constexpr (fn == Fn::greater)
    return b.and_(x, b.not_(y));
  else if constexpr (fn == Fn::greater_equal)
    return b.or_(x, b.not_(y));
  else if constexpr (fn == Fn::less)
    return b.and_(b.not_(x), y);
  else if constexpr (fn == Fn::less_equal)
    return b.or_(b.not_(x), y);
  else
    static_assert(fn != fn, "a row without code for two booleans");
}

} // namespace kolam
