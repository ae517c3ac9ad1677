/// Fetching windows of a gather into the caches before they are met.
#pragma once

#include "kolam/lower/emission.h"

namespace kolam::lower {

/// Whether windows lie far apart in memory that the caches do not hold, and their places are
/// cheap to compute: then the processor waits for each, which fetching ahead hides.
bool is_fetched_ahead(ir::GatherOp op, Emission& emission);

/// Asks the caches for the window of a later batch; of wide windows for its first lines. Batches
/// behind the last one stand for the last.
void emit_fetch_ahead(ir::GatherOp op, IndexSpan batch, Emission& emission);

} // namespace kolam::lower
