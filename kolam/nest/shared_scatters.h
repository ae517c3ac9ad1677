/// Scatters of single elements to the same places, one update after the other for all of them.
#pragma once

#include "kolam/nest/shared_loops.h"

namespace kolam::nest {

/// Makes one scatter of several destinations from those that add single elements at the same
/// places:
///
///     a = scatter(x, u, at i); b = scatter(y, v, at i)     becomes
///     a, b = scatter((x, y), (u, v), at i)
///
/// Places are computed once, and the updates of one destination do not wait for those of another.
/// What stood between them and reads `a` moves behind. Combiners that differ become one region.
Replaced share_scatters(mlir::Block& block);

} // namespace kolam::nest
