/// Basic indexing, and windows at a start that only the run knows.
#pragma once

#include "kolam/language/builder.h"
#include "kolam/support/slice.h"

#include <variant>

namespace kolam::language {

/// An integer takes one element of a dim and removes the dim; so does an integer scalar of the
/// program.
using IndexItem = std::variant<int64_t, Slice, Ellipsis, NewAxis, Value>;

/// The items for the dims of a value of `rank`, the ellipsis written out as full slices. Throws
/// `[bad-index]` for two of them and `[rank-mismatch]` for too many items.
std::vector<IndexItem> expand_ellipsis(const std::vector<IndexItem>& items, int64_t rank);

/// x[items...]. Integers count from the end where negative; those of the program then clip into the
/// dim. Throws `[index-out-of-range]`, `[rank-mismatch]` (too many items), `[bad-index]` (two
/// ellipses, no integer scalar), `[bad-step]`; an integer that only the run can find out of range
/// is checked then.
Value index(Builder& b, Value x, const std::vector<IndexItem>& items);

/// The place of integer `i` in dim `dim` of an index, counted from the front. Throws
/// `[index-out-of-range]`, or puts a check into the program where only the run can see it.
Extent place_of(Builder& b, int64_t i, const Extent& extent, size_t dim);

/// The box of `sizes` at `starts`, integer scalars of any dtype, clipped so that it lies inside.
/// Throws `[rank-mismatch]`, `[shape-mismatch]`, `[dtype-mismatch]`.
Value dynamic_slice(Builder& b, Value x, const Values& starts, const Shape& sizes);
/// `x` with the box at `starts`, clipped likewise, replaced by `update`. Throws as `dynamic_slice`.
Value dynamic_update_slice(Builder& b, Value x, Value update, const Values& starts);

} // namespace kolam::language
