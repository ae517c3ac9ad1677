/// The cell of a plain recurrent network, which several examples are made of.
#pragma once

#include "draw.h"

struct RnnCell {
  kolam::Tensor w, u, b;

  /// The next state: tanh(x W + state U + b).
  kolam::Tensor operator()(kolam::Tensor state, kolam::Tensor x) const {
    return tanh(matmul(x, w) + matmul(state, u) + b);
  }
};
inline auto fields(RnnCell& cell) { return std::tie(cell.w, cell.u, cell.b); }

/// A cell that takes [1, in] and keeps [1, hidden].
inline RnnCell draw_rnn_cell(Draw& draw, int64_t in, int64_t hidden) {
  return {draw.tensor({in, hidden}), draw.tensor({hidden, hidden}), draw.tensor({1, hidden})};
}
