// A stacked LSTM over sentences of different lengths.
//
// The layers are a fold, the words a scan: in each layer, all sentences that have a word t take
// step t together, as one product of matrices. The cell is that of lstm.h.
#include "lstm.h"
#include "run_example.h"

namespace ops = kolam::fractal;
using kolam::Tensor;
using ops::FractalTensor;
using Sentence = FractalTensor<Tensor>;

/// The states h of the last layer: [sentence][word] of [1, hidden].
FractalTensor<Sentence> stacked_lstm(FractalTensor<Sentence> sentences, Tensor embedding,
                                     FractalTensor<LstmCell> layers) {
  auto rows = ops::slices(embedding);
  auto encode = [&](Sentence sentence) {
    auto words = ops::map([&](Tensor word) { return ops::index(rows, word); }, sentence);
    return ops::fold(lstm_layer, layers, words);
  };
  return ops::map(encode, sentences);
}

int main(int count, char** words) {
  Draw draw;
  auto sentences = ops::list<int64_t>({{0, 1, 2}, {3}});
  FractalTensor<LstmCell> layers{draw_lstm_cell(draw, 4), draw_lstm_cell(draw, 4)};
  return run_example(kolam::jit(stacked_lstm), std::tuple(sentences, draw.tensor({5, 4}), layers),
                     count, words);
}
