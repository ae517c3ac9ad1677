/// Float functions beside the elementary ones: sign, division rounded down, tests, logaddexp.
#pragma once

#include "kolam/support/scalar/exp.h"
#include "kolam/support/scalar/log.h"
#include "kolam/support/scalar/remainder.h"

namespace kolam::scalar {

template <class B, class V> auto is_nan(B& b, V x) { return b.fne(x, x); }

template <class B, class V> auto is_infinite(B& b, V x) {
  return b.feq(b.abs(x), b.constant_like(x, std::numeric_limits<double>::infinity()));
}

template <class B, class V> auto is_finite(B& b, V x) {
  return b.flt(b.abs(x), b.constant_like(x, std::numeric_limits<double>::infinity()));
}

/// The sign bit, of zeros too. A NaN is positive, as `canonical_bits` has it: which sign one has
/// depends on the processor.
template <class B, class V> auto sign_bit(B& b, V x) {
  const auto bits = b.bits(x);
  return b.and_(b.slt(bits, b.int_constant_like(bits, 0)), b.not_(is_nan(b, x)));
}

/// |x| with the sign of y; a NaN is positive.
template <class B, class V> V copy_sign(B& b, V x, V y) {
  return b.select(is_nan(b, y), b.abs(x), b.copysign(x, y));
}

/// x y, but +0 where x is 0 and the product NaN.
template <class B, class V> V guarded_product(B& b, V x, V y) {
  const V zero = b.constant_like(x, 0), product = b.mul(x, y);
  return b.select(b.and_(is_nan(b, product), b.feq(x, zero)), zero, product);
}

/// Also +0 where y is 0.
template <class B, class V> V product_guarded_by_both(B& b, V x, V y) {
  const V zero = b.constant_like(x, 0), product = b.mul(x, y);
  const auto has_zero = b.or_(b.feq(x, zero), b.feq(y, zero));
  return b.select(b.and_(is_nan(b, product), has_zero), zero, product);
}

/// -1, +0 (for both zeros) or 1; NaN for NaN.
template <class B, class V> V float_sign(B& b, V x) {
  const V zero = b.constant_like(x, 0);
  const V unit = b.copysign(b.constant_like(x, 1), x);
  return b.select(is_nan(b, x), x, b.select(b.feq(x, zero), zero, unit));
}

template <class V> struct FloatFloorDivision {
  V quotient;
  V remainder;
};

/// Python's and NumPy's division: with the exact m = fmod(x, y), remainder = m, or m + y where m
/// and y differ in sign; quotient = (x - m) / y, or one less, rounded to the integer it
/// approximates. A zero remainder has y's sign, a zero quotient that of x / y. For y = 0: quotient
/// x / y (inf or NaN), remainder NaN.
template <DType dtype, class B, class V>
FloatFloorDivision<V> float_floor_division(B& b, V x, V y) {
  const V zero = b.constant_like(x, 0);
  const V one = b.constant_like(x, 1);
  const V ratio = b.div(x, y);
  const V truncated = fmod<dtype>(b, x, y);
  const V multiple = b.div(b.sub(x, truncated), y);
  const auto is_zero = b.feq(truncated, zero);
  const auto differ = b.xor_(b.flt(y, zero), b.flt(truncated, zero));
  const auto round_down = b.and_(b.fne(truncated, zero), differ);
  const V moved = b.select(round_down, b.add(truncated, y), truncated);
  const V remainder = b.select(is_zero, b.copysign(zero, y), moved);

  const V approximate = b.select(round_down, b.sub(multiple, one), multiple);
  const V floor = b.floor(approximate);
  const auto too_low = b.fgt(b.sub(approximate, floor), b.constant_like(x, 0.5));
  const V nearest = b.select(too_low, b.add(floor, one), floor);
  const V quotient = b.select(b.feq(approximate, zero), b.copysign(zero, ratio), nearest);
  return {b.select(b.feq(y, zero), ratio, quotient), remainder};
}

/// log(e^x + e^y) = max + log1p(e^-|x - y|); the equal infinity for two equal ones.
template <DType dtype, class B, class V> V logaddexp(B& b, V x, V y) {
  const V distance = b.abs(b.sub(x, y));
  const V excess = log1p<dtype>(b, exp<dtype>(b, b.neg(distance)));
  const V ln2 =
      b.constant_like(x, dtype == DType::f32 ? 0.693147182464599609 : 0.69314718055994529);
  // Equal operands leave out inf - inf.
  return b.add(b.maximum(x, y), b.select(b.feq(x, y), ln2, excess));
}

} // namespace kolam::scalar
