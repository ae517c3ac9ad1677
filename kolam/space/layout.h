/// Layouts: where in linear memory a view's elements are.
#pragma once

#include "kolam/space/view.h"

namespace kolam::space {

/// Element y is element offset + sum of strides_d y_d. Stride 0 repeats, a negative one counts
/// backwards.
struct Layout {
  int64_t offset = 0;
  Point shape;
  Point strides;
  friend bool operator==(const Layout&, const Layout&) = default;
};

/// The last dim fastest; `[space-overflow]` where the strides leave 64 bits.
Layout row_major(const Point& shape);
/// The layout of a view of a tensor that lies as `base`.
Layout layout_of(const View& view, const Layout& base);

/// The element number of an element. Coordinates -n <= y < 0 count from the end; others outside are
/// refused with `[space-out-of-bounds]`.
int64_t ravel(const Layout& layout, const Point& point);
/// The element of a row-major element number in [0, elements) of a shape.
Point unravel(const Point& shape, int64_t index);

} // namespace kolam::space
