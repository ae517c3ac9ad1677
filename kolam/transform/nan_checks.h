/// Checks for NaN that an op makes from operands without NaN.
#pragma once

#include "kolam/language/builder.h"

namespace kolam::transform {

/// `check(not isnan(result) or some operand cell of it is NaN)` behind an elementwise op,
/// contraction, convolution, reduction, zip_map_reduce or cumulative op with float results; nothing
/// behind others.
void check_nan(language::Builder& b, mlir::Operation* op);

} // namespace kolam::transform
