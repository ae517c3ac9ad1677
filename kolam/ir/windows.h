/// What gather and scatter share: windows of a tensor at places that the rows of `indices` give.
#pragma once

#include "kolam/ir/signature_parts.h"
#include "kolam/ir/signed_op.h"

namespace kolam::ir {

/// operand [k..., s...], indices [k..., n..., D], windows [k..., n..., w...]; `dims` count within
/// s.
struct WindowPlaces {
  mlir::Value operand, indices;
  llvm::ArrayRef<int64_t> dims;
  int64_t batched = 0;

  int64_t batch_rank() const { return rank_of(indices) - 1; } ///< of k and n
  int64_t window_rank() const { return rank_of(operand) - batched; }
};

/// Ranks, dims, the indices' dtype and extents.
llvm::LogicalResult expect_places(mlir::Operation* op, const WindowPlaces& places);
/// [k..., n..., w...] where w is `lengths` along `dims` and full elsewhere.
Shape windows_shape(const WindowPlaces& places, const Shape& lengths);
/// Each length is in [0, s].
llvm::LogicalResult expect_lengths(mlir::Operation* op, const WindowPlaces& places,
                                   const Shape& lengths);
/// What `expect_lengths` cannot see before the run.
std::vector<SizePromise> length_promises(const WindowPlaces& places, const Shape& lengths);

/// Over the points of [k..., n..., w...]: which elements of the operand a point may touch.
space::Projection touched_cells(const WindowPlaces& places);
/// Over the same points: the row of indices that a point reads.
space::Projection row_of_indices(const WindowPlaces& places);

} // namespace kolam::ir
