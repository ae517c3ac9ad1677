/// Arrays of random elements for tests of products: small integers, whose sums are exact in every
/// dtype but the narrow ones, or floats of many magnitudes, whose sums tell one order of additions
/// from another.
#pragma once

#include "kolam/kolam.h"

#include <random>

namespace kolam::test {

template <class T> Array random_integers(std::vector<int64_t> shape, std::mt19937& random) {
  Array array = Array::uninitialized(dtype_of<T>(), std::move(shape));
  std::uniform_int_distribution<int> draw(std::is_unsigned_v<T> ? 0 : -3, 3);
  for (T& element : array.mutable_values<T>())
    element = static_cast<T>(draw(random));
  return array;
}

template <class T> Array random_floats(std::vector<int64_t> shape, std::mt19937& random) {
  Array array = Array::uninitialized(dtype_of<T>(), std::move(shape));
  std::normal_distribution<T> mantissa;
  std::uniform_int_distribution<int> exponent(-6, 6);
  for (T& element : array.mutable_values<T>())
    element = std::ldexp(mantissa(random), exponent(random));
  return array;
}

} // namespace kolam::test
