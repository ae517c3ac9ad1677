/// How the elements of a nest's root are walked: facts drawn from signatures and the machine.
#pragma once

#include "kolam/nest/end_to_end.h"
#include "kolam/nest/row_reductions.h"
#include "kolam/support/machine.h"

#include <map>
#include <string>

namespace kolam::nest {

/// Ops with loops that elements share: one for each index of the root's first `rank` dims.
struct SharedLoop {
  ReductionGroup ops; ///< side by side
  int64_t rank;
};

/// A plan for a root that gives single elements, of rank 1 at least (rank 0 has one element).
struct MapPlan {
  int lanes = 1; ///< elements at once along the innermost dim
  std::string_view why_one_lane = "a single element";
  int vectors = 1; ///< of so many lanes side by side
  int rows = 1;    ///< of so many vectors, which are all of the row, side by side
  /// Reductions that differ between lanes and are asked for at the root's own index, producers
  /// first: those of all vectors side by side run together,
  std::vector<mlir::Operation*> together;
  /// or where rows are longer than these vectors, those of a block of columns row by row.
  bool by_rows = false;
  /// Or where what they combine follows one another in memory, by squares that are turned.
  bool by_squares = false;
  int64_t first_run = 0;          ///< the dims from this one on are walked as one
  std::vector<SharedLoop> shared; ///< producers first; they run in front of the loops behind
  KeptRows kept;                  ///< from the reductions, which come first, until the row is done
  /// The root dim along which some operand's elements follow one another in memory while lanes lie
  /// apart; -1 for none. Such operands are loaded by tiles of lanes x lanes and turned in
  /// registers.
  int64_t tile_dim = -1;
  /// The dims from `first_run` on form rows of few elements, which are computed side by side: lanes
  /// go along the dim in front (nest/short_rows.h).
  bool interleaves = false;
  /// The result is too large for the caches: stores go past them.
  bool streams = false;
  std::vector<EndToEnd> prefetched;            ///< what is asked for ahead
  std::map<int64_t, std::vector<Extent>> cuts; ///< by root dim: where it is cut (nest/parts.h)
  /// The ids whose segments cut the first dim (nest/segments.h); null for none.
  mlir::Operation* segments = nullptr;
  /// Reductions of these segments, one number each, producers first: once in front of the elements.
  std::vector<mlir::Operation*> in_segments;
};

/// `vectors`: so many side by side; 0: what the rules say.
MapPlan choose_map_plan(const Nest& nest, const Machine& machine, int vectors = 0);

} // namespace kolam::nest
