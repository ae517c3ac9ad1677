/// What gather and scatter share: windows of an operand at places given by data.
#pragma once

#include "kolam/language/builder.h"

namespace kolam::language {

/// The indexed dims of an operand, counted from dim `batched_dims`, and how far windows reach along
/// each.
struct Windows {
  Axes dims;
  int64_t batched_dims;
  Shape lengths; ///< one per entry of `dims`
};

/// Normalises `dims` and tests them against operand and indices (integers, rank batched_dims + 1 or
/// more, one column per dim); `argument` is the name of `dims` in the call. Throws
/// `[axis-out-of-range]`, `[duplicate-axis]`, `[dtype-mismatch]`, `[rank-mismatch]`,
/// `[shape-mismatch]`.
Axes window_dims(Value operand, Value indices, const Axes& dims, int64_t batched_dims,
                 std::string_view argument);

/// Tests that every length lies in [0, extent], at the call where only the run can see it; times
/// `some`, which is 0 where there are no windows. Throws `[window-too-large]`.
void require_lengths(Builder& b, const Shape& operand, const Windows& windows,
                     std::string_view argument, const Extent& some = 1);

/// Stops the program with `[index-out-of-range]` at the lowest batch whose window is not wholly
/// inside, in the name of `function` where one is given.
void require_inside(Builder& b, const Shape& operand, Value indices, const Windows& windows,
                    std::string_view function = {});

/// Where the single elements of windows lie: indices [k..., n..., D] become
/// [k..., n..., lengths..., D], i64. With `modulo`, an extent for each column, each place is taken
/// modulo that.
Value element_places(Builder& b, Value indices, const Shape& lengths, const Shape& modulo = {});
/// Windows as single elements at such places: [k..., n..., w...] becomes [k..., n..., lengths...,
/// w...] with the extent 1 along `dims`, which count from the first of w. `front` counts k and n.
Value window_elements(Builder& b, Value windows, int64_t front, const Axes& dims);
/// The windows of that shape whose elements these are.
Value windows_of_elements(Builder& b, Value elements, const Shape& windows, int64_t front,
                          const Axes& dims);

/// `mode` where it is one of `modes`; throws `[unknown-mode]`.
std::string window_mode(std::string_view mode, std::initializer_list<std::string_view> modes);

/// Sees the extents of dims [0, batched_dims) of all `values` as one.
void unify_batched(Builder& b, Values& values, int64_t batched_dims);

} // namespace kolam::language
