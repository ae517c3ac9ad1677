/// What is known of the machine that code is made for.
#pragma once

#include <cstdint>
#include <string>

namespace kolam {

struct Machine {
  bool has_fma = false;
  int vector_bytes = 16; ///< of the widest registers
  /// Dot products of pairs of bf16 into f32, and of four i8 into i32, in the widest registers.
  bool has_bf16_dots = false, has_i8_dots = false;
  /// Gathers of elements of 32 and 64 bits into registers of 32 bytes are worth it.
  bool has_gathers = false;
  int64_t cache_bytes = int64_t{32} << 20; ///< of the last level
  friend bool operator==(const Machine&, const Machine&) = default;
};

/// All of it, for keys.
inline std::string to_string(const Machine& machine) {
  const auto& [has_fma, vector_bytes, has_bf16_dots, has_i8_dots, has_gathers, cache_bytes] =
      machine;
  return std::string(has_fma ? "fma " : "") + (has_bf16_dots ? "bf16_dots " : "") +
         (has_i8_dots ? "i8_dots " : "") + (has_gathers ? "gathers " : "") +
         std::to_string(vector_bytes) + " " + std::to_string(cache_bytes);
}

} // namespace kolam
