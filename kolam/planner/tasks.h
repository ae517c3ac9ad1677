/// From stages that are cut to a plan: tasks, blocks, transfers, merges.
#pragma once

#include "kolam/planner/stages.h"

namespace kolam::planner {

/// A piece of a stage and who computes it.
struct Placed {
  space::Box index;
  int64_t worker = 0;
};

/// How a stage is cut: pieces that partition its index space, in the order in which workers take
/// them. Pieces of the summed dim give parts of sums, which are merged.
struct StageCut {
  std::vector<Placed> pieces;
};

struct PlanOptions {
  int64_t workers = 1;
  int64_t memory_per_worker = 0;
  bool keeps_results = false;
  bool has_code = true; ///< else pieces have no text, which takes longest to make
};

/// The plan of a program whose stages are cut so. Arguments are loaded once, each element at one of
/// the workers that need it, spread evenly among them; what a worker reads of others' blocks is
/// moved to it before. Parts of sums are exchanged by slices of the result: each of the workers
/// that hold some merges one. Throws `[plan-partition]` where pieces partition no index space.
plans::Plan make_plan(mlir::func::FuncOp main, const std::vector<Stage>& stages,
                      const std::vector<StageCut>& cuts, const PlanOptions& options,
                      transform::Cuts& parts);

} // namespace kolam::planner
