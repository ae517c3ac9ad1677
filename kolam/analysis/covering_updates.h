/// Updates one after the other that write all of a value, each a part of it.
#pragma once

#include "kolam/ir/ops.h"

#include <optional>
#include <vector>

namespace kolam::analysis {

/// What updates write along one dim, in the order in which it lies there.
struct CoveringUpdates {
  int64_t dim;
  std::vector<mlir::Value> parts;
};

/// The updates that end in `last`, where their places are literals and they cover the value without
/// overlap, so that nothing is left of what was there before; what they make is read by the next
/// one alone.
std::optional<CoveringUpdates> covering_updates(ir::DynamicUpdateSliceOp last);
/// Whether an update is one of such.
bool is_covered_with_others(ir::DynamicUpdateSliceOp update);

} // namespace kolam::analysis
