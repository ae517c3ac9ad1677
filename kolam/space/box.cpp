// Box algebra: containment, intersection, splitting.
#include "kolam/space/box.h"

#include <algorithm>

#include "kolam/support/checked.h"

namespace kolam::space {
namespace {

constexpr std::string_view kOverflow = "space-overflow";

void check_dim(const Box& box, int dim) {
  if (dim < 0 || dim >= box.rank())
    fail(ErrorKind::index, "space-rank",
         "expected a dim below " + std::to_string(box.rank()) + ", but got " + std::to_string(dim));
}

} // namespace

void check_rank(int64_t actual, int64_t expected, std::string_view what) {
  if (actual != expected)
    fail(ErrorKind::value, "space-rank",
         "expected rank " + std::to_string(expected) + " of " + std::string(what) + ", but got " +
             std::to_string(actual));
}

void check_permutation(const std::vector<int>& order, int rank) {
  check_rank(static_cast<int64_t>(order.size()), rank, "a permutation");
  std::vector<bool> seen(rank, false);
  for (int dim : order) {
    if (dim < 0 || dim >= rank || seen[dim])
      fail(ErrorKind::value, "space-permutation",
           "expected each of 0 to " + std::to_string(rank - 1) + " once, but got " +
               to_string(Point(order.begin(), order.end())));
    seen[dim] = true;
  }
}

bool all_less_equal(const Point& p, const Point& q) {
  check_rank(static_cast<int64_t>(q.size()), static_cast<int64_t>(p.size()), "a point");
  return std::equal(p.begin(), p.end(), q.begin(), std::less_equal<int64_t>());
}

Box::Box(Point start, Point end) : start_(std::move(start)), end_(std::move(end)) {
  check_rank(static_cast<int64_t>(end_.size()), rank(), "a box's end");
  for (int d = 0; d < rank(); ++d) {
    if (start_[d] > end_[d])
      fail(ErrorKind::value, "space-invalid-box",
           "expected start <= end in dim " + std::to_string(d) + ", but got " +
               std::to_string(start_[d]) + ":" + std::to_string(end_[d]));
    checked_sub(end_[d], start_[d], kOverflow);
  }
}

Box Box::of_shape(Point shape) { return Box(Point(shape.size(), 0), std::move(shape)); }

Point shape(const Box& box) {
  Point result(box.rank());
  for (int d = 0; d < box.rank(); ++d)
    result[d] = box.extent(d);
  return result;
}

int64_t size(const Box& box) {
  if (is_empty(box))
    return 0;
  int64_t cells = 1;
  for (int d = 0; d < box.rank(); ++d)
    cells = checked_mul(cells, box.extent(d), kOverflow);
  return cells;
}

bool is_empty(const Box& box) {
  for (int d = 0; d < box.rank(); ++d)
    if (box.extent(d) == 0)
      return true;
  return false;
}

Point last(const Box& box) {
  if (is_empty(box))
    fail(ErrorKind::value, "space-empty",
         "expected a box with elements, but got " + to_string(box));
  Point result = box.end();
  for (int64_t& coordinate : result)
    --coordinate;
  return result;
}

bool contains(const Box& box, const Point& point) {
  if (static_cast<int>(point.size()) != box.rank())
    return false;
  for (int d = 0; d < box.rank(); ++d)
    if (point[d] < box.start()[d] || point[d] >= box.end()[d])
      return false;
  return true;
}

bool contains(const Box& box, const Box& inner) {
  return inner.rank() == box.rank() && all_less_equal(box.start(), inner.start()) &&
         all_less_equal(inner.end(), box.end());
}

Box intersect(const Box& a, const Box& b) {
  check_rank(b.rank(), a.rank(), "a box");
  Point start(a.rank()), end(a.rank());
  for (int d = 0; d < a.rank(); ++d) {
    start[d] = std::max(a.start()[d], b.start()[d]);
    end[d] = std::min(a.end()[d], b.end()[d]);
    if (start[d] >= end[d])
      return Box::of_shape(Point(a.rank(), 0));
  }
  return Box(std::move(start), std::move(end));
}

Box bounding(const std::vector<Box>& boxes) {
  if (boxes.empty())
    fail(ErrorKind::value, "space-empty", "expected at least one box to bound");
  Point start = boxes[0].start(), end = boxes[0].end();
  for (const Box& box : boxes) {
    check_rank(box.rank(), boxes[0].rank(), "a box");
    for (int d = 0; d < box.rank(); ++d) {
      start[d] = std::min(start[d], box.start()[d]);
      end[d] = std::max(end[d], box.end()[d]);
    }
  }
  return Box(std::move(start), std::move(end));
}

Box translate(const Box& box, const Point& delta) {
  check_rank(static_cast<int64_t>(delta.size()), box.rank(), "a translation");
  Point start = box.start(), end = box.end();
  for (int d = 0; d < box.rank(); ++d) {
    start[d] = checked_add(start[d], delta[d], kOverflow);
    end[d] = checked_add(end[d], delta[d], kOverflow);
  }
  return Box(std::move(start), std::move(end));
}

Box permute(const Box& box, const std::vector<int>& order) {
  check_permutation(order, box.rank());
  Point start, end;
  for (int dim : order) {
    start.push_back(box.start()[dim]);
    end.push_back(box.end()[dim]);
  }
  return Box(std::move(start), std::move(end));
}

Box cartesian_product(const Box& a, const Box& b) {
  Point start = a.start(), end = a.end();
  start.insert(start.end(), b.start().begin(), b.start().end());
  end.insert(end.end(), b.end().begin(), b.end().end());
  return Box(std::move(start), std::move(end));
}

Box with_range(const Box& box, int dim, int64_t start, int64_t end) {
  check_dim(box, dim);
  Point starts = box.start(), ends = box.end();
  starts[dim] = start;
  ends[dim] = end;
  return Box(std::move(starts), std::move(ends));
}

std::vector<Box> split_by_size(const Box& box, int dim, int64_t piece) {
  check_dim(box, dim);
  if (piece <= 0)
    fail(ErrorKind::value, "space-split",
         "expected pieces of at least one element, but got " + std::to_string(piece));
  std::vector<Box> pieces;
  for (int64_t done = 0; done < box.extent(dim);) {
    int64_t cells = std::min(piece, box.extent(dim) - done);
    int64_t start = box.start()[dim] + done;
    pieces.push_back(with_range(box, dim, start, start + cells));
    done += cells;
  }
  return pieces.empty() ? std::vector<Box>{box} : pieces;
}

std::vector<Box> split_evenly(const Box& box, int dim, int64_t count) {
  check_dim(box, dim);
  if (count <= 0)
    fail(ErrorKind::value, "space-split",
         "expected at least one piece, but got " + std::to_string(count));
  int64_t extent = box.extent(dim);
  if (extent == 0)
    return {box};
  count = std::min(count, extent);
  std::vector<int64_t> extents(count, extent / count);
  for (int64_t i = 0; i < extent % count; ++i)
    ++extents[i];
  return split_by_list(box, dim, extents);
}

std::vector<Box> split_by_list(const Box& box, int dim, const std::vector<int64_t>& extents) {
  check_dim(box, dim);
  int64_t sum = 0;
  for (int64_t extent : extents) {
    if (extent <= 0)
      fail(ErrorKind::value, "space-split",
           "expected pieces of at least one element, but got " + std::to_string(extent));
    sum = checked_add(sum, extent, kOverflow);
  }
  if (sum != box.extent(dim))
    fail(ErrorKind::value, "space-split",
         "expected pieces that sum to " + std::to_string(box.extent(dim)) + ", but got " +
             std::to_string(sum));
  std::vector<Box> pieces;
  int64_t start = box.start()[dim];
  for (int64_t extent : extents) {
    pieces.push_back(with_range(box, dim, start, start + extent));
    start += extent;
  }
  return pieces;
}

std::vector<Point> points(const Box& box) {
  std::vector<Point> result;
  for_each_point(box, [&](const Point& point) { result.push_back(point); });
  return result;
}

std::vector<Point> corners(const Box& box) {
  if (is_empty(box))
    return {};
  std::vector<Point> result{Point()};
  for (int d = 0; d < box.rank(); ++d) {
    std::vector<Point> longer;
    for (const Point& prefix : result)
      for (int64_t coordinate : {box.start()[d], box.end()[d] - 1}) {
        longer.push_back(prefix);
        longer.back().push_back(coordinate);
        if (box.extent(d) == 1)
          break;
      }
    result = std::move(longer);
  }
  return result;
}

} // namespace kolam::space
