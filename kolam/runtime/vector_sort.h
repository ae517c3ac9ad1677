/// Sorts of unsigned numbers by vectors, for keys of elements.
#pragma once

#include <cstdint>

namespace kolam::runtime {

/// Numbers of 128 bits: ordered by `high`, then by `low`.
struct alignas(16) Wide {
  uint64_t low, high;
};

enum class Lane : uint8_t { f32, f64, i32, u32, i64, u64 };

/// Rows of at most kShortRow elements, one after the other, to be sorted each.
inline constexpr int64_t kShortRow = 16; // size of code: the elements of rows side by side
struct ShortRows {
  const void* in;
  void* values;         ///< [rows, count], which may be `in`; null where not wanted
  int32_t* narrow;      ///< the places of the values in their rows; null where not wanted
  int64_t* wide;        ///< likewise
  int64_t rows, length; ///< of `in`
  int64_t count;        ///< the first ones wanted of each row
  bool descending;
};

/// Functions that sort `count` numbers upwards, in place, in the time that a quicksort takes,
/// whatever the numbers; and short rows, equal elements in the order in which they are, NaNs as the
/// largest.
struct VectorSort {
  void (*sort_16)(uint16_t* numbers, int64_t count);
  void (*sort_32)(uint32_t* numbers, int64_t count);
  void (*sort_64)(uint64_t* numbers, int64_t count);
  void (*sort_128)(Wide* numbers, int64_t count);
  void (*sort_short)(Lane lane, const ShortRows& rows);
};

/// What this processor runs in registers of at most `vector_bytes`: with AVX-512 from 64 on, with
/// AVX2 from 32 on; null for less and on others, and where Kolam was built without Highway
/// (docs/design/dependencies.md).
const VectorSort* vector_sort(int vector_bytes);

} // namespace kolam::runtime
