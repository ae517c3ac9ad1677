// Builds the maps of reshapes.
#include "kolam/space/reshape.h"

#include <algorithm>

#include "kolam/space/exact.h"

namespace kolam::space {

/// From one element to the next along each dim.
static Point strides_of(const Point& shape) {
  Point strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;)
    strides[d - 1] = multiply(strides[d], shape[d]);
  return strides;
}

AffineMap collapse_map(const Point& shape) {
  return affine_map(static_cast<int>(shape.size()), {strides_of(shape)}, {0});
}

AffineMap expand_map(const Point& shape) {
  Point strides = strides_of(shape);
  AffineMap map{1, {}};
  for (size_t d = 0; d < shape.size(); ++d) {
    // The first dim needs no mod: numbers end with the shape. An empty shape has no elements to
    // map.
    int64_t stride = std::max<int64_t>(1, strides[d]);
    map.rows.push_back({{1}, 0, stride, d == 0 ? 0 : std::max<int64_t>(1, shape[d])});
  }
  return map;
}

AffineMap reshape_map(const Point& from, const Point& to) {
  Box cells = Box::of_shape(to);
  if (size(Box::of_shape(from)) != size(cells))
    fail(ErrorKind::value, "space-reshape",
         "expected a shape of " + std::to_string(size(Box::of_shape(from))) +
             " elements, but got " + to_string(to));
  return simplify(compose(expand_map(from), collapse_map(to)), cells);
}

} // namespace kolam::space
