/// Draws the values that the examples run on.
#pragma once

#include <kolam/kolam.h>

#include <cmath>
#include <random>

/// A generator of float32 tensors, and of lists of them. It gives the same values in each run.
class Draw {
public:
  /// Normal numbers, small enough that a product with them keeps the size of what it multiplies.
  kolam::Tensor tensor(std::vector<int64_t> shape) {
    float scale = shape.size() > 1 ? std::sqrt(static_cast<float>(shape.end()[-2])) : 1;
    return numbers(std::move(shape), scale);
  }
  /// A list of `length` tensors of shape `leaf`, of normal numbers.
  kolam::fractal::FractalTensor<kolam::Tensor> tensors(int64_t length, std::vector<int64_t> leaf) {
    leaf.insert(leaf.begin(), length);
    return kolam::fractal::unbind(numbers(std::move(leaf), 1));
  }

private:
  kolam::Tensor numbers(std::vector<int64_t> shape, float scale) {
    kolam::Array array = kolam::Array::uninitialized(kolam::DType::f32, std::move(shape));
    for (float& value : array.mutable_values<float>())
      value = normal_(generator_) / scale;
    return array;
  }

  std::mt19937 generator_;
  std::normal_distribution<float> normal_;
};
