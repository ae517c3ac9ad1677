/// What arrays of kernels hold where nobody has written: zero, under checks poison.
#pragma once

#include "kolam/language/builder.h"

namespace kolam::transform::kernels {

mlir::DenseElementsAttr zero_of(language::Builder& b, mlir::Type type);
/// What checks let be seen: NaN, the least integer, of unsigned ones the greatest.
mlir::DenseElementsAttr poison_of(language::Builder& b, mlir::Type type);

/// An array that nobody has written.
language::Value unwritten(language::Builder& b, mlir::Type type, bool checks);

} // namespace kolam::transform::kernels
