/// Scatters whose windows are single elements, one update after the other.
#pragma once

#include "kolam/ir/ops.h"

namespace kolam::nest {

/// Whether the places of such a scatter's updates are computed by vectors of updates: windows of
/// one element along all dims, and rows of updates that fill vectors. Elements are then combined
/// one after the other.
bool places_by_vectors(ir::ScatterOp op);

} // namespace kolam::nest
