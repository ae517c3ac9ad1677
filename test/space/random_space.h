/// What the tests of space/ share: small random boxes, and the slug of an expected error.
#pragma once

#include <functional>
#include <random>
#include <string>

#include "kolam/space/projection.h"
#include "kolam/support/error.h"

namespace kolam::space {

/// The slug of the Error that `action` throws; "none" where it throws none.
inline std::string slug_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.slug();
  }
  return "none";
}

/// A number in [low, high].
inline int64_t random_between(std::mt19937& random, int64_t low, int64_t high) {
  return low + static_cast<int64_t>(random() % (high - low + 1));
}

/// A box with extents 0 to 4 near the origin.
inline Box random_box(std::mt19937& random, int rank, int64_t least_extent = 0) {
  Point start, end;
  for (int d = 0; d < rank; ++d) {
    start.push_back(random_between(random, -3, 3));
    end.push_back(start.back() + random_between(random, least_extent, 4));
  }
  return Box(start, end);
}

/// A projection with entries -2 to 2; quasi-affine rows where asked for.
inline Projection random_projection(std::mt19937& random, int index_rank, int tensor_rank,
                                    bool quasi = false, int64_t least_size = 0) {
  AffineMap map{index_rank, {}};
  Shape size;
  for (int k = 0; k < tensor_rank; ++k) {
    AffineRow row;
    for (int j = 0; j < index_rank; ++j)
      row.coefficients.push_back(random() % 2 ? 0 : random_between(random, -2, 2));
    row.offset = random_between(random, -4, 4);
    if (quasi && random() % 3 == 0)
      row.divisor = random_between(random, 1, 4);
    if (quasi && random() % 3 == 0)
      row.modulus = random_between(random, 1, 5);
    map.rows.push_back(row);
    size.push_back(random_between(random, least_size, 3));
  }
  return projection(map, size);
}

/// All elements that the points of `range` own, counted one by one: element -> number of owners.
inline std::map<Point, int> owners(const Projection& projection, const Box& range) {
  std::map<Point, int> result;
  for_each_point(range, [&](const Point& point) {
    Point start = image(projection.map, point), end = start;
    for (size_t k = 0; k < end.size(); ++k)
      end[k] += *projection.size[k].constant();
    for_each_point(Box(start, end), [&](const Point& cell) { ++result[cell]; });
  });
  return result;
}

/// The smallest box around elements; the canonical empty one where there are none.
inline Box box_around(const std::map<Point, int>& cells, int rank) {
  std::vector<Box> boxes;
  for (const auto& [cell, count] : cells) {
    Point end = cell;
    for (int64_t& coordinate : end)
      ++coordinate;
    boxes.push_back(Box(cell, end));
  }
  return boxes.empty() ? Box::of_shape(Point(rank, 0)) : bounding(boxes);
}

} // namespace kolam::space
