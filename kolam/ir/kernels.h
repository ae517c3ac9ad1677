/// Refs: their elements, and the arrays that they are views of.
#pragma once

#include "kolam/ir/block_spec.h"
#include "kolam/ir/ops.h"
#include "kolam/support/elementwise.h"

namespace kolam::ir {

inline mlir::RankedTensorType value_type(mlir::Value ref) {
  return llvm::cast<RefType>(ref.getType()).getValue();
}
inline bool is_ref(mlir::Value value) { return llvm::isa<RefType>(value.getType()); }

/// The Refs that a Ref is a view of, through views and the bodies that capture them: arguments of a
/// kernel, and memory of `ref_alloc`.
llvm::SmallVector<mlir::Value, 1> roots_of(mlir::Value ref);

/// The Ref that an op writes or updates; null for other ops.
mlir::Value written_ref(mlir::Operation* op);
/// The function by which `ref_update` of that kind combines the old element and the value: of
/// add, max, min, and, or, xor.
Fn update_function(llvm::StringRef kind, DType dtype);

/// The block specs of a call, and the array that one is of: those of the inputs that are not
/// prefetched, then of the results.
std::vector<BlockSpec> block_specs(KernelCallOp call);
mlir::Value blocked_array(KernelCallOp call, size_t block);

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
