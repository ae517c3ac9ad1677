/// The cell and the layer of an LSTM.
///
///     i, f, o, g = x W + h' U + b                       h', c': the state before
///     c = sigmoid(f) c' + sigmoid(i) tanh(g)
///     h = sigmoid(o) tanh(c)
#pragma once

#include "draw.h"

struct LstmCell {
  kolam::Tensor w, u, b;
};
inline auto fields(LstmCell& cell) { return std::tie(cell.w, cell.u, cell.b); }

using LstmState = std::tuple<kolam::Tensor, kolam::Tensor>; // h, c

inline LstmState step(const LstmCell& cell, LstmState state, kolam::Tensor x) {
  auto [h, c] = state;
  auto gates = split(matmul(x, cell.w) + matmul(h, cell.u) + cell.b, 4, /*axis=*/1);
  c = sigmoid(gates[1]) * c + sigmoid(gates[0]) * tanh(gates[3]);
  return {sigmoid(gates[2]) * tanh(c), c};
}

/// The states h over one sequence of [1, hidden].
inline kolam::fractal::FractalTensor<kolam::Tensor>
lstm_layer(kolam::fractal::FractalTensor<kolam::Tensor> sequence, LstmCell cell) {
  kolam::Tensor zero = kolam::zeros({1, sequence.leaf_shape()[1]});
  auto [h, c] =
      kolam::fractal::scan([&](LstmState state, kolam::Tensor x) { return step(cell, state, x); },
                           sequence, LstmState(zero, zero));
  return h;
}

inline LstmCell draw_lstm_cell(Draw& draw, int64_t hidden) {
  return {draw.tensor({hidden, 4 * hidden}), draw.tensor({hidden, 4 * hidden}),
          draw.tensor({1, 4 * hidden})};
}
