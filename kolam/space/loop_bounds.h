/// Bounds of transformed loops over a rectangular nest, by Fourier-Motzkin elimination.
#pragma once

#include "kolam/space/transformation.h"

namespace kolam::space {

/// A loop: every bound in `lower` <= its variable < every bound in `upper`. Bounds are expressions
/// over the extents of the nest and the variables of the loops around.
struct LoopBounds {
  std::string name;
  std::vector<Extent> lower, upper;
};

/// The loops, outermost first, that visit the image of the box [start, end) under a transformation:
/// each of its points once, and no other. `names` are those of the loops' variables.
///
///     1 <= d < D, 1 <= l < L, m = d + l:   2 <= m < D + L - 1; max(1, m - L + 1) <= d < min(m, D)
///
/// Refuses starts, ends and names of other ranks with `[space-rank]`.
std::vector<LoopBounds> loop_bounds(const Transformation& transformation, const Shape& start,
                                    const Shape& end, const std::vector<std::string>& names);

/// `2 <= m < D + L - 1; max(1, m - L + 1) <= d < min(m, D)`.
std::string to_string(const std::vector<LoopBounds>& loops);

} // namespace kolam::space
