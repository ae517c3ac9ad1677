// Builds the maps of reshapes.
#include "kolam/space/reshape.h"

#include <algorithm>

#include "kolam/space/exact.h"
#include "kolam/space/layout.h"

namespace kolam::space {

AffineMap collapse_map(const Point& shape) {
  return affine_map(static_cast<int>(shape.size()), {row_major(shape).strides}, {0});
}

AffineMap expand_map(const Point& shape) {
  Layout layout = row_major(shape);
  AffineMap map{1, {}};
  for (size_t d = 0; d < shape.size(); ++d) {
    // The first dim needs no mod: numbers end with the shape. An empty shape has no elements to
    // map.
    int64_t stride = std::max<int64_t>(1, layout.strides[d]);
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
