/// Where a window lies whose start only the run knows.
#pragma once

#include "kolam/lower/emission.h"

namespace kolam::lower {

/// An integer of any dtype as an i64 index; what is larger becomes the largest.
Value widen_index(Value index, DType dtype, Emission& e);

/// clip(starts[d], 0, extents[d] - sizes[d]), so that the window of `op` lies inside; emitted once.
/// Needs sizes <= extents.
Index clipped_starts(mlir::Operation* op, mlir::ValueRange starts, const Shape& extents,
                     const Shape& sizes, Emission& e);

} // namespace kolam::lower
