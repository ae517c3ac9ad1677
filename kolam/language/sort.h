/// Sorting along an axis.
#pragma once

#include "kolam/language/builder.h"

namespace kolam::language {

/// Elements in order and the places along the axis that they came from: i32, or i64 where the
/// extent is symbolic or exceeds 2^31 - 1.
struct Sorted {
  Value values, indices;
};

/// Stable in both orders; -0 equals +0, NaN counts as largest. Throws `[axis-out-of-range]`.
Sorted sort(Builder& b, Value x, int64_t axis, bool descending);

/// The first k elements as `sort` orders them, descending where `largest`. Throws
/// `[k-out-of-range]` unless 0 <= k <= extent, in the program where only the run can see it, and
/// `[axis-out-of-range]`.
Sorted top_k(Builder& b, Value x, int64_t k, int64_t axis, bool largest);

} // namespace kolam::language
