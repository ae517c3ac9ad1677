/// Where the points along an axis of a kernel's grid end, as its body says.
#pragma once

#include "kolam/ir/kernels.h"

#include <vector>

namespace kolam::transform::kernels {

/// Points whose coordinate along an axis is `end` or more do nothing.
struct AxisEnd {
  size_t axis;
  mlir::Value end;            ///< a scalar of the body, the same at all points along the axis
  std::vector<size_t> blocks; ///< that it is read from
};

/// What a body asks before it does anything:
///
///     if i < n: ...   where n is a capture, or read from an input's block of the axes before
///
/// So are the bounds of each instance that `vmap` gives a call. Loops over such axes end there.
struct OwnEnds {
  std::vector<AxisEnd> ends;
  ir::CondOp branch; ///< the one that asks; null unless it asks nothing but these
};
OwnEnds own_ends(ir::KernelCallOp call);

} // namespace kolam::transform::kernels
