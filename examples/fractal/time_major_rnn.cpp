// A stacked RNN over a batch that shrinks: step t holds the words of the sentences that are longer
// than t.
//
//     h[d][t][n] = tanh(h[d-1][t][n] W[d] + h[d][t-1][n] U[d] + b[d])        h[-1] are the words
//
// The sentences come longest first, so those that go on are the first ones. The state of the scan
// over the steps is a list that gets shorter: no sentence is padded.
#include "rnn_cell.h"
#include "run_example.h"

namespace ops = kolam::fractal;
using kolam::Tensor;
using ops::FractalTensor;
using States = FractalTensor<Tensor>; // [sentence] of [1, hidden]

FractalTensor<States> layer(FractalTensor<States> steps, RnnCell cell) {
  auto take_step = [&](States states, States words) {
    return ops::map([&](Tensor n, Tensor word) { return cell(states[n], word); },
                    ops::enumerate(words));
  };
  Tensor zero = zeros_like(cell.b);
  return ops::scan(take_step, steps, ops::repeat(zero, ops::length(steps[0])));
}

/// The states of the last layer: [step][sentence] of [1, hidden].
FractalTensor<States> time_major_rnn(FractalTensor<States> steps, FractalTensor<RnnCell> layers) {
  return ops::fold(layer, layers, steps);
}

int main(int count, char** words) {
  Draw draw;
  FractalTensor<States> steps{draw.tensors(3, {1, 4}), draw.tensors(1, {1, 4})};
  FractalTensor<RnnCell> layers{draw_rnn_cell(draw, 4, 4), draw_rnn_cell(draw, 4, 4)};
  return run_example(kolam::jit(time_major_rnn), std::tuple(steps, layers), count, words);
}
