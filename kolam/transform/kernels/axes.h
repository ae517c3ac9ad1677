/// What the axes of a kernel's grid share.
#pragma once

#include "kolam/ir/kernels.h"

#include <optional>
#include <vector>

namespace kolam::transform::kernels {

/// Facts of the axes of a grid, the outermost first.
struct Axes {
  /// Whether the points of an axis may run in any order, or at once: what two of them share is only
  /// read. Each result has blocks of its own for each number of the axis, whatever the numbers of
  /// the axes inside.
  std::vector<bool> is_parallel;
  /// By scratch array: how many axes go around it. It is written whole before it is read at each
  /// step of these, so it may be a new array at each.
  std::vector<size_t> axes_around_scratch;
  /// By result: whether each point writes its whole block before it reads of it, and the blocks
  /// cover the result. What it holds before that nobody sees.
  std::vector<bool> is_written_first;
  /// By axis where its number is known: a range of points whose blocks lie inside of their arrays
  /// along all dims that depend on this axis alone. All points, where none do.
  struct Interior {
    int64_t first, last;
  };
  std::vector<std::optional<Interior>> interior;
};

Axes axes_of(ir::KernelCallOp call);

} // namespace kolam::transform::kernels
