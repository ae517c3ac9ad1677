/// What a case has to do at least, and what the machine can do.
#pragma once

#include <cstdint>
#include <iterator>

namespace kolam::bench {

/// The instructions that a product is made of.
enum class Arithmetic : uint8_t { f32, bf16, i8 };
inline constexpr const char* kArithmetics[] = {"f32", "bf16", "i8"};

/// Where operands and results of a case stay between calls.
enum class Level : uint8_t { l2, l3, memory };
inline constexpr const char* kLevels[] = {"l2", "l3", "memory"};

/// Operations and bytes of one call: every element of operands and results counted once. No call
/// can do less.
struct Work {
  double flops = 0; ///< additions and multiplications
  Arithmetic arithmetic = Arithmetic::f32;
  double reads = 0; ///< bytes
  double writes = 0;
  /// Bytes in use over the calls of a sample, where these take turns with several operands.
  double footprint = 0;
};

/// What the machine can do with some number of threads, measured by `measure_limits`.
struct Limits {
  double flops[std::size(kArithmetics)] = {}; ///< a second
  double read[std::size(kLevels)] = {};       ///< bytes a second
  double copy[std::size(kLevels)] = {};       ///< bytes a second, read and written ones together
  double l2_bytes = 0, l3_bytes = 0;          ///< of all threads together
};

} // namespace kolam::bench
