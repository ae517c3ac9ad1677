/// Loops that add up products of neighbouring blocks, as one product.
///
///     a = 0; for k in [0, n): a = a + x[:, s k : s k + s] y[s k : s k + s, :]
///       =   x y, whose chains of s terms are merged in order
#pragma once

#include "kolam/language/builder.h"

namespace kolam::transform::kernels {

/// Replaces those of a region, and of the regions inside.
void sum_loops(language::Builder& b, mlir::Region& region);

} // namespace kolam::transform::kernels
