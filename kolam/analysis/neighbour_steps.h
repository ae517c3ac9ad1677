/// Integers that go on by equal steps from neighbour to neighbour, but for places that only the run
/// knows.
#pragma once

#include "mlir/IR/Value.h"

#include <cstdint>
#include <optional>

namespace kolam::analysis {

/// The step s by which the integers of a value go on along a dim, such that the ends of a run tell
/// whether all of it does:
///
///     value[.., i + n, ..] - value[.., i, ..] = s n   means   value[.., i + k, ..] = value[.., i,
///     ..] + s k for k < n
///
/// Such are counts with sums and differences of what is the same along the dim, also where they are
/// clipped by such a number, or otherwise taken modulo one or moved by another number from some
/// place on: `(i + 1) % n`, `clip(i - 1, 0, last)`, `where(k - i < 0, k - i + n, k - i)`. Nullopt
/// where that is not seen.
std::optional<int64_t> neighbour_step(mlir::Value value, int64_t dim);

} // namespace kolam::analysis
