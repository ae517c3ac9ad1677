/// Joining values.
#pragma once

#include "kolam/language/builder.h"

#include <optional>

namespace kolam::language {

/// The values one after the other along `axis`, at their common dtype; without `axis`, all
/// flattened first. Throws `[no-operands]`, `[rank-mismatch]`, `[shape-mismatch]`,
/// `[axis-out-of-range]`.
Value concat(Builder& b, Values values, std::optional<int64_t> axis);
/// The values along a new dim `axis` of the result. Throws as `concat`.
Value stack(Builder& b, Values values, int64_t axis);

} // namespace kolam::language
