// Computes strides and element numbers.
#include "kolam/space/layout.h"

#include "kolam/space/exact.h"
#include "kolam/space/policy.h"

namespace kolam::space {

Layout row_major(const Point& shape) {
  Layout layout{0, shape, Point(shape.size(), 1)};
  for (size_t d = shape.size(); d-- > 1;)
    layout.strides[d - 1] = multiply(layout.strides[d], shape[d]);
  return layout;
}

Layout layout_of(const View& view, const Layout& base) {
  check_rank(static_cast<int64_t>(base.shape.size()), static_cast<int64_t>(view.start.size()),
             "the base");
  Layout layout{base.offset, shape(view), {}};
  for (size_t k = 0; k < view.start.size(); ++k)
    layout.offset = add(layout.offset, multiply(view.start[k], base.strides[k]));
  for (const ViewDim& dim : view.dims)
    layout.strides.push_back(dim.source == kNewAxis ? 0
                                                    : multiply(dim.step, base.strides[dim.source]));
  return layout;
}

int64_t ravel(const Layout& layout, const Point& point) {
  check_rank(static_cast<int64_t>(point.size()), static_cast<int64_t>(layout.shape.size()),
             "a point");
  int64_t element = layout.offset;
  for (size_t d = 0; d < point.size(); ++d) {
    Landing landing = land({Policy::Kind::negative}, point[d], layout.shape[d]);
    if (landing.kind != Landing::Kind::cell)
      fail(ErrorKind::index, "space-out-of-bounds",
           "expected an element of " + to_string(Box::of_shape(layout.shape)) + ", but got " +
               to_string(point));
    element = add(element, multiply(landing.index, layout.strides[d]));
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
