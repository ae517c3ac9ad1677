/// Checks that integer results are in range.
#pragma once

#include "kolam/language/builder.h"

namespace kolam::transform {

/// Stops the program behind `op` with `[integer-overflow]` where a result element is not what the
/// integers give. Covered are the elementwise functions, casts between integers, sums and products
/// (reduce, cumulative, contract, convolution, scatter's kAdd and kMul), and the scalar body of a
/// zip_map_reduce; not covered are the functions of user monoids and combiners.
void check_overflow(language::Builder& b, mlir::Operation* op);

} // namespace kolam::transform
