/// Which adjoints of a kernel's call share a loop that goes backwards over an axis of its grid.
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace kolam::transform {

/// Whether derivatives have made loops backwards over axes of grids.
bool has_reversed_axes(mlir::ModuleOp module);

/// Of each loop backwards over an axis of a grid, a scan (kernels/grid_loop.h) whose states are the
/// adjoints of the arrays that the call reads, decides whether its steps run in any order, which
/// threads share, and which adjoints it has:
///
///     for j, for i: x~[i] += f(i, j), w~[j] += g(i, j)
///     becomes
///     for i in any order, for j: x~[i] += f(i, j);  for j in any order, for i: w~[j] += g(i, j)
///
/// Adjoints of which steps touch windows of their own (analysis/own_windows.h) are one group, those
/// that are summed along the axis another. Each has a loop where what both compute costs one thread
/// less than the axis in any order saves two. Sums keep their order: the bits are the same.
/// Adjoints that steps only read become captures. A line for each decision says why, with both
/// prices.
std::vector<std::string> group_adjoints(mlir::ModuleOp module);

} // namespace kolam::transform

// Note [Groups]
// Attention takes four products for q~ and five for k~ and v~, six for all three: two loops compute
// three products twice to save one and a half where two threads run, so there is one loop. Of a
// product, a~ = g b^T and b~ = a^T g share g alone. An axis inside of one that threads share gains
// nothing.
