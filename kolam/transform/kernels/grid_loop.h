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

/// Of a scan that goes backwards over an axis of a grid, as derivatives make them: the kernel.
void set_reversed_axis(mlir::Operation* scan, const std::string& kernel);
std::optional<std::string> reversed_axis(mlir::Operation* scan);
void drop_reversed_axis(mlir::Operation* scan);

/// What an operand of such a loop's linear part is: the tangent of a Ref's array.
void name_operand(mlir::OpOperand& operand, const std::string& name);
/// Empty for others.
std::string operand_name(mlir::Operation* op, size_t operand);

} // namespace kolam::transform::kernels
