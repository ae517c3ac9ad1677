/// What stands in memory that nobody has written, under checks.
#pragma once

#include "kolam/runtime/array.h"

namespace kolam::interp {

/// An array of NaN, the least integer, of unsigned ones the greatest, true; in worlds 1 and 2 (see
/// kernel_checker.h) of other values, which comparisons, maxima, sums and products tell apart.
runtime::Array poison(DType dtype, const std::vector<int64_t>& shape = {}, int world = 0);

} // namespace kolam::interp
