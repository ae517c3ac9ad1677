/// Quantiles by sorting. `dims` are increasing and counted from the front.
#pragma once

#include "kolam/language/builder.h"

namespace kolam::language {

/// Which element stands for a place between two.
enum class Interpolation : uint8_t { linear, lower, higher, nearest, midpoint };

/// The elements that `dims` reduce in order, at the places q (count - 1), interpolated: the dims of
/// q, then those that are left. NaN where an element is NaN; with `ignores_nan` those are left out
/// of elements and count. Integers give f32. Throws `[empty-reduction]`, and stops the program with
/// `[bad-probability]` unless 0 <= q <= 1.
Value quantile(Builder& b, Value x, Value q, const Axes& dims, Interpolation interpolation,
               bool ignores_nan);
/// quantile 1/2 between the two middle elements.
Value median(Builder& b, Value x, const Axes& dims, bool ignores_nan);

} // namespace kolam::language
