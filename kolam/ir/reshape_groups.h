/// How a reshape factors: runs of dims that become runs of dims of the same size.
#pragma once

#include "kolam/support/extent.h"

namespace kolam::ir {

struct DimRange {
  size_t first = 0, count = 0;
};

/// A run of operand dims and the run of result dims that holds the same elements in the same order.
struct ReshapeGroup {
  DimRange from, to;
};

/// The finest groups, in order, that cover all dims of both shapes and agree in their products of
/// extents:
///
///     [n, 64] to [n, 8, 8]   =   [n] to [n], [64] to [8, 8]
///
/// Dims after the last agreement from the front and before the first from the back are one group:
///
///     [n, 4, 64] to [m, 4, 64]   =   [n] to [m], [4] to [4], [64] to [64]
///
/// Where an extent is 0 the groups mean nothing: there are no elements.
std::vector<ReshapeGroup> reshape_groups(const Shape& from, const Shape& to);

} // namespace kolam::ir
