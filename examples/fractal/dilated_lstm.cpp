// A dilated LSTM: in layer d each step follows the one 2^d before it.
//
//     h[d][t], c[d][t] = lstm_cell((h[d][t - 2^d], c[d][t - 2^d]), h[d-1][t])
//
// where h[-1] is the sequence. `dilated_map` runs a layer on each of the 2^d strided sub-lists, and
// puts the states back in the order of the steps.
#include "lstm.h"
#include "run_example.h"

namespace ops = kolam::fractal;
using ops::FractalTensor;
using Sequence = FractalTensor<kolam::Tensor>;

/// The states h of the last layer: [sequence][step] of [1, hidden].
FractalTensor<Sequence> dilated_lstm(FractalTensor<Sequence> batch, std::vector<LstmCell> layers) {
  auto encode = [&](Sequence sequence) {
    int64_t dilation = 1;
    for (const LstmCell& cell : layers) {
      auto layer = [&](Sequence strided) { return lstm_layer(strided, cell); };
      sequence = ops::dilated_map(layer, sequence, dilation);
      dilation *= 2;
    }
    return sequence;
  };
  return ops::map(encode, batch);
}

int main(int count, char** words) {
  Draw draw;
  FractalTensor<Sequence> batch{draw.tensors(5, {1, 3}), draw.tensors(2, {1, 3})};
  std::vector<LstmCell> layers;
  for (int d = 0; d < 3; ++d)
    layers.push_back(draw_lstm_cell(draw, 3));
  return run_example(kolam::jit(dilated_lstm), std::tuple(batch, layers), count, words);
}
