/// Boxes: half-open ranges of the integer grid, what a tensor's elements and an op's index points
/// are.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kolam::space {

/// A point of Z^n; n = 0 is allowed.
using Point = std::vector<int64_t>;

/// p_d <= q_d in every dim. Two points may be unordered: neither (0,1) <= (1,0) nor the other way.
bool all_less_equal(const Point& p, const Point& q);
/// `(1, -2)`.
std::string to_string(const Point& point);

/// The elements p with start_d <= p_d < end_d in every dim d.
///
/// Guards: equal ranks, start <= end in *every* dim, every extent fits in 64 bits. Else
/// `[space-rank]`, `[space-invalid-box]` or `[space-overflow]`. A box of rank 0 holds one point. A
/// box with an extent of 0 is empty and keeps its place. (reference: index_projections 2.2)
class Box {
public:
  Box() = default;
  Box(Point start, Point end);
  /// [0, shape).
  static Box of_shape(Point shape);

  int rank() const { return static_cast<int>(start_.size()); }
  const Point& start() const { return start_; }
  const Point& end() const { return end_; }
  int64_t extent(int dim) const {
    const auto place = static_cast<size_t>(dim);
    return end_[place] - start_[place];
  }
  friend bool operator==(const Box&, const Box&) = default;

private:
  Point start_;
  Point end_;
};

Point shape(const Box& box);
/// The number of elements, 1 for rank 0; `[space-overflow]` where it does not fit in 64 bits. An
/// empty box has 0 elements however large its other extents are.
int64_t size(const Box& box);
bool is_empty(const Box& box);
/// end - 1, the last element. Refuses an empty box with `[space-empty]`.
Point last(const Box& box);

/// Strict in every dim; a wrong rank is simply not inside.
bool contains(const Box& box, const Point& point);
/// start <= start' and end' <= end: an empty box is inside where its place is.
bool contains(const Box& box, const Box& inner);
/// The common elements. Where there are none, [0, 0) in every dim: one canonical empty box a rank.
Box intersect(const Box& a, const Box& b);
/// The smallest box that contains all; refuses an empty list with `[space-empty]`.
Box bounding(const std::vector<Box>& boxes);

Box translate(const Box& box, const Point& delta);
/// Dim d of the result is dim order[d] of the box. Refuses what is no permutation with
/// `[space-permutation]`.
Box permute(const Box& box, const std::vector<int>& order);
/// The dims of `a`, then the dims of `b`.
Box cartesian_product(const Box& a, const Box& b);
/// [start, end) in dim `dim`, the same elsewhere.
Box with_range(const Box& box, int dim, int64_t start, int64_t end);

/// Pieces of `piece` elements along `dim`, the last one smaller: 10 by 4 gives 4, 4, 2. An empty
/// box gives itself. Refuses a piece <= 0 with `[space-split]`.
std::vector<Box> split_by_size(const Box& box, int dim, int64_t piece);
/// At most `count` pieces along `dim` whose extents differ by at most 1, larger ones first, none
/// empty: 10 into 4 gives 3, 3, 2, 2; 2 into 4 gives 1, 1. An empty box gives itself. Refuses
/// count <= 0 with `[space-split]`.
std::vector<Box> split_evenly(const Box& box, int dim, int64_t count);
/// Pieces of the listed extents; `[space-split]` unless they are positive and sum to the extent.
std::vector<Box> split_by_list(const Box& box, int dim, const std::vector<int64_t>& extents);

/// Calls `f` on every element in row-major order, the last dim fastest.
template <class F> void for_each_point(const Box& box, F&& f) {
  if (is_empty(box))
    return;
  Point point = box.start();
  for (;;) {
    f(static_cast<const Point&>(point));
    size_t dim = point.size();
    for (; dim > 0 && ++point[dim - 1] == box.end()[dim - 1]; --dim)
      point[dim - 1] = box.start()[dim - 1];
    if (dim == 0)
      return;
  }
}
/// All elements, row-major.
std::vector<Point> points(const Box& box);
/// The distinct elements whose every coordinate is the first or the last, row-major; none when
/// empty.
std::vector<Point> corners(const Box& box);

/// `[0:4, 2:9]`; `[]` for rank 0.
std::string to_string(const Box& box);
/// Reads `[0:4, 2:9]` and `zr[0:4, 2:9]`; nullopt when malformed or start > end.
std::optional<Box> parse_box(std::string_view text);

/// Refuses unequal ranks with `[space-rank]`; `what` names the thing that has the wrong one.
void check_rank(int64_t actual, int64_t expected, std::string_view what);
/// Refuses an order that is no permutation of 0 .. rank-1 with `[space-permutation]`.
void check_permutation(const std::vector<int>& order, int rank);

} // namespace kolam::space
