/// Neighbouring dims that are counted through as one.
#pragma once

#include "kolam/lower/emission.h"

namespace kolam::lower {

/// Dims of an op's index, each run of them that joins (nest/joined_dims.h) as one, whose elements
/// are asked for by the coordinate of its last dim.
struct JoinedRuns {
  Values extents;
  llvm::SmallVector<int64_t> dims; ///< the last of each

  /// `dim` behind the others; `joins` says whether it joins the one before.
  void append(int64_t dim, Value extent, bool joins, Emission& emission);
};

/// Index dims `first`, `first` + 1, ... of an op, of these extents.
JoinedRuns joined_runs(mlir::Operation* op, int64_t first, ValueSpan extents, Emission& emission);

} // namespace kolam::lower
