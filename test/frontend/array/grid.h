/// A small array of int32 held as plainly as can be: what brute force works on.
#pragma once

#include "kolam/kolam.h"

#include <cstdint>
#include <numeric>
#include <vector>

namespace kolam::test {

using Place = std::vector<int64_t>;

struct Grid {
  Place shape;
  std::vector<int32_t> cells;

  int64_t rank() const { return static_cast<int64_t>(shape.size()); }
  size_t number(const Place& place) const {
    int64_t number = 0;
    for (size_t d = 0; d < shape.size(); ++d)
      number = number * shape[d] + place[d];
    return static_cast<size_t>(number);
  }
  int32_t at(const Place& place) const { return cells.at(number(place)); }
  Array array() const { return Array::copy_of(DType::i32, shape, cells.data()); }
};

inline int64_t size_of(const Place& shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

/// The place of the element with a row-major number.
inline Place place_of(int64_t number, const Place& shape) {
  Place place(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    place[d] = number % shape[d];
    number /= shape[d];
  }
  return place;
}

/// The grid whose elements are f(place).
template <class F> Grid build(const Place& shape, F f) {
  Grid grid{shape, {}};
  for (int64_t number = 0; number < size_of(shape); ++number)
    grid.cells.push_back(f(place_of(number, shape)));
  return grid;
}

/// Elements 1, 2, 3, ...
inline Grid counted(const Place& shape) {
  int32_t next = 0;
  return build(shape, [&](const Place&) { return ++next; });
}

} // namespace kolam::test
