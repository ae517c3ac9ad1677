/// Elements of segments, which data places (kolam.segment_ids).
#pragma once

#include "kolam/lower/emission.h"

namespace kolam::lower {

/// The last segment that begins at an element or in front of it: its own, as empty ones begin where
/// the next does. `offsets` as kolam.segment_ids has them.
Value emit_segment_of(mlir::Value offsets, const Coordinate& element, Emission& emission);

/// Where a segment begins and ends.
std::pair<Value, Value> emit_bounds(mlir::Value offsets, const Coordinate& segment,
                                    Emission& emission);

} // namespace kolam::lower
