/// What derivatives are told of the loops that a kernel's grid becomes.
#pragma once

#include "mlir/IR/Operation.h"

#include <cstdint>
#include <optional>
#include <string>

namespace kolam::transform::kernels {

/// Of a loop over an axis of a kernel's grid.
struct GridLoop {
  std::string kernel;       ///< as explain calls it
  int64_t steps = 1;        ///< of this loop, in all of the grid
  int64_t bytes = 0;        ///< of the arrays that the kernel takes and gives
  bool is_parallel = false; ///< its steps may run in any order (axes.h)
  /// Whether derivatives may compute its body again as a whole: that of a point, or of points that
  /// share what other points do not see.
  bool has_points = false;
};

void set_grid_loop(mlir::Operation* loop, const GridLoop& facts);
/// nullopt for other loops.
std::optional<GridLoop> grid_loop(mlir::Operation* loop);
/// Of another op for the same loop.
void copy_grid_loop(mlir::Operation* from, mlir::Operation* to);

} // namespace kolam::transform::kernels
