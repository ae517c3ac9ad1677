/// Total integer arithmetic: every operand pair has a result, division rounds down, shifts may
/// exceed the width.
///
/// `dtype` says how the operands' bits are read. Integers wrap.
#pragma once

#include "kolam/support/scalar/builder.h"

namespace kolam::scalar {

template <DType dtype> inline constexpr int kWidth = 8 * byte_width(dtype);

template <DType dtype, class B, class V> auto less(B& b, V x, V y) {
  if constexpr (is_signed_integer(dtype))
    return b.slt(x, y);
  else
    return b.ult(x, y);
}

template <DType dtype, class B, class V> V integer_minimum(B& b, V x, V y) {
  return b.select(less<dtype>(b, x, y), x, y);
}

template <DType dtype, class B, class V> V integer_maximum(B& b, V x, V y) {
  return b.select(less<dtype>(b, x, y), y, x);
}

template <class B, class V> V integer_negative(B& b, V x) {
  return b.isub(b.int_constant_like(x, 0), x);
}

/// |x|; the lowest signed integer stays itself.
template <DType dtype, class B, class V> V integer_abs(B& b, V x) {
  if constexpr (is_unsigned_integer(dtype))
    return x;
  else
    return b.select(b.slt(x, b.int_constant_like(x, 0)), integer_negative(b, x), x);
}

/// -1, 0 or 1.
template <DType dtype, class B, class V> V integer_sign(B& b, V x) {
  const V zero = b.int_constant_like(x, 0);
  const V magnitude = b.select(b.ieq(x, zero), zero, b.int_constant_like(x, 1));
  if constexpr (is_unsigned_integer(dtype))
    return magnitude;
  else
    return b.select(b.slt(x, zero), b.int_constant_like(x, -1), magnitude);
}

template <class V> struct FloorDivision {
  V quotient;
  V remainder;
};

/// floor(x / y) and x - y floor(x / y), whose sign is y's; both 0 for y = 0; MIN / -1 wraps to MIN,
/// remainder 0.
template <DType dtype, class B, class V> FloorDivision<V> floor_division(B& b, V x, V y) {
  const V zero = b.int_constant_like(x, 0);
  const V one = b.int_constant_like(x, 1);
  const auto by_zero = b.ieq(y, zero);
  if constexpr (is_unsigned_integer(dtype)) {
    const V divisor = b.select(by_zero, one, y);
    return {b.select(by_zero, zero, b.udiv(x, divisor)),
            b.select(by_zero, zero, b.urem(x, divisor))};
  } else {
    const auto by_minus_one = b.ieq(y, b.int_constant_like(x, -1));
    const V divisor = b.select(b.or_(by_zero, by_minus_one), one, y);
    const V truncated = b.sdiv(x, divisor);
    const V rest = b.isub(x, b.imul(truncated, divisor));
    const auto signs_differ = b.slt(b.xor_(rest, divisor), zero);
    const auto round_down = b.and_(b.ine(rest, zero), signs_differ);
    const V quotient = b.select(round_down, b.isub(truncated, one), truncated);
    const V remainder = b.select(round_down, b.iadd(rest, divisor), rest);
    const V negated = b.select(by_minus_one, b.isub(zero, x), quotient);
    // With the divisor replaced by 1 the remainder is 0 already.
    return {b.select(by_zero, zero, negated), remainder};
  }
}

/// x - y trunc(x / y), whose sign is x's; 0 for y = 0.
template <DType dtype, class B, class V> V truncated_remainder(B& b, V x, V y) {
  const V zero = b.int_constant_like(x, 0);
  const V one = b.int_constant_like(x, 1);
  // By 1 nothing remains, as by 0 and by -1, where the lowest integer has no quotient.
  if constexpr (is_unsigned_integer(dtype)) {
    return b.urem(x, b.select(b.ieq(y, zero), one, y));
  } else {
    const auto leaves_nothing = b.or_(b.ieq(y, zero), b.ieq(y, b.int_constant_like(x, -1)));
    const V divisor = b.select(leaves_nothing, one, y);
    return b.isub(x, b.imul(b.sdiv(x, divisor), divisor));
  }
}

/// x 2^y; 0 for y outside [0, width).
template <DType dtype, class B, class V> V shift_left(B& b, V x, V y) {
  const auto inside = b.ult(y, b.int_constant_like(y, kWidth<dtype>));
  const V zero = b.int_constant_like(x, 0);
  return b.select(inside, b.shl(x, b.select(inside, y, zero)), zero);
}

/// floor(x / 2^y); for y outside [0, width) what remains of x: 0, or -1 for a negative x.
template <DType dtype, class B, class V> V shift_right(B& b, V x, V y) {
  const auto inside = b.ult(y, b.int_constant_like(y, kWidth<dtype>));
  if constexpr (is_signed_integer(dtype))
    return b.ashr(x, b.select(inside, y, b.int_constant_like(y, kWidth<dtype> - 1)));
  const V zero = b.int_constant_like(x, 0);
  return b.select(inside, b.lshr(x, b.select(inside, y, zero)), zero);
}

/// x^y modulo 2^width by repeated squaring; x^0 = 1. For y < 0 the real power rounded toward zero:
/// 1 for x = 1, 1 or -1 for x = -1, else 0 (also for x = 0).
template <DType dtype, class B, class V> V integer_pow(B& b, V x, V y) {
  const V zero = b.int_constant_like(x, 0);
  const V one = b.int_constant_like(x, 1);
  V result = one;
  V square = x;
  for (int bit = 0; bit < kWidth<dtype>; ++bit) {
    const V is_set = b.and_(b.lshr(y, b.int_constant_like(y, bit)), one);
    result = b.select(b.ine(is_set, zero), b.imul(result, square), result);
    square = b.imul(square, square);
  }
  if constexpr (is_unsigned_integer(dtype))
    return result;
  // (-1)^y depends on the lowest bit alone, so the loop's result stands for x = 1 and x = -1.
  const auto is_unit = b.ule(b.iadd(x, one), b.int_constant_like(x, 2));
  const auto is_zero = b.ieq(x, zero);
  const auto vanishes = b.and_(b.slt(y, zero), b.or_(is_zero, b.not_(is_unit)));
  return b.select(vanishes, zero, result);
}

} // namespace kolam::scalar
