/// The types of a program's values: between MLIR tensor types and Kolam's dtypes and extents.
#pragma once

#include "kolam/support/dtype.h"
#include "kolam/support/extent.h"

#include "mlir/IR/BuiltinTypes.h"

namespace kolam::ir {

/// True for ranked tensors of the thirteen dtypes whose size in bytes can be counted in 64 bits.
/// Tensors with symbolic extents have an encoding that agrees with their sizes, others have none:
/// one type has one form.
bool is_program_type(mlir::Type type);

/// Whether the bytes of the elements, of any dtype and rounded up to cache lines, can be counted in
/// 64 bits.
bool is_countable(const Shape& shape);

/// Bound: lists nest no deeper, as every walk over their types may recurse.
inline constexpr int64_t kMostListDepth = 64;

mlir::Type element_type(mlir::MLIRContext* context, DType dtype);
/// The dtype of a program type or its element type.
DType dtype_of(mlir::Type type);
inline DType dtype_of(mlir::Value value) { return dtype_of(value.getType()); }

/// The tensor type of a dtype and extents; symbolic extents go into its encoding.
mlir::RankedTensorType tensor_type(mlir::MLIRContext* context, DType dtype, const Shape& shape);
Shape shape_of(mlir::Type type);
inline Shape shape_of(mlir::Value value) { return shape_of(value.getType()); }
inline int64_t rank_of(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType()).getRank();
}

} // namespace kolam::ir
