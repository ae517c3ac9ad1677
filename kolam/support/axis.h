/// Axes of shapes, counted from either end.
#pragma once

#include <cstdint>
#include <string_view>

namespace kolam {

/// `axis` counted from the front; throws `[axis-out-of-range]` in the name of that argument.
int64_t normalize_axis(int64_t axis, int64_t rank, std::string_view argument = "axis");

} // namespace kolam
