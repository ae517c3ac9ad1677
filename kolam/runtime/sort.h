/// Sorting along the last dim, for the interpreter and for compiled programs alike.
#pragma once

#include "kolam/support/dtype.h"

#include <cstdint>

namespace kolam::runtime {

enum class SortOrder : uint8_t { ascending, descending };
enum class IndexWidth : uint8_t { i32, i64 };

/// Rows of elements, and where to put the results; a null output is not wanted. `indices` holds
/// int32_t or int64_t. `values` may be `in`, else nothing overlaps.
struct SortRows {
  DType dtype;
  const void* in;
  void* values;
  void* indices;
  IndexWidth index_width;
  int64_t rows;
  int64_t length; // of a row; < 2^31 where indices are i32
  SortOrder order;
  const volatile int32_t* cancel = nullptr; ///< non-zero: stop soon
  int vector_bytes = 64;                    ///< the widest registers that may sort
};

/// Sorts each row: stable in both orders, -0 equal to +0, NaN above everything (last ascending,
/// first descending), NaNs equal to each other. Rows run in parallel. Throws `[out-of-memory]`
/// where there is no memory to work in, and `[cancelled]`, with outputs half written.
void sort_rows(const SortRows& rows);

/// The first k (0 <= k <= length) of each row as sort_rows orders it: the largest where descending,
/// ties by lower index. Outputs have rows of k.
void top_k_rows(const SortRows& rows, int64_t k);

} // namespace kolam::runtime
