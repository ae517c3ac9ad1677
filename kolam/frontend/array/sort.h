/// Sorting.
#pragma once

#include "kolam/frontend/array/tensor.h"

#include <tuple>

namespace kolam {

/// The elements of `x` in order along `axis`.
///
///     sort({3, NaN, 1}) is {1, 3, NaN}        sort({3, NaN, 1}, -1, true) is {NaN, 3, 1}
///
/// Stable in both orders (equal elements keep theirs); -0 equals +0, NaN counts as largest, false
/// lies below true. Throws
/// `[axis-out-of-range]`.
Tensor sort(const Operand& x, int64_t axis = -1, bool descending = false);

/// The places along `axis` from which `sort` takes its elements: i32, or i64 where the extent is
/// symbolic or exceeds 2^31 - 1. Throws `[axis-out-of-range]`.
Tensor argsort(const Operand& x, int64_t axis = -1, bool descending = false);

/// What `top_k` gives: elements, and their places along the axis.
struct TopK {
  Tensor values, indices;
};
inline auto fields(TopK& x) { return std::tie(x.values, x.indices); }

/// The k largest (or smallest) elements along `axis`, the largest (smallest) first; equal elements
/// in the order of their places, NaN counts as largest. Throws `[k-out-of-range]` unless 0 <= k <=
/// extent, and `[axis-out-of-range]`.
TopK top_k(const Operand& x, int64_t k, int64_t axis = -1, bool largest = true);

} // namespace kolam
