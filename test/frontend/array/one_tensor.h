/// Functions of one tensor, and random arrays from a seed to call them on.
#pragma once

#include "test/frontend/array/both_backends.h"
#include "test/frontend/array/random_array.h"

namespace kolam::test {

/// The single result of a function of one tensor, the same on both backends.
inline Array run_one(const Array& x, const std::function<Tensor(Tensor)>& function) {
  return run_both({x}, [&](std::vector<Tensor> t) { return std::vector{function(t[0])}; })[0];
}

/// The same with all extents symbolic.
inline Array run_one_dynamic(const Array& x, const std::function<Tensor(Tensor)>& function) {
  Shape shape;
  for (size_t dim = 0; dim < x.shape().size(); ++dim)
    shape.push_back(Extent::symbol("n" + std::to_string(dim)));
  return run_both({{x.dtype(), shape}}, {x},
                  [&](std::vector<Tensor> t) { return std::vector{function(t[0])}; })[0];
}

/// Floats of many magnitudes from a seed: sums of such round differently in different orders.
template <class T> Array random_array(std::vector<int64_t> shape, unsigned seed) {
  std::mt19937 random(seed);
  return random_floats<T>(std::move(shape), random);
}

} // namespace kolam::test
