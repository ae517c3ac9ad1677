/// What lowering knows of the machine it makes code for.
#pragma once

#include <cstdint>

namespace kolam::lower {

struct Machine {
  bool has_fma = false;
  int vector_bytes = 16; ///< of the widest registers
  /// Dot products of pairs of bf16 into f32, and of four i8 into i32, in the widest registers.
  bool has_bf16_dots = false, has_i8_dots = false;
  int64_t cache_bytes = int64_t{32} << 20; ///< of the last level
  friend bool operator==(const Machine&, const Machine&) = default;
};

} // namespace kolam::lower
