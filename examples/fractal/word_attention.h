/// Attention over the words of a sentence, and one head of multi-head attention.
///
///     q[i] = x[i] Wq,  k[i] = x[i] Wk,  v[i] = x[i] Wv
///     s[i][j] = q[i] . k[j] / sqrt(width)
///     result[i] = (sum over j of softmax over j of s[i][j], times v[j]) Wo
#pragma once

#include "draw.h"

using Sentence = kolam::fractal::FractalTensor<kolam::Tensor>; // [word] of [1, model]

struct Head {
  kolam::Tensor w_q, w_k, w_v, w_o;
};
inline auto fields(Head& head) { return std::tie(head.w_q, head.w_k, head.w_v, head.w_o); }

/// The values, weighted by the softmax of the products of the query and the keys.
inline kolam::Tensor attend(kolam::Tensor query, Sentence keys, Sentence values) {
  namespace ops = kolam::fractal;
  using kolam::Tensor;
  Tensor root = sqrt(query.extent(1));
  auto scores = ops::map([&](Tensor key) { return sum(query * key) / root; }, keys);
  Tensor largest = ops::reduce(kolam::maximum, scores);
  auto weights = ops::map([&](Tensor score) { return exp(score - largest); }, scores);
  Tensor total = ops::reduce(kolam::add, weights);
  auto weighted = [&](Tensor weight, Tensor value) { return weight / total * value; };
  return ops::reduce(kolam::add, ops::map(weighted, ops::zip(weights, values)));
}

/// Each word times a matrix.
inline Sentence times(Sentence sentence, kolam::Tensor w) {
  return kolam::fractal::map([&](kolam::Tensor word) { return matmul(word, w); }, sentence);
}

/// What one head adds to each word.
inline Sentence one_head(Head head, Sentence sentence) {
  Sentence keys = times(sentence, head.w_k), values = times(sentence, head.w_v);
  return kolam::fractal::map(
      [&](kolam::Tensor query) { return matmul(attend(query, keys, values), head.w_o); },
      times(sentence, head.w_q));
}

inline Sentence add_lists(Sentence xs, Sentence ys) {
  return kolam::fractal::map(kolam::add, kolam::fractal::zip(xs, ys));
}

/// What all heads add.
inline Sentence all_heads(kolam::fractal::FractalTensor<Head> heads, Sentence sentence) {
  return kolam::fractal::reduce(
      add_lists, kolam::fractal::map([&](Head head) { return one_head(head, sentence); }, heads));
}

inline Head draw_head(Draw& draw, int64_t model, int64_t width) {
  return {draw.tensor({model, width}), draw.tensor({model, width}), draw.tensor({model, width}),
          draw.tensor({width, model})};
}
