/// Scatters whose windows are single elements, one update after the other.
#pragma once

#include "kolam/ir/ops.h"

namespace kolam::nest {

/// Whether the places of such a scatter's updates are computed by vectors of updates: windows of
/// one element along all dims, and rows of updates that fill vectors. Elements are then combined
/// one after the other.
bool places_by_vectors(ir::ScatterOp op);

/// Whether threads share such a scatter by the first dim of its results. Each then computes the
/// places of all updates and combines those that lie in its part, so that every element meets its
/// updates in their order. That pays where an element is further away than its place takes to
/// compute.
bool shares_results(ir::ScatterOp op);

} // namespace kolam::nest
