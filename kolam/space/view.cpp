// Slices, reverses, permutes and composes views.
#include "kolam/space/view.h"

#include "kolam/space/exact.h"

namespace kolam::space {
namespace {

void check_dim(const View& view, int dim, size_t bound) {
  if (dim < 0 || static_cast<size_t>(dim) >= bound)
    fail(ErrorKind::index, "space-rank",
         "expected a dim below " + std::to_string(bound) + ", but got " + std::to_string(dim));
}

void check_cell(int64_t index, int64_t extent) {
  if (index < 0 || index >= extent)
    fail(ErrorKind::index, "space-out-of-bounds",
         "expected an element below " + std::to_string(extent) + ", but got " +
             std::to_string(index));
}

/// Moves a view so that element `by` of dim `dim` becomes its first.
void advance(View& view, int dim, int64_t by) {
  const ViewDim& shown = view.dims[dim];
  if (shown.source != kNewAxis)
    view.start[shown.source] = add(view.start[shown.source], multiply(shown.step, by));
}

} // namespace

View view_of(const Point& shape) {
  View view{Point(shape.size(), 0), {}};
  for (size_t d = 0; d < shape.size(); ++d)
    view.dims.push_back({static_cast<int>(d), 1, shape[d]});
  return view;
}

Point shape(const View& view) {
  Point result;
  for (const ViewDim& dim : view.dims)
    result.push_back(dim.count);
  return result;
}

AffineMap to_map(const View& view) {
  AffineMap map{static_cast<int>(view.dims.size()), {}};
  for (int64_t start : view.start)
    map.rows.push_back({std::vector<int64_t>(view.dims.size(), 0), start});
  for (size_t d = 0; d < view.dims.size(); ++d)
    if (view.dims[d].source != kNewAxis)
      map.rows[view.dims[d].source].coefficients[d] = view.dims[d].step;
  return map;
}

View slice(const View& view, int dim, int64_t start, int64_t step, int64_t count) {
  check_dim(view, dim, view.dims.size());
  int64_t extent = view.dims[dim].count;
  if (count < 0)
    fail(ErrorKind::value, "space-out-of-bounds",
         "expected a count >= 0, but got " + std::to_string(count));
  View result = view;
  result.dims[dim].count = count;
  if (count == 0)
    return result;
  check_cell(start, extent);
  check_cell(add(start, multiply(step, count - 1)), extent);
  advance(result, dim, start);
  result.dims[dim].step = multiply(view.dims[dim].step, step);
  return result;
}

View reverse(const View& view, int dim) {
  check_dim(view, dim, view.dims.size());
  return slice(view, dim, view.dims[dim].count - 1, -1, view.dims[dim].count);
}

View permute(const View& view, const std::vector<int>& order) {
  check_permutation(order, static_cast<int>(view.dims.size()));
  View result{view.start, {}};
  for (int dim : order)
    result.dims.push_back(view.dims[dim]);
  return result;
}

View select(const View& view, int dim, int64_t index) {
  check_dim(view, dim, view.dims.size());
  check_cell(index, view.dims[dim].count);
  View result = view;
  advance(result, dim, index);
  result.dims.erase(result.dims.begin() + dim);
  return result;
}

View insert_axis(const View& view, int position, int64_t count) {
  check_dim(view, position, view.dims.size() + 1);
  View result = view;
  result.dims.insert(result.dims.begin() + position, {kNewAxis, 0, count});
  return result;
}

View squeeze(const View& view, int dim) {
  check_dim(view, dim, view.dims.size());
  if (view.dims[dim].count != 1)
    fail(ErrorKind::value, "space-squeeze",
         "expected extent 1, but got " + std::to_string(view.dims[dim].count));
  return select(view, dim, 0);
}

View broadcast_to(const View& view, const Point& target) {
  View result = view;
  while (result.dims.size() < target.size())
    result = insert_axis(result, 0);
  bool fits = result.dims.size() == target.size();
  for (size_t d = 0; d < target.size() && fits; ++d) {
    ViewDim& dim = result.dims[d];
    fits = dim.count == target[d] || dim.count == 1;
    if (dim.count != target[d])
      dim = {kNewAxis, 0, target[d]};
  }
  if (!fits)
    fail(ErrorKind::value, "space-broadcast",
         "expected a shape that broadcasts to " + to_string(target) + ", but got " +
             to_string(shape(view)));
  return result;
}

View compose(const View& outer, const View& inner) {
  check_rank(static_cast<int64_t>(inner.dims.size()), static_cast<int64_t>(outer.start.size()),
             "the inner view");
  View result = inner;
  for (size_t d = 0; d < outer.start.size(); ++d)
    advance(result, static_cast<int>(d), outer.start[d]);
  result.dims.clear();
  for (const ViewDim& dim : outer.dims) {
    if (dim.source == kNewAxis) {
      result.dims.push_back(dim);
      continue;
    }
    const ViewDim& shown = inner.dims[dim.source];
    result.dims.push_back({shown.source, multiply(shown.step, dim.step), dim.count});
  }
  return result;
}

int64_t slice_count(int64_t start, int64_t stop, int64_t step) {
  if (step == 0)
    fail(ErrorKind::value, "space-step", "expected a step other than 0, but got 0");
  int64_t distance = step > 0 ? subtract(stop, start) : subtract(start, stop);
  return distance <= 0 ? 0 : ceil_divide(distance, magnitude(step));
}

ViewDim phase(int64_t extent, int64_t distance, int64_t remainder) {
  if (remainder < 0 || remainder >= distance)
    fail(ErrorKind::value, "space-step",
         "expected a phase below " + std::to_string(distance) + ", but got " +
             std::to_string(remainder));
  return {0, distance, slice_count(remainder, extent, distance)};
}

} // namespace kolam::space
