/// Differences of neighbours.
#pragma once

#include "kolam/language/builder.h"

namespace kolam::language {

/// n times x[i + 1] - x[i] along the axis (of booleans whether they differ), of `prepend`, x and
/// `append` one behind the other; each of the two is null, a scalar, which stands for one element,
/// or a value of x's rank. Throws `[negative-count]`, `[axis-out-of-range]`, and as `concat`.
Value diff(Builder& b, Value x, int64_t n, int64_t axis, Value prepend, Value append);

} // namespace kolam::language
