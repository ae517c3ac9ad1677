/// Literals of a program as arrays.
#pragma once

#include "kolam/runtime/array.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace kolam::interp {

/// The literal's elements in row-major order.
runtime::Array to_array(mlir::ElementsAttr value);
/// The array as a literal of its dtype and shape.
mlir::DenseElementsAttr to_literal(const runtime::Array& array, mlir::MLIRContext* context);

} // namespace kolam::interp
