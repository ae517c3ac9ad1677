/// Runs one elementwise function or cast on vectors, for the tests of scalar code.
#pragma once

#include "kolam/support/elementwise_host.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

namespace kolam {

/// An array of T; unlike std::vector<bool>, of bools too.
template <class T> struct TestArray {
  explicit TestArray(int64_t count) : count(count), data(new T[count]()) {}
  TestArray(const std::vector<T>& values) : TestArray(static_cast<int64_t>(values.size())) {
    for (int64_t i = 0; i < count; ++i)
      data[i] = values[i];
  }
  T& operator[](int64_t i) { return data[i]; }
  const T& operator[](int64_t i) const { return data[i]; }
  int64_t count;
  std::unique_ptr<T[]> data;
};

/// Arrays of one element are scalars.
template <class Result, class T, class... Rest>
TestArray<Result> apply(Fn fn, const TestArray<T>& first, const TestArray<Rest>&... rest) {
  TestArray<Result> result(std::max({first.count, rest.count...}));
  const void* inputs[] = {first.data.get(), static_cast<const void*>(rest.data.get())...};
  const int64_t strides[] = {first.count == result.count, rest.count == result.count...};
  apply_elementwise(fn, dtype_of<T>(), inputs, strides, result.data.get(), result.count);
  return result;
}

/// The function of single values.
template <class Result = void, class T, class... Rest> auto apply_one(Fn fn, T x, Rest... rest) {
  using R = std::conditional_t<std::is_void_v<Result>, T, Result>;
  return apply<R>(fn, TestArray<T>(std::vector<T>{x}),
                  TestArray<T>(std::vector<T>{static_cast<T>(rest)})...)[0];
}

template <class To, class From> TestArray<To> cast_array(const TestArray<From>& input) {
  TestArray<To> result(input.count);
  apply_cast(dtype_of<From>(), dtype_of<To>(), input.data.get(), result.data.get(), input.count);
  return result;
}

template <class To, class From> To cast_one(From x) {
  return cast_array<To>(TestArray<From>(std::vector<From>{x}))[0];
}

} // namespace kolam
