/// The cell of a plain recurrent network, which several examples are made of.
#pragma once

#include "draw.h"

struct RnnCell {
  kolam::Tensor w, u, b;
};
inline auto fields(RnnCell& cell) { return std::tie(cell.w, cell.u, cell.b); }

/// tanh(x W + state U + b)
inline kolam::Tensor step(const RnnCell& cell, kolam::Tensor state, kolam::Tensor x) {
  return tanh(matmul(x, cell.w) + matmul(state, cell.u) + cell.b);
}

/// A cell that takes [1, in] and keeps [1, hidden].
inline RnnCell draw_rnn_cell(Draw& draw, int64_t in, int64_t hidden) {
  return {draw.tensor({in, hidden}), draw.tensor({hidden, hidden}), draw.tensor({1, hidden})};
}
