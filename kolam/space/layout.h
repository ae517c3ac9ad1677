/// Layouts: where in linear memory a view's elements are.
#pragma once

#include "kolam/space/view.h"
#include "kolam/support/extent.h"

#include <map>
#include <optional>
#include <string>

namespace kolam::space {

/// Element y is element offset + sum of strides_d y_d. Stride 0 repeats, a negative one counts
/// backwards. All are extents: they may have symbols.
struct Layout {
  Extent offset = 0;
  Shape shape;
  Shape strides;
  friend bool operator==(const Layout&, const Layout&) = default;
};

/// The last dim fastest; `[extent-overflow]` where the strides leave 64 bits.
Layout row_major(const Shape& shape);
/// The dims in another order in memory, the last of `order` fastest, without gaps.
Layout dense(const Shape& shape, const std::vector<int>& order);
/// The dims from the one with the largest stride to the one with the smallest, as `dense` takes
/// them, where that gives the layout's strides; nullopt for layouts with gaps or repeats.
std::optional<std::vector<int>> dense_order(const Layout& layout);
/// The layout of a view of a tensor that lies as `base`.
Layout layout_of(const View& view, const Layout& base);

/// The element number of an element, the symbols having these values. Coordinates -n <= y < 0 count
/// from the end; others outside are refused with `[space-out-of-bounds]`.
int64_t ravel(const Layout& layout, const Point& point,
              const std::map<std::string, int64_t>& sizes = {});
/// The element of a row-major element number in [0, elements) of a shape.
Point unravel(const Point& shape, int64_t index);

} // namespace kolam::space
