/// Slices of a dimension as Python writes them, start:stop:step, and the other items of an index.
#pragma once

#include "kolam/support/extent.h"

#include <optional>

namespace kolam {

/// start:stop:step. A bound that is a negative number counts from the end; an expression over
/// symbols counts from the front. Bounds outside the dim are clipped.
///
///     x[1:], x[:, ::-2]   =   index(x, {Slice{1}}), index(x, {Slice{}, Slice{{}, {}, -2}})
struct Slice {
  std::optional<Extent> start = {};
  std::optional<Extent> stop = {};
  int64_t step = 1;
};

/// All the dims that the other items of an index leave.
struct Ellipsis {};
inline constexpr Ellipsis ellipsis;

/// A new dim of extent 1.
struct NewAxis {};
inline constexpr NewAxis newaxis;

/// The elements start, start + step, ... of a dim, `size` of them, taken of the reversed dim where
/// `reversed`. `step` is positive; `start` is inside where `size` is not 0.
struct SliceBox {
  bool reversed = false;
  Extent start;
  Extent size;
  int64_t step = 1;
};

/// The elements that `slice` takes of a dim of `extent`. Throws `[bad-step]` for step 0.
SliceBox resolve_slice(const Slice& slice, const Extent& extent);

} // namespace kolam
