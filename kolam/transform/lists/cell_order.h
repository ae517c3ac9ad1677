/// In which order the cells of a nest run: in waves of cells that are independent, as each scan of
/// the nest goes on by one step from wave to wave.
#pragma once

#include "kolam/transform/lists/nest_frames.h"

#include <functional>

namespace kolam::transform::lists {

/// Cells in the order of waves.
struct OrderedCells : Cells {
  /// By scan: i64 [count], the number in the order of waves of the cell one step before; anything
  /// for cells without one.
  std::map<size_t, Value> before;
};

struct CellOrder {
  Value waves;      ///< how many
  Value offsets;    ///< i64 [waves + 1]: the number of the first cell of each
  Value numbers;    ///< i64 [cells]: of each cell, in the order of memory, its number
  OrderedCells all; ///< in the order of memory, and no more than a frame, where there is `wave`
  /// The cells of a wave, given its number and how many they are, computed of scalars; null where
  /// they are a window of `all`.
  std::function<OrderedCells(Value, const Extent&)> wave;
};

/// By sorting all cells.
CellOrder sorted_order(const NestFrames& in, Frames& frames);

/// Of rectangular nests of one or two scans, in closed form; none for other nests.
std::optional<CellOrder> rectangle_order(const NestFrames& in, Frames& frames);

} // namespace kolam::transform::lists
