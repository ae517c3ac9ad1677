/// Where a window lies whose start only the run knows.
#pragma once

#include "kolam/interp/evaluation.h"
#include "kolam/interp/index_at.h"

namespace kolam::interp {

/// clip(starts[d], 0, extents[d] - sizes[d]), so that the window lies inside. Needs sizes <=
/// extents.
inline std::vector<int64_t> clipped_starts(mlir::ValueRange starts,
                                           const std::vector<int64_t>& extents,
                                           const std::vector<int64_t>& sizes, const Evaluation& e) {
  std::vector<int64_t> result;
  for (size_t d = 0; d < extents.size(); ++d) {
    int64_t start = std::max<int64_t>(index_at(e.get(starts[d]), 0), 0);
    result.push_back(std::min(start, extents[d] - sizes[d]));
  }
  return result;
}

} // namespace kolam::interp
