/// Sums of products along the last axis of a grid, as one product.
///
///     at k == 0: acc = 0;   acc += x_k @ y_k;   at the last k: o = f(acc)
///
/// becomes o = f(x @ y), the product summed in chains of a block each, which merge in order: bits
/// stay.
#pragma once

#include "kolam/transform/kernels/whole_grid.h"

namespace kolam::transform::kernels {

/// What the last axis chooses of a block: nothing, or tiles along `dim` of the Ref, or something
/// else (`dim` is -1).
using LastAxis = std::vector<std::optional<int64_t>>;

/// The function of a point of the other axes. A block that the last axis chooses has the numbers of
/// the axis as a leading dim. Its arguments and results are those of a point without scratch
/// arrays; the last coordinate is not used. Throws Refusal.
std::unique_ptr<mlir::Region> sum_last_axis(language::Builder& b, ir::KernelCallOp call,
                                            const LastAxis& last_axis, const MakePoint& make_point);

} // namespace kolam::transform::kernels
