/// Arrays written down in C++, printed, and read from files.
#pragma once

#include "kolam/frontend/array/tensor.h"
#include "kolam/runtime/npy.h"
#include "kolam/runtime/npz.h"

#include <initializer_list>
#include <ostream>

namespace kolam {

/// A rank-1 array of the values: `array<float>({1, 2, 3})`.
template <class T> Array array(std::initializer_list<T> values) { return Array::of<T>(values); }

/// A rank-2 array, row by row: `array<float>({{1, 2}, {3, 4}})`. Throws `[ragged-nest]` where rows
/// differ in length.
template <class T> Array array(std::initializer_list<std::initializer_list<T>> rows) {
  std::vector<T> values;
  size_t columns = rows.size() ? rows.begin()->size() : 0;
  for (const auto& row : rows) {
    if (row.size() != columns)
      fail(ErrorKind::value, "ragged-nest",
           "expected rows of " + std::to_string(columns) + " values, but got one of " +
               std::to_string(row.size()));
    values.insert(values.end(), row.begin(), row.end());
  }
  return Array::of<T>(values, {static_cast<int64_t>(rows.size()), static_cast<int64_t>(columns)});
}

// Files of NumPy (runtime/npy.h, runtime/npz.h).
using runtime::load;
using runtime::load_npz;
using runtime::NamedArray;
using runtime::save;
using runtime::save_npz;

namespace runtime {
inline std::ostream& operator<<(std::ostream& out, const Array& array) {
  return out << array.to_string();
}
} // namespace runtime

inline std::ostream& operator<<(std::ostream& out, const Tensor& tensor) {
  return out << tensor.to_string();
}

} // namespace kolam
