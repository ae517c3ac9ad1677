/// Elements at places given by integer arrays, counted from the end where negative.
#pragma once

#include "kolam/language/builder.h"

namespace kolam::language {

/// Integers as i64 places of a dim of `extent`: negative ones counted from the end once, u64 beyond
/// i64 at its highest. Throws `[dtype-mismatch]`, naming `argument`.
Value count_from_end(Builder& b, Value indices, const Extent& extent, std::string_view argument);

/// Where places come from, for errors: `take: argument 'indices'`, and `along axis 1` or `in dim 1`
/// for each dim.
struct PlacesText {
  std::string function, argument;
  std::vector<std::string> dims;
};

/// What a check says of a place outside dims of these extents.
std::string outside_text(const PlacesText& text, const Shape& extents);

/// result[k, n, o] = x[k, places[k, n] + o]: a gather of windows of one element along `dims`,
/// counted from dim `batched_dims`; `places` are i64 and clip. Where there are no places a dim may
/// be empty; else that is `[index-out-of-range]`, thrown now or at run time.
Value gather_cells(Builder& b, Value x, Value places, const Axes& dims, int64_t batched_dims,
                   const PlacesText& text);

/// Throws `[index-out-of-range]` unless there are no places, where only the run can see it then:
/// for dims without elements.
void require_no_places(Builder& b, Value places, std::string_view argument,
                       const std::string& where);

/// A value without elements, some extent being 0.
Value without_cells(Builder& b, DType dtype, const Shape& shape);

/// result[i..., j..., k...] = x[i..., indices[j...], k...], the j in place of `axis`. Places clip.
/// Throws
/// `[axis-out-of-range]`, `[dtype-mismatch]`, and `[index-out-of-range]` where the dim is empty but
/// `indices` are not.
Value take(Builder& b, Value x, Value indices, int64_t axis);

/// result[i..., j, k...] = x[i..., indices[i..., j, k...], k...]; the other dims broadcast. Throws
/// as `take`,
/// `[rank-mismatch]` and `[shape-mismatch]`.
Value take_along_axis(Builder& b, Value x, Value indices, int64_t axis);

} // namespace kolam::language
