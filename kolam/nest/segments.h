/// Nests that go through the segments of what they read (kolam.segment_ids), one after the other.
#pragma once

#include "kolam/nest/fusion.h"
#include "kolam/nest/nest.h"

namespace kolam::nest {

/// Whether all who read ids go through segments, so that they know the id: reductions of these
/// segments, and roots over the elements. `decided`: the roots among the readers.
bool is_known_in_segments(ir::SegmentIdsOp ids, const Materialized& decided,
                          analysis::Signatures& signatures);

/// The ids among the nest's ops whose segments are parts of its first dim; null where there are
/// none.
ir::SegmentIdsOp segments_of(const Nest& nest, analysis::Signatures& signatures);

/// Whether an op of the nest combines the elements of segments.
bool reduces_segments(const Nest& nest);

} // namespace kolam::nest
