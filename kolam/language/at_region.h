/// Where the elements at an index lie, as windows of a scatter.
#pragma once

#include "kolam/language/at.h"

namespace kolam::language {

/// Where the updates of a scatter go: a window for every place of the index arrays and every
/// element of the slices with steps.
struct IndexRegion {
  Axes dims;                   ///< of x that are not taken whole
  Values columns;              ///< the start of the window along each of them, i64
  Shape arrays, steps;         ///< extents that windows are counted over: index arrays, slices
  Shape window;                ///< of x's rank
  Axes array_dims;             ///< of x that index arrays name
  bool is_box = true;          ///< one window at plain numbers
  std::vector<SliceBox> boxes; ///< where it is one
  /// For each dim of x[items...] beside those of the arrays: a dim of `steps` (from 0), a dim of
  /// the window (from 0), or a new one.
  struct Dim {
    enum Kind : uint8_t { step, window, added } kind;
    int64_t number;
  };
  std::vector<Dim> result;
  int64_t array_position = 0; ///< where the dims of the arrays stand among them
};

/// Items with plain integers outside as places like others.
std::vector<IndexItem> resolved(Builder& b, const std::vector<IndexItem>& items, const Shape& shape,
                                Outside outside);
/// The windows of x[items...]; items as `resolved` gives them.
IndexRegion region_of(Builder& b, Value x, const std::vector<IndexItem>& items);

/// The extents of x[items...].
Shape result_shape(const IndexRegion& region);
/// `value`, broadcast to x[items...], as the updates of a scatter: [arrays..., steps...,
/// window...].
Value as_updates(Builder& b, Value value, const IndexRegion& region);
/// The indices of a scatter: one column for each of the dims.
Value indices_of(Builder& b, const IndexRegion& region);
/// Where all places of the index arrays lie inside, in the shape of x[items...] without the dims
/// behind it.
Value inside(Builder& b, const IndexRegion& region, const Shape& shape);
/// What a check of places outside says.
std::string places_text(const IndexRegion& region, const Shape& shape);

} // namespace kolam::language
