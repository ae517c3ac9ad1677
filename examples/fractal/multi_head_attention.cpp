// Multi-head attention over sentences of different lengths: each step is a parallel function, and
// nothing is padded. The heads are those of word_attention.h.
#include "run_example.h"
#include "word_attention.h"

namespace ops = kolam::fractal;
using ops::FractalTensor;

/// What the heads add to the words: [sentence][word] of [1, model].
FractalTensor<Sentence> multi_head_attention(FractalTensor<Sentence> sentences,
                                             FractalTensor<Head> heads) {
  return ops::map([&](Sentence sentence) { return all_heads(heads, sentence); }, sentences);
}

int main(int count, char** words) {
  Draw draw;
  FractalTensor<Sentence> sentences{draw.tensors(3, {1, 4}), draw.tensors(1, {1, 4})};
  FractalTensor<Head> heads{draw_head(draw, 4, 2), draw_head(draw, 4, 2)};
  return run_example(kolam::jit(multi_head_attention), std::tuple(sentences, heads), count, words);
}
