/// Steps of loops whose slices of Refs lie inside.
#pragma once

#include "kolam/ir/ops.h"

#include <cstdint>
#include <vector>

namespace kolam::transform::kernels {

/// Where to cut the steps first .. end of a loop, so that those whose slices all lie inside of
/// their Refs, and need no masks, have a loop of their own:
///
///     for k < 13: x[80 k : 80 k + 80] of 1000   =   {0, 12, 13}
///
/// Asks only slices that begin at an affine function of the counter. None where all steps are
/// alike.
std::vector<int64_t> cuts_of_steps(ir::ForOp loop, int64_t first, int64_t end);

} // namespace kolam::transform::kernels
