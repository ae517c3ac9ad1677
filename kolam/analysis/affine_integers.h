/// Places given by integers that are affine functions of their index.
#pragma once

#include "kolam/space/affine_map.h"

#include "mlir/IR/Operation.h"

#include <optional>
#include <vector>

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

/// A box of a gather's result: what it reads lies at affine places, or it is cut along a dim into
/// boxes of which that holds.
struct AffineBox {
  Shape shape;
  space::AffineMap places; ///< of an index in the box; where it is not cut
  int64_t dim = -1;
  std::vector<AffineBox> parts; ///< in order along `dim`; none where it is not cut
};

/// The same where the places of the whole are not affine, but those of some boxes are: quotients,
/// remainders, choices and clipped numbers that depend on one dim are each decided up to a place
/// along it and from there on. Nullopt where there would be more than `kMostAffineBoxes`.
///
///     (iota([8]) + 1) mod 8   =   [1 | 1] of 7 elements, [1 | 0] of the last one
std::optional<AffineBox> affine_boxes(mlir::Operation* gather);

/// Size of code: an inside with borders on all sides of a plane.
inline constexpr int kMostAffineBoxes = 9;

} // namespace kolam::analysis
