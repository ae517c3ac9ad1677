/// Ways to cut a stage: grids of boxes, and boxes for any number of workers.
#pragma once

#include "kolam/planner/tasks.h"

namespace kolam::planner {

/// Whether sums may be taken in other groups than the program's.
enum class Allow : uint8_t { exact, reassociate };

/// A way to cut a stage's index space: dim by dim into so many parts, or, where `counts` is empty,
/// into boxes of equal size by strips along `dims`, each of `runs` runs of the summed dim by its
/// share of the workers.
struct Grid {
  std::vector<int64_t> counts;
  std::vector<int> dims;   ///< of strips
  int64_t runs = 1;        ///< of the summed dim, which keep every bit
  bool is_swapped = false; ///< workers count along the first dim first
  int64_t workers = 1;     ///< that take part
  friend bool operator==(const Grid&, const Grid&) = default;
};

/// The ways to cut a stage for at most `workers` workers, each with at most `rounds` pieces one
/// after the other. Sums are cut at runs that keep every bit, or, where that is allowed, evenly
/// too.
std::vector<Grid> grids_of(const Stage& stage, const std::vector<bool>& cut_dims, int64_t workers,
                           int64_t rounds, Allow allow);

/// The pieces, each with its worker; none where the op can't be cut so.
StageCut cut_by(const Stage& stage, const Grid& grid, transform::Cuts& parts);

/// The pieces as the root op can compute them, which may be wider: those that lie in others go.
/// None where they then are no partition. What keeps its order is worker 0's.
StageCut fitted(const Stage& stage, StageCut cut, transform::Cuts& parts);

/// The parts of the summed dim, `count` of them or fewer, that keep every bit; none where there are
/// no such runs.
std::vector<space::Box> exact_runs(const Stage& stage, const space::Box& index, int64_t count);

/// `4 x 2 of (i0, i1)`: for the trace.
std::string to_string(const Stage& stage, const Grid& grid);

} // namespace kolam::planner
