/// Integers of any dtype as indices.
#pragma once

#include "kolam/runtime/array.h"

#include <algorithm>
#include <limits>

namespace kolam::interp {

/// An element of an integer array, by its row-major number, as a 64-bit index; what is larger
/// becomes the largest.
inline int64_t index_at(const runtime::Array& array, int64_t number) {
  return visit_dtype(array.dtype(), [&](auto tag) -> int64_t {
    using T = typename decltype(tag)::type;
    if constexpr (!is_integer(dtype_of<T>())) {
      return 0;
    } else if constexpr (dtype_of<T>() == DType::u64) {
      constexpr uint64_t largest = std::numeric_limits<int64_t>::max();
      return static_cast<int64_t>(std::min(array.values<T>()[number], largest));
    } else {
      return array.values<T>()[number];
    }
  });
}

} // namespace kolam::interp
