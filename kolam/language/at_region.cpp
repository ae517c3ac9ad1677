// Takes an index apart into columns and windows.
#include "kolam/language/at_region.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/concat.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reshape.h"
#include "kolam/language/take.h"
#include "kolam/language/transpose.h"

#include <numeric>

namespace kolam::language {
namespace {

template <class T> bool is(const IndexItem& item) { return std::holds_alternative<T>(item); }

/// start + step i along dim `dim` of `shape`, as i64.
Value progression(Builder& b, const Shape& shape, size_t dim, const Extent& start, int64_t step) {
  Value i = iota(b, shape, static_cast<int64_t>(dim), DType::i64);
  if (step != 1)
    i = elementwise(b, Fn::multiply, {i, extent_value(b, step)});
  return elementwise(b, Fn::add, {i, extent_value(b, start)});
}

} // namespace

std::vector<IndexItem> resolved(Builder& b, const std::vector<IndexItem>& items, const Shape& shape,
                                Outside outside) {
  std::vector<IndexItem> result = expand_ellipsis(items, static_cast<int64_t>(shape.size()));
  if (outside == Outside::standard)
    return result;
  size_t dim = 0;
  for (IndexItem& item : result) {
    if (is<NewAxis>(item))
      continue;
    const Extent& extent = shape[dim++];
    auto* number = std::get_if<int64_t>(&item);
    if (!number)
      continue;
    auto known = extent.constant();
    if (!known || *number >= *known || *number < -*known)
      item = Value(weak_constant(b, *number, DType::i64));
  }
  return result;
}

IndexRegion region_of(Builder& b, Value x, const std::vector<IndexItem>& items) {
  Shape shape = ir::shape_of(x);
  IndexRegion region;
  struct Column {
    Value value; ///< of a place or a start
    std::optional<SliceBox> steps;
    size_t step_dim = 0;
  };
  std::vector<Column> columns;
  bool interrupted = false, are_adjacent = true, has_arrays = false;
  auto is_place = [](const IndexItem& item) { return is<int64_t>(item) || is<Value>(item); };
  bool any_value = llvm::any_of(items, is<Value>);
  for (const IndexItem& item : items) {
    if (is<NewAxis>(item)) {
      region.result.push_back({IndexRegion::Dim::added, 0});
      interrupted = has_arrays;
      continue;
    }
    auto dim = static_cast<int64_t>(region.window.size());
    if (auto* slice = std::get_if<Slice>(&item)) {
      interrupted = has_arrays;
      SliceBox box = resolve_slice(*slice, shape[dim]);
      region.boxes.push_back(box);
      bool is_whole = !box.reversed && box.step == 1 && box.size == shape[dim];
      bool has_step = box.reversed || (box.step != 1 && box.size != Extent(1));
      if (is_whole || !has_step) {
        region.result.push_back({IndexRegion::Dim::window, dim});
        region.window.push_back(box.size);
      } else {
        region.result.push_back(
            {IndexRegion::Dim::step, static_cast<int64_t>(region.steps.size())});
        region.window.push_back(1);
      }
      if (is_whole)
        continue;
      region.dims.push_back(dim);
      if (has_step) {
        region.is_box = false;
        columns.push_back({Value(), box, region.steps.size()});
        region.steps.push_back(box.size);
      } else {
        columns.push_back({extent_value(b, box.start), std::nullopt});
      }
      continue;
    }
    KOLAM_CHECK(is_place(item));
    region.window.push_back(1);
    region.dims.push_back(dim);
    Extent place = 0;
    if (auto* number = std::get_if<int64_t>(&item)) {
      place = place_of(b, *number, shape[dim], static_cast<size_t>(dim));
      columns.push_back({extent_value(b, place), std::nullopt});
    } else {
      Value value = std::get<Value>(item);
      if (!is_integer(ir::dtype_of(value)))
        fail_argument(ErrorKind::index, "bad-index", "index",
                      "integers for dim " + std::to_string(dim), describe(value));
      columns.push_back({count_from_end(b, value, shape[dim], "index"), std::nullopt});
      region.is_box = false;
    }
    region.boxes.push_back({false, place, 1, 1});
    if (any_value) {
      if (!has_arrays)
        region.array_position = static_cast<int64_t>(region.result.size());
      are_adjacent &= !interrupted;
      has_arrays = true;
      region.array_dims.push_back(dim);
    }
  }
  if (!are_adjacent)
    region.array_position = 0;
  std::vector<Shape> arrays;
  for (const Column& column : columns)
    if (column.value)
      arrays.push_back(ir::shape_of(column.value));
  region.arrays = broadcast_shapes(b, arrays);
  if (region.is_box)
    return region;
  Shape windows = region.arrays;
  windows.insert(windows.end(), region.steps.begin(), region.steps.end());
  for (const Column& column : columns) {
    if (!column.value) {
      const SliceBox& box = *column.steps;
      size_t dim = region.arrays.size() + column.step_dim;
      Extent extent = shape[region.dims[&column - columns.data()]];
      Extent start = box.reversed ? extent - Extent(1) - box.start : box.start;
      region.columns.push_back(
          progression(b, windows, dim, start, box.reversed ? -box.step : box.step));
      continue;
    }
    Shape widened = ir::shape_of(broadcast_to(b, column.value, region.arrays));
    Value value = broadcast_to(b, column.value, region.arrays);
    Axes trailing(region.steps.size());
    std::iota(trailing.begin(), trailing.end(), static_cast<int64_t>(widened.size()));
    region.columns.push_back(broadcast_to(b, expand_dims(b, value, trailing), windows));
  }
  return region;
}

Shape result_shape(const IndexRegion& region) {
  Shape shape;
  for (const IndexRegion::Dim& dim : region.result)
    shape.push_back(dim.kind == IndexRegion::Dim::step     ? region.steps[dim.number]
                    : dim.kind == IndexRegion::Dim::window ? region.window[dim.number]
                                                           : Extent(1));
  shape.insert(shape.begin() + region.array_position, region.arrays.begin(), region.arrays.end());
  return shape;
}

Value as_updates(Builder& b, Value value, const IndexRegion& region) {
  auto array_rank = static_cast<int64_t>(region.arrays.size());
  // Arrays first, then slices with steps, then the window's own dims; new dims vanish.
  Axes order(array_rank), added;
  std::iota(order.begin(), order.end(), region.array_position);
  Axes window_dims;
  for (auto kind : {IndexRegion::Dim::step, IndexRegion::Dim::window})
    for (auto [place, dim] : llvm::enumerate(region.result)) {
      auto position = static_cast<int64_t>(place);
      position += position >= region.array_position ? array_rank : 0;
      if (dim.kind == kind)
        order.push_back(position);
      if (dim.kind == kind && kind == IndexRegion::Dim::window)
        window_dims.push_back(dim.number);
    }
  for (auto [place, dim] : llvm::enumerate(region.result))
    if (dim.kind == IndexRegion::Dim::added) {
      auto position = static_cast<int64_t>(place);
      added.push_back(position + (position >= region.array_position ? array_rank : 0));
      order.push_back(added.back());
    }
  value = permute_dims(b, value, order);
  Axes last(added.size());
  std::iota(last.begin(), last.end(), static_cast<int64_t>(order.size() - added.size()));
  value = squeeze(b, value, last);
  Axes missing;
  int64_t batch_rank = array_rank + static_cast<int64_t>(region.steps.size());
  for (int64_t dim = 0; dim < static_cast<int64_t>(region.window.size()); ++dim)
    if (!llvm::is_contained(window_dims, dim))
      missing.push_back(batch_rank + dim);
  return expand_dims(b, value, missing);
}

Value indices_of(Builder& b, const IndexRegion& region) {
  if (region.columns.empty())
    return broadcast_to(b, weak_constant(b, int64_t{0}, DType::i64), {0});
  return stack(b, region.columns, -1);
}

Value inside(Builder& b, const IndexRegion& region, const Shape& shape) {
  Value result;
  for (auto [column, dim] : llvm::zip(region.columns, region.dims)) {
    if (!llvm::is_contained(region.array_dims, dim))
      continue;
    Value above = elementwise(b, Fn::greater_equal, {column, extent_value(b, 0)});
    Value below = elementwise(b, Fn::less, {column, extent_value(b, shape[dim])});
    Value both = elementwise(b, Fn::logical_and, {above, below});
    result = result ? elementwise(b, Fn::logical_and, {result, both}) : both;
  }
  return result;
}

std::string places_text(const IndexRegion& region, const Shape& shape) {
  PlacesText text{"at", "index", {}};
  Shape extents;
  for (int64_t dim : region.array_dims) {
    text.dims.push_back("in dim " + std::to_string(dim));
    extents.push_back(shape[dim]);
  }
  return outside_text(text, extents);
}

} // namespace kolam::language
