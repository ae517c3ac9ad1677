/// Reversed dims.
#pragma once

#include "kolam/language/builder.h"

#include <optional>

namespace kolam::language {

/// The order of elements reversed along `axes`, or along all. Throws `[axis-out-of-range]`,
/// `[duplicate-axis]`.
Value flip(Builder& b, Value x, const std::optional<Axes>& axes);

} // namespace kolam::language
