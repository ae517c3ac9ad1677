/// What the maps of a kernel's blocks say about it before it runs.
#pragma once

#include "kolam/ir/kernels.h"

namespace kolam::transform::kernels {

/// Throws `[block-outside]` for a block of which no element is in its array at some point of the
/// grid. Of a call under checks also `[kernel-race]` for blocks of a result that points along a
/// "parallel" axis share and write, and `[undefined-element]` for results that blocks do not cover.
/// Seen are maps that are affine in the point, on grids and arrays of known extents.
void require_sensible(ir::KernelCallOp call);

} // namespace kolam::transform::kernels
