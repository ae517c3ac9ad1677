/// Functions of the C library that scalar code calls where it has none of its own: one definition
/// for interpreter and generated code.
#pragma once

#include "kolam/support/dtype.h"

#include <cstdint>
#include <span>

namespace kolam::scalar {

/// `sin_large`, `cos_large` and `tan_large` are those functions beyond the range of the reduction
/// in trig.h; lgamma is called in f64, and in f32 below 0; `fmod`, the exact remainder of truncated
/// division, in f64 where the quotient has more bits than a double.
enum class Libcall : uint8_t { sin_large, cos_large, tan_large, lgamma, fmod };
inline constexpr int kLibcallCount = 5;

constexpr int arity(Libcall function) { return function == Libcall::fmod ? 2 : 1; }

/// One function as generated code links it: `float kolam_fmod_f32(float, float)`.
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
