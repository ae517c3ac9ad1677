/// 64-bit arithmetic that refuses to overflow, and the two integer divisions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kolam/support/error.h"

namespace kolam {

[[noreturn]] inline void fail_overflow(int64_t a, char op, int64_t b, std::string_view slug) {
  fail(ErrorKind::value, slug,
       "expected a number of 64 bits, but got " + std::to_string(a) + " " + op + " " +
           std::to_string(b));
}

/// a + b, a - b, a * b; an Error with `slug` where the result does not fit in 64 bits.
inline int64_t checked_add(int64_t a, int64_t b, std::string_view slug) {
  int64_t result;
  if (__builtin_add_overflow(a, b, &result)) [[unlikely]]
    fail_overflow(a, '+', b, slug);
  return result;
}
inline int64_t checked_sub(int64_t a, int64_t b, std::string_view slug) {
  int64_t result;
  if (__builtin_sub_overflow(a, b, &result)) [[unlikely]]
    fail_overflow(a, '-', b, slug);
  return result;
}
inline int64_t checked_mul(int64_t a, int64_t b, std::string_view slug) {
  int64_t result;
  if (__builtin_mul_overflow(a, b, &result)) [[unlikely]]
    fail_overflow(a, '*', b, slug);
  return result;
}

/// The greatest integer q with q * b <= a. Gives 0 where b <= 0.
constexpr int64_t floor_divide(int64_t a, int64_t b) {
  return b <= 0 ? 0 : a / b - (a % b < 0 ? 1 : 0);
}
/// The least integer q with q * b >= a. Gives 0 where b <= 0.
constexpr int64_t ceil_divide(int64_t a, int64_t b) {
  return b <= 0 ? 0 : a / b + (a % b > 0 ? 1 : 0);
}
/// a - floor_divide(a, b) * b, in [0, b). Gives 0 where b <= 0.
constexpr int64_t floor_modulo(int64_t a, int64_t b) {
  return b <= 0 ? 0 : (a % b < 0 ? a % b + b : a % b);
}

} // namespace kolam
