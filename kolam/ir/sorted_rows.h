/// What sort and top_k share: whole rows in, values and their places out.
#pragma once

#include "kolam/ir/signature_parts.h"

namespace kolam::ir {

/// Values of the operand's dtype and i32 or i64 places (i64 where a row may be longer than i32
/// counts), both of `shape`.
llvm::LogicalResult expect_sorted(mlir::Operation* op, mlir::Value operand, mlir::Value values,
                                  mlir::Value places, const Shape& shape);

/// A map over rows; each owns its rows whole.
space::Signature sign_rows(mlir::Operation* op, mlir::Value operand, mlir::Value values,
                           mlir::Value places);

/// n log n comparisons for a row of n elements.
double sort_flops(const Extent& length);

} // namespace kolam::ir
