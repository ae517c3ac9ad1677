/// Lengths that a trace knows of its lists. Internal: includes MLIR.
#pragma once

#include "kolam/frontend/array/trace.h"

#include <optional>

namespace kolam::fractal {

/// How many elements a traced list has, where that follows from what makes it.
std::optional<int64_t> known_length(const Trace& trace, mlir::Value list);

/// How many leaves a traced list has, where all of its lengths follow from what makes it: 3 for an
/// element of slide(xs, 3).
std::optional<int64_t> known_leaf_count(const Trace& trace, mlir::Value list);

} // namespace kolam::fractal
