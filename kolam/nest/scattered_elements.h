/// Scatters whose windows are single elements, one update after the other.
#pragma once

#include "kolam/ir/ops.h"

namespace kolam::nest {

/// Whether the places of such a scatter's updates are computed by vectors of updates: windows of
/// one element along all dims, and rows of updates that fill vectors. Elements are then combined
/// one after the other.
bool places_by_vectors(ir::ScatterOp op);

/// Into how many tables updates in turn are added up, so that an addition to the same element does
/// not wait for the one before; 1 where they go into the result itself. Only sums of integers may
/// be put together in another order, and only small results with many updates are worth it.
int64_t table_count(ir::ScatterOp op);

} // namespace kolam::nest
