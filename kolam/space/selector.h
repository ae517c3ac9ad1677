/// Selectors: views of several tensors, or of one with repeats; each result element comes from
/// exactly one source element.
#pragma once

#include <vector>

#include "kolam/space/policy.h"
#include "kolam/space/projection.h"

namespace kolam::space {

/// An element of one of several sources.
struct Source {
  int64_t piece;
  int64_t index;
  friend bool operator==(const Source&, const Source&) = default;
};

/// The piece of a concatenation that holds element `index`, and where in it. Refuses an index
/// outside the sum of `extents` with `[space-out-of-bounds]`.
Source concat_source(const std::vector<int64_t>& extents, int64_t index);
/// The pieces as partial writes into one result: piece p, indexed by its own elements, owns result
/// elements shifted along `axis` by the extents before it. Extents may hold symbols. Refuses pieces
/// that differ elsewhere with `[space-concat]`.
std::vector<Projection> concat_projections(const std::vector<Shape>& shapes, int axis);

/// Element i of `count` interleaved tensors: element i div count of tensor i mod count. Needs count
/// >= 1 (`[space-step]`).
Source interleave_source(int64_t count, int64_t index);
/// The same as a map, i -> (i mod count, i div count): quasi-affine.
AffineMap interleave_map(int64_t count);
/// i -> i mod extent: the tensor again and again. Needs extent >= 1 (`[space-step]`).
AffineMap repeat_map(int64_t extent);

/// Element i of a dim of `extent` elements with `before` elements put in front, which the policy
/// fills.
Landing pad_source(const Policy& policy, int64_t before, int64_t extent, int64_t index);

} // namespace kolam::space
