// The stacked grid RNN: each word of one sentence meets each word of the other, in layers above one
// another.
//
//     h = [h_x[i-1][j] ; h_y[i][j-1]]        [;] stands side by side
//     h_x[i][j] = tanh(h W_x + x[i][j] U_x + b_x)
//     h_y[i][j] = tanh(h W_y + y[i][j] U_y + b_y)
//
// x and y are the states h_x and h_y of the layer below; for the first layer all pairs of words of
// the two sentences. The cells of one i + j are independent of each other: Kolam runs them
// together, as one wave, for all pairs of sentences.
//
// Source: FractalTensor, "Parallel functions on FractalTensor: a demonstrating example".
#include "draw.h"
#include "run_example.h"

namespace ops = kolam::fractal;
using kolam::Tensor;
using ops::FractalTensor;
using Words = FractalTensor<Tensor>;
using Grid = FractalTensor<Words>;
using RnnParams = std::tuple<Tensor, Tensor, Tensor>;
using BlockParams = std::tuple<RnnParams, RnnParams>; // of the two directions

Tensor vanilla_cell(Tensor state, Tensor cur, RnnParams rnn_params) {
  auto [i2h, h2h, bias] = rnn_params;
  return tanh(matmul(cur, i2h) + matmul(state, h2h) + bias);
}

std::tuple<Tensor, Tensor> grid_cell(std::tuple<Tensor, Tensor> state, Tensor state_x,
                                     std::tuple<Tensor, Tensor> cur_input,
                                     BlockParams block_params) {
  auto [_, state_y] = state;
  auto [x_t, y_t] = cur_input;
  auto [rnn_param_x, rnn_param_y] = block_params;

  Tensor s = kolam::concat({state_x, state_y}, 1);
  Tensor h_x = vanilla_cell(x_t, s, rnn_param_x);
  Tensor h_y = vanilla_cell(y_t, s, rnn_param_y);
  return {h_x, h_y};
}

std::tuple<Words, Words> direction_y(std::tuple<Words, Words> state, Words xs, Words ys,
                                     BlockParams block_params) {
  auto [state_xs, _] = state;
  Tensor zero = kolam::zeros({1, state_xs.leaf_shape().at(1)});
  auto cell = [&](std::tuple<Tensor, Tensor> state, Tensor state_x,
                  std::tuple<Tensor, Tensor> cur_input) {
    return grid_cell(state, state_x, cur_input, block_params);
  };
  return ops::scan(cell, ops::zip(state_xs, ops::zip(xs, ys)), std::tuple(zero, zero));
}

ops::Iterator<Words, Words> direction_x(ops::Iterator<Words, Words> state,
                                        BlockParams block_params) {
  auto [first_row, _] = state[0];
  Words zeros =
      ops::repeat(kolam::zeros({1, first_row.leaf_shape().at(1)}), ops::length(first_row));
  auto row = [&](std::tuple<Words, Words> state, Words xs, Words ys) {
    return direction_y(state, xs, ys, block_params);
  };
  auto [h_x, h_y] = ops::scan(row, state, std::tuple(zeros, zeros));
  return ops::zip(h_x, h_y);
}

/// The states of the last layer: h_x and h_y, each [sentence pair][target word][source word] of
/// [1, hidden].
std::tuple<FractalTensor<Grid>, FractalTensor<Grid>>
grid_rnn(FractalTensor<Words> src_batch, FractalTensor<Words> trg_batch, Tensor src_embedding,
         Tensor trg_embedding, FractalTensor<BlockParams> rnn_params) {
  auto encode = [](Words words, Tensor embedding) {
    return ops::map([&](Tensor word) { return ops::index(ops::slices(embedding), word); }, words);
  };
  auto stacked_grid_rnns = [&](Words srcs, Words trgs) {
    auto [xss, yss] = ops::product(encode(srcs, src_embedding), encode(trgs, trg_embedding));
    return ops::fold(direction_x, rnn_params, ops::zip(xss, yss));
  };
  return ops::map(stacked_grid_rnns, ops::zip(src_batch, trg_batch));
}

int main(int count, char** words) {
  Draw draw;
  auto rnn_param = [&] {
    return RnnParams{draw.tensor({6, 3}), draw.tensor({3, 3}), draw.tensor({1, 3})};
  };
  auto src_batch = ops::list<int64_t>({{0, 1, 2, 3}, {4}}),
       trg_batch = ops::list<int64_t>({{1, 0}, {3, 2, 1}});
  Tensor src_embedding = draw.tensor({5, 3}), trg_embedding = draw.tensor({5, 3});
  FractalTensor<BlockParams> rnn_params{{rnn_param(), rnn_param()}, {rnn_param(), rnn_param()}};
  return run_example(kolam::jit(grid_rnn),
                     std::tuple(src_batch, trg_batch, src_embedding, trg_embedding, rnn_params),
                     count, words);
}
