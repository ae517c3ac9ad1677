/// The cell of an LSTM, and a layer of it.
///
///     i, f, o, g = x W + h' U + b                       h', c': the state before
///     c = sigmoid(f) c' + sigmoid(i) tanh(g)
///     h = sigmoid(o) tanh(c)
#pragma once

#include "draw.h"

using LstmState = std::tuple<kolam::Tensor, kolam::Tensor>; // h, c

struct LstmCell {
  kolam::Tensor w, u, b;

  LstmState operator()(LstmState state, kolam::Tensor x) const {
    auto [h, c] = state;
    auto gates = split(matmul(x, w) + matmul(h, u) + b, 4, /*axis=*/1);
    kolam::Tensor i = gates[0], f = gates[1], o = gates[2], g = gates[3];
    c = sigmoid(f) * c + sigmoid(i) * tanh(g);
    return {sigmoid(o) * tanh(c), c};
  }
};
inline auto fields(LstmCell& cell) { return std::tie(cell.w, cell.u, cell.b); }

/// The states h over one sequence of [1, hidden].
inline kolam::fractal::FractalTensor<kolam::Tensor>
lstm_layer(kolam::fractal::FractalTensor<kolam::Tensor> sequence, LstmCell cell) {
  kolam::Tensor zero = kolam::zeros({1, sequence.leaf_shape().at(1)});
  auto [h, c] = kolam::fractal::scan(cell, sequence, LstmState(zero, zero));
  return h;
}

inline LstmCell draw_lstm_cell(Draw& draw, int64_t hidden) {
  return {draw.tensor({hidden, 4 * hidden}), draw.tensor({hidden, 4 * hidden}),
          draw.tensor({1, 4 * hidden})};
}
