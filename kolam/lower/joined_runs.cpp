// Joins dims that are counted through.
#include "kolam/lower/joined_runs.h"

namespace kolam::lower {

void JoinedRuns::append(int64_t dim, Value extent, bool joins, Emission& e) {
  if (!joins) {
    extents.push_back(extent);
    dims.push_back(dim);
    return;
  }
  extents.back() = e.mul(extents.back(), extent);
  dims.back() = dim;
}

JoinedRuns joined_runs(mlir::Operation* op, int64_t first, ValueSpan extents, Emission& e) {
  JoinedRuns runs;
  for (auto [number, extent] : llvm::enumerate(extents)) {
    const auto dim = first + static_cast<int64_t>(number);
    runs.append(dim, extent, number > 0 && e.joined.joins_index(op, dim - 1), e);
  }
  return runs;
}

} // namespace kolam::lower
