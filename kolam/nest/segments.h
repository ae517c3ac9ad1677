/// Nests that go through the segments of what they read (kolam.segment_ids), one after the other.
#pragma once

#include "kolam/nest/fusion.h"
#include "kolam/nest/nest.h"

namespace kolam::nest {

/// The ids of which an op, a gather, reads rows: row ids[i] for element i. Null where it does not.
ir::SegmentIdsOp ids_of_rows(mlir::Operation* op);

/// What stands for segments with these offsets among indices (analysis/composed_index.h).
inline const void* segments_in(mlir::Value offsets) { return offsets.getAsOpaquePointer(); }

/// Whether all who read ids go through segments, so that they know the id: reductions of these
/// segments, and roots over the elements. `decided`: the roots among the readers.
bool is_known_in_segments(ir::SegmentIdsOp ids, const Materialized& decided,
                          analysis::Signatures& signatures);

/// The ids among the nest's ops whose segments are parts of its first dim; null where there are
/// none.
ir::SegmentIdsOp segments_of(const Nest& nest, analysis::Signatures& signatures);

/// The fused ops that give a number for each of the segments that `ids` count, producers first.
std::vector<mlir::Operation*> reductions_in_segments(const Nest& nest, mlir::Operation* ids);

/// Whether an op of the nest combines the elements of segments.
bool reduces_segments(const Nest& nest);

} // namespace kolam::nest
