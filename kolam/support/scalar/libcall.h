/// Functions that scalar code calls where it has no polynomial: one definition for interpreter and
/// generated code.
#pragma once

#include "kolam/support/dtype.h"

#include <cstdint>
#include <span>

namespace kolam::scalar {

/// `sin_large` and `cos_large` are sin and cos beyond the range of the reduction in trig.h; `fmod`
/// is the exact remainder of truncated division.
enum class Libcall : uint8_t {
  sin_large,
  cos_large,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  asinh,
  acosh,
  atanh,
  cbrt,
  erfc,
  lgamma, // of one argument
  atan2,
  pow,
  hypot,
  fmod, // of two
};
inline constexpr int kLibcallCount = 18;

constexpr int arity(Libcall function) { return function >= Libcall::atan2 ? 2 : 1; }

/// One function as generated code links it: `float kolam_pow_f32(float, float)`.
struct LibcallSymbol {
  Libcall function;
  DType dtype; ///< f32 or f64, of arguments and result
  const char* name;
  void* address;
};

/// Every Libcall in f32 and f64, ordered by function, then dtype.
std::span<const LibcallSymbol> libcall_symbols();
const LibcallSymbol& libcall_symbol(Libcall function, DType dtype);

/// Calls the function of one or two arguments.
float call_libcall(Libcall function, float x, float y = 0);
double call_libcall(Libcall function, double x, double y = 0);

} // namespace kolam::scalar
