// Sparse attention over words: each sees a dilated window, landmarks, and one word drawn from each
// third of the sentence.
//
//     window:    words i - 4, i - 2, i, i + 2, i + 4, around the ends
//     landmarks: words 0, 4, 8, ...
//     drawn:     word places[i][r] of third r, modulo the length of the third
//
// What a word sees is one list: the join of a window, a filter and a gather, whose lengths differ
// from sentence to sentence.
#include "run_example.h"
#include "word_attention.h"

namespace ops = kolam::fractal;
using kolam::Tensor;
using ops::FractalTensor;
using Places = FractalTensor<Tensor>;
using Weights = std::tuple<Tensor, Tensor, Tensor>; // of queries, keys and values

constexpr int64_t kWindow = 5, kDilation = 2, kLandmarks = 4, kParts = 3;

/// What a word sees of all words: its window, the landmarks, and those at `places` of the thirds.
Sentence seen(Sentence words, Sentence window, Sentence landmarks, Places places) {
  auto pick = [](Sentence part, Tensor place) { return part[place % ops::length(part)]; };
  return ops::join(
      {window, landmarks, ops::map(pick, ops::zip(ops::split(words, kParts), places))});
}

Sentence head(Weights weights, Sentence sentence, FractalTensor<Places> places) {
  auto [w_q, w_k, w_v] = weights;
  Sentence keys = times(sentence, w_k), values = times(sentence, w_v);
  auto is_landmark = [](Tensor i, Tensor key, Tensor value) { return i % kLandmarks == 0; };
  auto [_, key_marks, value_marks] =
      ops::unzip(ops::filter(is_landmark, ops::enumerate(keys, values)));
  auto word = [&](Tensor query, Sentence near_keys, Sentence near_values, Places places) {
    return attend(query, seen(keys, near_keys, key_marks, places),
                  seen(values, near_values, value_marks, places));
  };
  return ops::map(word, ops::zip(times(sentence, w_q), ops::shifted_slide(keys, kWindow, kDilation),
                                 ops::shifted_slide(values, kWindow, kDilation), places));
}

/// [sentence][head][word] of [1, width].
FractalTensor<FractalTensor<Sentence>> sparse_attention(FractalTensor<Sentence> sentences,
                                                        FractalTensor<FractalTensor<Places>> places,
                                                        FractalTensor<Weights> heads) {
  auto encode = [&](Sentence sentence, FractalTensor<Places> places) {
    return ops::map([&](Weights weights) { return head(weights, sentence, places); }, heads);
  };
  return ops::map(encode, ops::zip(sentences, places));
}

int main(int count, char** words) {
  Draw draw;
  auto weights = [&] {
    return Weights{draw.tensor({4, 2}), draw.tensor({4, 2}), draw.tensor({4, 2})};
  };
  FractalTensor<Sentence> sentences{draw.tensors(4, {1, 4}), draw.tensors(3, {1, 4})};
  FractalTensor<FractalTensor<Places>> places{
      ops::list<int64_t>({{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {9, 10, 11}}),
      ops::list<int64_t>({{0, 1, 2}, {3, 4, 5}, {6, 7, 8}})};
  FractalTensor<Weights> heads{weights(), weights()};
  return run_example(kolam::jit(sparse_attention), std::tuple(sentences, places, heads), count,
                     words);
}
