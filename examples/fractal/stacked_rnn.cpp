// A stacked RNN over a ragged batch: the layers are a scan whose state is a whole sequence.
//
//     h[d][t] = tanh(h[d-1][t] W[d] + h[d][t-1] U[d] + b[d])        h[-1] is the sentence
#include "rnn_cell.h"
#include "run_example.h"

namespace ops = kolam::fractal;
using kolam::Tensor;
using ops::FractalTensor;
using Sentence = FractalTensor<Tensor>; // [word] of [1, hidden]

Sentence layer(Sentence sentence, RnnCell cell) {
  return ops::scan(cell, sentence, zeros_like(cell.b));
}

/// The states of all layers: [sentence][layer][word] of [1, hidden].
FractalTensor<FractalTensor<Sentence>> stacked_rnn(FractalTensor<Sentence> sentences,
                                                   FractalTensor<RnnCell> layers) {
  return ops::map([&](Sentence sentence) { return ops::scan(layer, layers, sentence); }, sentences);
}

int main(int count, char** words) {
  Draw draw;
  FractalTensor<Sentence> sentences{draw.tensors(3, {1, 4}), draw.tensors(1, {1, 4})};
  FractalTensor<RnnCell> layers{draw_rnn_cell(draw, 4, 4), draw_rnn_cell(draw, 4, 4)};
  return run_example(kolam::jit(stacked_rnn), std::tuple(sentences, layers), count, words);
}
