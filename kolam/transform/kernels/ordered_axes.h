/// The last axes of a grid, whose points share elements, as loops inside the function of a point of
/// the other axes.
///
///     grid (rows, steps), scratch h:   for each row   h = 0; for t: h, o[.., t] = f(h, x[.., t])
#pragma once

#include "kolam/transform/kernels/whole_grid.h"

namespace kolam::transform::kernels {

/// A dim of a block that has all elements along the last axes: an axis among these chooses `size`
/// elements from step * coordinate on; without one a point has all.
struct OrderedDim {
  std::optional<size_t> axis;
  int64_t step, size, extent;
  bool is_squeezed; ///< a point's block lacks the dim
};

/// The function of a point of the axes before `first`: its arguments are those of a function of a
/// point without scratch arrays, with blocks of these dims; coordinates from `first` on are not
/// used. `chosen` blocks are their arrays.
std::unique_ptr<mlir::Region> loop_last_axes(language::Builder& b, ir::KernelCallOp call,
                                             size_t first,
                                             const std::vector<std::vector<OrderedDim>>& blocks,
                                             const std::vector<bool>& chosen,
                                             const MakePoint& make_point);

} // namespace kolam::transform::kernels
