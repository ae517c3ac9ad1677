/// Nests split at their borders: the first step of a scan reads its initial state, the others what
/// the step before gave.
#pragma once

#include "kolam/analysis/block_graph.h"

namespace kolam::analysis {

/// Which steps of a dim belong to a region.
enum class Steps : uint8_t { all, first, later };

/// A read in a region, before and after its loops are reordered.
struct RegionRead {
  std::vector<Part> parts;     ///< over the block's dims
  std::vector<Part> reordered; ///< over t0, t1, ...; none where the order stays as it is
};

/// Part of a block's points, as a block of its own.
struct Region {
  std::vector<Steps> steps; ///< by dim
  std::vector<RegionRead> reads;
  std::vector<RegionRead> writes;
  std::vector<Distance> distances;
  /// Loops of which at most the outermost runs in order; none where distances are not constant (but
  /// for a dim along which all go forward), and where dependences go through other blocks.
  std::optional<space::Transformation> transformation;
  std::vector<space::LoopBounds> loops; ///< t0, t1, ... of lists whose lengths do not differ
};

/// The 2^k regions of a block with k dims of scans, folds and reductions; none where k is 0 or
/// more than 6.
std::vector<Region> regions_of(const Block& block);

/// `(*, 0, >0)`.
std::string to_string(const std::vector<Steps>& steps);
/// Edges, distances, the loops and the edges under them.
std::string to_string(const BlockGraph& graph, const Block& block, const Region& region);

} // namespace kolam::analysis
