/// The projections that ops have, by name.
#pragma once

#include <vector>

#include "kolam/space/projection.h"

namespace kolam::space {

/// A = I, S = 1: an elementwise operand.
Projection identity(int rank);

/// A = 0: every index point owns the same region [start, start + size).
Projection fixed(int index_rank, const Shape& start, const Shape& size);

/// A = diag(steps), b = starts, S = 1: every step-th element. A negative step counts backwards.
Projection strided(const std::vector<int64_t>& steps, const Shape& starts);

/// A = diag(+-1), S = 1: the dims listed are counted backwards, b = adjustment = n - 1 there.
Projection reversed(const Shape& tensor_shape, const std::vector<int>& dims);

/// Tensor dim k owned element by element along index dim index_dims[k], or whole where that is
/// kWhole: the operands of reductions and contractions (X[i, m] of a matmul over (i, n) is {0,
/// kWhole}).
inline constexpr int kWhole = -1;
Projection axial(int index_rank, const std::vector<int>& index_dims, const Shape& tensor_shape);

/// One dim of a window: kernel elements, `dilation` apart, the one at `centre` on the index point
/// times `stride`.
struct WindowDim {
  Extent kernel;
  Extent centre = 0;
  int64_t stride = 1;
  int64_t dilation = 1;
};
/// A = diag(stride), relative start = -centre * dilation, S = (kernel - 1) * dilation + 1; S = 0
/// where the kernel is 0. Refuses stride or dilation < 1 with `[space-window]`.
Projection window(const std::vector<WindowDim>& dims);

/// An operand of `tensor_shape` in an elementwise op over `index_shape`, dims aligned at the right:
/// a zero row where the tensor has extent 1. A symbol never broadcasts. Refuses other differences
/// with `[space-broadcast]`.
Projection broadcast(const Shape& index_shape, const Shape& tensor_shape);
/// The shape that all broadcast to; `[space-broadcast]` where there is none.
Shape broadcast_shape(const std::vector<Shape>& shapes);

} // namespace kolam::space
