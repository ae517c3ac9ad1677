/// Functions of the elementwise table, element by element on tensors of any dtypes and shapes.
///
/// What each means, takes and how accurate it is stands in its row (support/elementwise.h).
/// Operands are promoted to one dtype (integers become f32 for a function over floats) and
/// broadcast; throws `[dtype-mismatch]`,
/// `[no-promotion]` and `[shape-mismatch]`. The operators of Tensor call them.
#pragma once

#include "kolam/frontend/array/tensor.h"
#include "kolam/support/elementwise_row.h"

#include <span>

namespace kolam {

/// result[i] = fn(operands[0][i], ...).
Tensor elementwise(Fn fn, std::span<const Operand> operands);
inline Tensor elementwise(Fn fn, std::initializer_list<Operand> operands) {
  return elementwise(fn, std::span(operands.begin(), operands.size()));
}

inline Tensor abs(const Operand& x) { return elementwise(Fn::abs, {x}); }
inline Tensor acos(const Operand& x) { return elementwise(Fn::acos, {x}); }
inline Tensor acosh(const Operand& x) { return elementwise(Fn::acosh, {x}); }
inline Tensor add(const Operand& x, const Operand& y) { return elementwise(Fn::add, {x, y}); }
inline Tensor asin(const Operand& x) { return elementwise(Fn::asin, {x}); }
inline Tensor asinh(const Operand& x) { return elementwise(Fn::asinh, {x}); }
inline Tensor atan(const Operand& x) { return elementwise(Fn::atan, {x}); }
inline Tensor atan2(const Operand& x, const Operand& y) { return elementwise(Fn::atan2, {x, y}); }
inline Tensor atanh(const Operand& x) { return elementwise(Fn::atanh, {x}); }
inline Tensor bitwise_and(const Operand& x, const Operand& y) {
  return elementwise(Fn::bitwise_and, {x, y});
}
inline Tensor bitwise_invert(const Operand& x) { return elementwise(Fn::bitwise_invert, {x}); }
inline Tensor bitwise_left_shift(const Operand& x, const Operand& y) {
  return elementwise(Fn::bitwise_left_shift, {x, y});
}
inline Tensor bitwise_or(const Operand& x, const Operand& y) {
  return elementwise(Fn::bitwise_or, {x, y});
}
inline Tensor bitwise_right_shift(const Operand& x, const Operand& y) {
  return elementwise(Fn::bitwise_right_shift, {x, y});
}
inline Tensor bitwise_xor(const Operand& x, const Operand& y) {
  return elementwise(Fn::bitwise_xor, {x, y});
}
inline Tensor cbrt(const Operand& x) { return elementwise(Fn::cbrt, {x}); }
inline Tensor ceil(const Operand& x) { return elementwise(Fn::ceil, {x}); }
inline Tensor copysign(const Operand& x, const Operand& y) {
  return elementwise(Fn::copysign, {x, y});
}
inline Tensor cos(const Operand& x) { return elementwise(Fn::cos, {x}); }
inline Tensor cosh(const Operand& x) { return elementwise(Fn::cosh, {x}); }
inline Tensor divide(const Operand& x, const Operand& y) { return elementwise(Fn::divide, {x, y}); }
inline Tensor equal(const Operand& x, const Operand& y) { return elementwise(Fn::equal, {x, y}); }
inline Tensor erf(const Operand& x) { return elementwise(Fn::erf, {x}); }
inline Tensor erf_inv(const Operand& x) { return elementwise(Fn::erf_inv, {x}); }
inline Tensor erfc(const Operand& x) { return elementwise(Fn::erfc, {x}); }
inline Tensor exp(const Operand& x) { return elementwise(Fn::exp, {x}); }
inline Tensor exp2(const Operand& x) { return elementwise(Fn::exp2, {x}); }
inline Tensor expm1(const Operand& x) { return elementwise(Fn::expm1, {x}); }
inline Tensor floor(const Operand& x) { return elementwise(Fn::floor, {x}); }
inline Tensor floor_divide(const Operand& x, const Operand& y) {
  return elementwise(Fn::floor_divide, {x, y});
}
inline Tensor fma(const Operand& x, const Operand& y, const Operand& z) {
  return elementwise(Fn::fma, {x, y, z});
}
inline Tensor fmod(const Operand& x, const Operand& y) { return elementwise(Fn::fmod, {x, y}); }
inline Tensor greater(const Operand& x, const Operand& y) {
  return elementwise(Fn::greater, {x, y});
}
inline Tensor greater_equal(const Operand& x, const Operand& y) {
  return elementwise(Fn::greater_equal, {x, y});
}
inline Tensor hypot(const Operand& x, const Operand& y) { return elementwise(Fn::hypot, {x, y}); }
inline Tensor isfinite(const Operand& x) { return elementwise(Fn::isfinite, {x}); }
inline Tensor isinf(const Operand& x) { return elementwise(Fn::isinf, {x}); }
inline Tensor isnan(const Operand& x) { return elementwise(Fn::isnan, {x}); }
inline Tensor less(const Operand& x, const Operand& y) { return elementwise(Fn::less, {x, y}); }
inline Tensor less_equal(const Operand& x, const Operand& y) {
  return elementwise(Fn::less_equal, {x, y});
}
inline Tensor lgamma(const Operand& x) { return elementwise(Fn::lgamma, {x}); }
inline Tensor log(const Operand& x) { return elementwise(Fn::log, {x}); }
inline Tensor log10(const Operand& x) { return elementwise(Fn::log10, {x}); }
inline Tensor log1p(const Operand& x) { return elementwise(Fn::log1p, {x}); }
inline Tensor log2(const Operand& x) { return elementwise(Fn::log2, {x}); }
inline Tensor logaddexp(const Operand& x, const Operand& y) {
  return elementwise(Fn::logaddexp, {x, y});
}
inline Tensor logical_and(const Operand& x, const Operand& y) {
  return elementwise(Fn::logical_and, {x, y});
}
inline Tensor logical_not(const Operand& x) { return elementwise(Fn::logical_not, {x}); }
inline Tensor logical_or(const Operand& x, const Operand& y) {
  return elementwise(Fn::logical_or, {x, y});
}
inline Tensor logical_xor(const Operand& x, const Operand& y) {
  return elementwise(Fn::logical_xor, {x, y});
}
inline Tensor maximum(const Operand& x, const Operand& y) {
  return elementwise(Fn::maximum, {x, y});
}
inline Tensor minimum(const Operand& x, const Operand& y) {
  return elementwise(Fn::minimum, {x, y});
}
inline Tensor multiply(const Operand& x, const Operand& y) {
  return elementwise(Fn::multiply, {x, y});
}
inline Tensor negative(const Operand& x) { return elementwise(Fn::negative, {x}); }
inline Tensor not_equal(const Operand& x, const Operand& y) {
  return elementwise(Fn::not_equal, {x, y});
}
inline Tensor pow(const Operand& x, const Operand& y) { return elementwise(Fn::pow, {x, y}); }
inline Tensor reciprocal(const Operand& x) { return elementwise(Fn::reciprocal, {x}); }
inline Tensor remainder(const Operand& x, const Operand& y) {
  return elementwise(Fn::remainder, {x, y});
}
inline Tensor round(const Operand& x) { return elementwise(Fn::round, {x}); }
inline Tensor rsqrt(const Operand& x) { return elementwise(Fn::rsqrt, {x}); }
inline Tensor scale(const Operand& x, const Operand& y) { return elementwise(Fn::scale, {x, y}); }
inline Tensor sign(const Operand& x) { return elementwise(Fn::sign, {x}); }
inline Tensor signbit(const Operand& x) { return elementwise(Fn::signbit, {x}); }
inline Tensor sin(const Operand& x) { return elementwise(Fn::sin, {x}); }
inline Tensor sinh(const Operand& x) { return elementwise(Fn::sinh, {x}); }
inline Tensor sqrt(const Operand& x) { return elementwise(Fn::sqrt, {x}); }
inline Tensor square(const Operand& x) { return elementwise(Fn::square, {x}); }
inline Tensor subtract(const Operand& x, const Operand& y) {
  return elementwise(Fn::subtract, {x, y});
}
inline Tensor tan(const Operand& x) { return elementwise(Fn::tan, {x}); }
inline Tensor tanh(const Operand& x) { return elementwise(Fn::tanh, {x}); }
inline Tensor trunc(const Operand& x) { return elementwise(Fn::trunc, {x}); }
inline Tensor where(const Operand& condition, const Operand& x, const Operand& y) {
  return elementwise(Fn::where, {condition, x, y});
}

/// result[i] = x[i]: the array API's positive. Throws `[dtype-mismatch]` for booleans.
Tensor positive(const Operand& x);

/// The float next to x on the way to y: y where they are equal, NaN where one is. Integers become
/// f32. Exact. Throws as the functions above.
Tensor nextafter(const Operand& x, const Operand& y);

} // namespace kolam
