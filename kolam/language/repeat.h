/// Repeating and rotating.
#pragma once

#include "kolam/language/builder.h"

#include <optional>

namespace kolam::language {

/// The whole of `x`, `repetitions[d]` times along dim d; the shorter of shape and repetitions is
/// filled with 1 at the front. Throws `[negative-count]`.
Value tile(Builder& b, Value x, std::vector<int64_t> repetitions);
/// Every element `count` times in a row along `axis`, or flattened first. Throws
/// `[negative-count]`, `[axis-out-of-range]`.
Value repeat(Builder& b, Value x, int64_t count, std::optional<int64_t> axis);
/// The elements at `places`, integers, along `axis`, or flattened first, of an `x` with `count`
/// elements there. Throws `[shape-mismatch]`, `[axis-out-of-range]`.
Value repeat(Builder& b, Value x, Value places, int64_t count, std::optional<int64_t> axis);
/// result[i] = x[(i - shift) mod n] along every axis; one shift serves all axes, an axis may be
/// named several times. Without axes, flattened, rolled and brought back. Throws `[rank-mismatch]`,
/// `[axis-out-of-range]`.
Value roll(Builder& b, Value x, const std::vector<int64_t>& shifts,
           const std::optional<Axes>& axes);

} // namespace kolam::language
