/// Places given by integers that are affine functions of their index.
#pragma once

#include "kolam/space/affine_map.h"

#include "mlir/IR/Operation.h"

#include <optional>

namespace kolam::analysis {

/// Where a kolam.gather reads its operand, as an affine map of the result's index: its indices are
/// affine without wrapping, and all windows lie inside, as its mode promises or the extents show.
/// Nullopt for other ops, and where that is not seen.
///
/// Affine are counts, constants of equal steps, their sums, multiples and choices, quotients and
/// remainders that the extents decide, in views and at places that are known in the same way.
///
///     2 * iota([4, 3], dim 0) + 1   =   [2 0 | 1]
///     iota([12]) floordiv 4 as [3, 4]   =   [1 0 | 0]
std::optional<space::AffineMap> affine_places(mlir::Operation* gather);

} // namespace kolam::analysis
