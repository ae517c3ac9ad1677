/// Reshape as a map: collapse to one row-major dim, then expand.
#pragma once

#include "kolam/space/affine_map.h"

namespace kolam::space {

/// y -> the row-major number of element y: one row of strides.
AffineMap collapse_map(const Point& shape);
/// i -> the element with row-major number i: rows (i floordiv stride_d) mod extent_d.
AffineMap expand_map(const Point& shape);
/// Element y of a tensor of shape `to` -> the element of shape `from` that it shows:
///
///     expand(from) . collapse(to), simplified on the elements of `to`
///
/// Dims that both shapes keep come out as plain copies. Refuses shapes of different size with
/// `[space-reshape]`.
AffineMap reshape_map(const Point& from, const Point& to);

} // namespace kolam::space
