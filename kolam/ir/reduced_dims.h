/// What reductions share: the space in front of a reduction, and the dims that vanish.
#pragma once

#include "kolam/ir/signature_parts.h"
#include "kolam/support/accumulate.h"

namespace kolam::ir {

/// The shape without the dims at `dims`.
Shape without_dims(const Shape& shape, llvm::ArrayRef<int64_t> dims);

/// Where each dim of the space stands in a signature that has kept dims first, then reduced ones.
std::vector<int> index_of_dims(int64_t rank, llvm::ArrayRef<int64_t> dims);

/// Kept dims as map dims, then `dims` as reduce dims.
std::vector<space::IndexDim> reduction_dims(const Shape& space, llvm::ArrayRef<int64_t> dims,
                                            const std::optional<space::Monoid>& monoid);

/// An order that a reduction can have: no chain of multiply-adds.
llvm::LogicalResult expect_reduction_order(mlir::Operation* op, const Accumulate& accumulate);

/// Dims, order and types of a reduction over `space`: every input has it, every result what is left
/// of it.
llvm::LogicalResult expect_reduction(mlir::Operation* op, mlir::ValueRange inputs,
                                     mlir::ValueRange results, const Shape& space,
                                     llvm::ArrayRef<int64_t> dims, const Accumulate& accumulate);

} // namespace kolam::ir
