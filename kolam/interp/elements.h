/// Walking over the elements of a box, and copying single elements: what most definitions are made
/// of.
#pragma once

#include "kolam/runtime/array.h"

#include <cstring>
#include <vector>

namespace kolam::interp {

using runtime::Array;
using Index = std::vector<int64_t>;

/// Calls `f(index)` for every index of the box [0, shape), row-major.
template <class F> void for_each_index(const std::vector<int64_t>& shape, F f) {
  for (int64_t extent : shape)
    if (extent == 0)
      return;
  Index index(shape.size(), 0);
  while (true) {
    f(static_cast<const Index&>(index));
    size_t dim = shape.size();
    while (dim > 0 && ++index[dim - 1] == shape[dim - 1])
      index[--dim] = 0;
    if (dim == 0)
      return;
  }
}

/// The row-major number of `index` in a box of `shape`.
inline int64_t ravel(const Index& index, const std::vector<int64_t>& shape) {
  int64_t flat = 0;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    flat = flat * shape[dim] + index[dim];
  return flat;
}

inline const std::byte* cell(const Array& array, const Index& index) {
  return static_cast<const std::byte*>(array.data()) +
         ravel(index, array.shape()) * byte_width(array.dtype());
}

inline Array copy_of(const Array& array) {
  return Array::copy_of(array.dtype(), array.shape(), array.data());
}

/// `to[to_index] = from[from_index]`, of one dtype.
inline void copy_cell(const Array& from, const Index& from_index, Array& to,
                      const Index& to_index) {
  std::memcpy(static_cast<std::byte*>(to.mutable_data()) +
                  ravel(to_index, to.shape()) * byte_width(to.dtype()),
              cell(from, from_index), byte_width(from.dtype()));
}

} // namespace kolam::interp
