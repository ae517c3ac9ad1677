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

} // namespace kolam::language
