/// The best grid of each stage, all together.
#pragma once

#include "kolam/plan/machine.h"
#include "kolam/planner/grids.h"

#include <span>

namespace kolam::planner {

/// What counts: seconds for each unit.
struct Weights {
  double time = 1;   ///< seconds of the slowest worker, stage by stage
  double bytes = 0;  ///< for a byte that comes in
  double memory = 0; ///< for a byte that a stage holds
  friend bool operator==(const Weights&, const Weights&) = default;
};

/// Grids whose sum of costs over stages, and over what moves between them, is the least: a pairwise
/// problem (analysis/data_dim/pairwise.h), each stage with at most `kMostGrids` grids.
struct Chosen {
  std::vector<Grid> grids;
  double total = 0;
};
/// For each of the weights.
std::vector<Chosen> choose_grids(const std::vector<Stage>& stages, transform::Cuts& parts,
                                 const plans::Machine& machine, int64_t rounds, Allow allow,
                                 std::span<const Weights> weights);

} // namespace kolam::planner
