/// Attention of a block of queries over lists of blocks of keys and values, with a softmax that is
/// corrected as blocks come in.
///
///     for each block of keys K and values V:
///         s = Q K^T / sqrt(width)
///         m' = max(m, max of each row of s)                      the largest score so far
///         l' = l exp(m - m') + sum of each row of exp(s - m')    what the weights sum up to
///         o' = o exp(m - m') + exp(s - m') V                     the weighted values
///     result: o / l
///
/// No row of scores is ever kept whole. The state (m, l, o) is of another type than what it takes
/// in, so this reduction is a fold: it takes the blocks in order.
///
/// Source: T. Dao et al., "FlashAttention: Fast and Memory-Efficient Exact Attention with
/// IO-Awareness", 2022.
#pragma once

#include <kolam/kolam.h>

#include <limits>

using Blocks = kolam::fractal::FractalTensor<kolam::Tensor>;

inline kolam::Tensor attend(kolam::Tensor query, Blocks keys, Blocks values) {
  using kolam::Tensor;
  using State = std::tuple<Tensor, Tensor, Tensor>;
  Tensor root = sqrt(query.extent(1));
  auto take_in = [&](State state, Tensor keys, Tensor values) {
    auto [largest, total, out] = state;
    Tensor scores = matmul(query, matrix_transpose(keys)) / root;
    Tensor now = maximum(largest, max(scores, 1, {.keepdims = true}));
    Tensor kept = exp(largest - now), weights = exp(scores - now);
    return State(now, total * kept + sum(weights, 1, {.keepdims = true}),
                 out * kept + matmul(weights, values));
  };
  kolam::Extent rows = query.extent(0);
  State nothing(kolam::full({rows, 1}, -std::numeric_limits<float>::infinity()),
                kolam::zeros({rows, 1}), zeros_like(query));
  auto [largest, total, out] =
      kolam::fractal::reduce(take_in, kolam::fractal::zip(keys, values), nothing);
  return out / total;
}
