/// Sorts of unsigned numbers by vectors, for keys of elements.
#pragma once

#include <cstdint>

namespace kolam::runtime {

/// Numbers of 128 bits: ordered by `high`, then by `low`.
struct alignas(16) Wide {
  uint64_t low, high;
};

/// Functions that sort `count` numbers upwards, in place, in the time that a quicksort takes,
/// whatever the numbers.
struct VectorSort {
  void (*sort_16)(uint16_t* numbers, int64_t count);
  void (*sort_32)(uint32_t* numbers, int64_t count);
  void (*sort_64)(uint64_t* numbers, int64_t count);
  void (*sort_128)(Wide* numbers, int64_t count);
};

/// What this processor runs: with AVX-512 or AVX2; null on others, and where Kolam was built
/// without Highway (docs/design/dependencies.md).
const VectorSort* vector_sort();

} // namespace kolam::runtime
