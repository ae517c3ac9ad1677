/// Arrays written down in C++.
#pragma once

#include "kolam/frontend/array/tensor.h"

#include <initializer_list>

namespace kolam {

/// A rank-1 array of the values: `array<float>({1, 2, 3})`.
template <class T> Array array(std::initializer_list<T> values) { return Array::of<T>(values); }

/// A rank-2 array, row by row: `array<float>({{1, 2}, {3, 4}})`. Throws `[ragged-nest]` where rows
/// differ in length.
template <class T>
Array array(std::initializer_list<std::initializer_list<T>> rows,
            runtime::CallLine here = std::source_location::current()) {
  return Array(rows, here);
}

} // namespace kolam
