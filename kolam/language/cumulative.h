/// Running combinations along a dim.
#pragma once

#include "kolam/language/builder.h"
#include "kolam/support/elementwise.h"

#include <optional>

namespace kolam::language {

/// result[i] = x[0] fn ... fn x[i] for fn add or multiply, in the dtype of `accumulate`
/// (reduction.h); with `include_initial` the identity comes first. The axis may be left out for
/// rank 1. Throws `[axis-required]`.
Value cumulative(Builder& b, Value x, Fn fn, std::optional<int64_t> axis,
                 std::optional<DType> dtype, bool include_initial);

/// result[i] = x[0] fn ... fn x[i] for a monoid that x's dtype is accumulated in, or x[n - 1] fn
/// ... fn x[i] where `is_reverse`.
Value cumulative(Builder& b, Value x, Fn fn, int64_t dim, bool is_reverse);

/// result[i] = the least (minimum) or greatest (maximum) of x[0] ... x[i], or of x[i] ... x[n - 1]
/// where `is_reverse`, in x's dtype. Throws `[axis-required]` and, for booleans,
/// `[dtype-mismatch]`.
Value cumulative_extreme(Builder& b, Value x, Fn fn, std::optional<int64_t> axis, bool is_reverse);

} // namespace kolam::language
