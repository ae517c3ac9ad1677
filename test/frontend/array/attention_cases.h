/// What tests of attention share: operands, calls and masks.
#pragma once

#include "test/frontend/array/both_backends.h"

#include <random>

namespace kolam::test {

/// q, k, v and perhaps a mask.
inline TensorFunction attend(bool causal = false, std::optional<double> scale = {}) {
  return [=](std::vector<Tensor> t) {
    AttentionOptions options{.causal = causal, .scale = scale};
    if (t.size() > 3)
      options.mask = t[3];
    return std::vector<Tensor>{attention(t[0], t[1], t[2], options)};
  };
}

/// Rows as they come, no sum of which is exact.
inline Array random_rows(std::vector<int64_t> shape, std::mt19937& random) {
  Array array = Array::uninitialized(DType::f32, shape);
  std::uniform_real_distribution<float> between(-1, 1);
  for (float& cell : array.mutable_values<float>())
    cell = between(random);
  return array;
}

inline TensorFunction with(AttentionOptions options) {
  return [=](std::vector<Tensor> t) {
    return std::vector<Tensor>{attention(t[0], t[1], t[2], options)};
  };
}

/// What a mask by arrays gives for keys that `sees` shows.
inline Array truth(int64_t rows, int64_t keys, const std::function<bool(int64_t, int64_t)>& sees) {
  Array mask = Array::uninitialized(DType::boolean, {rows, keys});
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < keys; ++j)
      mask.mutable_values<bool>()[i * keys + j] = sees(i, j);
  return mask;
}

} // namespace kolam::test
