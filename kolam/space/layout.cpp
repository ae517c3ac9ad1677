// Computes strides and element numbers.
#include "kolam/space/layout.h"

#include "kolam/space/exact.h"
#include "kolam/space/policy.h"

namespace kolam::space {

Layout row_major(const Shape& shape) {
  Layout layout{0, shape, Shape(shape.size(), 1)};
  for (size_t d = shape.size(); d-- > 1;)
    layout.strides[d - 1] = layout.strides[d] * shape[d];
  return layout;
}

Layout dense(const Shape& shape, const std::vector<int>& order) {
  check_rank(static_cast<int64_t>(order.size()), static_cast<int64_t>(shape.size()), "an order");
  Layout layout{0, shape, Shape(shape.size(), 0)};
  Extent stride = 1;
  for (size_t place = order.size(); place-- > 0;) {
    layout.strides[order[place]] = stride;
    stride = stride * shape[order[place]];
  }
  return layout;
}

std::optional<std::vector<int>> dense_order(const Layout& layout) {
  if (!(layout.offset == Extent(0)))
    return std::nullopt;
  // From the fastest dim on: each stride is the product of the extents of those before.
  std::vector<int> order;
  std::vector<bool> taken(layout.shape.size());
  Extent stride = 1;
  while (order.size() < taken.size()) {
    int next = -1;
    for (size_t d = taken.size(); d-- > 0;)
      if (!taken[d] && layout.strides[d] == stride && (next < 0 || layout.shape[next] != Extent(1)))
        next = static_cast<int>(d); // dims of one element come before others of that stride
    if (next < 0)
      return std::nullopt;
    taken[next] = true;
    order.insert(order.begin(), next);
    stride = stride * layout.shape[next];
  }
  return order;
}

Layout layout_of(const View& view, const Layout& base) {
  check_rank(static_cast<int64_t>(base.shape.size()), static_cast<int64_t>(view.start.size()),
             "the base");
  Point extents = shape(view);
  Layout layout{base.offset, Shape(extents.begin(), extents.end()), {}};
  for (size_t k = 0; k < view.start.size(); ++k)
    layout.offset = layout.offset + Extent(view.start[k]) * base.strides[k];
  for (const ViewDim& dim : view.dims)
    layout.strides.push_back(dim.source == kNewAxis ? Extent(0)
                                                    : Extent(dim.step) * base.strides[dim.source]);
  return layout;
}

int64_t ravel(const Layout& layout, const Point& point,
              const std::map<std::string, int64_t>& sizes) {
  check_rank(static_cast<int64_t>(point.size()), static_cast<int64_t>(layout.shape.size()),
             "a point");
  Point extents;
  for (const Extent& extent : layout.shape)
    extents.push_back(extent.evaluate(sizes));
  int64_t element = layout.offset.evaluate(sizes);
  for (size_t d = 0; d < point.size(); ++d) {
    Landing landing = land({Policy::Kind::negative}, point[d], extents[d]);
    if (landing.kind != Landing::Kind::cell)
      fail(ErrorKind::index, "space-out-of-bounds",
           "expected an element of " + to_string(Box::of_shape(extents)) + ", but got " +
               to_string(point));
    element = add(element, multiply(landing.index, layout.strides[d].evaluate(sizes)));
  }
  return element;
}

Point unravel(const Point& shape, int64_t index) {
  Point point(shape.size());
  int64_t rest = index;
  for (size_t d = shape.size(); d-- > 0;) {
    point[d] = floor_modulo(rest, shape[d]);
    rest = floor_divide(rest, shape[d]);
  }
  if (index < 0 || rest != 0 || is_empty(Box::of_shape(shape)))
    fail(ErrorKind::index, "space-out-of-bounds",
         "expected an element of " + to_string(Box::of_shape(shape)) + ", but got " +
             std::to_string(index));
  return point;
}

} // namespace kolam::space
