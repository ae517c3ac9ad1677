/// What the tests of space/ share: small random boxes, and the slug of an expected error.
#pragma once

#include <functional>
#include <random>
#include <string>

#include "kolam/space/box.h"
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

} // namespace kolam::space
