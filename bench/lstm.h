/// A stacked LSTM as a program on lists, and what it takes.
#pragma once

#include "kolam/kolam.h"

#include <string>

namespace kolam::bench {

struct LstmSize {
  int64_t layers, steps, batch, hidden;

  double flops() const {
    return 16.0 * static_cast<double>(layers * steps * batch * hidden * hidden);
  }
  std::string name() const;
};

using Sequences = fractal::FractalTensor<fractal::FractalTensor<Tensor>>;
/// Weights for the input and for the state, [hidden, 4 hidden] with gates i f g o side by side, and
/// biases [1, 4 hidden], a list over the layers each.
using LstmLayers = fractal::Iterator<Tensor, Tensor, Tensor>;

/// The states h of the last layer: [sequence][step] of [1, hidden], as the batch.
Sequences stacked_lstm(Sequences batch, LstmLayers layers);

/// Random, such that states are of order 1: the batch as [step, sequence, hidden], weights and
/// biases as [layer, ...].
struct LstmOperands {
  Array x, for_x, for_state, bias;
  /// The same cells as lists; copies the batch.
  Sequences batch() const;
  LstmLayers layers() const;
};
LstmOperands random_lstm(const LstmSize& size);

/// Of all layers in f64, [step, sequence, hidden].
std::vector<double> lstm_of(const LstmOperands& operands);

/// Rows of `width` of [outer][inner] as [inner][outer].
std::vector<double> turned(const std::vector<double>& rows, int64_t outer, int64_t inner,
                           int64_t width);

} // namespace kolam::bench
