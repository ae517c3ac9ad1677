/// Refs: their elements, and the arrays that they are views of.
#pragma once

#include "kolam/ir/ops.h"

namespace kolam::ir {

inline mlir::RankedTensorType value_type(mlir::Value ref) {
  return llvm::cast<RefType>(ref.getType()).getValue();
}
inline bool is_ref(mlir::Value value) { return llvm::isa<RefType>(value.getType()); }

/// The Refs that a Ref is a view of, through views and the bodies that capture them: arguments of a
/// kernel, and memory of `ref_alloc`.
llvm::SmallVector<mlir::Value, 1> roots_of(mlir::Value ref);

/// Whether an op stands in the condition of a loop, which only looks.
bool is_in_condition(mlir::Operation* op);

/// A Ref of `shape`.
llvm::LogicalResult expect_ref_shape(mlir::Operation* op, mlir::Value ref, const Shape& shape,
                                     const llvm::Twine& what);
/// A view of the elements of `ref`, in `shape`, of its dtype.
llvm::LogicalResult expect_view(mlir::Operation* op, mlir::Value view, mlir::Value ref,
                                const Shape& shape);
/// Integer scalars.
llvm::LogicalResult expect_integers(mlir::Operation* op, mlir::ValueRange scalars,
                                    llvm::StringRef what);
/// A tensor of booleans in the shape of a Ref, where it is given.
llvm::LogicalResult expect_mask(mlir::Operation* op, mlir::Value mask, mlir::Value ref);

} // namespace kolam::ir
