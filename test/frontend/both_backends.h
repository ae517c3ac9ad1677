/// Runs a function of tensors on both backends, which must agree bit for bit.
#pragma once

#include "kolam/kolam.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <vector>

namespace kolam {

using TensorFunction = std::function<std::vector<Tensor>(std::vector<Tensor>)>;

inline std::vector<TensorSpec> specs_of(const std::vector<Array>& arrays) {
  std::vector<TensorSpec> specs;
  for (const Array& array : arrays)
    specs.push_back({array.dtype(), Shape(array.shape().begin(), array.shape().end())});
  return specs;
}

/// The results of a program, the same from both backends.
inline std::vector<Array> run_both(const Program& program, const std::vector<Array>& arrays) {
  std::vector<Array> meant = program.run(arrays, Backend::interpret);
  std::vector<Array> native = program.run(arrays, Backend::cpu);
  for (size_t i = 0; i < meant.size(); ++i)
    EXPECT_TRUE(runtime::same_bits(meant[i], native[i]))
        << "result " << i << ": interpreted " << meant[i].to_string() << ", native "
        << native[i].to_string();
  return native;
}

/// The results of `function`, the same from both backends.
inline std::vector<Array> run_both(const std::vector<Array>& arrays,
                                   const TensorFunction& function) {
  return run_both(trace(specs_of(arrays), function), arrays);
}

/// The single result of a function of one tensor.
inline Array run_both(const Array& x, const std::function<Tensor(Tensor)>& function) {
  return run_both(std::vector<Array>{x}, [&](std::vector<Tensor> t) {
    return std::vector<Tensor>{function(t[0])};
  })[0];
}

/// Floats that round differently in different orders, from a printed seed.
template <class T> Array random_floats(std::vector<int64_t> shape, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal(0, 1);
  Array array = Array::uninitialized(runtime::Array::scalar(T{}).dtype(), std::move(shape));
  for (T& value : array.mutable_values<T>())
    value = static_cast<T>(normal(generator));
  return array;
}

} // namespace kolam
